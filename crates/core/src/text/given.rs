//! Tokens that somebody else has cut: one list of them for each row of a column.

/// Lists of tokens, row after row.
#[derive(Default)]
pub struct Tokens {
    text: String,
    /// Where each token ends in the text.
    ends: Vec<usize>,
    /// How many tokens there are up to the end of each row.
    rows: Vec<usize>,
}

impl Tokens {
    /// Appends a token to the row that is open. One of white space only is none.
    pub fn push(&mut self, token: &str) {
        if token.chars().any(|c| !super::tables::is(c, super::tables::SPACE)) {
            self.text.push_str(token);
            self.ends.push(self.text.len());
        }
    }

    /// Ends the row that is open.
    pub fn end_row(&mut self) {
        self.rows.push(self.ends.len());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The tokens of a row; none beyond the last one.
    pub fn row(&self, row: usize) -> Row<'_> {
        let first = if row == 0 { 0 } else { self.rows.get(row - 1).copied().unwrap_or(0) };
        let end = self.rows.get(row).copied().unwrap_or(first);
        Row { tokens: self, first, end }
    }
}

/// The tokens of one row.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    tokens: &'a Tokens,
    first: usize,
    end: usize,
}

impl<'a> Row<'a> {
    /// The tokens in order.
    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        let Tokens { text, ends, .. } = self.tokens;
        (self.first..self.end).map(|i| {
            let begin = if i == 0 { 0 } else { ends[i - 1] };
            text.get(begin..ends[i]).unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_without_blanks() {
        let mut tokens = Tokens::default();
        let rows = [vec!["我", "喜欢", " ", "", "健身"], vec![], vec!["\u{3000}"], vec!["a b"]];
        for row in &rows {
            row.iter().for_each(|token| tokens.push(token));
            tokens.end_row();
        }
        let back: Vec<Vec<&str>> = (0..5).map(|i| tokens.row(i).iter().collect()).collect();
        assert_eq!(back, [vec!["我", "喜欢", "健身"], vec![], vec![], vec!["a b"], vec![]]);
        assert!(tokens.len() == 4 && !tokens.is_empty());
    }
}
