//! Placeholders in a text, for the templates of bot commands (reference/bots.md#templates) and of automations
//! (reference/automations.md#templates).

/// Piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text outside of placeholders.
    Text(&'a str),
    /// A placeholder.
    Placeholder {
        /// The placeholder with its delimiters.
        source: &'a str,
        /// Text between the delimiters. It does not hold the opening one.
        inside: &'a str,
    },
}

/// Pieces of a text, in order.
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    rest: &'a str,
    open: &'static str,
    close: &'static str,
    found: Option<Piece<'a>>,
}

/// Splits a text at its placeholders, in linear time. A placeholder reaches from an opening delimiter to the
/// first closing one, without another opening one in between. Delimiters without a partner stay in the text.
#[must_use]
pub const fn pieces<'a>(text: &'a str, open: &'static str, close: &'static str) -> Pieces<'a> {
    Pieces { rest: text, open, close, found: None }
}

impl<'a> Pieces<'a> {
    /// Positions of the next placeholder in the rest: its begin, its inside, its end.
    fn locate(&self) -> Option<(usize, usize, usize, usize)> {
        let first = self.rest.find(self.open)? + self.open.len();
        let close = first + self.rest[first..].find(self.close)?;
        let inside = match self.rest[first..close].rfind(self.open) {
            Some(last) => first + last + self.open.len(),
            None => first,
        };
        Some((inside - self.open.len(), inside, close, close + self.close.len()))
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if let Some(found) = self.found.take() {
            return Some(found);
        }
        if self.rest.is_empty() {
            return None;
        }
        let Some((begin, inside, close, end)) = self.locate() else {
            return Some(Piece::Text(std::mem::take(&mut self.rest)));
        };
        let (text, rest) = (self.rest, &self.rest[end..]);
        self.rest = rest;
        let placeholder = Piece::Placeholder { source: &text[begin..end], inside: &text[inside..close] };
        if begin == 0 {
            return Some(placeholder);
        }
        self.found = Some(placeholder);
        Some(Piece::Text(&text[..begin]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, open: &'static str, close: &'static str) -> Vec<String> {
        pieces(text, open, close)
            .map(|piece| match piece {
                Piece::Text(text) => text.to_owned(),
                Piece::Placeholder { source, inside } => {
                    assert_eq!(source, format!("{open}{inside}{close}"));
                    format!("<{inside}>")
                }
            })
            .collect()
    }

    #[test]
    fn placeholders_are_found_between_their_delimiters() {
        assert_eq!(shown("a {b} c{d}", "{", "}"), ["a ", "<b>", " c", "<d>"]);
        assert_eq!(shown("{{a}}{{b}} }}", "{{", "}}"), ["<a>", "<b>", " }}"]);
        assert_eq!(shown(r#"{"a":{"b":{{c}}}}"#, "{{", "}}"), [r#"{"a":{"b":"#, "<c>", "}}"]);
        assert_eq!(shown("", "{", "}"), Vec::<String>::new());
    }

    #[test]
    fn placeholders_leave_delimiters_without_a_partner_in_the_text() {
        assert_eq!(shown("{x {y}", "{", "}"), ["{x ", "<y>"]);
        assert_eq!(shown("{{ {{ a }} }}", "{{", "}}"), ["{{ ", "< a >", " }}"]);
        for text in ["{", "}", "{{", "a {{ b", "}} {{"] {
            assert_eq!(shown(text, "{{", "}}"), [text]);
        }
    }

    #[test]
    fn placeholders_of_a_long_hostile_text_are_found_in_linear_time() {
        let text = "{{".repeat(500_000) + "x}}";
        assert_eq!(pieces(&text, "{{", "}}").count(), 2);
        assert_eq!(pieces(&"{".repeat(1_000_000), "{", "}").count(), 1);
    }
}
