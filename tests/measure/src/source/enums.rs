//! Tables in the sources: texts and numbers that a method gives for each variant, and lists of event types.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Expr, ExprLit, ImplItem, Item, Lit, Pat,
    visit::{self, Visit},
};

use super::{
    attributes::{doc, first_sentence},
    line_of,
};

/// Tables of a source.
#[derive(Debug, Default)]
pub struct Tables {
    pub rows: Vec<Row>,
    /// Variants of enums with the first sentence of their documentation.
    pub variants: Vec<Variant>,
    pub lists: Vec<List>,
    /// Constants that hold keys, by name.
    pub keys: Vec<(String, Vec<String>)>,
    /// Constants that a function names, by function.
    pub functions: Vec<(String, Vec<String>)>,
    /// `Variant = "text"` within `Owner { … }` of a macro.
    pub assigned: Vec<(String, String, String)>,
}

/// Result of a method of an enum for one variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub owner: String,
    pub method: String,
    pub variant: String,
    /// Text or number of the literal, or the name of the constant.
    pub value: String,
    pub line: usize,
}

/// A variant of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    pub owner: String,
    pub name: String,
    pub meaning: String,
}

/// A constant or static that lists `ChannelEvent`s or `EventType`s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    pub name: String,
    /// `ChannelEvent` or `EventType`.
    pub of: String,
    pub entries: Vec<Entry>,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// String literals of the innermost call, the name first.
    pub texts: Vec<String>,
    /// Keys that the entry itself names.
    pub keys: Vec<String>,
    /// Constants and functions that the entry names.
    pub names: Vec<String>,
    pub line: usize,
}

/// Reads the tables of a source.
#[must_use]
pub fn read(file: &syn::File) -> Tables {
    let mut tables = Tables::default();
    for item in &file.items {
        match item {
            Item::Impl(block) => rows(block, &mut tables.rows),
            Item::Enum(item) => tables.variants.extend(item.variants.iter().map(|variant| Variant {
                owner: item.ident.to_string(),
                name: variant.ident.to_string(),
                meaning: doc(&variant.attrs).map(|doc| first_sentence(&doc)).unwrap_or_default(),
            })),
            Item::Macro(item) => assigned(item.mac.tokens.clone(), &mut tables.assigned),
            Item::Const(item) => list(&item.ident, &item.ty, &item.expr, &mut tables),
            Item::Static(item) => list(&item.ident, &item.ty, &item.expr, &mut tables),
            Item::Fn(function) => {
                let mut names = Names::default();
                names.visit_block(&function.block);
                tables.functions.push((function.sig.ident.to_string(), names.names));
            }
            _ => {}
        }
    }
    tables
}

fn assigned(tokens: TokenStream, found: &mut Vec<(String, String, String)>) {
    let mut owner = None;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => owner = Some(ident.to_string()),
            TokenTree::Group(group) => {
                let Some(owner) = owner.take() else { continue };
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                for three in tokens.windows(3) {
                    if let [TokenTree::Ident(name), TokenTree::Punct(mark), TokenTree::Literal(text)] = three
                        && mark.as_char() == '='
                    {
                        let text = text.to_string().trim_matches('"').to_owned();
                        found.push((owner.clone(), name.to_string(), text));
                    }
                }
            }
            _ => {}
        }
    }
}

fn rows(block: &syn::ItemImpl, found: &mut Vec<Row>) {
    let syn::Type::Path(owner) = &*block.self_ty else { return };
    let Some(owner) = owner.path.segments.last().map(|last| last.ident.to_string()) else { return };
    for item in &block.items {
        let ImplItem::Fn(function) = item else { continue };
        let Some(syn::Stmt::Expr(Expr::Match(table), None)) = function.block.stmts.last() else { continue };
        for arm in &table.arms {
            let Some(value) = value(&arm.body) else { continue };
            let patterns: Vec<&Pat> = match &arm.pat {
                Pat::Or(any) => any.cases.iter().collect(),
                one => vec![one],
            };
            for pattern in patterns {
                let path = match pattern {
                    Pat::Path(path) => &path.path,
                    Pat::Struct(pattern) => &pattern.path,
                    Pat::TupleStruct(pattern) => &pattern.path,
                    _ => continue,
                };
                let Some(variant) = path.segments.last() else { continue };
                found.push(Row {
                    owner: owner.clone(),
                    method: function.sig.ident.to_string(),
                    variant: variant.ident.to_string(),
                    value: value.clone(),
                    line: line_of(pattern),
                });
            }
        }
    }
}

