//! Documents: links and code blocks with their lines.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A link or an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub line: usize,
    pub target: String,
}

/// A code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    pub line: usize,
    /// Text after the fence; empty for an indented block.
    pub info: String,
    pub text: String,
}

/// Returns the links and images of a document.
#[must_use]
pub fn links(text: &str) -> Vec<Link> {
    let links = events(text).filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(Link { line: line_of(text, &range), target: dest_url.into_string() })
        }
        _ => None,
    });
    links.collect()
}

/// Returns the code blocks of a document.
#[must_use]
pub fn codes(text: &str) -> Vec<Code> {
    let (mut found, mut open) = (Vec::new(), None);
    for (event, range) in events(text) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                open = Some(Code { line: line_of(text, &range), info, text: String::new() });
            }
            Event::Text(part) => {
                if let Some(code) = &mut open {
                    code.text.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            _ => {}
        }
    }
    found
}

/// The same extensions that mdBook enables.
fn events(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM;
    Parser::new_ext(text, options).into_offset_iter()
}

fn line_of(text: &str, range: &Range<usize>) -> usize {
    text.bytes().take(range.start).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\n\n[b](c.md#d) and ![e](f.png), `[no](no.md)`\n\n```sh run\ncd x\n\nls\n```\n\n\
        | [g][h] |\n|---|\n\n[h]: i.md\n\n    four spaces\n";

    #[test]
    fn links_are_those_outside_of_code() {
        let found = links(TEXT);
        let found: Vec<_> = found.iter().map(|link| (link.line, link.target.as_str())).collect();
        assert_eq!(found, [(3, "c.md#d"), (3, "f.png"), (11, "i.md")]);
    }

    #[test]
    fn codes_have_their_info_and_text() {
        let found = codes(TEXT);
        let found: Vec<_> =
            found.iter().map(|code| (code.line, code.info.as_str(), code.text.as_str())).collect();
        assert_eq!(found, [(5, "sh run", "cd x\n\nls\n"), (16, "", "four spaces\n")]);
    }
}
