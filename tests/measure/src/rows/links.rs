//! Relative links of markdown documents.

use std::collections::{BTreeSet, HashMap};

use crate::{
    checkout::Checkout,
    row::{Place, Row},
    text::markdown,
};

/// Returns the relative links that lead nowhere.
#[must_use]
pub fn row(checkout: &Checkout) -> Row {
    let anchors = anchors(checkout);
    let places = checkout.documents.iter().flat_map(|(path, text)| {
        let links = markdown::links(text).into_iter();
        links
            .filter_map(|link| {
                let problem = problem(checkout, &anchors, path, &link.target)?;
                Some(Place::new(path, link.line, format!("{}: {problem}", link.target)))
            })
            .collect::<Vec<_>>()
    });
    Row::of("unresolved-links", "links of documents that lead nowhere", places.collect())
}

/// Returns the anchors of every document.
#[must_use]
pub fn anchors(checkout: &Checkout) -> HashMap<&str, BTreeSet<String>> {
    checkout.documents.iter().map(|(path, text)| (path.as_str(), markdown::anchors(text))).collect()
}

fn problem(
    checkout: &Checkout,
    anchors: &HashMap<&str, BTreeSet<String>>,
    from: &str,
    target: &str,
) -> Option<&'static str> {
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
    if is_elsewhere {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { from.to_owned() } else { resolve(from, file) };
    if !file.is_empty() && !checkout.root.join(&path).exists() {
        return Some("no such file");
    }
    let (Some(anchor), Some(known)) = (anchor, anchors.get(path.as_str())) else { return None };
    (!known.contains(anchor)).then_some("no such heading")
}

fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => from.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect(),
    };
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "" | "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolve_is_relative_to_the_document() {
        assert_eq!(resolve("docs/reference/a.md", "../b.md"), "docs/b.md");
        assert_eq!(resolve("README.md", "docs/b.md"), "docs/b.md");
        assert_eq!(resolve("docs/a.md", "/README.md"), "README.md");
    }
}
