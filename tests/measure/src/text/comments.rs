//! Comments of a source file, joined to blocks of consecutive lines.

/// A run of comment lines of the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Line of the first comment, from 1.
    pub line: usize,
    pub kind: Kind,
    /// The text without comment marks, one source line a line.
    pub text: String,
}

/// Kind of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `///`, `//!` and the block forms.
    Doc,
    Plain,
}

impl Block {
    /// Returns the line of the checkout file at a byte offset of the text.
    #[must_use]
    pub fn line_at(&self, offset: usize) -> usize {
        self.line + self.text[..offset].matches('\n').count()
    }
}

/// Returns the comment blocks of a Rust source.
#[must_use]
pub fn rust(text: &str) -> Vec<Block> {
    let mut scanner = Scanner { bytes: text.as_bytes(), text, at: 0, line: 1, found: Vec::new() };
    scanner.run();
    joined(scanner.found)
}

/// Returns the comments of another language, found by its line mark (`#`, `--`, `//`).
#[must_use]
pub fn marked(text: &str, mark: &str) -> Vec<Block> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(at) = line.match_indices(mark).map(|(at, _)| at).find(|at| {
            line[..*at].chars().next_back().is_none_or(char::is_whitespace)
                && !line[at + mark.len()..].starts_with('!')
        }) else {
            continue;
        };
        let text = line[at + mark.len()..].trim_start().to_owned();
        found.push(Comment { line: index + 1, mark: "//", text });
    }
    joined(found)
}

/// One comment as it is written; a comment over several lines has one entry a line.
struct Comment {
    line: usize,
    mark: &'static str,
    text: String,
}

fn joined(found: Vec<Comment>) -> Vec<Block> {
    let mut blocks: Vec<(Block, &'static str, usize)> = Vec::new();
    for comment in found {
        match blocks.last_mut() {
            Some((block, mark, last)) if *mark == comment.mark && *last + 1 == comment.line => {
                block.text.push('\n');
                block.text.push_str(&comment.text);
                *last = comment.line;
            }
            _ => {
                let kind = if comment.mark == "//" { Kind::Plain } else { Kind::Doc };
                let line = comment.line;
                blocks.push((Block { line, kind, text: comment.text }, comment.mark, line));
            }
        }
    }
    blocks.into_iter().map(|(block, _, _)| block).collect()
}

struct Scanner<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    line: usize,
    found: Vec<Comment>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.advance(1),
                b'/' if self.follows("//") => self.line_comment(),
                b'/' if self.follows("/*") => self.block_comment(),
                b'"' => self.string(),
                b'r' if self.raw_string() => {}
                b'\'' => self.character(),
                b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word(),
                _ => self.advance(1),
            }
        }
    }

    fn follows(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn advance(&mut self, count: usize) {
        let end = (self.at + count).min(self.bytes.len());
        self.line += self.bytes[self.at..end].iter().filter(|byte| **byte == b'\n').count();
        self.at = end;
    }

    /// Skips an identifier, so that an `r` inside of one opens no raw string; its prefixes `b`, `c`, `br` do.
    fn word(&mut self) {
        let rest = &self.bytes[self.at..];
        let length =
            rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count().max(1);
        let is_prefix = matches!(&rest[..length], b"br" | b"cr");
        self.advance(if is_prefix { 1 } else { length });
    }

    fn line_comment(&mut self) {
        let rest = &self.text[self.at..];
        let whole = rest.split('\n').next().unwrap_or(rest);
        let (mark, skipped) = match whole.as_bytes().get(2..) {
            Some([b'/', b'/', ..]) => ("//", 2),
            Some([b'/', ..]) => ("///", 3),
            Some([b'!', ..]) => ("//!", 3),
            _ => ("//", 2),
        };
        let text = whole[skipped..].trim().to_owned();
        self.found.push(Comment { line: self.line, mark, text });
        self.advance(whole.len());
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let first_line = self.line;
        let mut depth = 0;
        loop {
            if self.follows("/*") {
                depth += 1;
                self.advance(2);
            } else if self.follows("*/") {
                depth -= 1;
                self.advance(2);
            } else {
                self.advance(1);
            }
            if depth == 0 || self.at >= self.bytes.len() {
                break;
            }
        }
        let whole = &self.text[start..self.at];
        let is_doc = (whole.starts_with("/**") && whole.len() > 4) || whole.starts_with("/*!");
        let mark = if is_doc { "/**" } else { "//" };
        let inner = whole.trim_start_matches(['/', '*', '!']).trim_end_matches(['/', '*']);
        for (index, line) in inner.lines().enumerate() {
            let text = line.trim().trim_start_matches('*').trim().to_owned();
            self.found.push(Comment { line: first_line + index, mark, text });
        }
    }

    fn string(&mut self) {
        self.advance(1);
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.advance(2),
                b'"' => return self.advance(1),
                _ => self.advance(1),
            }
        }
    }

    /// Skips a raw string, if one begins here.
    fn raw_string(&mut self) -> bool {
        let rest = &self.bytes[self.at + 1..];
        let marks = rest.iter().take_while(|byte| **byte == b'#').count();
        if rest.get(marks) != Some(&b'"') {
            self.word();
            return true;
        }
        let end = format!("\"{}", "#".repeat(marks));
        let body = self.at + 2 + marks;
        let length = self.text.get(body..).and_then(|body| body.find(&end)).map_or(0, |at| at + end.len());
        self.advance(2 + marks + length);
        true
    }

    /// Skips a character literal; a lifetime is left to the next step.
    fn character(&mut self) {
        let mut rest = self.text[self.at + 1..].chars();
        match rest.next() {
            Some('\\') => {
                self.advance(3);
                while self.bytes.get(self.at).is_some_and(|byte| *byte != b'\'') {
                    self.advance(1);
                }
                self.advance(1);
            }
            Some(c) if rest.next() == Some('\'') => self.advance(2 + c.len_utf8()),
            _ => self.advance(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_comments_are_joined_by_kind() {
        let blocks = rust("//! A\n//! b\n/// C\nfn f() {} // d\n// e\n");
        let found: Vec<_> = blocks.iter().map(|b| (b.line, b.kind, b.text.as_str())).collect();
        assert_eq!(found, [(1, Kind::Doc, "A\nb"), (3, Kind::Doc, "C"), (4, Kind::Plain, "d\ne")]);
    }

    #[test]
    fn rust_comments_are_not_sought_in_literals() {
        let text = r####"let a = "// no"; let b = r#"" // no"#; let c = '"'; let d: &'a str = b"\"// no"; // yes"####;
        let blocks = rust(text);
        assert_eq!(blocks.len(), 1, "{blocks:?}");
        assert_eq!(blocks[0].text, "yes");
        assert_eq!(rust("let br = 1; // a").len(), 1);
        assert_eq!(rust("let c = '\\''; // a").len(), 1);
        assert_eq!(rust("let c = '\\u{1F600}'; // a").len(), 1);
    }

    #[test]
    fn rust_block_comments_nest() {
        let blocks = rust("/* a /* b */\n c */ fn f() {} // d");
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].line_at(blocks[0].text.find('c').unwrap()), 2);
    }

    #[test]
    fn marked_comments_of_scripts_are_found() {
        let blocks = marked("#!/bin/sh\nx=1 # a\n# b\ny=${#x}\n", "#");
        assert_eq!(blocks.len(), 1);
        assert_eq!((blocks[0].line, blocks[0].text.as_str()), (2, "a\nb"));
    }
}
