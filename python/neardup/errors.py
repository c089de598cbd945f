"""The errors neardup raises: one base, and kinds that are also the built-in a caller expects."""


class NeardupError(Exception):
    """Base of every error neardup raises on purpose."""


class NeardupValueError(NeardupError, ValueError):
    """An argument has a value that is not allowed."""


class NeardupTypeError(NeardupError, TypeError):
    """An argument has a type that is not allowed."""


class DataError(NeardupError):
    """Input or output data is missing, unreadable or not what it claims to be."""


class UsageError(NeardupError):
    """A request that cannot be carried out as stated."""
