//! Conventions of HTTP that follow from the rule, the place and the query of an operation: the `ETag` of polled reads,
//! the `Link` of parts of lists, and notices of deprecation (reference/conventions.md).

use api_core::{access::Rule, deprecations::Deprecation};
use serde_json::{Value, json};

use super::{Operation, headers};

/// Query parameters that select a part of a list.
const PARTS: [&str; 5] = ["page", "offset", "before", "after", "cursor"];

/// Adds what the conventions say about an operation. Call it after the errors were added: a read without input has no
/// 400.
pub fn add(method: &str, operation: &mut Operation, rule: Option<&Rule>) {
    let name = operation.get("operationId").and_then(Value::as_str).unwrap_or_default().to_owned();
    if rule.is_some_and(|rule| rule.is_polled) {
        add_tag(operation);
    }
    if method == "get" && has_parts(operation) {
        add_header(operation, "Link", |status| status == "200");
    }
    if let Some(deprecation) = Deprecation::of(&name) {
        deprecate(operation, deprecation);
    }
}

/// True when a query parameter selects a part of a list.
fn has_parts(operation: &Operation) -> bool {
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let mut of_query = parameters.filter(|parameter| parameter["in"] == "query");
    of_query.any(|parameter| parameter["name"].as_str().is_some_and(|name| PARTS.contains(&name)))
}

fn add_tag(operation: &mut Operation) {
    let parameter = json!({
        "in": "header",
        "name": "If-None-Match",
        "description": "Tags of bodies that the caller holds; a present one is answered 304.",
        "required": false,
        "schema": { "type": "string" },
        "example": "W/\"9f86d081884c7d659a2feaa0c55ad015\"",
    });
    let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
    if let Some(parameters) = parameters.as_array_mut() {
        parameters.push(parameter);
    }
    let responses = operation.entry("responses").or_insert_with(|| json!({}));
    if let Some(responses) = responses.as_object_mut() {
        responses.entry("304").or_insert_with(|| json!({ "description": "" }));
    }
}

fn deprecate(operation: &mut Operation, deprecation: &Deprecation) {
    operation.insert("deprecated".into(), true.into());
    let own = operation.get("description").and_then(Value::as_str).filter(|text| !text.is_empty());
    let description =
        own.map_or_else(|| deprecation.reason.into(), |own| format!("{own}\n\n{}", deprecation.reason));
    operation.insert("description".into(), description.into());
    add_header(operation, "Deprecation", |_| true);
    if deprecation.sunset.is_some() {
        add_header(operation, "Sunset", |_| true);
    }
}

/// Declares a header of the responses of some statuses, except of those that other operations share.
fn add_header(operation: &mut Operation, name: &str, has_header: impl Fn(&str) -> bool) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for (status, response) in responses.into_iter().flatten() {
        if has_header(status) && response.get("$ref").is_none() {
            response["headers"][name] = headers::reference(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::document;

    #[test]
    fn conventions_document_tags_links_and_deprecations() {
        let paths = &document()["paths"];
        let events = &paths["/v1/events"]["get"];
        assert!(events["responses"]["304"]["headers"]["ETag"].is_object());
        assert!(events["responses"]["200"]["headers"]["ETag"].is_object());
        assert!(events["responses"]["200"]["headers"]["Link"].is_object());
        let parameters = events["parameters"].as_array().unwrap();
        assert!(parameters.iter().any(|parameter| parameter["name"] == "If-None-Match"));
        let legacy = &paths["/v1/extension-bundles/{extension_id}/{version}/bundle.js"]["get"];
        assert_eq!(legacy["deprecated"], true);
        assert!(legacy["responses"]["200"]["headers"]["Deprecation"].is_object());
        assert!(events.get("deprecated").is_none());
        let unpolled = &paths["/v1/users/me"]["get"];
        assert!(unpolled["responses"].get("304").is_none());
    }
}
