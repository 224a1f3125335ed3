//! Permitted content of stored answers.

use std::collections::BTreeSet;

use api_core::access::Answer as Form;
use serde_json::Value;

use super::posts;
use crate::published::resolved;

/// Fields of kept answers whose names are those of secrets: `operation field reason`. A field is written with its parents.
/// An unused line fails the test.
const HARMLESS: &str = include_str!("harmless.txt");
/// Words of names that may mean a credential or an address that is one.
const SECRET_WORDS: [&str; 11] =
    ["token", "tokens", "secret", "secrets", "key", "keys", "code", "url", "state", "password", "passwords"];
/// Deeper than any answer.
const DEEPEST: usize = 4;

/// True for the name of a field that may hold a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    name.split('_').any(|word| SECRET_WORDS.contains(&word))
}

#[test]
fn answers_with_names_of_secrets_are_secret_or_known_to_be_harmless() {
    let mut harmless = BTreeSet::new();
    for line in HARMLESS.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(words.len() > 2, "harmless.txt: `{line}` gives no reason");
        harmless.insert(words[..2].join(" "));
    }
    let found: BTreeSet<String> = posts()
        .iter()
        .filter(|post| post.rule.answer == Form::Kept)
        .flat_map(|post| {
            let fields = secret_fields(&post.route.path);
            fields.into_iter().map(|field| format!("{} {field}", post.name())).collect::<Vec<_>>()
        })
        .collect();
    let unknown: Vec<&String> = found.difference(&harmless).collect();
    assert!(unknown.is_empty(), "secret_answer() in the rule, or a line in harmless.txt: {unknown:#?}");
    let unused: Vec<&String> = harmless.difference(&found).collect();
    assert!(unused.is_empty(), "no answer has these fields, take them out of harmless.txt: {unused:#?}");
}

/// Fields of the successful answers of a POST that have the name of a secret.
fn secret_fields(path: &str) -> BTreeSet<String> {
    let document = lumio_api::openapi::document();
    let responses = document["paths"][path]["post"]["responses"].as_object().expect("responses");
    let mut found = BTreeSet::new();
    for (_, response) in responses.iter().filter(|(status, _)| status.starts_with('2')) {
        for content in response["content"].as_object().into_iter().flat_map(|content| content.values()) {
            collect(document, &content["schema"], &mut Vec::new(), &mut found);
        }
    }
    found
}

fn collect(document: &Value, schema: &Value, path: &mut Vec<String>, found: &mut BTreeSet<String>) {
    let schema = resolved(document, schema);
    if path.len() > DEEPEST {
        return;
    }
    for variant in ["oneOf", "anyOf", "allOf"] {
        for part in schema[variant].as_array().into_iter().flatten() {
            collect(document, part, path, found);
        }
    }
    if !schema["items"].is_null() {
        collect(document, &schema["items"], path, found);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        path.push(name.clone());
        if is_secret_name(name) {
            found.insert(path.join("."));
        }
        collect(document, field, path, found);
        path.pop();
    }
}
