//! Variables of the environment that a source reads, with the forms of their values.

use std::collections::HashMap;

use syn::{
    Expr, ExprLit, Item, ItemConst, Lit, Stmt,
    visit::{self, Visit},
};

use super::{constants, text_of};

/// A variable of the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// Form of its values.
    pub form: String,
    /// Default, where the source has it as a text.
    pub default: Option<String>,
}

/// Form of a value that is not checked here.
pub const ANY_TEXT: &str = "text";

/// Returns the variables of a source, one for each place that reads one.
#[must_use]
pub fn read(file: &syn::File) -> Vec<Variable> {
    let constants = file.items.iter().filter_map(|item| match item {
        Item::Const(item) => text_constant(item),
        _ => None,
    });
    let mut variables = Variables { scopes: vec![constants.collect()], found: Vec::new() };
    variables.visit_file(file);
    variables.found
}

/// Constants of the blocks around a call, the innermost last: several functions may name theirs alike.
#[derive(Default)]
struct Variables {
    scopes: Vec<HashMap<String, String>>,
    found: Vec<Variable>,
}

impl Variables {
    fn text(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            Expr::Reference(reference) => self.text(&reference.expr),
            Expr::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
                self.scopes.iter().rev().find_map(|scope| scope.get(&name)).cloned()
            }
            _ => None,
        }
    }

    fn take(&mut self, name: Option<&Expr>, form: Option<String>, default: Option<&Expr>) {
        let Some(name) = name.and_then(|name| self.text(name)).filter(|name| is_variable(name)) else {
            return;
        };
        let Some(form) = form else { return };
        let default = default.and_then(|default| self.text(default));
        self.found.push(Variable { name, form, default });
    }
}

impl Visit<'_> for Variables {
    fn visit_block(&mut self, block: &syn::Block) {
        let constants = block.stmts.iter().filter_map(|statement| match statement {
            Stmt::Item(Item::Const(item)) => text_constant(item),
            _ => None,
        });
        self.scopes.push(constants.collect());
        visit::visit_block(self, block);
        self.scopes.pop();
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        let given = |index: usize| call.args.iter().nth(index);
        let form = match call.method.to_string().as_str() {
            "within" => given(2)
                .zip(given(3))
                .map(|(low, high)| format!("number from {} to {}", number(low), number(high))),
            "value" => given(2).and_then(|expected| self.text(expected)),
            "flag" => Some("`true` or `false`".to_owned()),
            "threads" => Some("number from 0 to 256".to_owned()),
            "list" | "secret_list" => Some("list, separated by commas".to_owned()),
            "secret_url" => Some("URL".to_owned()),
            "text" | "secret" | "optional" => Some(ANY_TEXT.to_owned()),
            _ => None,
        };
        let default = if call.method == "text" { given(1) } else { None };
        self.take(given(0), form, default);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        let given = |index: usize| call.args.iter().nth(index);
        let function = match &*call.func {
            Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        let form = match function.unwrap_or_default().as_str() {
            "address" => Some("address and port"),
            "http_url" | "optional_http_url" | "base_url" => Some("http or https URL"),
            "socket" => Some("ws or wss URL"),
            "storage_url" | "database_url" => Some("URL"),
            "long_secret" => Some(ANY_TEXT),
            _ => None,
        };
        self.take(given(1), form.map(str::to_owned), None);
        // A closure over a method of the reader: `per_minute("NAME", 120)`.
        let is_number = matches!(given(1), Some(Expr::Lit(ExprLit { lit: Lit::Int(_), .. })));
        self.take(given(0), is_number.then(|| "number".to_owned()), None);
        visit::visit_expr_call(self, call);
    }
}

fn text_constant(item: &ItemConst) -> Option<(String, String)> {
    match &*item.expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some((item.ident.to_string(), text.value())),
        _ => None,
    }
}

fn is_variable(name: &str) -> bool {
    name.contains('_') && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns the value, or the expression as written.
fn number(expr: &Expr) -> String {
    constants::evaluated(expr).unwrap_or_else(|| text_of(expr))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_the_forms_that_the_reader_checks() {
        let text = "const TRANSPORT: &str = \"LUMIO_TRANSPORT\";
            fn read(reader: &mut Reader) {
                let mut per_minute = |name: &str, default| reader.within(name, default, 1, 10);
                per_minute(\"LUMIO_RATE\", 120);
                reader.within(\"LUMIO_POOL\", 16, 2, 1_000);
                reader.value(TRANSPORT, T::A, \"`a` or `b`\");
                address(reader, \"LUMIO_BIND\", ([127, 0, 0, 1], 8080));
                reader.flag(\"LUMIO_ON\", default);
            }
            fn one(reader: &Reader) { const NAME: &str = \"LUMIO_ONE\"; reader.text(NAME, \"x\"); }
            fn two(reader: &Reader) { const NAME: &str = \"LUMIO_TWO\"; reader.secret(NAME); other.text(\"no\", 1); }";
        let found = read(&syn::parse_file(text).unwrap());
        let found: Vec<_> =
            found.iter().map(|it| (it.name.as_str(), it.form.as_str(), it.default.as_deref())).collect();
        assert_eq!(
            found,
            [
                ("LUMIO_RATE", "number", None),
                ("LUMIO_POOL", "number from 2 to 1000", None),
                ("LUMIO_TRANSPORT", "`a` or `b`", None),
                ("LUMIO_BIND", "address and port", None),
                ("LUMIO_ON", "`true` or `false`", None),
                ("LUMIO_ONE", "text", Some("x")),
                ("LUMIO_TWO", "text", None),
            ]
        );
    }
}
