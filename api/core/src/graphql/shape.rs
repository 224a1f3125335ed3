//! Size of a document, counted before it is parsed. Later steps take more time than linear in its length:
//! validation compares fragments with each other, and follows each variable through every fragment of every
//! operation.

use juniper::parser::{Lexer, Token};

use super::limits::Bound;
use crate::Result;

/// Counts of a document by its tokens.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape {
    tokens: u64,
    definitions: u64,
    fragments: u64,
    spreads: u64,
    selections: u64,
    directives: u64,
    variables: u64,
    arguments: u64,
}

/// Position of a token.
#[derive(Default)]
struct TokenPosition {
    /// Selection sets around the token.
    sets: usize,
    /// Arguments or definitions of variables around the token.
    parentheses: usize,
    /// True when the token before names a directive.
    is_directive: bool,
}

/// Refuses a document that is too large to be parsed and validated. A text that is no document is left to the
/// parser.
pub fn check_shape(source: &str) -> Result<()> {
    Bound::Bytes.check(source.len() as u64)?;
    let shape = Shape::of(source);
    for (bound, count) in [
        (Bound::Tokens, shape.tokens),
        (Bound::Fragments, shape.fragments),
        (Bound::Operations, shape.definitions.saturating_sub(shape.fragments)),
        (Bound::Spreads, shape.spreads),
        (Bound::Directives, shape.directives),
        (Bound::Variables, shape.variables),
        (Bound::Arguments, shape.arguments),
        (Bound::Selections, shape.selections),
    ] {
        bound.check(count)?;
    }
    Ok(())
}

impl Shape {
    fn of(source: &str) -> Self {
        let (mut shape, mut place) = (Self::default(), TokenPosition::default());
        for token in Lexer::new(source).map_while(Result::ok) {
            if token.item == Token::EndOfFile || shape.tokens > Bound::Tokens.allowed() {
                break;
            }
            shape.tokens += 1;
            shape.count(token.item, &mut place);
        }
        shape
    }

    fn count(&mut self, token: Token<'_>, place: &mut TokenPosition) {
        let is_directive = std::mem::replace(&mut place.is_directive, token == Token::At);
        match token {
            Token::ParenOpen => place.parentheses += 1,
            Token::ParenClose => place.parentheses = place.parentheses.saturating_sub(1),
            Token::CurlyOpen if place.parentheses == 0 => {
                self.definitions += u64::from(place.sets == 0);
                place.sets += 1;
            }
            Token::CurlyClose if place.parentheses == 0 => place.sets = place.sets.saturating_sub(1),
            Token::Ellipsis => self.spreads += 1,
            Token::At => self.directives += 1,
            Token::Dollar => self.variables += u64::from(place.sets == 0),
            Token::Name("fragment") if place.sets == 0 && place.parentheses == 0 => self.fragments += 1,
            Token::Name(_) if place.parentheses > 0 => self.arguments += 1,
            Token::Name(_) if place.sets > 0 && !is_directive => self.selections += 1,
            Token::Scalar(_) | Token::BracketOpen | Token::CurlyOpen => self.arguments += 1,
            // The name before it was counted: it names an argument, a field of an object, a variable or an
            // alias.
            Token::Colon if place.parentheses > 0 => self.arguments = self.arguments.saturating_sub(1),
            Token::Colon => self.selections = self.selections.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(source: &str) -> Option<String> {
        let details = check_shape(source).err()?.details?;
        Some(details["limit"].as_str()?.to_owned())
    }

    #[test]
    fn shape_counts_the_parts_of_a_document() {
        let source = "query a($n: Int = 5, $o: In = { a: [1] }) { \
            me @include(if: true) { x: id(a: $n, b: { c: [1, 2] }) ...f ... on U { name } } } \
            fragment f on U { id } mutation { do }";
        assert_eq!(
            Shape::of(source),
            Shape {
                tokens: 72,
                definitions: 3,
                fragments: 1,
                spreads: 2,
                // me, id, f, on, U, name, id, do
                selections: 8,
                directives: 1,
                variables: 2,
                // Int 5 In {} [] 1, true, $n, {} [] 1 2
                arguments: 12,
            }
        );
    }

    #[test]
    fn shape_is_checked_against_every_bound() {
        let at = |bound: Bound, more: u64| usize::try_from(bound.allowed() + more).unwrap();
        let cases: [(Bound, &dyn Fn(usize) -> String); 8] = [
            (Bound::Bytes, &|n| format!("{{a}}#{}", "x".repeat(n - 4))),
            (Bound::Tokens, &|n| "! ".repeat(n)),
            (Bound::Fragments, &|n| "fragment f on A {a}".repeat(n)),
            (Bound::Operations, &|n| "query {a}".repeat(n)),
            (Bound::Spreads, &|n| format!("{{{}}}", "...f ".repeat(n))),
            (Bound::Directives, &|n| format!("{{a {}}}", "@d ".repeat(n))),
            (Bound::Variables, &|n| format!("query({}){{a}}", "$a:A ".repeat(n))),
            (Bound::Selections, &|n| format!("{{{}}}", "b:a ".repeat(n))),
        ];
        for (bound, document) in cases {
            assert_eq!(refused(&document(at(bound, 0))), None, "{bound:?}");
            assert_eq!(refused(&document(at(bound, 1))).as_deref(), Some(bound.name()), "{bound:?}");
        }
        let arguments = format!("{{a(b:[{}])}}", "1 ".repeat(at(Bound::Arguments, 0)));
        assert_eq!(refused(&arguments).as_deref(), Some("arguments"));
        assert_eq!(refused("{ a { b } \u{0}"), None, "left to the parser");
        assert_eq!(refused("\"\"\"..."), None);
    }
}
