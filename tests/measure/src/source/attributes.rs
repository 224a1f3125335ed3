//! Attributes: tests, documentation, texts.

use regex::Captures;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use crate::pattern;

/// True for what is compiled for tests only.
#[must_use]
pub fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let text = list.tokens.to_string();
        list.path.is_ident("cfg")
            && (text == "test" || (text.starts_with("all") && text.contains("test")))
            && !text.contains("not (test")
            && !text.contains("not(test")
    })
}

/// True for a test function.
#[must_use]
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().segments.last().is_some_and(|last| last.ident == "test" || last.ident == "test_case")
    })
}

/// Returns the documentation, one source line a line.
#[must_use]
pub fn doc(attributes: &[Attribute]) -> Option<String> {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
                _ => Some(String::new()),
            },
            _ => None,
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// True for an item with documentation, or hidden from it.
#[must_use]
pub fn is_documented(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("doc"))
}

/// Returns the first sentence of a documentation as prose of a table: without links and citations.
#[must_use]
pub fn first_sentence(doc: &str) -> String {
    pattern!(LINK, r"\[(`[^`]+`|[^\]]+)\](?:\([^)]*\)|\[[^\]]*\])?");
    pattern!(CITATION, r"\s*\((?:reference/|specification |[A-E] §|[A-E], \d|C B\d)[^)]*\)");
    pattern!(END, r"[.?!](?:\s|$)");
    let paragraph = doc.trim().split("\n\n").next().unwrap_or_default();
    let prose = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let prose = LINK.replace_all(&prose, |link: &Captures<'_>| link[1].to_owned());
    let prose = CITATION.replace_all(&prose, "");
    let mut from = 0;
    while let Some(end) = END.find_at(&prose, from) {
        let before = &prose[..end.start()];
        if before.ends_with("e.g") || before.ends_with("i.e") || before.ends_with(" etc") {
            from = end.end();
            continue;
        }
        return prose[..=end.start()].to_owned();
    }
    prose.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sentence_is_plain() {
        let doc = "Links [`Cx::me`] (C §1), e.g. this\none. Not this.\n\nNor this.";
        assert_eq!(first_sentence(doc), "Links `Cx::me`, e.g. this one.");
        assert_eq!(first_sentence("No stop"), "No stop");
        assert_eq!(first_sentence("Version 1.2 of x."), "Version 1.2 of x.");
    }

    #[test]
    fn is_test_only_reads_conditions() {
        let of = |text: &str| is_test_only(&syn::parse_str::<syn::ItemFn>(text).unwrap().attrs);
        assert!(of("#[cfg(test)] fn f() {}"));
        assert!(of("#[cfg(all(test, unix))] fn f() {}"));
        assert!(!of("#[cfg(not(test))] fn f() {}") && !of("#[cfg(any(test, unix))] fn f() {}"));
        assert!(is_test(&syn::parse_str::<syn::ItemFn>("#[tokio::test] async fn f() {}").unwrap().attrs));
    }
}
