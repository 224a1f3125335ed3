//! Code blocks and their marks: what is done with a block is in the info string behind its language.

use std::{fmt, fs, path::Path, str::FromStr};

use anyhow::{Context, Result};

use crate::{book::Book, markdown, pages::Page};

/// Chapters whose blocks need no mark: they state forms, not steps.
const REFERENCE: &str = "reference/";
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
        let words = self.info.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
        let known = |languages: &[&str], mark: Mark| {
            let problem = format!("a block that is marked `{mark}` must be {}", languages.join(", "));
            if languages.contains(&language) { Ok(mark) } else { Err(problem) }
        };
        match (words.as_str(), words.split_once(':')) {
            ("run", _) => known(&SHELL, Mark::Run),
            ("compile", _) => known(&COMPILED, Mark::Compile),
            (_, Some(("shown", reason))) if !reason.trim().is_empty() && !language.is_empty() => {
                Ok(Mark::Shown)
            }
            _ => {
                Err("a block must be marked `run`, `compile` or `shown: reason` behind its language"
                    .to_owned())
            }
        }
    }

    /// Returns a name for a file with the text.
    #[must_use]
    pub fn file_name(&self) -> String {
        let chapter = self.chapter.trim_end_matches(".md").replace('/', "-");
        format!("{chapter}-{}.{}", self.line, self.language())
    }
}

/// Returns the blocks of the documents, without those of the reference.
#[must_use]
pub fn of_documents(book: &Book) -> Vec<Block> {
    let chapters = book.chapters.iter().filter(|chapter| !chapter.path.starts_with(REFERENCE));
    let blocks = chapters.flat_map(|chapter| {
        markdown::codes(&chapter.text).into_iter().map(|code| Block {
            chapter: chapter.path.clone(),
            line: code.line,
            info: code.info,
            text: code.text,
        })
    });
    blocks.collect()
}

/// Returns the blocks of the pages of a built book, without those of the reference.
///
/// # Errors
/// A page that cannot be read.
pub fn of_pages(book: &Book, folder: &Path) -> Result<Vec<Block>> {
    let mut found = Vec::new();
    for chapter in book.chapters.iter().filter(|chapter| !chapter.path.starts_with(REFERENCE)) {
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
        assert_eq!(mark("text shown: output of a command"), Ok(Mark::Shown));
        for unmarked in ["", "sh", "sh runs", "text shown:", "text shown: ", "shown: a reason", "run"] {
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
}
