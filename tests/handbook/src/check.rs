//! Checks of a book: its links, its pages and the marks of its blocks.

use std::{
    collections::{BTreeSet, HashMap},
    fmt, fs,
    path::Path,
};

use anyhow::{Context, Result};
use walkdir::WalkDir;

use crate::{
    blocks::{self, Block, Mark},
    book::{Book, Chapter},
    markdown,
    pages::Page,
    scripts,
};

/// Highest share of blocks that are only shown, in percent.
pub const MAX_SHOWN_PERCENT: usize = 15;
const SUMMARY: &str = "SUMMARY.md";

/// A problem with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path from the folder of the book, or of the built one.
    pub path: String,
    /// From 1; 0 for the file as a whole.
    pub line: usize,
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.text)
    }
}

/// Returns the problems of a book that was built into a folder.
///
/// # Errors
/// A document or a page that cannot be read.
pub fn findings(book: &Book, folder: &Path) -> Result<Vec<Finding>> {
    let mut found = unlisted(book)?;
    let mut anchors = HashMap::new();
    for path in scripts::pages(folder)? {
        let html = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let (page, name) =
            (Page::read(&html), path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/"));
        found.extend(page.problems.into_iter().map(|text| Finding { path: name.clone(), line: 0, text }));
        anchors.insert(name, page.ids);
    }
    let target = Targets { pages: pages(book), anchors, folder };
    for chapter in &book.chapters {
        for link in markdown::links(&chapter.text) {
            let Some(problem) = target.problem(chapter, &link.target) else { continue };
            let text = format!("{}: {problem}", link.target);
            found.push(Finding { path: chapter.path.clone(), line: link.line, text });
        }
    }
    found.extend(marks(&blocks::of_documents(book)));
    found.sort();
    Ok(found)
}

/// Documents that are no chapters.
fn unlisted(book: &Book) -> Result<Vec<Finding>> {
    let listed: BTreeSet<&str> = book.chapters.iter().map(|chapter| chapter.path.as_str()).collect();
    let mut found = Vec::new();
    for entry in WalkDir::new(&book.root) {
        let entry = entry?;
        let path = entry.path().strip_prefix(&book.root)?.to_string_lossy().replace('\\', "/");
        if path.ends_with(".md") && path != SUMMARY && !listed.contains(path.as_str()) {
            found.push(Finding { path, line: 0, text: format!("{SUMMARY} does not list it") });
        }
    }
    Ok(found)
}

fn pages(book: &Book) -> HashMap<&str, &str> {
    book.chapters.iter().map(|chapter| (chapter.path.as_str(), chapter.page.as_str())).collect()
}

/// Everything that a link may lead to.
struct Targets<'a> {
    /// Pages by their document.
    pages: HashMap<&'a str, &'a str>,
    /// Anchors by page.
    anchors: HashMap<String, BTreeSet<String>>,
    folder: &'a Path,
}

impl Targets<'_> {
    fn problem(&self, from: &Chapter, target: &str) -> Option<&'static str> {
        if target.contains("://") || target.starts_with("mailto:") {
            return None;
        }
        let (file, anchor) =
            target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
        let Some(path) = resolve(&from.path, file) else { return Some("leads out of the book") };
        let page = match self.pages.get(path.as_str()) {
            Some(page) => *page,
            None if path.ends_with(".md") => return Some("is no chapter of the book"),
            None if !self.folder.join(&path).is_file() => return Some("no such file"),
            None => path.as_str(),
        };
        let anchor = anchor?;
        let is_known = self.anchors.get(page).is_some_and(|anchors| anchors.contains(anchor));
        (!is_known).then_some("no such heading")
    }
}

/// Path that a link leads to, from the folder of the book. `None` when it leads out of the book.
fn resolve(from: &str, target: &str) -> Option<String> {
    if target.is_empty() {
        return Some(from.to_owned());
    }
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop()?;
            }
            "" | "." => {}
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Problems of marks, and a share of shown blocks that is too high.
fn marks(blocks: &[Block]) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut shown = Vec::new();
    for block in blocks {
        match block.mark() {
            Ok(Mark::Shown) => shown.push(block),
            Ok(Mark::Run | Mark::Compile) => {}
            Err(text) => found.push(Finding { path: block.chapter.clone(), line: block.line, text }),
        }
    }
    if shown.len() * 100 > blocks.len() * MAX_SHOWN_PERCENT {
        let text = format!(
            "{} of {} blocks are only shown, at most {MAX_SHOWN_PERCENT} % may be",
            shown.len(),
            blocks.len()
        );
        let last = shown.last();
        let path = last.map_or_else(|| SUMMARY.to_owned(), |block| block.chapter.clone());
        found.push(Finding { path, line: last.map_or(0, |block| block.line), text });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolve_is_relative_to_the_chapter() {
        for (from, target, expected) in [
            ("a/b.md", "c.md", Some("a/c.md")),
            ("a/b.md", "../c/d.md", Some("c/d.md")),
            ("a/b.md", "./c.md", Some("a/c.md")),
            ("a/b.md", "", Some("a/b.md")),
            ("b.md", "../c.md", None),
            ("a/b.md", "/c.md", None),
        ] {
            assert_eq!(resolve(from, target).as_deref(), expected, "{from} {target}");
        }
    }

    fn block(info: &str) -> Block {
        Block { chapter: "a.md".into(), line: 1, info: info.into(), text: String::new() }
    }

    #[test]
    fn marks_allow_a_share_of_shown_blocks() {
        let blocks = |shown: usize, others: usize| -> Vec<Block> {
            let shown = std::iter::repeat_n(block("text shown: output"), shown);
            shown.chain(std::iter::repeat_n(block("json compile"), others)).collect()
        };
        assert!(marks(&[]).is_empty());
        assert!(marks(&blocks(3, 17)).is_empty());
        let found = marks(&blocks(4, 16));
        assert_eq!(found[0].text, "4 of 20 blocks are only shown, at most 15 % may be");
        assert_eq!(marks(&[block("sh")]).len(), 1);
    }
}
