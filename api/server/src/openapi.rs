//! The OpenAPI document. The domains provide paths and shapes. Everything that follows from the declared
//! rules (callers, permissions, errors) is added here, so that it cannot differ from the enforced rules
//! (reference/conventions.md#openapi-document).

mod conventions;
mod errors;
mod examples;
mod headers;
mod limits;
mod parameters;
mod paths;
mod references;
mod responses;
mod rules;
mod tags;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};

use actix_web::{
    App,
    http::Method,
    web::{self, Bytes},
};
use api_core::{
    access::{Rule, RulesByName, Who, descriptions},
    deprecations::Deprecation,
    http::{Access, Documented, Routes, SelfLink, ServiceConfig},
};
use serde_json::{Map, Value, json};
use utoipa::{PartialSchema, openapi::OpenApi};

use crate::{events, operations, rest};

/// Function that registers routes.
type Part = fn(&mut ServiceConfig<'_>);

/// All documented routes and the access to them.
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
    let declared: HashMap<&str, &'static Rule> = operations::rules().map(|rule| (rule.name, rule)).collect();
    for (part, access) in PARTS {
        for (path, item) in paths_of(part)["paths"].as_object().into_iter().flatten() {
            for (key, method) in METHODS {
                if let Some(operation) = item.get(key) {
                    let name = operation["operationId"].as_str().unwrap_or_default();
                    let rule = declared.get(rules::rule_name(name)).copied();
                    let documented = Documented { rule, deprecation: Deprecation::of(name) };
                    routes.add(path, method, access, query_parameters(operation), documented);
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

/// Rules of the operations that a published document describes, by name.
pub fn published() -> &'static RulesByName {
    static PUBLISHED: LazyLock<RulesByName> = LazyLock::new(|| {
        let described: HashSet<&str> = operation_names().collect();
        let is_published = |rule: &&Rule| !rule.rest_only || described.contains(rule.name);
        operations::rules().filter(is_published).map(|rule| (rule.name, rule)).collect()
    });
    &PUBLISHED
}

fn operation_names() -> impl Iterator<Item = &'static str> {
    let items = document()["paths"].as_object().into_iter().flat_map(Map::values);
    let operations = items.filter_map(Value::as_object).flat_map(Map::values);
    operations.filter_map(|operation| operation["operationId"].as_str()).map(rules::rule_name)
}

/// A schema of the document and every schema that it refers to, by name.
pub fn schemas_below(name: &str) -> Map<String, Value> {
    let mut used = BTreeSet::new();
    references::collect(&references::to(name), document(), &mut used);
    let names = used.iter().filter_map(|reference| reference.strip_prefix(references::SCHEMAS));
    names.map(|name| (name.to_owned(), document()["components"]["schemas"][name].clone())).collect()
}

fn build() -> Value {
    let mut document = frame();
    for (part, _) in PARTS {
        let collected = collected(part);
        merge(&mut document["paths"], &collected["paths"]);
        merge(&mut document["components"]["schemas"], &collected["components"]["schemas"]);
    }
    merge(&mut document["components"]["schemas"], &errors::schemas());
    // Default of a type parameter, which the derives do not reach.
    document["components"]["schemas"]["SelfLink"] = json!(SelfLink::schema());
    limits::publish(&mut document["components"]["schemas"]);
    references::link(&mut document);
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        events::by_type(schemas);
    }
    complete_operations(&mut document);
    if let Some(paths) = document["paths"].as_object_mut() {
        paths::join(paths);
    }
    references::prune(&mut document);
    document
}

/// The document without paths and shapes of the domains.
fn frame() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lumio API",
            "version": crate::VERSION,
            "description": INTRODUCTION,
            "contact": { "name": "The operator of the server that serves this document" },
            "license": { "name": LICENSE, "identifier": LICENSE },
        },
        "servers": [
            { "url": "/", "description": "The server that serves this document." },
            {
                "url": "https://{host}",
                "description": "Any other one.",
                "variables": { "host": { "default": "localhost:8080", "description": "Name and port." } },
            },
        ],
        "tags": tags::list(),
        "paths": {},
        "components": {
            "schemas": {},
            "parameters": parameters::components(),
            "responses": errors::responses(),
            "headers": headers::components(),
            "securitySchemes": rules::security_schemes(),
        },
    })
}

/// Adds to every operation everything that follows from its rule and its place.
fn complete_operations(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    let uncounted = paths_of(rest::bare)["paths"].take();
    let declared: HashMap<&str, &Rule> = operations::rules().map(|rule| (rule.name, rule)).collect();
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            let Some(operation) = operation.as_object_mut() else { continue };
            let rule = operation
                .get("operationId")
                .and_then(Value::as_str)
                .and_then(|name| declared.get(rules::rule_name(name)))
                .copied();
            let is_layered = uncounted.get(path.as_str()).is_none();
            let is_counted = is_layered && rule.is_none_or(|rule| rule.who != Who::SystemKey);
            describe(operation, rule);
            rules::describe(operation, rule);
            parameters::describe(path, operation);
            parameters::add_key(path, method, operation, rule);
            errors::add(path, method, operation, rule, is_layered);
            conventions::add(method, operation, rule);
            responses::complete(method, operation, is_counted, parameters::takes_key(path, method, rule));
            examples::add(operation, &schemas);
        }
    }
}

