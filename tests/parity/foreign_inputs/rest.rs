//! Ids in the paths, UUIDs in the queries and bodies of the OpenAPI document.

use futures::{StreamExt, stream};
use reqwest::Method;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    Asked, credentials, is_ours,
    scene::{Credential, Scene, VERSION},
};
use crate::{
    access::in_main_terms,
    published::{Route, resolved, routes},
};

/// Deeper than any body.
const DEEPEST: usize = 6;
/// Segments with an id of a platform: it names nothing of an account's.
const OF_PLATFORMS: [&str; 2] = ["platform_user_id", "channel_id"];
/// Calls that one developer makes at a place: fewer than the developer API takes in a minute or an hour
/// (reference/developers.md#rates).
const MAX_OF_ONE_DEVELOPER: usize = 25;

/// Place of an id in a request.
pub(super) struct Place {
    route: Route,
    at: At,
}

enum At {
    /// The name of a segment.
    Path(String),
    Query(String),
    /// Names of fields; `[]` for an element of a list.
    Body(Vec<String>),
}

/// Every place of an operation that people of an account may call.
pub(super) fn places() -> Vec<Place> {
    let document = lumio_api::openapi::document();
    let mut found = Vec::new();
    for route in routes().into_iter().filter(|route| is_ours(&route.operation_id)) {
        let is_ours = |name: &&str| name.ends_with("id") && !OF_PLATFORMS.contains(name);
        let segments = route.path.split('/').filter_map(named).filter(is_ours);
        found.extend(segments.map(|name| Place { route: route.clone(), at: At::Path(name.to_owned()) }));
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

/// Calls with each of the stranger's ids at the place.
pub(super) async fn ask(scene: &Scene<'_>, place: &Place) -> Vec<Asked> {
    let foreign = scene.foreign();
    let mut asked = Vec::new();
    for credential in place.credentials() {
        if *credential == Credential::PersonalKey {
            for some in foreign.chunks(MAX_OF_ONE_DEVELOPER) {
                asked.extend(ask_each(&scene.renewed().await, place, *credential, some).await);
            }
        } else {
            asked.extend(ask_each(scene, place, *credential, &foreign).await);
        }
    }
    asked
}

/// Calls with an id of the caller's own at the place.
pub(super) async fn ask_own(scene: &Scene<'_>, place: &Place) -> Asked {
    let own = scene.own(&place.route.operation_id, place.at.innermost());
    call(scene, place, place.credentials()[0], &body(scene, place), own).await
}

impl Place {
    /// Operation and place.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.route.operation_id, self.at.name())
    }

    pub(super) fn is_change(&self) -> bool {
        self.route.method != "GET"
    }

    pub(super) const fn is_in_path(&self) -> bool {
        matches!(self.at, At::Path(_))
    }

    /// Credentials of the calls: an object in a path is requested by every admitted kind of caller.
    fn credentials(&self) -> &'static [Credential] {
        let all = credentials(&self.route.operation_id);
        if self.is_in_path() { all } else { &all[..1] }
    }
}

async fn ask_each(scene: &Scene<'_>, place: &Place, credential: Credential, ids: &[Uuid]) -> Vec<Asked> {
    let body = body(scene, place);
    let calls = stream::iter(ids).map(|id| call(scene, place, credential, &body, *id));
    calls.buffer_unordered(8).collect().await
}

async fn call(
    scene: &Scene<'_>,
    place: &Place,
    credential: Credential,
    body: &Option<Value>,
    given: Uuid,
) -> Asked {
    let Place { route, at } = place;
    let caller = scene.caller(credential).await;
    let method = Method::from_bytes(route.method.as_bytes()).expect("a method");
    let mut request = caller.request(method, &path(scene, route, at, given)).query(&route.required_query);
    if let At::Query(name) = at {
        request = request.query(&[(name, given)]);
    }
    if let Some(mut body) = body.clone() {
        if let At::Body(path) = at {
            put(&mut body, path, json!(given));
        }
        request = request.json(&body);
    }
    let is_filter = !place.is_change() && !place.is_in_path();
    Asked { place: place.name(), given, is_filter, answer: in_main_terms(caller.send(request).await) }
}

impl At {
    fn name(&self) -> String {
        match self {
            Self::Path(name) | Self::Query(name) => name.clone(),
            Self::Body(path) => path.join(".").replace(".[]", ""),
        }
    }

    /// The name of the parameter or of the field that holds the id.
    fn innermost(&self) -> &str {
        match self {
            Self::Path(name) | Self::Query(name) => name,
            Self::Body(path) => field(path),
        }
    }
}

/// The path, with the id at its place, and objects of the caller's own at the others.
fn path(scene: &Scene<'_>, route: &Route, at: &At, given: Uuid) -> String {
    let segments = route.path.split('/').map(|segment| {
        let Some(name) = named(segment) else { return segment.to_owned() };
        match name {
            "platform" | "provider" => "twitch".to_owned(),
            "version" | "v" => VERSION.to_owned(),
            name if matches!(at, At::Path(chosen) if chosen == name) => given.to_string(),
            name if name.ends_with("id") => scene.own(&route.operation_id, name).to_string(),
            _ => "x".to_owned(),
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Name of a segment with a parameter; of one that two routes name, the id's.
fn named(segment: &str) -> Option<&str> {
    let name = segment.strip_prefix('{')?.strip_suffix('}')?;
    name.rsplit("_or_").next()
}

/// Field of a path, or the field whose element it is.
fn field(path: &[String]) -> &str {
    path.iter().rev().find(|part| *part != "[]").expect("a name")
}

/// The document's example with objects of the caller's own wherever it takes an id; `None` for a route without a body.
fn body(scene: &Scene<'_>, place: &Place) -> Option<Value> {
    let route = &place.route;
    if !route.takes_body {
        return None;
    }
    let document = lumio_api::openapi::document();
    let operation = &document["paths"][&route.path][route.method.to_lowercase()];
    let content = &operation["requestBody"]["content"]["application/json"];
    let schema = resolved(document, &content["schema"]);
    let given = [&content["example"], &schema["example"], &schema["examples"][0]];
    let example = given.into_iter().find(|example| !example.is_null()).cloned();
    let mut body = example.unwrap_or_else(|| json!({}));
    // Their examples are derived from the names of the fields: a color, and a price.
    if matches!(route.operation_id.as_str(), "updateRole" | "developerApiUpdateExtension") {
        body = json!({ "name": "New" });
    }
    let mut fields = Vec::new();
    uuids(document, schema, &mut Vec::new(), &mut fields);
    let required = |path: &[String]| {
        let required = schema["required"].as_array().into_iter().flatten();
        path.len() == 1 && required.clone().any(|name| *name == path[0])
    };
    for path in &fields {
        if required(path) || at_path(&body, path).is_some() {
            put(&mut body, path, json!(scene.own(&route.operation_id, field(path))));
        }
    }
    Some(body)
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

/// Sets a value, and creates missing parts of the path.
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
