//! Cells of CSV files. A spreadsheet must not compute what a stranger wrote (reference/history.md#csv).

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use shared::clock::rfc3339;

/// One cell.
pub(super) enum Cell<'a> {
    /// Nothing is known.
    Empty,
    /// Text of a person or platform.
    Text(Cow<'a, str>),
    /// A figure or time of ours, which is never a formula.
    Plain(String),
}

impl<'a> Cell<'a> {
    /// Text of a person or platform.
    pub fn text(text: &'a str) -> Self {
        Self::Text(defused(text))
    }

    /// The same where it may be missing.
    pub fn optional_text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Empty, Self::text)
    }

    /// Whole number.
    pub fn number(number: i64) -> Self {
        Self::Plain(number.to_string())
    }

    /// Whole number, or nothing.
    pub fn optional_number(number: Option<i64>) -> Self {
        number.map_or(Self::Empty, Self::number)
    }

    /// Number with two decimals, or nothing.
    pub fn optional_decimal(number: Option<f64>) -> Self {
        number.map_or(Self::Empty, |number| Self::Plain(format!("{number:.2}")))
    }

    /// Time in RFC 3339.
    pub fn time(at: DateTime<Utc>) -> Self {
        Self::Plain(rfc3339(at))
    }

    /// Time in RFC 3339, or nothing.
    pub fn optional_time(at: Option<DateTime<Utc>>) -> Self {
        at.map_or(Self::Empty, Self::time)
    }

    /// Text of the cell; nothing is an empty text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Text(text) => text,
            Self::Plain(text) => text,
        }
    }
}

/// Puts an apostrophe before a text that a spreadsheet may read as a formula: one that begins with `=`, `+`, `-`, `@`
/// or their wide forms, also after spaces and characters that spreadsheets skip.
fn defused(text: &str) -> Cow<'_, str> {
    let is_skipped = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{200B}' | '\u{FEFF}');
    let first = text.chars().find(|c| !is_skipped(*c));
    let is_formula = first.is_some_and(|c| {
        matches!(c, '=' | '+' | '-' | '@' | '\u{FF1D}' | '\u{FF0B}' | '\u{FF0D}' | '\u{FF20}')
    });
    // A tab or return at the beginning can move what follows into a cell of its own.
    let is_moved = text.starts_with(['\t', '\r', '\n']);
    if is_formula || is_moved { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_of_a_text_is_no_formula() {
        for formula in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            " =1",
            "\t=1",
            "\r\n=1",
            "\u{FEFF}=1",
            "\u{FF1D}1",
            "\ttext",
            "\rtext",
        ] {
            assert_eq!(Cell::text(formula).as_str(), format!("'{formula}"), "{formula:?}");
        }
        for text in ["", "a=1", "1-1", "'=1", "#1", "Ünïcödé", "a\n=1"] {
            assert_eq!(Cell::text(text).as_str(), text, "{text:?}");
        }
        assert_eq!(Cell::number(-3).as_str(), "-3");
    }
}
