//! Keep-first over an endless stream of texts: each is read, looked up and verified against those already there.
//!
//! ```text
//! reader   a text > its band keys and its content (shingle set, signature, or digest of a blank text)
//! links    band keys > documents, one entry in or out at a time
//! store    the documents that are there: the best match of one, additions, removals, age
//! file     a store as plain arrays, and back
//! ```
//!
//! Texts of equal content share one entry, so that a text that comes a million times costs a lookup, not a
//! million comparisons.

mod file;
mod links;
mod reader;
mod store;

pub use file::Arrays;
pub use reader::{Item, Reader, read_all};
pub use store::{Content, Found, Limits, NOBODY, Rule, Store};
