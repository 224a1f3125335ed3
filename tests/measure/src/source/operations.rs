//! Operations with their rules, REST routes and GraphQL fields.

use syn::{
    Attribute, Expr, ExprLit, ImplItem, Lit, Meta,
    visit::{self, Visit},
};

use super::{
    attributes::{doc, first_sentence},
    line_of, text_of,
};
use crate::{pattern, text::names::camel_case};

/// An operation as its static declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Id in camelCase.
    pub name: String,
    /// Function of `Operation` that makes the rule.
    pub constructor: String,
    /// Arguments after the name, as written.
    pub arguments: Vec<String>,
    /// Calls after the constructor with their argument, as written.
    pub chain: Vec<(String, String)>,
    /// First sentence of the static's documentation.
    pub meaning: String,
    pub line: usize,
}

/// A REST route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub operation: String,
    pub method: String,
    pub path: String,
}

/// A field of the GraphQL root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// `query` or `mutation`.
    pub kind: &'static str,
    /// Functions that its body calls by path.
    pub calls: Vec<String>,
}

/// Returns the operations of a source.
#[must_use]
pub fn operations(file: &syn::File) -> Vec<Operation> {
    let mut found = Operations::default();
    found.visit_file(file);
    found.found
}

#[derive(Default)]
struct Operations {
    found: Vec<Operation>,
    chain: Vec<(String, String)>,
    meaning: String,
}

impl Visit<'_> for Operations {
    fn visit_item_static(&mut self, item: &syn::ItemStatic) {
        self.meaning = doc(&item.attrs).map(|doc| first_sentence(&doc)).unwrap_or_default();
        visit::visit_item_static(self, item);
        self.meaning.clear();
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        let argument = call.args.first().map(text_of).unwrap_or_default();
        self.chain.push((call.method.to_string(), argument));
        self.visit_expr(&call.receiver);
        self.chain.pop();
        let before = std::mem::take(&mut self.chain);
        call.args.iter().for_each(|argument| self.visit_expr(argument));
        self.chain = before;
    }

    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && let Some(Expr::Lit(ExprLit { lit: Lit::Str(name), .. })) = call.args.first()
        {
            let mut last = path.path.segments.iter().rev();
            if let (Some(constructor), Some(owner)) = (last.next(), last.next())
                && owner.ident == "Operation"
            {
                self.found.push(Operation {
                    name: name.value(),
                    constructor: constructor.ident.to_string(),
                    arguments: call.args.iter().skip(1).map(text_of).collect(),
                    chain: self.chain.iter().rev().cloned().collect(),
                    meaning: self.meaning.clone(),
                    line: line_of(name),
                });
            }
        }
        visit::visit_expr_call(self, call);
    }
}

/// Returns the REST routes of a source: functions with a method's attribute and an operation id.
#[must_use]
pub fn routes(file: &syn::File) -> Vec<Route> {
    pattern!(ID, r#"operation_id\s*=\s*"([^"]+)""#);
    let mut found = Vec::new();
    for item in &file.items {
        let syn::Item::Fn(function) = item else { continue };
        let mut operation = None;
        let mut paths = Vec::new();
        for attribute in &function.attrs {
            let Meta::List(list) = &attribute.meta else { continue };
            let Some(name) = list.path.segments.last().map(|last| last.ident.to_string()) else { continue };
            let tokens = list.tokens.to_string();
            if name == "path" {
                operation = ID.captures(&tokens).map(|id| id[1].to_owned());
            } else if is_method(&name)
                && let Some(path) = first_literal(attribute)
            {
                paths.push((name.to_uppercase(), path));
            }
        }
        let Some(operation) = operation else { continue };
        found.extend(paths.into_iter().map(|(method, path)| Route {
            operation: operation.clone(),
            method,
            path,
        }));
    }
    found
}

fn is_method(name: &str) -> bool {
    matches!(name, "get" | "post" | "put" | "patch" | "delete" | "head" | "options")
}

fn first_literal(attribute: &Attribute) -> Option<String> {
    attribute
        .parse_args_with(|input: syn::parse::ParseStream<'_>| {
            let text: syn::LitStr = input.parse()?;
            let _rest: proc_macro2::TokenStream = input.parse()?;
            Ok(text.value())
        })
        .ok()
}

/// Returns the fields of the GraphQL roots of a source.
#[must_use]
pub fn fields(file: &syn::File) -> Vec<Field> {
    let mut found = Vec::new();
    for item in &file.items {
        let syn::Item::Impl(block) = item else { continue };
        let is_root = block.attrs.iter().any(|attribute| {
            attribute.path().segments.last().is_some_and(|last| last.ident == "graphql_object")
        });
        let owner = text_of(&*block.self_ty);
        let kind = match (is_root, owner.ends_with("Queries"), owner.ends_with("Mutations")) {
            (true, true, _) => "query",
            (true, _, true) => "mutation",
            _ => continue,
        };
        for item in &block.items {
            let ImplItem::Fn(function) = item else { continue };
            let mut calls = Calls::default();
            calls.visit_block(&function.block);
            let name = function.sig.ident.to_string();
            let name = name.strip_prefix("r#").unwrap_or(&name);
            found.push(Field { name: camel_case(name), kind, calls: calls.found });
        }
    }
    found
}

#[derive(Default)]
struct Calls {
    found: Vec<String>,
}

impl Visit<'_> for Calls {
    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let Expr::Path(path) = &*call.func {
            self.found.extend(path.path.segments.last().map(|last| last.ident.to_string()));
        }
        visit::visit_expr_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_with_their_rule() {
        let text = "/// Makes a thing. Really.
            pub static MAKE: Operation<Member> = Operation::member(\"makeThing\", P::ThingsMake, Grants::Nothing)
                .feature(Feature::Things).rest_only();
            fn f() { g(&Operation::public(\"other\", Grants::Nothing)) }";
        let found = operations(&syn::parse_file(text).unwrap());
        assert_eq!(found[0].name, "makeThing");
        assert_eq!(found[0].arguments, ["P::ThingsMake", "Grants::Nothing"]);
        assert_eq!(found[0].chain[0], ("feature".to_owned(), "Feature::Things".to_owned()));
        assert_eq!((found[0].chain.len(), found[0].meaning.as_str()), (2, "Makes a thing."));
        assert_eq!((found[1].name.as_str(), found[1].chain.len()), ("other", 0));
    }

    #[test]
    fn routes_and_fields_are_read() {
        let text = "#[utoipa::path(tag = \"a\", operation_id = \"makeThing\", responses((status = 200)))]
            #[post(\"/v1/things\")] async fn make_thing(cx: Cx) {}
            #[graphql_object(context = Cx)] impl ThingMutations { async fn make_thing(c: &Cx) { super::make(c) } }";
        let file = syn::parse_file(text).unwrap();
        let route = &routes(&file)[0];
        assert_eq!(
            (route.operation.as_str(), route.method.as_str(), route.path.as_str()),
            ("makeThing", "POST", "/v1/things")
        );
        let field = &fields(&file)[0];
        assert_eq!(
            (field.name.as_str(), field.kind, field.calls[0].as_str()),
            ("makeThing", "mutation", "make")
        );
    }
}
