//! The documents of the two protocols: the OpenAPI document and the introspected schema.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use api_core::{
    Cx, State,
    access::{Principal, RequestInfo},
};
use foundation::db::Databases;
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

/// Routes that the OpenAPI document leaves out: operation, method, path, and true when it takes a body
/// (reference/conventions.md#openapi-document). `names.rs` compares them with the rules, and calls each, so that none
/// is missing.
pub const UNDOCUMENTED: &[(&str, &str, &str, bool)] = &[
    ("internalBotModuleHandlers", "GET", "/v1/internal/bot-modules/handlers", false),
    ("internalBotModuleTriggers", "GET", "/v1/internal/bot-modules/{account_id}/triggers", false),
    ("internalAutomationNodeHandlers", "GET", "/v1/internal/automation-nodes/handlers", false),
    ("receivePayoutWebhook", "POST", "/v1/webhooks/payouts", true),
];

/// Second routes of an operation, with its name (`transport` in exceptions.txt).
const SECOND_ROUTES: &[(&str, &str)] = &[("accountFeatureStatuses", "accountFeatures")];

/// A root field of the GraphQL schema.
#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    pub is_mutation: bool,
    pub arguments: Vec<Value>,
    pub returns: Value,
    /// Values that arguments get, by name, in place of the least that their types accept.
    pub chosen: BTreeMap<String, Value>,
}

/// The OpenAPI document.
pub fn openapi() -> Value {
    lumio_api::openapi::document().clone()
}

/// The introspection result.
pub fn introspection() -> &'static Value {
    // On a thread of its own: callers may be in a runtime, which cannot hold another.
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

/// A request without a connection to any store: enough to introspect the schema.
fn unconnected() -> Cx {
    let storage = tempfile::tempdir().expect("a temporary folder");
    let url = url::Url::from_directory_path(storage.path()).expect("an absolute path");
    let config =
        Config::from_variables([("LUMIO_STORAGE_URL".to_owned(), url.to_string())]).expect("a configuration");
    let databases = Databases::new(&config.databases);
    let state = State::new(config, Clock::default(), databases).expect("the parts open");
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

/// Every REST operation, also those that the OpenAPI document leaves out; a second route has its operation's name.
pub fn every_route() -> Vec<Route> {
    let mut every = routes();
    for route in &mut every {
        let second = SECOND_ROUTES.iter().find(|(name, _)| *name == route.operation_id);
        if let Some((_, operation)) = second {
            (*operation).clone_into(&mut route.operation_id);
        }
    }
    every.extend(UNDOCUMENTED.iter().map(|(operation, method, path, takes_body)| Route {
        method: (*method).to_owned(),
        path: (*path).to_owned(),
        operation_id: (*operation).to_owned(),
        takes_body: *takes_body,
        required_query: Vec::new(),
    }));
    every
}

impl Route {
    /// The route with each value of the first required query parameter that has some to choose from.
    pub fn with_each_value(&self) -> Vec<Self> {
        let document = lumio_api::openapi::document();
        let operation = &document["paths"][&self.path][self.method.to_lowercase()];
        for (place, (name, _)) in self.required_query.iter().enumerate() {
            let mut parameters = operation["parameters"].as_array().into_iter().flatten();
            let named = parameters.find(|parameter| parameter["name"] == name.as_str());
            let values =
                named.and_then(|parameter| resolved(document, &parameter["schema"])["enum"].as_array());
            let Some(values) = values else { continue };
            let with = |value: &Value| {
                let mut route = self.clone();
                value.as_str().expect("a text").clone_into(&mut route.required_query[place].1);
                route
            };
            return values.iter().map(with).collect();
        }
        vec![self.clone()]
    }
}

impl Field {
    /// The field with each value of the first argument that must be one of some.
    pub fn with_each_value(&self) -> Vec<Self> {
        for argument in &self.arguments {
            let (name, kind) = (argument["name"].as_str().expect("a name"), innermost(&argument["type"]));
            let is_single =
                argument["type"]["kind"] == "NON_NULL" && argument["type"]["ofType"]["kind"] == "ENUM";
            if !is_single {
                continue;
            }
            let values = type_named(kind["name"].as_str().expect("a name"))["enumValues"].clone();
            let with = |value: &Value| {
                let mut field = self.clone();
                field.chosen.insert(name.to_owned(), value["name"].clone());
                field
            };
            return values.as_array().expect("values").iter().map(with).collect();
        }
        vec![self.clone()]
    }
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
    let mut fields = BTreeMap::new();
    for (root, is_mutation) in [("Query", false), ("Mutation", true)] {
        for field in type_named(root)["fields"].as_array().into_iter().flatten() {
            let name = field["name"].as_str().expect("a name").to_owned();
            let arguments = field["args"].as_array().cloned().unwrap_or_default();
            let (returns, chosen) = (field["type"].clone(), BTreeMap::new());
            fields.insert(name.clone(), Field { name, is_mutation, arguments, returns, chosen });
        }
    }
    fields
}

/// A type of the schema by name.
pub fn type_named(name: &str) -> &'static Value {
    static TYPES: LazyLock<HashMap<&str, &Value>> = LazyLock::new(|| {
        let types = introspection()["__schema"]["types"].as_array().expect("types");
        types.iter().map(|kind| (kind["name"].as_str().expect("a name"), kind)).collect()
    });
    TYPES.get(name).unwrap_or_else(|| panic!("the schema has no type {name}"))
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
