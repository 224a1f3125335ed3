//! A POST with a key, on both protocols. The content comes from the documents' examples and the recipe.

use lumio_tests::{Answer, Caller};
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};

use super::{Post, recipes::recipe, stage::Stage};
use crate::{
    access::{named, written},
    escalation::requests::shaped,
    foreign_inputs::{graphql::selection, scene::VERSION, scene::snake},
    published::{Field, innermost, resolved},
};

/// Depth to which a response of GraphQL is selected.
const SELECTED: usize = 2;
/// A sound of half a second.
const TONE: &[u8] = include_bytes!("../../fixtures/media/tone.wav");
const PICTURE: &[u8] = include_bytes!("../../fixtures/media/pixel.png");

/// Key of a request and its place among those with the key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyed<'a> {
    pub key: &'a str,
    pub place: Place,
    /// Address of the process that gets it; `None` for the server.
    pub at: Option<&'a str>,
}

/// Place of a request among those with its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    First,
    /// The same once more. The boundary of a form is another one.
    Repeated,
    /// Another body.
    Changed,
}

impl<'a> Keyed<'a> {
    /// The first request with a key, at the server.
    pub const fn first(key: &'a str) -> Self {
        Self { key, place: Place::First, at: None }
    }

    /// The same request to another process; `None` for the server.
    pub const fn to(self, address: Option<&'a str>) -> Self {
        Self { at: address, ..self }
    }

    fn is_changed(self) -> bool {
        self.place == Place::Changed
    }

    fn caller(self, caller: Caller) -> Caller {
        match self.at {
            Some(address) => caller.at(address),
            None => caller,
        }
    }
}

/// Calls over REST.
pub(super) async fn rest(stage: &Stage<'_>, post: &Post, keyed: Option<Keyed<'_>>) -> Answer {
    let content = Content::of(stage, post);
    let caller = stage.caller(post).await;
    let caller = match keyed {
        Some(keyed) => keyed.caller(caller),
        None => caller,
    };
    let mut request = caller.request(Method::POST, &content.path()).query(&content.query);
    if let Some(keyed) = keyed {
        request = request.header("idempotency-key", keyed.key);
    }
    let is_changed = keyed.is_some_and(Keyed::is_changed);
    if content.is_form {
        let is_first = keyed.is_none_or(|keyed| keyed.place == Place::First);
        return caller.send(form(request, &content, is_first, is_changed)).await;
    }
    let Some(body) = &content.body else { return caller.send(request).await };
    caller.send(json_body(request, body, is_changed)).await
}

/// True when the operation takes a body that can be changed.
pub(super) fn has_body(stage: &Stage<'_>, post: &Post) -> bool {
    Content::of(stage, post).body.is_some()
}

/// Calls over GraphQL.
pub(super) async fn graphql(stage: &Stage<'_>, post: &Post, field: &Field, keyed: Keyed<'_>) -> Answer {
    let content = Content::of(stage, post);
    let caller = keyed.caller(stage.caller(post).await);
    let (mut declared, mut given, mut variables) = (Vec::new(), Vec::new(), Map::new());
    for argument in &field.arguments {
        let name = argument["name"].as_str().expect("a name");
        let Some(value) = content.argument(name, &argument["type"]) else { continue };
        declared.push(format!("${name}: {}", written(&argument["type"])));
        given.push(format!("{name}: ${name}"));
        variables.insert(name.to_owned(), shaped(&argument["type"], &value));
    }
    let listed =
        |parts: &[String]| if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) };
    let (declared, given, variables) = (listed(&declared), listed(&given), Value::Object(variables));
    let mut depth = SELECTED;
    loop {
        let selected = selection(&field.returns, depth);
        let document = format!("mutation{declared} {{ {}{given} {selected} }}", field.name);
        let answer = send_document(&caller, &document, &variables, keyed).await;
        // The document was refused: a smaller selection is requested.
        if depth == 0 || answer.error().0 != "QUERY_TOO_COMPLEX" {
            return answer;
        }
        depth -= 1;
    }
}

async fn send_document(caller: &Caller, document: &str, variables: &Value, keyed: Keyed<'_>) -> Answer {
    let request = caller.request(Method::POST, "/v1/gql").header("idempotency-key", keyed.key);
    let body = json!({ "query": document, "variables": variables });
    caller.send(json_body(request, &body, keyed.is_changed())).await
}

/// A body as text. Another one differs by a space.
fn json_body(request: RequestBuilder, body: &Value, is_changed: bool) -> RequestBuilder {
    let end = if is_changed { " " } else { "" };
    request.header("content-type", "application/json").body(format!("{body}{end}"))
}

/// Content of a request.
struct Content {
    pattern: String,
    parameters: Map<String, Value>,
    query: Vec<(String, String)>,
    body: Option<Value>,
    is_form: bool,
}

