//! Types of one name have the same fields, the same required ones, and the same enum values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::published::{camel, introspection, openapi};

#[test]
fn shapes_of_objects_of_one_name_are_equal() {
    let (document, schema) = (openapi(), introspection());
    let mut compared = 0;
    for kind in schema["__schema"]["types"].as_array().expect("types") {
        let name = kind["name"].as_str().expect("a name");
        let mut rest = &document["components"]["schemas"][name];
        if let Some(variant) = rest["anyOf"][0]["$ref"].as_str() {
            // A union of types: each has the fields of all.
            rest = document.pointer(variant.trim_start_matches('#')).expect("a schema");
        }
        if rest["properties"].is_null() {
            continue;
        }
        assert_eq!(
            graphql_fields(kind),
            rest_fields(rest),
            "`{name}`: GraphQL (left) and OpenAPI (right) have different fields (true: always there). Derive both from one struct"
        );
        compared += 1;
    }
    assert!(
        compared >= 5,
        "only {compared} types were compared: the names of the two documents drifted apart"
    );
}

#[test]
fn shapes_of_enums_of_one_name_are_equal() {
    let (document, schema) = (openapi(), introspection());
    let mut compared = 0;
    for kind in schema["__schema"]["types"].as_array().expect("types") {
        let name = kind["name"].as_str().expect("a name");
        let rest = &document["components"]["schemas"][name]["enum"];
        let Some(rest) = rest.as_array() else { continue };
        let graphql: BTreeSet<String> = kind["enumValues"]
            .as_array()
            .unwrap_or_else(|| panic!("`{name}` is an enum over REST but not over GraphQL"))
            .iter()
            .map(|value| value["name"].as_str().expect("a name").to_lowercase())
            .collect();
        let rest: BTreeSet<String> =
            rest.iter().map(|value| value.as_str().expect("a text").to_owned()).collect();
        assert_eq!(
            graphql, rest,
            "`{name}`: GraphQL (left, lowered) and OpenAPI (right) have different values"
        );
        compared += 1;
    }
    assert!(compared >= 1, "no enum was compared");
}

fn graphql_fields(kind: &Value) -> BTreeMap<String, bool> {
    let fields = kind["inputFields"].as_array().or_else(|| kind["fields"].as_array());
    fields
        .into_iter()
        .flatten()
        .map(|field| {
            (field["name"].as_str().expect("a name").to_owned(), field["type"]["kind"] == "NON_NULL")
        })
        .collect()
}

fn rest_fields(schema: &Value) -> BTreeMap<String, bool> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().expect("properties");
    properties.keys().map(|name| (camel(name), required.contains(&name.as_str()))).collect()
}
