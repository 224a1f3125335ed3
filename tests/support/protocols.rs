//! The same call over both protocols.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{Answer, Caller};

impl Caller {
    /// Runs the mutation `field` with an `input` that is written as REST takes it. The type of the input is named
    /// after the field.
    pub async fn mutate(&self, field: &str, input: &Value, selection: &str) -> Answer {
        let (first, rest) = field.split_at(1);
        let kind = format!("{}{rest}Input", first.to_uppercase());
        let document = format!("mutation($input: {kind}!) {{ {field}(input: $input) {selection} }}");
        self.graphql(&document, json!({ "input": renamed(input, &camel) })).await
    }

    /// Like [`Caller::mutate`], for a field that also takes `at`: names and values of UUIDs.
    pub async fn mutate_at(
        &self,
        field: &str,
        at: &[(&str, Uuid)],
        input: &Value,
        selection: &str,
    ) -> Answer {
        let (first, rest) = field.split_at(1);
        let kind = format!("{}{rest}Input", first.to_uppercase());
        let declared: String = at.iter().map(|(name, _)| format!("${name}: UUID!, ")).collect();
        let given: String = at.iter().map(|(name, _)| format!("{name}: ${name}, ")).collect();
        let document =
            format!("mutation({declared}$input: {kind}!) {{ {field}({given}input: $input) {selection} }}");
        let mut variables = json!({ "input": renamed(input, &camel) });
        for (name, id) in at {
            variables[*name] = json!(id);
        }
        self.graphql(&document, variables).await
    }
}

impl Answer {
    /// Value of a GraphQL field, written as REST would.
    #[track_caller]
    pub fn field(&self, name: &str) -> Value {
        assert!(self.body["errors"].is_null(), "{}", self.text);
        renamed(&self.body["data"][name], &snake)
    }
}

/// Asserts that both protocols refused with the same code and message.
#[track_caller]
pub fn both_refused(rest: &Answer, graphql: &Answer, status: u16, code: &str, message: &str) {
    assert_eq!(rest.status, status, "{}", rest.text);
    rest.refused(code, message);
    graphql.refused(code, message);
}

/// The value with every field renamed.
fn renamed(value: &Value, name: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(key, field)| (name(key), renamed(field, name))).collect::<Map<_, _>>(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(|item| renamed(item, name)).collect()),
        other => other.clone(),
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        format!("{name}{}{rest}", initial.to_uppercase())
    })
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            snake.push('_');
        }
        snake.extend(character.to_lowercase());
    }
    snake
}
