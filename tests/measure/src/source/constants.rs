//! Constants with their values.

use std::collections::HashMap;

use syn::{
    BinOp, Expr, ExprLit, Lit,
    visit::{self, Visit},
};

use super::{
    attributes::{doc, first_sentence},
    line_of, text_of,
};
use crate::pattern;

/// A constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    pub name: String,
    /// Evaluated where that is simple, else as written.
    pub value: String,
    /// Value of a text constant.
    pub text: Option<String>,
    /// First sentence of its documentation.
    pub meaning: String,
    pub line: usize,
}

impl Constant {
    /// True for a constant whose name is that of a limit, a default or a time.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        pattern!(
            LIMIT,
            r"^(?:MAX|MIN|DEFAULT)_|(?:^|_)(?:TIMEOUT|INTERVAL|MAX|MIN|LIMIT|CAPACITY|SIZE|BACKOFF|DELAY|TTL|LENGTH|LIFETIME|RETENTION|WINDOW|BATCH|ATTEMPTS|BYTES|COOLDOWN|GRACE|PERIOD|DEADLINE|CONCURRENCY)(?:_SECS|_SECONDS|_MS|_BYTES)?$"
        );
        self.text.is_none() && LIMIT.is_match(&self.name)
    }
}

/// Returns the constants of a source, those of functions and implementations among them.
#[must_use]
pub fn read(file: &syn::File) -> Vec<Constant> {
    let mut constants = Constants::default();
    constants.visit_file(file);
    let values: HashMap<String, Expr> =
        constants.found.iter().map(|(constant, expr)| (constant.name.clone(), expr.clone())).collect();
    let evaluated = constants.found.into_iter().map(|(mut constant, expr)| {
        if let Some(value) = evaluate(&expr, &values, 0) {
            constant.value = value.text();
        }
        constant
    });
    evaluated.collect()
}

#[derive(Default)]
struct Constants {
    found: Vec<(Constant, Expr)>,
}

impl Constants {
    fn take(&mut self, ident: &syn::Ident, attributes: &[syn::Attribute], expr: &Expr) {
        let text = match expr {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        };
        let meaning = doc(attributes).map(|doc| first_sentence(&doc)).unwrap_or_default();
        let constant =
            Constant { name: ident.to_string(), value: text_of(expr), text, meaning, line: line_of(ident) };
        self.found.push((constant, expr.clone()));
    }
}

impl Visit<'_> for Constants {
    fn visit_item_const(&mut self, item: &syn::ItemConst) {
        self.take(&item.ident, &item.attrs, &item.expr);
        visit::visit_item_const(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &syn::ImplItemConst) {
        self.take(&item.ident, &item.attrs, &item.expr);
        visit::visit_impl_item_const(self, item);
    }
}

/// Returns the value of an expression of numbers, if it is one.
#[must_use]
pub fn evaluated(expr: &Expr) -> Option<String> {
    evaluate(expr, &HashMap::new(), 0).map(Value::text)
}

/// A number with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Value {
    number: i128,
    unit: &'static str,
}

impl Value {
    fn text(self) -> String {
        if self.unit.is_empty() { self.number.to_string() } else { format!("{} {}", self.number, self.unit) }
    }
}

fn evaluate(expr: &Expr, constants: &HashMap<String, Expr>, depth: usize) -> Option<Value> {
    if depth > 16 {
        return None;
    }
    let inner = |expr| evaluate(expr, constants, depth + 1);
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            Some(Value { number: number.base10_parse().ok()?, unit: "" })
        }
        Expr::Paren(paren) => inner(&paren.expr),
        Expr::Group(group) => inner(&group.expr),
        Expr::Cast(cast) => inner(&cast.expr),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
            let value = inner(&unary.expr)?;
            Some(Value { number: -value.number, ..value })
        }
        Expr::Path(path) => {
            let name = path.path.segments.last()?.ident.to_string();
            if path.path.segments.len() > 1 && path.path.segments[0].ident != "Self" {
                return None;
            }
            inner(constants.get(&name)?)
        }
        Expr::Binary(binary) => {
            let (left, right) = (inner(&binary.left)?, inner(&binary.right)?);
            let unit = if left.unit.is_empty() { right.unit } else { left.unit };
            let number = match binary.op {
                BinOp::Mul(_) => left.number.checked_mul(right.number)?,
                BinOp::Add(_) => left.number.checked_add(right.number)?,
                BinOp::Sub(_) => left.number.checked_sub(right.number)?,
                BinOp::Div(_) => left.number.checked_div(right.number)?,
                BinOp::Shl(_) => left.number.checked_shl(u32::try_from(right.number).ok()?)?,
                _ => return None,
            };
            Some(Value { number, unit })
        }
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return None };
            let unit = unit(&path.path.segments.last()?.ident.to_string())?;
            let [argument] = [call.args.first()?];
            Some(Value { unit, ..inner(argument)? })
        }
        _ => None,
    }
}

/// Unit of a constructor of `Duration` or `TimeDelta`.
fn unit(constructor: &str) -> Option<&'static str> {
    Some(match constructor {
        "from_secs" | "seconds" => "s",
        "from_millis" | "milliseconds" => "ms",
        "from_micros" | "microseconds" => "µs",
        "from_mins" | "minutes" => "min",
        "from_hours" | "hours" => "h",
        "from_days" | "days" => "days",
        "from_weeks" | "weeks" => "weeks",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_evaluated_where_simple() {
        let text = "/// Time of a call (C §1). More.
            const CALL_TIMEOUT: Duration = Duration::from_secs(90);
            const MAX_BYTES: usize = 64 * 1_024; const MAX_ALL: usize = 2 * MAX_BYTES as usize;
            const TTL: TimeDelta = TimeDelta::days(7); const MAX_OTHER: u8 = other::X;
            const NAME: &str = \"a\"; struct A; impl A { const MAX_B: u8 = 1; }";
        let found = read(&syn::parse_file(text).unwrap());
        let values: Vec<_> =
            found.iter().map(|c| (c.name.as_str(), c.value.as_str(), c.is_limit())).collect();
        assert_eq!(
            values,
            [
                ("CALL_TIMEOUT", "90 s", true),
                ("MAX_BYTES", "65536", true),
                ("MAX_ALL", "131072", true),
                ("TTL", "7 days", true),
                ("MAX_OTHER", "other::X", true),
                ("NAME", "\"a\"", false),
                ("MAX_B", "1", true),
            ]
        );
        assert_eq!(found[0].meaning, "Time of a call.");
    }
}
