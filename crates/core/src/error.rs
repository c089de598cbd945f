//! One error type for the whole core: what kind, what was wrong, the value seen and what to do.

use std::fmt;

/// What kind of mistake an [`Error`] speaks of; the Python face picks its exception class by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An argument out of range or unknown: the caller's choice is wrong.
    Argument,
    /// Data that cannot be what it claims to be: truncated, malformed, inconsistent.
    Data,
    /// Two things that carry different identities were brought together.
    Mismatch,
    /// Something that must hold did not: a fault of this program.
    Internal,
}

/// An error that reads like a colleague's help: what was wrong, the value seen, what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
}

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A bad argument; `message` names the argument, the value seen and the range allowed.
    pub fn argument(message: impl Into<String>) -> Self {
        Self { kind: Kind::Argument, message: message.into() }
    }

    /// Bad data; `message` names the place, the value seen and the remedy.
    pub fn data(message: impl Into<String>) -> Self {
        Self { kind: Kind::Data, message: message.into() }
    }

    /// Two identities that differ; `message` names both sides.
    pub fn mismatch(message: impl Into<String>) -> Self {
        Self { kind: Kind::Mismatch, message: message.into() }
    }

    /// A broken invariant of our own.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { kind: Kind::Internal, message: message.into() }
    }

    /// The kind of mistake.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
