//! UUIDs in the arguments of the schema, also inside of input objects.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{StreamExt, stream};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    Asked, credentials, is_ours,
    scene::{Scene, VERSION, snake},
};
use crate::{
    access::{least, named, written},
    published::{Field, camel, fields, innermost},
};

/// Deeper than any input.
const DEEPEST: usize = 6;
/// Depth to which a response is selected.
const SELECTED: usize = 2;

/// Place of an id: names of the argument and of fields below it.
pub(super) struct Place {
    field: Field,
    path: Vec<String>,
}

/// Every place of an operation that people of an account may call.
pub(super) fn places() -> Vec<Place> {
    let mut found = Vec::new();
    for field in fields().into_values().filter(|field| is_ours(&field.name)) {
        let mut paths = Vec::new();
        for argument in &field.arguments {
            uuids(argument, &mut Vec::new(), &mut paths);
        }
        found.extend(paths.into_iter().map(|path| Place { field: field.clone(), path }));
    }
    found
}

/// Calls with each of the stranger's ids at the place.
pub(super) async fn ask(scene: &Scene<'_>, place: &Place) -> Vec<Asked> {
    let (foreign, document) = (scene.foreign(), Document::of(place));
    let calls = stream::iter(&foreign).map(|id| call(scene, place, &document, *id));
    calls.buffer_unordered(8).collect().await
}

/// Calls with an id of the caller's own at the place.
pub(super) async fn ask_own(scene: &Scene<'_>, place: &Place) -> Asked {
    let own = scene.own(&place.field.name, place.path.last().expect("a name"));
    call(scene, place, &Document::of(place), own).await
}

impl Place {
    pub(super) const fn is_change(&self) -> bool {
        self.field.is_mutation
    }

    /// Arguments that a call has: the required ones, and the one of the place.
    fn arguments(&self) -> impl Iterator<Item = &Value> {
        let arguments = self.field.arguments.iter();
        arguments
            .filter(|argument| argument["type"]["kind"] == "NON_NULL" || argument["name"] == self.path[0])
    }

    /// Name of the place in REST: `input` is the body there.
    pub(super) fn name(&self) -> String {
        let path = self.path.strip_prefix(&["input".to_owned()]).unwrap_or(&self.path);
        let names: Vec<String> = path.iter().map(|name| snake(name)).collect();
        format!("{} {}", self.field.name, names.join("."))
    }
}

async fn call(scene: &Scene<'_>, place: &Place, document: &Document, given: Uuid) -> Asked {
    let answer = answer(scene, place, document, given).await;
    Asked { place: place.name(), given, is_filter: !place.is_change(), answer }
}

async fn answer(scene: &Scene<'_>, place: &Place, document: &Document, foreign: Uuid) -> lumio_tests::Answer {
    let field = &place.field;
    let mut variables = Map::new();
    for argument in place.arguments() {
        let name = argument["name"].as_str().expect("a name");
        let at = (place.path[0] == name).then(|| &place.path[1..]);
        let asker = Asker { scene, operation: &field.name, foreign };
        variables.insert(name.to_owned(), asker.value(&argument["type"], name, at, &Value::Null));
    }
    let (caller, variables) = (scene.caller(credentials(&field.name)[0]).await, Value::Object(variables));
    loop {
        let depth = document.depth.load(Ordering::Relaxed);
        let answer = caller.graphql(&document.texts[depth], variables.clone()).await;
        // The document was refused: a smaller selection is requested.
        if depth == 0 || answer.error().0 != "QUERY_TOO_COMPLEX" {
            return answer;
        }
        document.depth.store(depth - 1, Ordering::Relaxed);
    }
}

/// Document of the calls at a place.
struct Document {
    /// By the depth of the selection.
    texts: Vec<String>,
    /// Depth that was not refused yet.
    depth: AtomicUsize,
}

impl Document {
    fn of(place: &Place) -> Self {
        let field = &place.field;
        let kind = if field.is_mutation { "mutation" } else { "query" };
        let (mut declared, mut given) = (Vec::new(), Vec::new());
        for argument in place.arguments() {
            let name = argument["name"].as_str().expect("a name");
            declared.push(format!("${name}: {}", written(&argument["type"])));
            given.push(format!("{name}: ${name}"));
        }
        let (declared, given) = (declared.join(", "), given.join(", "));
        let texts = (0..=SELECTED)
            .map(|depth| {
                let selected = selection(&field.returns, depth);
                format!("{kind}({declared}) {{ {}({given}) {selected} }}", field.name)
            })
            .collect();
        Self { texts, depth: AtomicUsize::new(SELECTED) }
    }
}

