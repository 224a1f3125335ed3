//! Modules of a source: children, items, imports, and the paths that its code names.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, ImplItem, Item, ItemMod, ItemUse, Lit, Meta, UseTree, Visibility,
    visit::{self, Visit},
};

use super::{Named, attributes::is_test_only, line_of, strip::attributes};

/// A module as it is written in one file.
#[derive(Debug, Default)]
pub struct Module {
    pub children: Vec<Child>,
    /// Items that are defined in it, by name.
    pub items: Vec<String>,
    pub imports: Vec<Import>,
    /// Paths of at least two segments in its code, also within macros and attributes; joined by `::`.
    pub paths: Vec<Named>,
}

/// A `mod` declaration.
#[derive(Debug)]
pub struct Child {
    pub name: String,
    /// File of a `#[path]` attribute.
    pub path: Option<String>,
    /// Content of an inline module.
    pub inline: Option<Module>,
    pub is_test_only: bool,
}

/// One name of a `use` declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub path: Vec<String>,
    /// The name that it gets here; `None` for a glob.
    pub name: Option<String>,
    pub is_public: bool,
    pub line: usize,
}

/// Reads a module. Items for tests only are left out, but child modules are kept with a mark.
#[must_use]
pub fn read(items: &[Item]) -> Module {
    let mut module = Module::default();
    for item in items {
        match item {
            Item::Mod(child) => module.children.push(read_child(child)),
            item if is_test_only(attributes(item)) => {}
            item => {
                module.items.extend(name_of(item));
                Paths { module: &mut module }.visit_item(item);
            }
        }
    }
    module
}

fn read_child(child: &ItemMod) -> Child {
    let path = child.attrs.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    Child {
        name: child.ident.to_string(),
        path,
        inline: child.content.as_ref().map(|(_, items)| read(items)),
        is_test_only: is_test_only(&child.attrs),
    }
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

struct Paths<'a> {
    module: &'a mut Module,
}

impl Visit<'_> for Paths<'_> {
    fn visit_item_use(&mut self, item: &ItemUse) {
        if item.leading_colon.is_none() {
            let is_public = !matches!(item.vis, Visibility::Inherited);
            let line = line_of(&item.use_token);
            flatten(&item.tree, &mut Vec::new(), &mut |path, name| {
                self.module.imports.push(Import { path, name, is_public, line });
            });
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let name: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
            self.module.paths.push(Named { name: name.join("::"), line: line_of(path) });
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        self.visit_path(&mac.path);
        scan(mac.tokens.clone(), &mut self.module.paths);
    }

    fn visit_attribute(&mut self, attribute: &Attribute) {
        match &attribute.meta {
            Meta::List(list) => scan(list.tokens.clone(), &mut self.module.paths),
            // `#[serde(with = "crate::x")]` is a list; a name with a value of its own is text.
            Meta::Path(_) | Meta::NameValue(_) => {}
        }
    }

    fn visit_visibility(&mut self, _: &Visibility) {}

    fn visit_impl_item(&mut self, item: &ImplItem) {
        let attributes = match item {
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Const(item) => &item.attrs,
            _ => return visit::visit_impl_item(self, item),
        };
        if !is_test_only(attributes) {
            visit::visit_impl_item(self, item);
        }
    }
}

fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut impl FnMut(Vec<String>, Option<String>)) {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            flatten(&part.tree, path, found);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, found)),
        UseTree::Glob(_) => found(path.clone(), None),
        UseTree::Name(name) if name.ident == "self" => found(path.clone(), path.last().cloned()),
        UseTree::Name(name) => found(with(path, &name.ident), Some(name.ident.to_string())),
        UseTree::Rename(rename) if rename.ident == "self" => {
            found(path.clone(), Some(rename.rename.to_string()));
        }
        UseTree::Rename(rename) => found(with(path, &rename.ident), Some(rename.rename.to_string())),
    }
}

fn with(path: &[String], last: &syn::Ident) -> Vec<String> {
    path.iter().cloned().chain([last.to_string()]).collect()
}

/// Finds paths in tokens: identifiers joined by `::`. A path in a string literal is found when it is nothing else.
fn scan(tokens: TokenStream, found: &mut Vec<Named>) {
    let mut path: Vec<String> = Vec::new();
    let (mut line, mut colons, mut is_external) = (0, 0, false);
    let mut end = |path: &mut Vec<String>, line: usize, is_external: bool| {
        if path.len() > 1 && !is_external {
            found.push(Named { name: path.join("::"), line });
        }
        path.clear();
    };
    let mut groups = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                if colons != 2 || path.is_empty() {
                    end(&mut path, line, is_external);
                    line = ident.span().start().line;
                    is_external = colons == 2;
                }
                path.push(ident.to_string());
                colons = 0;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            other => {
                end(&mut path, line, is_external);
                // `$crate::x` is of the crate that defines the macro.
                colons = 0;
                match other {
                    TokenTree::Group(group) => groups.push(group.stream()),
                    TokenTree::Literal(literal) => {
                        let text = literal.to_string();
                        let text = text.trim_matches('"');
                        let is_path = text.contains("::")
                            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
                        if is_path && !text.starts_with(':') {
                            path.extend(text.split("::").map(str::to_owned));
                            end(&mut path, literal.span().start().line, false);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    end(&mut path, line, is_external);
    for group in groups {
        scan(group, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module {
        read(&syn::parse_file(text).unwrap().items)
    }

    #[test]
    fn module_imports_are_flattened() {
        let found = module("use crate::{a::{self, B as C}, d::*}; pub use e::F; use ::std::fmt;").imports;
        let found: Vec<_> =
            found.iter().map(|i| (i.path.join("::"), i.name.as_deref(), i.is_public)).collect();
        assert_eq!(
            found,
            [
                ("crate::a".to_owned(), Some("a"), false),
                ("crate::a::B".to_owned(), Some("C"), false),
                ("crate::d".to_owned(), None, false),
                ("e::F".to_owned(), Some("F"), true),
            ]
        );
    }

    #[test]
    fn paths_of_code_macros_and_attributes_are_found() {
        let text = "#[schema(max = json!(crate::MAX))] struct A { #[serde(with = \"super::b::c\")] x: d::E }
            fn f() { super::g(); format!(\"{}\", h::I.j::<k::L>()); ::std::m(); }";
        let found: Vec<_> = module(text).paths.into_iter().map(|path| path.name).collect();
        for expected in ["crate::MAX", "super::b::c", "d::E", "super::g", "h::I", "k::L"] {
            assert!(found.contains(&expected.to_owned()), "{expected} in {found:?}");
        }
        assert!(!found.contains(&"std::m".to_owned()));
    }

    #[test]
    fn module_children_for_tests_are_marked() {
        let found = module("mod a; #[cfg(test)] mod tests { use super::*; } #[path = \"c.rs\"] mod b;");
        let marks: Vec<_> = found.children.iter().map(|child| child.is_test_only).collect();
        assert_eq!(marks, [false, true, false]);
        assert_eq!(found.children[2].path.as_deref(), Some("c.rs"));
        assert!(found.imports.is_empty());
    }
}
