//! Public items without documentation, and documentation that begins with a clause.

use crate::{
    checkout::Checkout,
    pattern,
    row::{Place, Row},
    source::Source,
    text::comments::Kind,
};

/// Returns the public items of the product without documentation.
#[must_use]
pub fn undocumented(checkout: &Checkout) -> Row {
    let places = checkout.product().flat_map(|source| {
        let bare = source.facts.undocumented.iter();
        let bare = bare.filter(|item| {
            item.name.strip_prefix("mod; ").is_none_or(|name| !begins_with_doc(checkout, source, name))
        });
        bare.map(|item| Place::new(&source.path, item.line, item.name.replace(';', ""))).collect::<Vec<_>>()
    });
    Row::of("undocumented", "public items without documentation", places.collect())
}

/// True when the file of a child module begins with `//!`.
fn begins_with_doc(checkout: &Checkout, source: &Source, name: &str) -> bool {
    let children = checkout.forest.trees.iter().flat_map(|tree| {
        let own = tree.modules.iter().filter(|module| module.file == source.path);
        own.filter_map(|module| module.children.get(name)).map(|child| tree.modules[*child].file.as_str())
    });
    children.filter_map(|file| checkout.sources.get(file)).any(|source| source.facts.has_module_doc)
}

/// Returns the doc comments whose first word begins a clause.
#[must_use]
pub fn clauses(checkout: &Checkout) -> Row {
    let places = checkout.sources.values().flat_map(|source| {
        let docs = source.comments.iter().filter(|block| block.kind == Kind::Doc);
        docs.filter(|block| begins_with_clause(&block.text))
            .map(|block| Place::new(&source.path, block.line, block.text.lines().next().unwrap_or_default()))
            .collect::<Vec<_>>()
    });
    Row::of("clauses", "documentation that begins with a clause", places.collect())
}

fn begins_with_clause(doc: &str) -> bool {
    pattern!(CLAUSE, r"^(?:What|Whether|How|Where|When|Who|Whose|Whom|Which|Why|That|Whatever|Whoever)\b");
    CLAUSE.is_match(doc.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_with_clause_compares_whole_words() {
        assert!(begins_with_clause("Whether it is.") && begins_with_clause("\nWhat is."));
        assert!(!begins_with_clause("Whole number.") && !begins_with_clause("Time when it ends."));
    }
}
