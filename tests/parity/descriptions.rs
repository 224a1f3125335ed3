//! Texts of the operations: written once, on the function, and published by both protocols.

use std::collections::BTreeMap;

use api_core::access::descriptions::of_operation;
use serde_json::Value;

use super::published::{introspection, openapi, routes};

/// Description of each root field of the GraphQL schema.
fn described_fields() -> BTreeMap<String, String> {
    let types = introspection()["__schema"]["types"].as_array().expect("types");
    let roots = types.iter().filter(|kind| kind["name"] == "Query" || kind["name"] == "Mutation");
    let fields = roots.flat_map(|root| root["fields"].as_array().expect("fields"));
    fields.map(|field| (text(field, "name"), text(field, "description"))).collect()
}

fn text(of: &Value, key: &str) -> String {
    of[key].as_str().unwrap_or_default().to_owned()
}

#[test]
fn descriptions_exist_for_every_operation() {
    let missing: Vec<&str> = lumio_api::operations::rules()
        .map(|rule| rule.name)
        .filter(|name| of_operation(name).is_none())
        .collect();
    assert!(missing.is_empty(), "#[api_core::operation] is missing on the functions of {missing:?}");
}

#[test]
fn descriptions_have_a_sentence_as_summary_and_name_nothing_of_the_code() {
    for rule in lumio_api::operations::rules() {
        let Some(published) = of_operation(rule.name) else { continue };
        let summary = &published.summary;
        assert!(summary.ends_with('.') && summary.len() <= 160, "{}: summary `{summary}`", rule.name);
        for forbidden in ["[`", "](crate", "::"] {
            assert!(!published.text().contains(forbidden), "{}: `{forbidden}` is code", rule.name);
        }
    }
}

#[test]
fn descriptions_of_types_cite_the_reference_as_operations_do_and_name_nothing_of_the_code() {
    let documents = [("OpenAPI", openapi().to_string()), ("GraphQL", introspection().to_string())];
    for (name, document) in documents {
        assert!(!document.contains("(reference/"), "{name}: a citation lacks the folder docs");
    }
    assert!(!openapi().to_string().contains("[`"), "a description links to an item of the code");
}

#[test]
fn descriptions_are_published_by_rest_as_written() {
    let document = openapi();
    let mut compared = 0;
    for route in routes() {
        let Some(published) = of_operation(&route.operation_id) else { continue };
        let operation = &document["paths"][&route.path][route.method.to_lowercase()];
        assert_eq!(operation["summary"], published.summary.as_str(), "{}", route.operation_id);
        assert!(text(operation, "description").starts_with(&published.details), "{}", route.operation_id);
        compared += 1;
    }
    assert!(compared > 300, "only {compared} operations of the document are described");
}

#[test]
fn descriptions_name_only_published_statuses() {
    let document = openapi();
    let mut compared = 0;
    for route in routes() {
        let Some(published) = of_operation(&route.operation_id) else { continue };
        let responses = &document["paths"][&route.path][route.method.to_lowercase()]["responses"];
        for status in published.statuses() {
            assert!(responses.get(status).is_some(), "{}: {status} is not published", route.operation_id);
            compared += 1;
        }
    }
    assert!(compared > 300, "only {compared} statuses are described");
}

#[test]
fn descriptions_are_published_by_graphql_as_written() {
    let mut compared = 0;
    for (name, description) in described_fields() {
        let Some(published) = of_operation(&name) else { continue };
        assert_eq!(description, published.text(), "{name}");
        compared += 1;
    }
    assert!(compared > 250, "only {compared} fields of the schema are described");
}