impl Content {
    fn of(stage: &Stage<'_>, post: &Post) -> Self {
        let (recipe, route) = (recipe(post.name()), &post.route);
        let names = route.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
        let parameter = |name: &str| match (recipe.path.get(name), name) {
            (Some(chosen), _) => stage.text(chosen),
            (None, "platform" | "provider") => "twitch".to_owned(),
            (None, "version" | "v") => VERSION.to_owned(),
            (None, name) if name.ends_with("id") => stage.own(post.name(), name).to_string(),
            (None, _) => "x".to_owned(),
        };
        let parameters = names.map(|name| (name.to_owned(), json!(parameter(name)))).collect();
        let query = recipe.query.iter().map(|(name, value)| (name.clone(), stage.text(value))).collect();
        let document = lumio_api::openapi::document();
        let content = &document["paths"][&route.path]["post"]["requestBody"]["content"];
        let body = content.as_object().map(|content| {
            let (_, described) = content.iter().next().expect("a media type");
            let mut body = recipe.body.clone().unwrap_or_else(|| example(stage, post, described));
            for (name, value) in &recipe.with {
                body[name.as_str()] = value.clone();
            }
            stage.filled(&body)
        });
        let is_form = content.get("multipart/form-data").is_some();
        Self { pattern: route.path.clone(), parameters, query, body, is_form }
    }

    fn path(&self) -> String {
        self.parameters.iter().fold(self.pattern.clone(), |path, (name, value)| {
            path.replace(&format!("{{{name}}}"), value.as_str().expect("a text"))
        })
    }

    /// Every value by its name in REST. Fields of the body are first.
    fn everything(&self) -> Map<String, Value> {
        let mut all = self.body.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, value) in &self.query {
            all.entry(name.clone()).or_insert_with(|| json!(value));
        }
        for (name, value) in &self.parameters {
            let name = if name == "v" { "version" } else { name.as_str() };
            all.entry(name).or_insert_with(|| value.clone());
        }
        all
    }

    /// Value of an argument of GraphQL; `None` for an optional one that REST has not.
    fn argument(&self, name: &str, kind: &Value) -> Option<Value> {
        let mut all = self.everything();
        let is_required = kind["kind"] == "NON_NULL";
        if let Some(value) = all.get(&snake(name)) {
            return Some(value.clone());
        }
        if innermost(kind)["kind"] == "INPUT_OBJECT" {
            let fields = named(innermost(kind))["inputFields"].as_array().expect("fields");
            for field in fields.iter().filter(|field| field["type"]["kind"] == "NON_NULL") {
                let field = snake(field["name"].as_str().expect("a name"));
                if let Some(id) = self.of_path(&field).filter(|_| !all.contains_key(&field)) {
                    all.insert(field, id);
                }
            }
            return Some(Value::Object(all));
        }
        is_required.then(|| self.of_path(&snake(name)).unwrap_or_else(|| panic!("no value for {name}")))
    }

    /// Id in the path, for a field that GraphQL names after its kind.
    fn of_path(&self, name: &str) -> Option<Value> {
        name.ends_with("_id").then(|| self.parameters.get("id").cloned()).flatten()
    }
}

/// Example of the document, with ids of one's own.
fn example(stage: &Stage<'_>, post: &Post, described: &Value) -> Value {
    let document = lumio_api::openapi::document();
    let schema = resolved(document, &described["schema"]);
    let given = [&described["example"], &schema["example"], &schema["examples"][0]];
    let example = given.into_iter().find(|example| !example.is_null()).cloned();
    let mut example = example.unwrap_or_else(|| json!({}));
    let own = |name: &str| json!(stage.own(post.name(), name));
    for (name, value) in example.as_object_mut().into_iter().flatten() {
        let field = resolved(document, &schema["properties"][name]);
        if field["format"] == "uuid" {
            *value = own(name);
        } else if resolved(document, &field["items"])["format"] == "uuid" {
            *value = json!([own(name)]);
        }
    }
    example
}

/// A form. Its boundary is another one each time; another content differs in the name of the file.
fn form(request: RequestBuilder, content: &Content, is_first: bool, is_changed: bool) -> RequestBuilder {
    let boundary = if is_first { "first-boundary" } else { "another-boundary" };
    let filename = if is_changed { "other" } else { "file" };
    let mut bytes = Vec::new();
    for (name, value) in content.body.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let (suffix, part) = match value.as_str().expect("a text") {
            "%picture" => (Some("png"), PICTURE),
            "%sound" => (Some("wav"), TONE),
            text => (None, text.as_bytes()),
        };
        let file = suffix.map(|suffix| format!("; filename=\"{filename}.{suffix}\"")).unwrap_or_default();
        let head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        bytes.extend(head.bytes());
        bytes.extend_from_slice(part);
        bytes.extend(b"\r\n");
    }
    bytes.extend(format!("--{boundary}--\r\n").bytes());
    request.header("content-type", format!("multipart/form-data; boundary={boundary}")).body(bytes)
}
