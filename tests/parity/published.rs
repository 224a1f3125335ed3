//! What the two protocols publish: the OpenAPI document and the introspected schema.

use std::{collections::BTreeMap, sync::LazyLock};

use api_core::{
    Cx, State,
    access::{Principal, RequestInfo},
};
use serde_json::Value;
use shared::{clock::Clock, config::Config};

/// A REST operation of the OpenAPI document.
#[derive(Debug, Clone)]
pub struct Route {
    pub method: String,
    pub path: String,
    pub operation_id: String,
    pub takes_body: bool,
    /// Query parameters that must be given, with a value that is allowed.
    pub required_query: Vec<(String, String)>,
}

/// A root field of the GraphQL schema.
#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    pub is_mutation: bool,
    pub arguments: Vec<Value>,
    pub returns: Value,
}

/// The OpenAPI document.
pub fn openapi() -> Value {
    lumio_api::openapi::document().clone()
}

/// The introspection result.
pub fn introspection() -> &'static Value {
    // On a thread of its own: callers may stand in a runtime, which cannot hold another.
    static INTROSPECTION: LazyLock<Value> =
        LazyLock::new(|| std::thread::spawn(introspected).join().expect("the schema introspects"));
    &INTROSPECTION
}

fn introspected() -> Value {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let _entered = runtime.enter();
    let (schema, format) = (lumio_api::graphql::schema(true), juniper::IntrospectionFormat::default());
    let (value, errors) = juniper::introspect(schema, &unconnected(), format).expect("the schema is sound");
    assert!(errors.is_empty(), "{errors:?}");
    serde_json::to_value(value).expect("the schema is JSON")
}

/// A request that reaches nothing: enough to ask the schema about itself.
fn unconnected() -> Cx {
    let storage = tempfile::tempdir().expect("a temporary folder");
    let url = url::Url::from_directory_path(storage.path()).expect("an absolute path");
    let config =
        Config::from_variables([("LUMIO_STORAGE_URL".to_owned(), url.to_string())]).expect("a configuration");
    let state = State::new(config, Clock::default()).expect("the parts open");
    Cx::new(state, Principal::Anonymous { refused: false }, RequestInfo::default())
}

/// Every documented REST operation.
pub fn routes() -> Vec<Route> {
    let document = openapi();
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("a path item") {
            let Some(operation_id) = operation["operationId"].as_str() else { continue };
            routes.push(Route {
                method: method.to_uppercase(),
                path: path.clone(),
                operation_id: operation_id.to_owned(),
                takes_body: !operation["requestBody"].is_null(),
                required_query: required_query(&document, operation),
            });
        }
    }
    routes
}

fn required_query(document: &Value, operation: &Value) -> Vec<(String, String)> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters
        .filter(|parameter| parameter["in"] == "query" && parameter["required"] == true)
        .map(|parameter| {
            let schema = resolved(document, &parameter["schema"]);
            let value = schema["enum"][0].as_str().unwrap_or("x");
            (parameter["name"].as_str().expect("a name").to_owned(), value.to_owned())
        })
        .collect()
}

/// A schema, followed to what it refers to.
pub fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().or_else(|| schema["oneOf"][0]["$ref"].as_str());
    let name = reference.and_then(|reference| reference.strip_prefix("#/components/schemas/"));
    name.map_or(schema, |name| &document["components"]["schemas"][name])
}

/// Every root field.
pub fn fields() -> BTreeMap<String, Field> {
    let schema = introspection();
    let mut fields = BTreeMap::new();
    for (root, is_mutation) in [("Query", false), ("Mutation", true)] {
        for field in type_named(schema, root)["fields"].as_array().into_iter().flatten() {
            let name = field["name"].as_str().expect("a name").to_owned();
            let arguments = field["args"].as_array().cloned().unwrap_or_default();
            fields
                .insert(name.clone(), Field { name, is_mutation, arguments, returns: field["type"].clone() });
        }
    }
    fields
}

/// A type of the schema by name.
pub fn type_named<'a>(schema: &'a Value, name: &str) -> &'a Value {
    schema["__schema"]["types"]
        .as_array()
        .and_then(|types| types.iter().find(|kind| kind["name"] == name))
        .unwrap_or_else(|| panic!("the schema has no type {name}"))
}

/// The named type below lists and non-nulls.
pub fn innermost(kind: &Value) -> &Value {
    let mut kind = kind;
    while !kind["ofType"].is_null() {
        kind = &kind["ofType"];
    }
    kind
}

/// `snake_case` as `camelCase`.
pub fn camel(name: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for character in name.trim_start_matches('_').chars() {
        if character == '_' {
            upper = true;
        } else if upper {
            out.extend(character.to_uppercase());
            upper = false;
        } else {
            out.push(character);
        }
    }
    out
}
