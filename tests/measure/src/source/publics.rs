//! Public items without documentation.

use syn::{Attribute, Fields, ImplItem, Item, TraitItem, Visibility};

use super::{Named, attributes::is_documented, line_of};

/// Returns public items without documentation, with their kind. Trait implementations, positional fields and the
/// statics of operations, whose function carries the text, are exempt; so are modules with a file of their own, which
/// is read by itself and given as `mod name;`.
#[must_use]
pub fn read(file: &syn::File) -> Vec<Named> {
    let mut found = Vec::new();
    items(&file.items, &mut found);
    found
}

fn items(all: &[Item], found: &mut Vec<Named>) {
    for item in all {
        let mut take = |vis: &Visibility, attributes: &[Attribute], kind: &str, ident: &syn::Ident| {
            if is_public(vis) && !is_documented(attributes) {
                found.push(Named { name: format!("{kind} {ident}"), line: line_of(ident) });
            }
        };
        match item {
            Item::Const(item) => take(&item.vis, &item.attrs, "const", &item.ident),
            Item::Fn(item) => take(&item.vis, &item.attrs, "fn", &item.sig.ident),
            Item::Static(item) if !is_operation(&item.ty) => {
                take(&item.vis, &item.attrs, "static", &item.ident);
            }
            Item::Type(item) => take(&item.vis, &item.attrs, "type", &item.ident),
            Item::Struct(item) => {
                take(&item.vis, &item.attrs, "struct", &item.ident);
                if is_public(&item.vis) {
                    fields(&item.ident, &item.fields, found);
                }
            }
            Item::Enum(item) => {
                take(&item.vis, &item.attrs, "enum", &item.ident);
                if is_public(&item.vis) {
                    let bare = item.variants.iter().filter(|variant| !is_documented(&variant.attrs));
                    found.extend(bare.map(|variant| Named {
                        name: format!("variant {}::{}", item.ident, variant.ident),
                        line: line_of(&variant.ident),
                    }));
                }
            }
            Item::Trait(item) => {
                take(&item.vis, &item.attrs, "trait", &item.ident);
                if is_public(&item.vis) {
                    trait_items(&item.ident, &item.items, found);
                }
            }
            Item::Mod(module) => match &module.content {
                Some((_, content)) => {
                    take(&module.vis, &module.attrs, "mod", &module.ident);
                    items(content, found);
                }
                None => take(&module.vis, &module.attrs, "mod;", &module.ident),
            },
            Item::Impl(block) if block.trait_.is_none() => impl_items(&block.items, found),
            _ => {}
        }
    }
}

fn fields(owner: &syn::Ident, fields: &Fields, found: &mut Vec<Named>) {
    for field in fields {
        if let Some(ident) = &field.ident
            && is_public(&field.vis)
            && !is_documented(&field.attrs)
        {
            found.push(Named { name: format!("field {owner}.{ident}"), line: line_of(ident) });
        }
    }
}

fn impl_items(items: &[ImplItem], found: &mut Vec<Named>) {
    for item in items {
        let (vis, attributes, kind, ident) = match item {
            ImplItem::Fn(item) => (&item.vis, &item.attrs, "fn", &item.sig.ident),
            ImplItem::Const(item) => (&item.vis, &item.attrs, "const", &item.ident),
            _ => continue,
        };
        if is_public(vis) && !is_documented(attributes) {
            found.push(Named { name: format!("{kind} {ident}"), line: line_of(ident) });
        }
    }
}

fn trait_items(owner: &syn::Ident, items: &[TraitItem], found: &mut Vec<Named>) {
    for item in items {
        let (attributes, kind, ident) = match item {
            TraitItem::Fn(item) => (&item.attrs, "fn", &item.sig.ident),
            TraitItem::Const(item) => (&item.attrs, "const", &item.ident),
            TraitItem::Type(item) => (&item.attrs, "type", &item.ident),
            _ => continue,
        };
        if !is_documented(attributes) {
            found.push(Named { name: format!("{kind} {owner}::{ident}"), line: line_of(ident) });
        }
    }
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn is_operation(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Operation"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_items_without_documentation_are_found() {
        let text = "pub struct A { pub b: u8, c: u8 } pub(crate) fn d() {} impl A { pub fn e() {} }
            impl F for A { fn g() {} } pub static H: Operation<I> = x; /// j
            pub enum J { K } pub mod l; pub struct M(pub u8); pub trait N { fn o(); }";
        let found: Vec<_> =
            read(&syn::parse_file(text).unwrap()).into_iter().map(|found| found.name).collect();
        let expected =
            ["struct A", "field A.b", "fn e", "variant J::K", "mod; l", "struct M", "trait N", "fn N::o"];
        assert_eq!(found, expected);
    }
}
