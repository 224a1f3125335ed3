//! Code blocks and their marks: what is done with a block is in the info string behind its language.

use std::{fmt, fs, path::Path, str::FromStr};

use anyhow::{Context, Result};

use crate::{book::Book, markdown, pages::Page};

/// Mark of a block that is compiled in one file with the block of its language before it.
const CONTINUED: &str = "compile continued";
/// Languages of blocks that run.
const SHELL: [&str; 1] = ["sh"];
/// Languages of blocks that are compiled. `scripts/handbook` has a check for each.
const COMPILED: [&str; 8] = ["graphql", "js", "json", "py", "sh", "toml", "ts", "yaml"];

/// Treatment of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It runs: the blocks of a chapter are one script.
    Run,
    /// It is checked by the compiler or parser of its language.
    Compile,
    /// It is only shown, for the reason that follows.
    Shown,
}

/// A file with the text of a block, and of those that continue it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockFile {
    pub name: String,
    pub text: String,
    /// First block.
    block: Block,
}

/// A code block of a chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Path of the chapter.
    pub chapter: String,
    /// Line of the document, or position among the blocks of the page.
    pub line: usize,
    pub info: String,
    pub text: String,
}

impl FromStr for Mark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "run" => Ok(Self::Run),
            "compile" => Ok(Self::Compile),
            "shown" => Ok(Self::Shown),
            _ => Err("must be `run`, `compile` or `shown`".to_owned()),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Run => "run",
            Self::Compile => "compile",
            Self::Shown => "shown",
        })
    }
}

impl Block {
    /// Returns the language; empty when none is named.
    #[must_use]
    pub fn language(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or_default()
    }

    /// Returns the mark.
    ///
    /// # Errors
    /// The reason why the info string names none.
    pub fn mark(&self) -> Result<Mark, String> {
        let language = self.language();
        let words = self.words();
        let known = |languages: &[&str], mark: Mark| {
            let problem = format!("a block that is marked `{mark}` must be {}", languages.join(", "));
            if languages.contains(&language) { Ok(mark) } else { Err(problem) }
        };
        match (words.as_str(), words.split_once(':')) {
            ("run", _) => known(&SHELL, Mark::Run),
            ("compile" | CONTINUED, _) => known(&COMPILED, Mark::Compile),
            (_, Some(("shown", reason))) if !reason.trim().is_empty() && !language.is_empty() => {
                Ok(Mark::Shown)
            }
            _ => {
                Err("a block must be marked `run`, `compile` or `shown: reason` behind its language"
                    .to_owned())
            }
        }
    }

    /// Words of the info string behind the language.
    fn words(&self) -> String {
        self.info.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    }

    /// Returns a name for a file with the text.
    #[must_use]
    pub fn file_name(&self) -> String {
        let chapter = self.chapter.trim_end_matches(".md").replace('/', "-");
        format!("{chapter}-{}.{}", self.line, self.language())
    }
}

/// Returns the files of blocks.
///
/// # Errors
/// A block that continues none.
pub fn files(blocks: impl IntoIterator<Item = Block>) -> Result<Vec<BlockFile>> {
    let mut files: Vec<BlockFile> = Vec::new();
    for block in blocks {
        if block.words() == CONTINUED {
            let is_before = |file: &&mut BlockFile| {
                file.block.chapter == block.chapter && file.block.language() == block.language()
            };
            let none = || format!("{}:{} continues no block", block.chapter, block.line);
            let file = files.iter_mut().rfind(is_before).with_context(none)?;
            file.text.push('\n');
            file.text.push_str(&block.text);
        } else {
            files.push(BlockFile { name: block.file_name(), text: block.text.clone(), block });
        }
    }
    Ok(files)
}

/// Returns the blocks of the documents.
#[must_use]
pub fn of_documents(book: &Book) -> Vec<Block> {
    let blocks = book.chapters.iter().flat_map(|chapter| {
        markdown::codes(&chapter.text).into_iter().map(|code| Block {
            chapter: chapter.path.clone(),
            line: code.line,
            info: code.info,
            text: code.text,
        })
    });
    blocks.collect()
}

/// Returns the blocks of the pages of a built book.
///
/// # Errors
/// A page that cannot be read.
pub fn of_pages(book: &Book, folder: &Path) -> Result<Vec<Block>> {
    let mut found = Vec::new();
    for chapter in &book.chapters {
        let path = folder.join(&chapter.page);
        let html = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let blocks = Page::read(&html).blocks.into_iter().enumerate();
        found.extend(blocks.map(|(position, (info, text))| Block {
            chapter: chapter.path.clone(),
            line: position + 1,
            info,
            text,
        }));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(info: &str) -> Result<Mark, String> {
        let block = Block { chapter: "a/b.md".into(), line: 3, info: info.into(), text: String::new() };
        block.mark()
    }

    #[test]
    fn mark_is_behind_the_language() {
        assert_eq!(mark("sh run"), Ok(Mark::Run));
        assert_eq!(mark("ts compile"), Ok(Mark::Compile));
        assert_eq!(mark("ts compile continued"), Ok(Mark::Compile));
        assert_eq!(mark("text shown: output of a command"), Ok(Mark::Shown));
        for unmarked in
            ["", "sh", "sh runs", "text shown:", "text shown: ", "shown: a reason", "run", "sh run continued"]
        {
            assert!(mark(unmarked).unwrap_err().starts_with("a block must be marked"), "{unmarked}");
        }
        assert_eq!(mark("py run"), Err("a block that is marked `run` must be sh".into()));
        assert!(mark("cobol compile").unwrap_err().contains("graphql, js, json"));
    }

    #[test]
    fn file_name_is_that_of_the_place() {
        let block =
            Block { chapter: "a/b.md".into(), line: 3, info: "ts compile".into(), text: String::new() };
        assert_eq!(block.file_name(), "a-b-3.ts");
    }

    #[test]
    fn files_hold_a_block_and_those_that_continue_it() {
        let block = |chapter: &str, line: usize, info: &str| Block {
            chapter: chapter.into(),
            line,
            info: info.into(),
            text: format!("{line}\n"),
        };
        let blocks = vec![
            block("a.md", 1, "ts compile"),
            block("a.md", 2, "py compile"),
            block("a.md", 3, "ts compile continued"),
            block("a.md", 4, "ts compile"),
            block("b.md", 5, "ts compile"),
            block("a.md", 6, "ts compile continued"),
        ];
        let found = files(blocks).unwrap();
        let found: Vec<_> = found.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect();
        let expected = [("a-1.ts", "1\n\n3\n"), ("a-2.py", "2\n"), ("a-4.ts", "4\n\n6\n"), ("b-5.ts", "5\n")];
        assert_eq!(found, expected);
        let alone = files(vec![block("a.md", 1, "py compile"), block("a.md", 2, "ts compile continued")]);
        assert_eq!(alone.unwrap_err().to_string(), "a.md:2 continues no block");
    }
}
