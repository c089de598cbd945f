//! A byte buffer with room on both sides, so that kernels may read and write a little too much.

/// Bytes kept free before the content: a token's last eight bytes can be read in one go.
pub const FRONT: usize = 8;
/// Bytes kept free after the content: one vector of 64 bytes can be written in one go.
pub const BACK: usize = 64;

/// The buffer; its content is `storage[FRONT..FRONT + len]`.
pub struct Padded {
    storage: Vec<u8>,
    len: usize,
}

impl Padded {
    /// An empty buffer.
    pub fn new() -> Self {
        Self { storage: vec![0; FRONT + BACK], len: 0 }
    }

    /// Forgets the content and makes room for about `expected` bytes.
    pub fn clear(&mut self, expected: usize) {
        self.len = 0;
        self.reserve(expected);
    }

    /// The content.
    pub fn content(&self) -> &[u8] {
        &self.storage[FRONT..FRONT + self.len]
    }

    /// The content with its padding: byte `i` of the content is at `FRONT + i`.
    pub fn padded(&self) -> &[u8] {
        &self.storage[..FRONT + self.len + BACK]
    }

    /// Room for at least `extra` more bytes and a vector, zeros or stale bytes; see [`Self::advance`].
    pub fn tail(&mut self, extra: usize) -> &mut [u8] {
        self.reserve(extra);
        &mut self.storage[FRONT + self.len..]
    }

    /// Takes the first `bytes` bytes written to [`Self::tail`] as content.
    pub fn advance(&mut self, bytes: usize) {
        self.len = (self.len + bytes).min(self.storage.len() - FRONT - BACK);
    }

    /// Appends the first `len` (at most `N`) of a few bytes.
    #[inline]
    pub fn push<const N: usize>(&mut self, bytes: [u8; N], len: u8) {
        let at = FRONT + self.len;
        if at + N + BACK > self.storage.len() {
            self.reserve(N);
        }
        self.storage[at..at + N].copy_from_slice(&bytes);
        self.len += usize::from(len).min(N);
    }

    /// Appends a text.
    pub fn push_str(&mut self, text: &str) {
        self.tail(text.len())[..text.len()].copy_from_slice(text.as_bytes());
        self.advance(text.len());
    }

    /// Removes a space from the end, if there is one.
    pub fn pop_space(&mut self) {
        if self.content().last() == Some(&b' ') {
            self.len -= 1;
        }
    }

    fn reserve(&mut self, extra: usize) {
        let needed = FRONT + self.len + extra + BACK;
        if self.storage.len() < needed {
            // Growth by half keeps appending linear.
            self.storage.resize(needed.max(self.storage.len() + self.storage.len() / 2), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_and_keeps_its_padding() {
        let mut buffer = Padded::new();
        for i in 0..1000 {
            buffer.push([b'a', b'b', b'c', b'd'], 3);
            buffer.push_str(" ");
            assert_eq!(buffer.content().len(), 4 * (i + 1));
        }
        buffer.pop_space();
        buffer.pop_space();
        assert!(buffer.content().ends_with(b"abc abc"));
        assert_eq!(buffer.padded().len(), FRONT + 3999 + BACK);
        buffer.tail(200)[..200].fill(b'x');
        buffer.advance(200);
        assert_eq!(buffer.content().len(), 4199);
        buffer.clear(0);
        assert!(buffer.content().is_empty());
    }
}
