//! Removal of what is compiled for tests only.

use syn::{Attribute, ImplItem, Item, TraitItem, spanned::Spanned};

use super::attributes::is_test_only;

/// Removes items behind `#[cfg(test)]` and returns the number of their lines.
pub fn strip_tests(items: &mut Vec<Item>) -> usize {
    let mut lines = 0;
    items.retain(|item| {
        let is_kept = !is_test_only(attributes(item));
        if !is_kept {
            lines += lines_of(item);
        }
        is_kept
    });
    for item in items {
        match item {
            Item::Mod(module) => {
                if let Some((_, items)) = &mut module.content {
                    lines += strip_tests(items);
                }
            }
            Item::Impl(block) => block.items.retain(|item| {
                let is_kept = !is_test_only(impl_attributes(item));
                if !is_kept {
                    lines += lines_of(item);
                }
                is_kept
            }),
            Item::Trait(block) => block.items.retain(|item| {
                let TraitItem::Fn(function) = item else { return true };
                let is_kept = !is_test_only(&function.attrs);
                if !is_kept {
                    lines += lines_of(item);
                }
                is_kept
            }),
            _ => {}
        }
    }
    lines
}

fn lines_of(node: &impl Spanned) -> usize {
    let span = node.span();
    span.end().line + 1 - span.start().line
}

/// Returns the attributes of an item.
#[must_use]
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn impl_attributes(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strip_tests_counts_lines_and_keeps_the_rest() {
        let text =
            "fn a() {}\n#[cfg(test)]\nmod tests {\n}\nimpl A {\n#[cfg(test)]\nfn b() {}\nfn c() {}\n}\n";
        let mut file = syn::parse_file(text).unwrap();
        assert_eq!(strip_tests(&mut file.items), 5);
        assert_eq!(file.items.len(), 2);
    }
}