fn value(body: &Expr) -> Option<String> {
    match body {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number.base10_digits().to_owned()),
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value.to_string()),
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(inner, None)] => value(inner),
            _ => None,
        },
        _ => None,
    }
}

fn list(ident: &syn::Ident, ty: &syn::Type, expr: &Expr, tables: &mut Tables) {
    let mut names = Names::default();
    names.visit_type(ty);
    let of = names.types.iter().find(|name| matches!(name.as_str(), "ChannelEvent" | "EventType")).cloned();
    let Some(of) = of else {
        let mut keys = Names::default();
        keys.visit_expr(expr);
        if !keys.keys.is_empty() {
            tables.keys.push((ident.to_string(), keys.keys));
        }
        return;
    };
    let mut inner = expr;
    while let Expr::Reference(reference) = inner {
        inner = &*reference.expr;
    }
    let Expr::Array(array) = inner else { return };
    let entries = array.elems.iter().filter_map(|element| {
        let mut base = element;
        while let Expr::MethodCall(call) = base {
            base = &*call.receiver;
        }
        let Expr::Call(call) = base else { return None };
        let texts: Vec<String> = call
            .args
            .iter()
            .filter_map(|argument| match argument {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            })
            .collect();
        let mut named = Names::default();
        named.visit_expr(element);
        let is_entry = !texts.is_empty();
        is_entry.then(|| Entry { texts, keys: named.keys, names: named.names, line: line_of(element) })
    });
    tables.lists.push(List { name: ident.to_string(), of, entries: entries.collect() });
}

/// Collects keys (`key("a", …)`, `("a", …)`), paths of one segment, and names of types.
#[derive(Default)]
struct Names {
    keys: Vec<String>,
    names: Vec<String>,
    types: Vec<String>,
}

impl Visit<'_> for Names {
    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && path.path.is_ident("key")
            && let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = call.args.first()
        {
            self.keys.push(text.value());
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_tuple(&mut self, tuple: &syn::ExprTuple) {
        if let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = tuple.elems.first() {
            self.keys.push(text.value());
        }
        visit::visit_expr_tuple(self, tuple);
    }

    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        self.names.extend(path.path.get_ident().map(ToString::to_string));
    }

    fn visit_type_path(&mut self, path: &syn::TypePath) {
        self.types.extend(path.path.segments.last().map(|last| last.ident.to_string()));
        visit::visit_type_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_every_variant_of_an_arm() {
        let text = "impl Closing { const fn code(self) -> u16 { match self { Self::A | Self::B => 1001, Self::C => { 4000 } } } }";
        let rows = read(&syn::parse_file(text).unwrap()).rows;
        let rows: Vec<_> = rows.iter().map(|row| (row.variant.as_str(), row.value.as_str())).collect();
        assert_eq!(rows, [("A", "1001"), ("B", "1001"), ("C", "4000")]);
    }

    #[test]
    fn assigned_texts_of_macros_are_found() {
        let text = "permissions! { /// Doc.\n Account { A = \"a:b\", B = \"c:d\", } User { C = \"e:f\" } }";
        let found = read(&syn::parse_file(text).unwrap()).assigned;
        assert_eq!(found.len(), 3);
        assert_eq!(found[2], ("User".to_owned(), "C".to_owned(), "e:f".to_owned()));
    }

    #[test]
    fn list_entries_hold_names_and_keys() {
        let text = "const KEYS: &[Key] = &[key(\"a\", K::B)];
            fn sub(n: &str) -> EventType { of(n, KEYS) }
            pub static TYPES: &[EventType] = &[of(\"x:y\", &[key(\"c\", K::B)]).by(), sub(\"x:z\")];";
        let tables = read(&syn::parse_file(text).unwrap());
        assert_eq!(tables.lists[0].entries[0].texts, ["x:y"]);
        assert_eq!(tables.lists[0].entries[0].keys, ["c"]);
        assert_eq!(tables.lists[0].entries[1].names, ["sub"]);
        assert_eq!(tables.keys, [("KEYS".to_owned(), vec!["a".to_owned()])]);
        assert!(tables.functions[0].1.contains(&"KEYS".to_owned()));
    }
}
