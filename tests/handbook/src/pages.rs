//! Built pages: anchors, code blocks, and what would load or run something else than the book.

use std::{cell::RefCell, collections::BTreeSet};

use html5ever::{
    TokenizerResult,
    tendril::StrTendril,
    tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
};

/// Start of the class that names the language of a block.
const LANGUAGE: &str = "language-";
/// Elements whose addresses a browser loads by itself.
const LOADING: [&str; 8] = ["audio", "embed", "iframe", "img", "link", "object", "script", "video"];

/// Content of a page.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Page {
    pub ids: BTreeSet<String>,
    /// Info string and text of each code block with a language, in order.
    pub blocks: Vec<(String, String)>,
    /// Content that a page must not hold.
    pub problems: Vec<String>,
}

impl Page {
    /// Reads a page.
    #[must_use]
    pub fn read(html: &str) -> Self {
        let input = BufferQueue::default();
        input.push_back(StrTendril::from(html));
        let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
        // The reader stops it nowhere.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        tokenizer.end();
        tokenizer.sink.page.into_inner()
    }
}

#[derive(Default)]
struct Reader {
    page: RefCell<Page>,
    /// The block that is read.
    block: RefCell<Option<(String, String)>>,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => self.open(&tag),
            Token::TagToken(tag) if &*tag.name == "code" => {
                self.page.borrow_mut().blocks.extend(self.block.take());
            }
            Token::CharacterTokens(text) => {
                if let Some((_, block)) = &mut *self.block.borrow_mut() {
                    block.push_str(&text);
                }
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Reader {
    fn open(&self, tag: &Tag) {
        let name = &*tag.name;
        let mut page = self.page.borrow_mut();
        let attribute = |wanted: &str| {
            tag.attrs.iter().find(|attribute| &*attribute.name.local == wanted).map(|found| &*found.value)
        };
        page.ids.extend(attribute("id").map(str::to_owned));
        if name == "code"
            && let Some(info) = attribute("class").and_then(|class| class.strip_prefix(LANGUAGE))
        {
            *self.block.borrow_mut() = Some((info.to_owned(), String::new()));
        }
        if name == "script" && attribute("src").is_none() {
            page.problems.push("a script that is in no file".to_owned());
        }
        for attribute in &tag.attrs {
            let (key, value) = (&*attribute.name.local, &*attribute.value);
            let is_address = matches!(key, "src" | "href" | "data") && LOADING.contains(&name);
            if is_address && (value.contains("://") || value.starts_with("//")) {
                page.problems.push(format!("{value} is loaded from another host"));
            }
            if key.starts_with("on") {
                page.problems.push(format!("the attribute {key} holds a script"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_has_ids_and_blocks() {
        let page = Page::read(
            "<!DOCTYPE html><h2 id=\"a-b\"><a href=\"https://x.example\">A</a></h2><p><code>no</code></p>\
             <pre><code class=\"language-sh run\">echo &quot;a&quot; &gt;b &amp;&amp; c\n</code></pre>\
             <pre><code class=\"language-text shown: a b\">x</code></pre>",
        );
        assert_eq!(page.ids.into_iter().collect::<Vec<_>>(), ["a-b"]);
        let expected = [("sh run", "echo \"a\" >b && c\n"), ("text shown: a b", "x")];
        assert_eq!(page.blocks, expected.map(|(info, text)| (info.to_owned(), text.to_owned())));
        assert!(page.problems.is_empty(), "{:?}", page.problems);
    }

    #[test]
    fn page_problems_are_scripts_and_other_hosts() {
        let page = Page::read(
            "<script>a()</script><script src=\"a.js\"></script><script src=\"https://cdn.example/a.js\"></script>\
             <img src=\"//cdn.example/a.png\" onerror=\"a()\">",
        );
        assert_eq!(
            page.problems,
            [
                "a script that is in no file",
                "https://cdn.example/a.js is loaded from another host",
                "//cdn.example/a.png is loaded from another host",
                "the attribute onerror holds a script",
            ]
        );
    }
}
