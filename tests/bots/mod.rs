//! Chat commands and bot modules.

mod commands;
mod feed;
mod globals;
mod modules;

use lumio_tests::{Answer, Caller};
use serde_json::{Value, json};
use uuid::Uuid;

const COMMAND: &str =
    "{ id accountId name aliases description responseType response automationId platforms minRole cooldownGlobal
    cooldownUser enabled useCount isOverride createdAt updatedAt }";

/// Runs a mutation with an optional id and an input of the type `kind`, given in the form of REST.
async fn mutate(caller: &Caller, field: &str, kind: &str, id: Option<Uuid>, input: &Value) -> Answer {
    let (declared, given) = if id.is_some() { ("$id: UUID!, ", "id: $id, ") } else { ("", "") };
    let document =
        format!("mutation({declared}$input: {kind}!) {{ {field}({given}input: $input) {COMMAND} }}");
    let mut variables = json!({ "input": in_graphql(input) });
    if let Some(id) = id {
        variables["id"] = json!(id);
    }
    caller.graphql(&document, variables).await
}

/// Runs a mutation that takes an id and returns a boolean.
async fn act(caller: &Caller, field: &str, id: Uuid) -> Answer {
    caller.graphql(&format!("mutation($id: UUID!) {{ {field}(id: $id) }}"), json!({ "id": id })).await
}

/// Converts a REST input to GraphQL: names in camel case, enum values in upper case.
fn in_graphql(input: &Value) -> Value {
    let fields = input.as_object().unwrap().iter().map(|(name, value)| {
        let mut words = name.split('_');
        let first = words.next().unwrap().to_owned();
        let camel = words.fold(first, |name, word| {
            let (initial, rest) = word.split_at(1);
            format!("{name}{}{rest}", initial.to_uppercase())
        });
        let is_enum = matches!(name.as_str(), "min_role" | "response_type");
        let value = match value.as_str().filter(|_| is_enum) {
            Some(text) => json!(text.to_uppercase()),
            None => value.clone(),
        };
        (camel, value)
    });
    fields.collect::<serde_json::Map<_, _>>().into()
}

/// Id of the object in an answer.
#[track_caller]
fn id_of(answer: &Answer) -> Uuid {
    answer.data()["id"].as_str().unwrap().parse().unwrap()
}

/// Values of a text field in a list.
fn column(rows: &Value, field: &str) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
}
