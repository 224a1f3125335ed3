//! Table of operations.

use regex::Captures;

use super::{Index, code, markdown_table};
use crate::{
    pattern,
    source::{
        Source,
        operations::{Field, Operation},
    },
    text::names::snake_case,
};

/// Returns the table of the operations of sources, in the order of paths.
#[must_use]
pub fn table(index: &Index<'_>, sources: &[&Source]) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for source in sources {
        for operation in &source.facts.operations {
            rows.push(vec![
                code(&operation.name),
                joined(
                    index
                        .routes
                        .iter()
                        .filter(|route| route.operation == operation.name)
                        .map(|route| code(&format!("{} {}", route.method, route.path))),
                ),
                field(&index.fields, &operation.name),
                caller(index, operation),
                meaning(source, operation),
            ]);
        }
    }
    rows.sort();
    rows.dedup();
    markdown_table(&["Operation", "REST", "GraphQL", "Caller", "Description"], &rows)
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}

/// The field of the operation's name, else the one that calls its function.
fn field(fields: &[&Field], operation: &str) -> String {
    let function = snake_case(operation);
    let own = fields
        .iter()
        .find(|field| field.name == operation)
        .or_else(|| fields.iter().find(|field| field.calls.contains(&function)));
    own.map_or_else(|| "none".to_owned(), |field| format!("{} {}", field.kind, code(&field.name)))
}

/// Constructor, permissions and feature of a rule.
fn caller(index: &Index<'_>, operation: &Operation) -> String {
    let mut text = operation.constructor.replace('_', " ");
    let needed: Vec<String> = operation
        .arguments
        .iter()
        .filter(|argument| !argument.starts_with("Grants::"))
        .map(|argument| needed(index, argument))
        .collect();
    if !needed.is_empty() {
        text.push_str(&format!(", {}", needed.join(", ")));
    }
    for (call, argument) in &operation.chain {
        match call.as_str() {
            "feature" => text.push_str(&format!(", feature {}", needed_text(index, argument))),
            "or_own" => text.push_str(", or own"),
            _ => {}
        }
    }
    text
}

/// Permissions of an argument: `AccountPermission::ChatRead`, or a list of such.
fn needed(index: &Index<'_>, argument: &str) -> String {
    pattern!(PATH, r"\b(\w+)::(\w+)\b");
    let found: Vec<String> = PATH
        .captures_iter(argument)
        .map(|path: Captures<'_>| {
            let text = index.text(&path[1], &path[2]).unwrap_or(&path[2]);
            let scope = match &path[1] {
                "AdminPermission" => " (admin)",
                "UserPermission" => " (user)",
                _ => "",
            };
            format!("{}{scope}", code(text))
        })
        .collect();
    if found.is_empty() { code(argument) } else { found.join(" or ") }
}

fn needed_text(index: &Index<'_>, argument: &str) -> String {
    let mut parts = argument.rsplit("::");
    let (variant, owner) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    code(index.text(owner, variant).unwrap_or(variant))
}

/// First sentence of the function's documentation, else of the static's.
fn meaning(source: &Source, operation: &Operation) -> String {
    let function = snake_case(&operation.name);
    let own = source.facts.functions.iter().find(|own| own.name == function);
    own.map_or(&operation.meaning, |own| &own.meaning).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_is_found_by_name_or_by_call() {
        let by_name = Field { name: "makeThing".to_owned(), kind: "mutation", calls: Vec::new() };
        let by_call =
            Field { name: "things".to_owned(), kind: "query", calls: vec!["list_things".to_owned()] };
        let fields = [&by_name, &by_call];
        assert_eq!(field(&fields, "makeThing"), "mutation `makeThing`");
        assert_eq!(field(&fields, "listThings"), "query `things`");
        assert_eq!(field(&fields, "other"), "none");
    }

    #[test]
    fn meaning_prefers_the_function() {
        let text = "/// The rule.\npub static MAKE: Operation<M> = Operation::member(\"make\", G);\n/// Makes.\nfn make() {}";
        let source = Source::read("a.rs", text).unwrap();
        assert_eq!(meaning(&source, &source.facts.operations[0]), "Makes.");
    }
}
