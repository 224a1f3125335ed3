//! UUIDs in the queries and bodies of the OpenAPI document.

use futures::{StreamExt, stream};
use reqwest::Method;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Asked, is_ours, scene::Scene};
use crate::parity::published::{Route, resolved, routes};

/// Deeper than any body.
const DEEPEST: usize = 6;

/// Where an id stands.
pub(super) struct Place {
    route: Route,
    at: At,
}

enum At {
    Query(String),
    /// Names of fields; `[]` for an element of a list.
    Body(Vec<String>),
}

/// Every place of an operation that people of an account may call.
pub(super) fn places() -> Vec<Place> {
    let document = lumio_api::openapi::document();
    let mut found = Vec::new();
    for route in routes().into_iter().filter(|route| is_ours(&route.operation_id)) {
        let operation = &document["paths"][&route.path][route.method.to_lowercase()];
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] == "query" && is_uuid(resolved(document, &parameter["schema"])) {
                let name = parameter["name"].as_str().expect("a name").to_owned();
                found.push(Place { route: route.clone(), at: At::Query(name) });
            }
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let mut fields = Vec::new();
        uuids(document, body, &mut Vec::new(), &mut fields);
        found.extend(fields.into_iter().map(|path| Place { route: route.clone(), at: At::Body(path) }));
    }
    found
}

/// Asks with each of the stranger's ids at the place.
pub(super) async fn ask(scene: &Scene, place: &Place) -> Vec<Asked> {
    let foreign = scene.foreign();
    let calls = stream::iter(&foreign).map(|id| call(scene, place, *id));
    let answers: Vec<_> = calls.buffer_unordered(8).collect().await;
    let name = format!("{} {}", place.route.operation_id, place.at.name());
    let is_change = place.route.method != "GET";
    answers.into_iter().map(|answer| Asked { place: name.clone(), is_change, answer }).collect()
}

async fn call(scene: &Scene, place: &Place, foreign: Uuid) -> lumio_tests::Answer {
    let Place { route, at } = place;
    let caller = scene.caller().await;
    let method = Method::from_bytes(route.method.as_bytes()).expect("a method");
    let mut request = caller.request(method, &path(scene, &route.path)).query(&route.required_query);
    if let At::Query(name) = at {
        request = request.query(&[(name, foreign)]);
    }
    if route.takes_body {
        request = request.json(&body(scene, route, at, foreign));
    }
    caller.send(request).await
}

impl At {
    fn name(&self) -> String {
        match self {
            Self::Query(name) => name.clone(),
            Self::Body(path) => path.join(".").replace(".[]", ""),
        }
    }
}

/// The path, with the caller's own things in it: those that the segment before calls by their kind.
fn path(scene: &Scene, pattern: &str) -> String {
    let mut before = "";
    let segments = pattern.split('/').map(|segment| {
        let filled = match segment {
            "{platform}" | "{provider}" => "twitch".to_owned(),
            name if name.starts_with('{') => {
                scene.of_kind(&before.replace('-', "_")).unwrap_or_else(Uuid::now_v7).to_string()
            }
            literal => literal.to_owned(),
        };
        before = segment;
        filled
    });
    segments.collect::<Vec<_>>().join("/")
}

/// The document's example with the id at its place, and things of the caller's own wherever else it takes an id.
fn body(scene: &Scene, route: &Route, at: &At, foreign: Uuid) -> Value {
    let document = lumio_api::openapi::document();
    let operation = &document["paths"][&route.path][route.method.to_lowercase()];
    let content = &operation["requestBody"]["content"]["application/json"];
    let schema = resolved(document, &content["schema"]);
    let given = [&content["example"], &schema["example"], &schema["examples"][0]];
    let example = given.into_iter().find(|example| !example.is_null()).cloned();
    let mut body = example.unwrap_or_else(|| json!({}));
    let mut fields = Vec::new();
    uuids(document, schema, &mut Vec::new(), &mut fields);
    let required = |path: &[String]| {
        let required = schema["required"].as_array().into_iter().flatten();
        path.len() == 1 && required.clone().any(|name| *name == path[0])
    };
    for path in &fields {
        let name = path.iter().rev().find(|part| *part != "[]").expect("a name");
        if required(path) || at_path(&body, path).is_some() {
            put(&mut body, path, json!(scene.own(name)));
        }
    }
    if let At::Body(path) = at {
        put(&mut body, path, json!(foreign));
    }
    body
}

fn uuids(document: &Value, schema: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let schema = resolved(document, schema);
    if path.len() > DEEPEST {
        return;
    }
    if is_uuid(schema) {
        found.push(path.clone());
        return;
    }
    if !schema["items"].is_null() {
        path.push("[]".to_owned());
        uuids(document, &schema["items"], path, found);
        path.pop();
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        path.push(name.clone());
        uuids(document, field, path, found);
        path.pop();
    }
}

fn is_uuid(schema: &Value) -> bool {
    schema["format"] == "uuid"
}

fn at_path<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, part| if part == "[]" { value.get(0) } else { value.get(part) })
}

/// Puts a value, and makes what is missing on the way.
fn put(target: &mut Value, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *target = value;
        return;
    };
    if first == "[]" {
        if target.get(0).is_none() {
            *target = json!([null]);
        }
        put(&mut target[0], rest, value);
    } else {
        if !target.is_object() {
            *target = Value::Object(Map::new());
        }
        put(&mut target[first], rest, value);
    }
}