/// Parts that values are made of.
struct Asker<'a> {
    scene: &'a Scene<'a>,
    operation: &'a str,
    foreign: Uuid,
}

impl Asker<'_> {
    /// A value of a type: the foreign id where `at` ends, the caller's own where else an id is needed, and as the
    /// documents' examples give it for the rest.
    fn value(&self, kind: &Value, name: &str, at: Option<&[String]>, example: &Value) -> Value {
        match kind["kind"].as_str() {
            Some("NON_NULL") => self.value(&kind["ofType"], name, at, example),
            Some("LIST") if at.is_some() || example[0] != Value::Null => {
                json!([self.value(&kind["ofType"], name, at, &example[0])])
            }
            Some("INPUT_OBJECT") => self.object(kind, at, example),
            Some("ENUM") if example.is_string() => {
                json!(example.as_str().unwrap_or_default().to_uppercase())
            }
            Some("SCALAR") if kind["name"] == "UUID" => match at {
                Some(_) => json!(self.foreign),
                None => json!(self.scene.own(self.operation, name)),
            },
            Some("SCALAR") if !example.is_null() => example.clone(),
            Some("SCALAR") if matches!(name, "platform" | "provider") => json!("twitch"),
            Some("SCALAR") if name == "version" && kind["name"] == "String" => json!(VERSION),
            _ => least(kind),
        }
    }

    fn object(&self, kind: &Value, at: Option<&[String]>, example: &Value) -> Value {
        let published = example_of(kind["name"].as_str().expect("a name"));
        let example = if example.is_null() { &published } else { example };
        let mut filled = Map::new();
        for field in named(kind)["inputFields"].as_array().expect("fields") {
            let name = field["name"].as_str().expect("a name");
            let below = at.and_then(|path| path.split_first()).filter(|(first, _)| *first == name);
            let given = example.as_object().and_then(|fields| {
                fields.iter().find(|(other, _)| camel(other) == name).map(|(_, value)| value)
            });
            let is_needed = field["type"]["kind"] == "NON_NULL" || below.is_some() || given.is_some();
            if is_needed {
                let below = below.map(|(_, rest)| rest);
                let given = given.unwrap_or(&Value::Null);
                filled.insert(name.to_owned(), self.value(&field["type"], name, below, given));
            }
        }
        Value::Object(filled)
    }
}

/// The example that the OpenAPI document gives for the type of that name.
fn example_of(name: &str) -> Value {
    let schema = &lumio_api::openapi::document()["components"]["schemas"][name];
    let given = [&schema["example"], &schema["examples"][0]];
    given.into_iter().find(|example| !example.is_null()).cloned().unwrap_or(Value::Null)
}

fn uuids(field: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    if path.len() > DEEPEST {
        return;
    }
    path.push(field["name"].as_str().expect("a name").to_owned());
    let kind = innermost(&field["type"]);
    if kind["name"] == "UUID" {
        found.push(path.clone());
    } else if kind["kind"] == "INPUT_OBJECT" {
        for below in named(kind)["inputFields"].as_array().expect("fields") {
            uuids(below, path, found);
        }
    }
    path.pop();
}

/// Selects all fields without arguments down to a depth, so that a response shows what was found.
pub(crate) fn selection(kind: &Value, depth: usize) -> String {
    let kind = innermost(kind);
    if kind["kind"] != "OBJECT" {
        return String::new();
    }
    let mut selected = vec!["__typename".to_owned()];
    for field in named(kind)["fields"].as_array().into_iter().flatten() {
        let needs_more = field["args"].as_array().is_some_and(|args| !args.is_empty());
        let name = field["name"].as_str().expect("a name");
        match innermost(&field["type"])["kind"].as_str() {
            _ if needs_more => {}
            Some("OBJECT") if depth > 0 => {
                selected.push(format!("{name} {}", selection(&field["type"], depth - 1)));
            }
            Some("SCALAR" | "ENUM") => selected.push(name.to_owned()),
            _ => {}
        }
    }
    format!("{{ {} }}", selected.join(" "))
}
