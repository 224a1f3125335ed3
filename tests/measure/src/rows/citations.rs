//! Citations in comments: of documents outside of the repository, and of chapters of the reference.

use std::collections::BTreeSet;

use crate::{
    checkout::Checkout,
    pattern,
    row::{Place, Row},
    rows::links,
    text::markdown,
};

/// Folder of the chapters.
const REFERENCE: &str = "docs/reference";

/// Returns the lines that cite a document outside of the repository.
#[must_use]
pub fn outside(checkout: &Checkout) -> Row {
    let mut places = Vec::new();
    each_text(checkout, &mut |path, line_at, text| {
        places.extend(cited_papers(text).into_iter().map(|(at, cited)| Place::new(path, line_at(at), cited)));
    });
    let mut lines = BTreeSet::new();
    places.retain(|place| lines.insert((place.path.clone(), place.line)));
    Row::of("citations", "citations of documents outside", places)
}

/// Returns the citations of chapters or headings that do not exist.
#[must_use]
pub fn unresolved(checkout: &Checkout) -> Row {
    let anchors = links::anchors(checkout);
    let mut places = Vec::new();
    each_text(checkout, &mut |path, line_at, text| {
        for (at, chapter, anchor) in cited_chapters(text) {
            let file = format!("{REFERENCE}/{chapter}");
            let problem = match (anchors.get(file.as_str()), &anchor) {
                (None, _) => "no such chapter",
                (Some(known), Some(anchor)) if !known.contains(anchor) => "no such heading",
                _ => continue,
            };
            let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
            places.push(Place::new(path, line_at(at), format!("reference/{chapter}{anchor}: {problem}")));
        }
    });
    Row::of("unresolved-citations", "citations of the reference that lead nowhere", places)
}

/// Calls `visit` with every comment block, script and document without its link targets; the second argument gives the
/// line of a byte offset.
fn each_text(checkout: &Checkout, visit: &mut impl FnMut(&str, &dyn Fn(usize) -> usize, &str)) {
    for source in checkout.sources.values() {
        for block in &source.comments {
            visit(&source.path, &|at| block.line_at(at), &block.text);
        }
    }
    let documents = checkout.documents.iter().map(|(path, text)| (path, markdown::without_targets(text)));
    let texts = checkout.texts.iter().map(|(path, text)| (path, text.clone()));
    for (path, text) in documents.chain(texts) {
        visit(path, &|at| text[..at].matches('\n').count() + 1, &text);
    }
}

fn cited_papers(text: &str) -> Vec<(usize, String)> {
    pattern!(
        PAPER,
        r"(?x)
        \bspecification\s+[A-E]\b(?:[,\s]+(?:§?[A-E]?\d[\d.]*))?
        | \b[A-E]\s+§\s*[A-E]?\d[\d.]*
        | \bC\s+B\d+[\d.]*
        | [(;,]\s*(?:specification\s+)?[A-E],\s+\d+\b
        | [(;,]\s*B(?:[1-9]|1\d|20)(?:\.\d+)*\s*[);,]
        | \bthat\s+B(?:[1-9]|1\d|20)\b
        | \b[A-E]\s+\d+(?:,\s*\d+)*\s*\)
        "
    );
    let found = PAPER.find_iter(text);
    found.map(|found| (found.start(), joined(found.as_str()))).collect()
}

fn joined(text: &str) -> String {
    text.trim_start_matches(['(', ';', ',', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Chapters with their anchors, and those anchors that follow under the path of the one before.
fn cited_chapters(text: &str) -> Vec<(usize, String, Option<String>)> {
    pattern!(
        CHAPTER,
        r"\breference/([A-Za-z0-9_-]+\.md)(?:#([\p{L}\p{N}_-]+))?((?:\s*[,;]\s*#[\p{L}\p{N}_-]+)*)"
    );
    pattern!(MORE, r"#([\p{L}\p{N}_-]+)");
    let mut found = Vec::new();
    for citation in CHAPTER.captures_iter(text) {
        let Some(whole) = citation.get(0) else { continue };
        let anchor = citation.get(2).map(|anchor| anchor.as_str().to_owned());
        found.push((whole.start(), citation[1].to_owned(), anchor));
        for more in MORE.captures_iter(&citation[3]) {
            found.push((whole.start(), citation[1].to_owned(), Some(more[1].to_owned())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cited_papers_are_found() {
        for text in [
            "a (specification A §2.2, §4.4)",
            "b (C B3.4)",
            "c (E, 2)",
            "d (A §4.3; C §3)",
            "e (specification\nC B3)",
            "f (specification E, 4)",
            "g (C §B13)",
            "h (specification C §11.3, B17)",
            "the pair that B17 lets",
        ] {
            assert!(!cited_papers(text).is_empty(), "{text}");
        }
        for text in ["RFC 6455 §8.1", "A 404", "(A, B)", "a B2B shop", "see A (C)", "(RFC 3339)", "C B"] {
            assert!(cited_papers(text).is_empty(), "{text}: {:?}", cited_papers(text));
        }
    }

    #[test]
    fn cited_chapters_share_a_path() {
        let found = cited_chapters("x (reference/a.md#b-c; reference/d.md, #e) and reference/f.md.");
        let found: Vec<_> =
            found.iter().map(|(_, chapter, anchor)| (chapter.as_str(), anchor.as_deref())).collect();
        assert_eq!(found, [("a.md", Some("b-c")), ("d.md", None), ("d.md", Some("e")), ("f.md", None)]);
    }
}
