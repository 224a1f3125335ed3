//! Messages of errors: literals and templates that reach a constructor of an error.

use proc_macro2::TokenTree;
use syn::{
    Expr, ExprLit, ImplItem, Lit,
    visit::{self, Visit},
};

use super::line_of;

/// A message of an error, or what leads to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub code: Code,
    pub text: Text,
    pub line: usize,
}

/// Code of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// `Code::NotFound`
    Variant(String),
    /// Constructor, as `ApiError::not_found`; which code it gives is known from [`Text::Constructor`].
    Constructor(String),
    /// Function that forwards its parameter, with the position of the argument.
    Function(String, usize),
}

/// Text of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// Literal or template as written.
    Literal(String),
    /// Constant that holds it.
    Constant(String),
    /// No message: this constructor gives the code.
    Constructor(String),
    /// No message: the function forwards this parameter to the code.
    Forwarded(String, usize),
}

/// Returns the messages of a source.
#[must_use]
pub fn read(file: &syn::File) -> Vec<Message> {
    let mut messages = Messages::default();
    messages.visit_file(file);
    messages.found
}

#[derive(Default)]
struct Messages {
    found: Vec<Message>,
    /// Type of the surrounding implementation.
    owner: Option<String>,
    /// Function around, with the names of its parameters.
    function: Option<(String, Vec<String>)>,
}

impl Visit<'_> for Messages {
    fn visit_item_impl(&mut self, block: &syn::ItemImpl) {
        let before = self.owner.take();
        if let syn::Type::Path(path) = &*block.self_ty {
            self.owner = path.path.segments.last().map(|last| last.ident.to_string());
        }
        visit::visit_item_impl(self, block);
        self.owner = before;
    }

    fn visit_impl_item(&mut self, item: &ImplItem) {
        if let ImplItem::Fn(function) = item {
            let before = self.function.replace(parameters(&function.sig));
            visit::visit_impl_item(self, item);
            self.function = before;
        } else {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &syn::ItemFn) {
        let before = self.function.replace(parameters(&function.sig));
        visit::visit_item_fn(self, function);
        self.function = before;
    }

    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let mut last = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
            match (last.next(), last.next()) {
                (Some(name), Some(owner)) if is_error(&owner) || owner == "Self" => {
                    let is_own = owner == "Self";
                    let owner = if is_own { self.owner.clone().unwrap_or(owner) } else { owner };
                    if is_error(&owner) {
                        self.constructor(&owner, &name, call);
                    }
                }
                (Some(name), _) => self.forwarding(&name, call),
                _ => {}
            }
        }
        visit::visit_expr_call(self, call);
    }
}

impl Messages {
    fn constructor(&mut self, owner: &str, name: &str, call: &syn::ExprCall) {
        let line = line_of(&call.func);
        let (code, argument) = match (name, call.args.first(), call.args.get(1)) {
            ("new", Some(Expr::Path(code)), Some(message)) if is_code(code) => {
                (Code::Variant(last_two(&code.path)), message)
            }
            ("new", _, _) | (_, None, _) => return,
            (_, Some(message), _) => (Code::Constructor(format!("{owner}::{name}")), message),
        };
        let mut texts = Vec::new();
        texts_of(argument, &mut texts);
        if let Some(parameter) = parameter(argument)
            && let Some((function, parameters)) = &self.function
            && let Some(position) = parameters.iter().position(|own| *own == parameter)
        {
            // `Self::new(Code::NotFound, message)` in a constructor, or a function that forwards.
            let text = match (&self.owner, &code) {
                (Some(owner), Code::Variant(_)) if is_error(owner) => {
                    Text::Constructor(format!("{owner}::{function}"))
                }
                _ => Text::Forwarded(function.clone(), position),
            };
            self.found.push(Message { code: code.clone(), text, line });
        }
        self.found.extend(texts.into_iter().map(|text| Message { code: code.clone(), text, line }));
    }

    /// Any other call with a literal may be one of a function that forwards it.
    fn forwarding(&mut self, name: &str, call: &syn::ExprCall) {
        for (position, argument) in call.args.iter().enumerate() {
            let mut texts = Vec::new();
            texts_of(argument, &mut texts);
            texts.retain(|text| matches!(text, Text::Literal(_)));
            let line = line_of(&call.func);
            let code = Code::Function(name.to_owned(), position);
            self.found.extend(texts.into_iter().map(|text| Message { code: code.clone(), text, line }));
        }
    }
}

