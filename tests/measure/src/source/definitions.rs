//! Identifiers that a source defines.

use syn::{
    Ident, ImplItem, Item,
    visit::{self, Visit},
};

use super::{Named, attributes::is_test, line_of};
use crate::text::names::snake_case;

/// Returns every identifier that is defined: items, fields, variants, locals and parameters.
#[must_use]
pub fn read(file: &syn::File) -> Vec<Named> {
    let mut definitions = Definitions::default();
    definitions.visit_file(file);
    definitions.found
}

#[derive(Default)]
struct Definitions {
    found: Vec<Named>,
}

impl Definitions {
    fn take(&mut self, ident: &Ident) {
        let name = ident.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
        self.found.push(Named { name, line: line_of(ident) });
    }
}

impl Visit<'_> for Definitions {
    fn visit_item(&mut self, item: &Item) {
        match item {
            Item::Const(item) => self.take(&item.ident),
            Item::Enum(item) => self.take(&item.ident),
            Item::Macro(item) => item.ident.iter().for_each(|ident| self.take(ident)),
            Item::Mod(item) => self.take(&item.ident),
            Item::Static(item) => self.take(&item.ident),
            Item::Struct(item) => self.take(&item.ident),
            Item::Trait(item) => self.take(&item.ident),
            Item::TraitAlias(item) => self.take(&item.ident),
            Item::Type(item) => self.take(&item.ident),
            Item::Union(item) => self.take(&item.ident),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &syn::ImplItemConst) {
        self.take(&item.ident);
        visit::visit_impl_item_const(self, item);
    }

    fn visit_trait_item_const(&mut self, item: &syn::TraitItemConst) {
        self.take(&item.ident);
        visit::visit_trait_item_const(self, item);
    }

    fn visit_trait_item_type(&mut self, item: &syn::TraitItemType) {
        self.take(&item.ident);
        visit::visit_trait_item_type(self, item);
    }

    /// Functions of every kind: a signature is where all of them meet.
    fn visit_signature(&mut self, signature: &syn::Signature) {
        self.take(&signature.ident);
        visit::visit_signature(self, signature);
    }

    fn visit_field(&mut self, field: &syn::Field) {
        field.ident.iter().for_each(|ident| self.take(ident));
        visit::visit_field(self, field);
    }

    fn visit_variant(&mut self, variant: &syn::Variant) {
        self.take(&variant.ident);
        visit::visit_variant(self, variant);
    }

    /// A pattern that begins with a capital names a constant or a variant of elsewhere.
    fn visit_pat_ident(&mut self, pattern: &syn::PatIdent) {
        if !pattern.ident.to_string().starts_with(char::is_uppercase) {
            self.take(&pattern.ident);
        }
        visit::visit_pat_ident(self, pattern);
    }

    /// `Struct { field }` binds a name that the type gives: only a renaming is the source's own.
    fn visit_field_pat(&mut self, field: &syn::FieldPat) {
        if field.colon_token.is_some() {
            visit::visit_field_pat(self, field);
        }
    }

    fn visit_use_rename(&mut self, rename: &syn::UseRename) {
        self.take(&rename.rename);
    }

    fn visit_type_param(&mut self, parameter: &syn::TypeParam) {
        self.take(&parameter.ident);
        visit::visit_type_param(self, parameter);
    }
}

/// Returns the types, functions, methods and constants of a source in snake_case.
#[must_use]
pub fn subjects(file: &syn::File) -> Vec<String> {
    let mut found = Vec::new();
    collect(&file.items, &mut found);
    found.sort();
    found.dedup();
    found
}

fn collect(items: &[Item], found: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Const(item) => found.push(snake_case(&item.ident.to_string())),
            Item::Enum(item) => found.push(snake_case(&item.ident.to_string())),
            // A test is no subject, or each would begin with its own.
            Item::Fn(item) if is_test(&item.attrs) => {}
            Item::Fn(item) => found.push(snake_case(&item.sig.ident.to_string())),
            Item::Macro(item) => found.extend(item.ident.iter().map(|i| snake_case(&i.to_string()))),
            Item::Static(item) => found.push(snake_case(&item.ident.to_string())),
            Item::Struct(item) => found.push(snake_case(&item.ident.to_string())),
            Item::Trait(item) => {
                found.push(snake_case(&item.ident.to_string()));
                for item in &item.items {
                    if let syn::TraitItem::Fn(function) = item {
                        found.push(snake_case(&function.sig.ident.to_string()));
                    }
                }
            }
            Item::Type(item) => found.push(snake_case(&item.ident.to_string())),
            Item::Impl(block) => {
                for item in &block.items {
                    match item {
                        ImplItem::Fn(item) => found.push(snake_case(&item.sig.ident.to_string())),
                        ImplItem::Const(item) => found.push(snake_case(&item.ident.to_string())),
                        _ => {}
                    }
                }
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    collect(items, found);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_and_uses_are_not() {
        let text = "use a::b as c; struct D { e: F } enum G { H(I) } const J: u8 = 0;
            fn k(l: M) -> N { let o = p; let D { e } = q; let D { e: r } = s; |t| u; match v { W => x, y => z } }";
        let mut names: Vec<_> =
            read(&syn::parse_file(text).unwrap()).into_iter().map(|found| found.name).collect();
        names.sort();
        assert_eq!(names, ["D", "G", "H", "J", "c", "e", "k", "l", "o", "r", "t", "y"]);
    }

    #[test]
    fn subjects_are_in_snake_case() {
        let text =
            "struct ApiKey; impl ApiKey { fn is_new() {} } const MAX_LENGTH: u8 = 1; #[test] fn t() {}";
        assert_eq!(subjects(&syn::parse_file(text).unwrap()), ["api_key", "is_new", "max_length"]);
    }
}
