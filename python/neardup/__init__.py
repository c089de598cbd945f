<<<<<<< HEAD
"""Near-duplicate text, found, verified and removed."""
=======
"""Near-duplicate text: found, verified and removed."""

from neardup.errors import NeardupError

__all__ = ["NeardupError"]
>>>>>>> house
