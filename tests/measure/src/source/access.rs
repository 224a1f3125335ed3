//! Ways around the access layer: connections of the databases and ids of accounts that no caller gave.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Expr, Member,
    visit::{self, Visit},
};

use super::{Named, line_of, text_of};

/// Returns the places that reach for a database, and those that make an account id. A caller and a named
/// `SystemReason` are the access layer's own ways.
#[must_use]
pub fn read(file: &syn::File) -> (Vec<Named>, Vec<Named>) {
    let mut places = Places::default();
    places.visit_file(file);
    (places.checkouts, places.ids)
}

#[derive(Default)]
struct Places {
    checkouts: Vec<Named>,
    ids: Vec<Named>,
}

impl Places {
    fn checkout(&mut self, line: usize, name: impl Into<String>) {
        if self.checkouts.last().is_none_or(|last| last.line != line) {
            self.checkouts.push(Named { name: name.into(), line });
        }
    }

    fn path(&mut self, path: &syn::Path) {
        let mut last = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        match (last.next().as_deref(), last.next().as_deref()) {
            (Some("AccountId"), _) | (Some("trusted" | "from"), Some("AccountId")) => {
                self.ids.push(Named { name: text_of(path), line: line_of(path) });
            }
            (Some("new" | "open"), Some("Database" | "Databases")) => {
                self.checkout(line_of(path), text_of(path));
            }
            _ => {}
        }
    }
}

impl Visit<'_> for Places {
    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Field(field) => {
                if let Member::Named(name) = &field.member {
                    let is_inner = matches!(&*field.base, Expr::Field(base) if is_databases(&base.member));
                    let is_store = name == "postgres" || name == "timescaledb";
                    // `config.postgres` is a setting; the stores are reached through `databases`.
                    let of_databases = text_of(&field.base).ends_with("databases");
                    if is_databases(&field.member) || (is_store && of_databases && !is_inner) {
                        self.checkout(line_of(name), format!(".{name}"));
                    }
                }
            }
            Expr::MethodCall(call) if call.method == "databases" && call.args.is_empty() => {
                self.checkout(line_of(&call.method), ".databases()");
            }
            Expr::Path(path) => self.path(&path.path),
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    /// A function that is given the pool itself opens what no caller did.
    fn visit_fn_arg(&mut self, argument: &syn::FnArg) {
        if let syn::FnArg::Typed(typed) = argument {
            let mut inner = &*typed.ty;
            while let syn::Type::Reference(reference) = inner {
                inner = &*reference.elem;
            }
            if let syn::Type::Path(path) = inner
                && path
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| last.ident == "Database" || last.ident == "Databases")
            {
                self.checkout(line_of(path), text_of(typed));
            }
        }
        visit::visit_fn_arg(self, argument);
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        self.scan(mac.tokens.clone());
    }
}

impl Places {
    fn scan(&mut self, tokens: TokenStream) {
        let mut before = None;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if ident == "databases" && before == Some('.') {
                        self.checkout(line_of(&ident), ".databases in a macro");
                    }
                    if ident == "AccountId" {
                        self.ids
                            .push(Named { name: "AccountId in a macro".to_owned(), line: line_of(&ident) });
                    }
                    before = None;
                }
                TokenTree::Punct(mark) => before = Some(mark.as_char()),
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Literal(_) => before = None,
            }
        }
    }
}

fn is_databases(member: &Member) -> bool {
    matches!(member, Member::Named(name) if name == "databases")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_counts_each_place_once() {
        let text = "fn f(database: &Database, caller: &Caller) {
            g(cx.state().databases.postgres.get());
            let databases = state
                .databases;
            databases.timescaledb.get();
            config.postgres.url();
            json!({ \"a\": state.databases.postgres });
            caller.db();
            state.system(SystemReason::Console).db();
        }";
        let (checkouts, _) = read(&syn::parse_file(text).unwrap());
        let lines: Vec<_> = checkouts.iter().map(|found| found.line).collect();
        assert_eq!(lines, [1, 2, 4, 5, 7], "{checkouts:?}");
    }

    #[test]
    fn read_finds_ids_that_are_made_and_not_those_that_are_taken_apart() {
        let text = "fn f(id: AccountId) { (AccountId::trusted(x, Trust::Staff), AccountId::from(y), z.map(AccountId), \
             own.map(AccountId::uuid), admin.account(w)) }";
        let (_, ids) = read(&syn::parse_file(text).unwrap());
        assert_eq!(ids.len(), 3, "{ids:?}");
    }
}