fn is_error(owner: &str) -> bool {
    owner == "ApiError" || owner == "Refusal"
}

fn is_code(path: &syn::ExprPath) -> bool {
    path.path.segments.iter().rev().nth(1).is_some_and(|owner| owner.ident.to_string().ends_with("Code"))
}

fn last_two(path: &syn::Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names[names.len().saturating_sub(2)..].join("::")
}

fn parameters(signature: &syn::Signature) -> (String, Vec<String>) {
    let names = signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => match &*typed.pat {
            syn::Pat::Ident(pattern) => Some(pattern.ident.to_string()),
            _ => Some(String::new()),
        },
        syn::FnArg::Receiver(_) => None,
    });
    (signature.ident.to_string(), names.collect())
}

/// Name of the parameter that is handed over, perhaps converted.
fn parameter(argument: &Expr) -> Option<String> {
    match argument {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Reference(reference) => parameter(&reference.expr),
        Expr::MethodCall(call) if call.args.is_empty() => parameter(&call.receiver),
        _ => None,
    }
}

/// Literals and templates that an argument can be.
fn texts_of(argument: &Expr, found: &mut Vec<Text>) {
    match argument {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => found.push(Text::Literal(text.value())),
        Expr::Macro(mac) if mac.mac.path.segments.last().is_some_and(|last| last.ident == "format") => {
            if let Some(TokenTree::Literal(literal)) = mac.mac.tokens.clone().into_iter().next()
                && let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string())
            {
                found.push(Text::Literal(text.value()));
            }
        }
        Expr::Path(path) => {
            if let Some(last) = path.path.segments.last() {
                let name = last.ident.to_string();
                if name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
                    found.push(Text::Constant(name));
                }
            }
        }
        Expr::Reference(reference) => texts_of(&reference.expr, found),
        Expr::Paren(paren) => texts_of(&paren.expr, found),
        Expr::MethodCall(call) if call.args.is_empty() => texts_of(&call.receiver, found),
        Expr::Match(table) => table.arms.iter().for_each(|arm| texts_of(&arm.body, found)),
        Expr::If(condition) => {
            block_texts(&condition.then_branch, found);
            if let Some((_, other)) = &condition.else_branch {
                texts_of(other, found);
            }
        }
        Expr::Block(block) => block_texts(&block.block, found),
        _ => {}
    }
}

fn block_texts(block: &syn::Block, found: &mut Vec<Text>) {
    if let Some(syn::Stmt::Expr(last, None)) = block.stmts.last() {
        texts_of(last, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<Message> {
        read(&syn::parse_file(text).unwrap())
    }

    #[test]
    fn messages_are_literals_templates_and_constants() {
        let text = "fn f() { ApiError::not_found(\"A\"); ApiError::new(api::Code::X, format!(\"b {c}\"));
            ApiError::conflict(if y { \"d\" } else { NO_E }); ApiError::invalid(error.to_string()); }";
        let found = messages(text);
        let expected = [
            (Code::Constructor("ApiError::not_found".to_owned()), Text::Literal("A".to_owned())),
            (Code::Variant("Code::X".to_owned()), Text::Literal("b {c}".to_owned())),
            (Code::Constructor("ApiError::conflict".to_owned()), Text::Literal("d".to_owned())),
            (Code::Constructor("ApiError::conflict".to_owned()), Text::Constant("NO_E".to_owned())),
        ];
        let found: Vec<_> = found.into_iter().map(|message| (message.code, message.text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn messages_of_constructors_and_forwarding_functions_are_known() {
        let text = "impl ApiError { fn conflict(message: S) -> Self { Self::new(Code::Conflict, message) } }
            fn full(cx: &Cx, message: &str) -> ApiError { ApiError::conflict(message) }
            fn g() { full(cx, \"Too many\") }";
        let found = messages(text);
        assert_eq!(found[0].text, Text::Constructor("ApiError::conflict".to_owned()));
        assert_eq!(found[1].text, Text::Forwarded("full".to_owned(), 1));
        assert_eq!(found[2].code, Code::Function("full".to_owned(), 1));
    }
}