/// Takes summary and description from the function of the operation. A second route of an operation keeps its own.
fn describe(operation: &mut Operation, rule: Option<&Rule>) {
    let Some(published) = rule.and_then(|rule| descriptions::of_operation(rule.name)) else { return };
    if operation.get("summary").is_none() {
        operation.insert("summary".into(), published.summary.as_str().into());
        if !published.details.is_empty() {
            operation.insert("description".into(), published.details.as_str().into());
        }
    }
}

/// The operations of a path item.
fn operations_of(item: &mut Value) -> impl Iterator<Item = &mut Operation> {
    item.as_object_mut().into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut)
}

const LICENSE: &str = env!("CARGO_PKG_LICENSE");

const INTRODUCTION: &str = "Every operation is also a field of the GraphQL schema at `POST /v1/gql` (`GET /v1/schema`), \
    with the same rule, validation, error code and message, unless `x-lumio-rule` says `rest_only`. Answers carry \
    `X-Request-Id`, `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, the same as `RateLimit-Policy` \
    and `RateLimit`, and those of status 201 `Location` where what was made has an address. `traceparent` continues the \
    trace of the request. `HEAD` is answered wherever \
    `GET` is. A query parameter that an operation does not list is refused where it lists any. An error is \
    `application/problem+json` (RFC 9457) where `Accept` prefers that to `application/json`, with the code in `code` and \
    the details in `details`.";

/// Paths and schemas of a part.
fn collected(part: Part) -> Value {
    registered(ServiceConfig::documented, part)
}

/// Paths of a part.
fn paths_of(part: Part) -> Value {
    registered(ServiceConfig::of_paths, part)
}

fn registered(config: fn(&mut web::ServiceConfig) -> ServiceConfig<'_>, part: Part) -> Value {
    let mut document = OpenApi::default();
    let _app = App::new().configure(|services| {
        let mut config = config(services);
        part(&mut config);
        document = config.into_document();
    });
    // A document that is built from derived types is always JSON.
    serde_json::to_value(document).unwrap_or_default()
}

fn merge(into: &mut Value, from: &Value) {
    let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) else { return };
    for (key, value) in from {
        match into.get_mut(key) {
            // The path has methods in several parts.
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
    fn document_gives_every_operation_an_id_and_examples() {
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

    /// Path under which the document publishes a path.
    fn published(path: &str) -> &'static str {
        let mut paths = document()["paths"].as_object().unwrap().keys();
        paths.find(|published| paths::shape(published) == paths::shape(path)).expect("a path of this shape")
    }

    #[test]
    fn document_describes_every_response_and_every_tag() {
        let tags: Vec<&str> =
            document()["tags"].as_array().unwrap().iter().filter_map(|tag| tag["name"].as_str()).collect();
        let mut used = BTreeSet::new();
        for (path, item) in document()["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                for tag in operation["tags"].as_array().unwrap() {
                    let tag = tag.as_str().unwrap();
                    assert!(tags.contains(&tag), "{method} {path}: the tag {tag} has no words");
                    used.insert(tag);
                }
                for (status, response) in operation["responses"].as_object().unwrap() {
                    let response = match response["$ref"].as_str() {
                        Some(shared) => document().pointer(shared.strip_prefix('#').unwrap()).unwrap(),
                        None => response,
                    };
                    let place = format!("{method} {path} {status}");
                    assert!(response["description"].as_str().is_some_and(|text| !text.is_empty()), "{place}");
                    assert!(response["headers"]["X-Request-Id"].is_object(), "{place}");
                    let is_limited = matches!(status.as_str(), "409" | "429");
                    assert_eq!(response["headers"]["Retry-After"].is_object(), is_limited, "{place}");
                }
            }
        }
        assert_eq!(used.len(), tags.len(), "a tag has no operation");
    }

    #[test]
    fn document_merges_paths_of_one_shape() {
        let mut shapes = BTreeSet::new();
        for path in document()["paths"].as_object().unwrap().keys() {
            assert!(shapes.insert(paths::shape(path)), "{path}");
        }
        let invites = &document()["paths"]["/v1/invites/{code_or_id}"];
        assert!(invites["get"].is_object() && invites["delete"].is_object());
    }

    #[test]
    fn document_resolves_every_reference() {
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
    fn document_contains_the_access_rules() {
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
    fn document_has_a_rule_for_every_guarded_operation() {
        let guarded = collected(rest::guarded);
        for (path, item) in guarded["paths"].as_object().unwrap() {
            for method in item.as_object().unwrap().keys() {
                let operation = &document()["paths"][published(path)][method];
                assert_ne!(operation["x-lumio-rule"]["who"], Value::Null, "{method} {path}");
                assert_ne!(operation["security"], json!([]), "{method} {path} is documented as open");
            }
        }
    }
}
