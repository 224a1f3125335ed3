//! The OpenAPI document. The domains bring paths and shapes; what follows from the declared rules — who may call, what
//! it needs, which errors it gives — is added here, so that it cannot differ from what is enforced.

mod errors;
mod examples;
mod rules;

use std::{collections::HashMap, sync::LazyLock};

use actix_web::{App, http::Method, web::Bytes};
use api_core::{
    access::Rule,
    http::{Access, Routes},
};
use serde_json::{Map, Value, json};
use utoipa_actix_web::{AppExt, service_config::ServiceConfig};

use crate::{operations, rest};

/// Registers routes.
type Part = fn(&mut ServiceConfig<'_>);

/// Everything documented, and whether its routes are open.
const PARTS: [(Part, Access); 3] =
    [(rest::bare, Access::Open), (rest::open, Access::Open), (rest::guarded, Access::Guarded)];

/// Keys of a path item that are methods.
const METHODS: [(&str, Method); 5] = [
    ("get", Method::GET),
    ("post", Method::POST),
    ("put", Method::PUT),
    ("patch", Method::PATCH),
    ("delete", Method::DELETE),
];

/// The document.
#[must_use]
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(build);
    &DOCUMENT
}

/// The document as it is served.
#[must_use]
pub fn text() -> Bytes {
    static TEXT: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(document().to_string()));
    TEXT.clone()
}

/// Every documented route with its methods.
#[must_use]
pub fn routes() -> Routes {
    let mut routes = Routes::default();
    for (part, access) in PARTS {
        for (path, item) in collected(part)["paths"].as_object().into_iter().flatten() {
            for (key, method) in METHODS {
                if let Some(operation) = item.get(key) {
                    routes.add(path, method, access, query_parameters(operation));
                }
            }
        }
    }
    routes
}

fn query_parameters(operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let of_query = parameters.filter(|parameter| parameter["in"] == "query");
    of_query.filter_map(|parameter| parameter["name"].as_str()).map(str::to_owned).collect()
}

fn build() -> Value {
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lumio API",
            "version": crate::VERSION,
            "description": INTRODUCTION,
        },
        "servers": [{ "url": "/" }],
        "paths": {},
        "components": { "schemas": {}, "securitySchemes": rules::security_schemes() },
    });
    for (part, _) in PARTS {
        let collected = collected(part);
        merge(&mut document["paths"], &collected["paths"]);
        merge(&mut document["components"]["schemas"], &collected["components"]["schemas"]);
    }
    merge(&mut document["components"]["schemas"], &errors::schemas());
    let schemas = document["components"]["schemas"].clone();
    let uncounted = collected(rest::bare)["paths"].take();
    let declared: HashMap<&str, &Rule> = operations::rules().map(|rule| (rule.name, rule)).collect();
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            let Some(operation) = operation.as_object_mut() else { continue };
            let rule = operation
                .get("operationId")
                .and_then(Value::as_str)
                .and_then(|name| declared.get(rules::rule_name(name)))
                .copied();
            rules::describe(operation, rule);
            errors::add(path, method, operation, rule, uncounted.get(path.as_str()).is_none());
            examples::add(operation, &schemas);
        }
    }
    document
}

const INTRODUCTION: &str = "Every operation is also a field of the GraphQL schema at `POST /v1/gql` (`GET /v1/schema`), \
    with the same rule, validation, error code and message, unless `x-lumio-rule` says `rest_only`. Answers carry \
    `X-Request-Id`, `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, the same as `RateLimit-Policy` \
    and `RateLimit`, and those of status 201 `Location` where what was made has an address. `HEAD` is answered wherever \
    `GET` is. A query parameter that an operation does not list is refused where it lists any.";

fn collected(part: Part) -> Value {
    let (_, api) = App::new().into_utoipa_app().configure(part).split_for_parts();
    // A document that is built from derived types is always JSON.
    serde_json::to_value(api).unwrap_or_default()
}

fn merge(into: &mut Value, from: &Value) {
    let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) else { return };
    for (key, value) in from {
        match into.get_mut(key) {
            // A path whose methods stand in several parts.
            Some(known) if known.is_object() => merge(known, value),
            Some(_) => {}
            None => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

/// An operation of the document.
type Operation = Map<String, Value>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_an_id_errors_and_examples() {
        let paths = document()["paths"].as_object().unwrap();
        assert!(paths.len() > 5);
        for (path, item) in paths {
            for (method, operation) in item.as_object().unwrap() {
                let place = format!("{method} {path}");
                assert!(operation["operationId"].is_string(), "{place}");
                for response in operation["responses"].as_object().unwrap().values() {
                    for content in response["content"].as_object().into_iter().flat_map(Map::values) {
                        assert!(
                            content.get("example").is_some() || content.get("examples").is_some(),
                            "{place}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(fields) => {
                    found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                    fields.values().for_each(|field| references(field, found));
                }
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        references(document(), &mut found);
        for reference in found {
            let pointer = reference.strip_prefix('#').expect("references stay within the document");
            assert!(document().pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn rules_are_written_into_the_document() {
        let operation = &document()["paths"]["/v1/api-keys"]["post"];
        assert_eq!(operation["x-lumio-rule"]["permission"], "apikeys:create");
        assert_eq!(operation["x-lumio-rule"]["feature"], "feature:apikeys");
        for status in ["201", "400", "401", "403", "429", "500"] {
            assert!(operation["responses"].get(status).is_some(), "{status}");
        }
        assert_eq!(document()["paths"]["/v1/health"]["get"]["security"], json!([]));
        for (path, method) in [("/v1/gql", "post"), ("/v1/schema", "get")] {
            for status in ["429", "500"] {
                assert!(
                    document()["paths"][path][method]["responses"].get(status).is_some(),
                    "{path} {status}"
                );
            }
        }
    }

    #[test]
    fn every_guarded_operation_has_a_rule() {
        let guarded = collected(rest::guarded);
        for (path, item) in guarded["paths"].as_object().unwrap() {
            for method in item.as_object().unwrap().keys() {
                let operation = &document()["paths"][path][method];
                assert_ne!(operation["x-lumio-rule"]["who"], Value::Null, "{method} {path}");
                assert_ne!(operation["security"], json!([]), "{method} {path} is documented as open");
            }
        }
    }
}
