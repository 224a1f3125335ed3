//! The published description of the protocol, compared with the protocol itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use foundation::events::{Channel, ChannelKind};
use jsonschema::Validator;
use live_model::EVENT_TYPES;
use lumio_tests::{Socket, SocketRequest, TestApp};
use realtime::protocol::{ClientFrame, Closing, ErrorCode, VERBS};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::socket;

fn document() -> &'static Value {
    lumio_api::asyncapi::document()
}

/// Validator of the payload of a message.
fn validator(message: &str) -> Validator {
    let mut schema = document()["components"]["messages"][message]["payload"].clone();
    assert!(schema.is_object(), "no message {message}");
    // References of the document stay within it.
    schema["components"] = document()["components"].clone();
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{message}: {error}"))
}

/// Asserts that a frame of the server matches the document.
#[track_caller]
fn conforms(message: &str, frame: &Value) {
    let problems: Vec<String> = validator(message)
        .iter_errors(frame)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{message}: {frame}\n{problems:#?}");
}

#[test]
fn asyncapi_document_is_the_reviewed_one() {
    let mut document = document().clone();
    // The version changes with every release and does not affect the protocol.
    document["info"]["version"] = "…".into();
    insta::assert_snapshot!("asyncapi", serde_json::to_string_pretty(&document).expect("JSON"));
}

#[test]
fn asyncapi_references_resolve_and_names_are_valid() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|field| references(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    references(document(), &mut found);
    assert!(found.len() > 50);
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("references stay within the document");
        assert!(document().pointer(pointer).is_some(), "{reference}");
    }
    assert_eq!(document()["asyncapi"], "3.1.0");
    for part in ["messages", "schemas", "securitySchemes"] {
        for name in document()["components"][part].as_object().unwrap().keys() {
            let is_key = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
            assert!(is_key, "{part}: {name}");
        }
    }
    for (name, operation) in document()["operations"].as_object().unwrap() {
        assert!(matches!(operation["action"].as_str(), Some("send" | "receive")), "{name}");
    }
}

#[test]
fn asyncapi_describes_exactly_the_frames_of_clients() {
    let published: BTreeSet<String> = document()["components"]["messages"]
        .as_object()
        .unwrap()
        .keys()
        .filter_map(|name| name.strip_suffix("_request").map(str::to_owned))
        .collect();
    let unknown = ClientFrame::parse(r#"{"type":"?"}"#).unwrap_err().message;
    let spoken: BTreeSet<String> =
        unknown.trim_start_matches("Invalid type: must be one of ").split(", ").map(str::to_owned).collect();
    assert_eq!(published, spoken);
    for verb in &published {
        let payload = &document()["components"]["messages"][format!("{verb}_request")]["payload"];
        let whole = example(payload);
        if verb == "call" {
            let mut whole = whole.clone();
            whole.remove("storage_set");
            ClientFrame::parse(&Value::Object(whole).to_string())
                .unwrap_or_else(|error| panic!("{verb}: {}", error.message));
        } else {
            ClientFrame::parse(&Value::Object(whole.clone()).to_string())
                .unwrap_or_else(|error| panic!("{verb}: {}", error.message));
        }
        for field in payload["required"].as_array().unwrap().iter().filter_map(Value::as_str) {
            let mut without = whole.clone();
            without.remove(field);
            let refusal = ClientFrame::parse(&Value::Object(without).to_string()).unwrap_err();
            assert_eq!(refusal.message, format!("Missing field: {field}"), "{verb}");
        }
        // A value of another kind is refused with the name of its field.
        for (field, schema) in payload["properties"].as_object().unwrap() {
            if schema.get("type").is_none() {
                continue;
            }
            let mut wrong = whole.clone();
            wrong.insert(field.clone(), json!([true]));
            let refusal = ClientFrame::parse(&Value::Object(wrong).to_string()).unwrap_err();
            assert!(refusal.message.starts_with(&format!("Invalid {field}:")), "{verb}: {}", refusal.message);
        }
    }
}

/// A frame with every field that a schema names.
fn example(payload: &Value) -> Map<String, Value> {
    let properties = payload["properties"].as_object().unwrap();
    properties
        .iter()
        .map(|(name, schema)| {
            let value = match (schema.get("const"), schema["type"].as_str()) {
                (Some(value), _) => value.clone(),
                (None, Some("object")) => json!({}),
                (None, _) if schema["format"] == "uuid" => json!(Uuid::nil()),
                (None, _) => json!("x"),
            };
            (name.clone(), value)
        })
        .collect()
}

#[test]
fn asyncapi_lists_the_codes_channels_and_event_types_of_the_code() {
    let list = |name: &str, field: &str| -> BTreeSet<String> {
        document()[name].as_array().unwrap().iter().map(|entry| entry[field].to_string()).collect()
    };
    let codes = ErrorCode::ALL.map(|code| json!(code.as_str()).to_string());
    assert_eq!(list("x-lumio-error-codes", "code"), codes.into());
    let closings = Closing::ALL.map(|closing| closing.code().to_string());
    assert_eq!(list("x-lumio-close-codes", "code"), closings.into());
    let source = include_str!("../../api/realtime/src/protocol/code.rs");
    for (kind, count) in [("ErrorCode", ErrorCode::ALL.len()), ("Closing", Closing::ALL.len())] {
        let body = source.split(&format!("pub enum {kind} {{")).nth(1).unwrap().split("\n}").next().unwrap();
        let variants = body.lines().filter(|line| line.trim().ends_with(',')).count();
        assert_eq!(variants, count, "{kind}::ALL is whole");
    }

    let channels = document()["channels"].as_object().unwrap();
    assert_eq!(channels.len(), ChannelKind::ALL.len() + 1);
    for kind in ChannelKind::ALL {
        let id =
            if kind == ChannelKind::Overlay { "abcdefghijkl".to_owned() } else { Uuid::now_v7().to_string() };
        let name = format!("{}:{id}", kind.prefix());
        assert_eq!(Channel::parse(&name).map(Channel::kind), Some(kind), "{name} is spoken");
        let messages: BTreeSet<String> =
            channels[kind.prefix()]["messages"].as_object().unwrap().keys().cloned().collect();
        let own = kind.events().iter().map(|event| event.name);
        let listed: BTreeSet<String> =
            own.chain(kind.relayed().iter().copied()).map(|name| name.replace(':', ".")).collect();
        assert_eq!(messages, listed);
    }
    let types: BTreeSet<String> = document()["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
        .filter_map(|name| name.strip_prefix("EventData.").map(|name| name.replacen('.', ":", 1)))
        .collect();
    assert_eq!(types, EVENT_TYPES.iter().map(|known| known.name.to_owned()).collect());
    assert_eq!(VERBS.len() + ChannelKind::ALL.len(), document()["operations"].as_object().unwrap().len());
}

/// Event types of the reference that no source publishes yet, each with the reason. The list may only shrink.
const WITHOUT_A_SOURCE: &[(&str, &str)] = &[];

/// The literals of the sources that look like event types of channels.
fn published_types() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut texts = Vec::new();
    for folder in ["api", "shared", "workers"] {
        read(&root.join(folder), &mut texts);
    }
    let literal = regex::Regex::new(r#""([a-z_]+(?::[a-z_]+)+)""#).unwrap();
    let mut documented_events = BTreeMap::new();
    for (path, text) in &texts {
        for found in literal.captures_iter(text) {
            documented_events.entry(found[1].to_owned()).or_insert_with(|| path.clone());
        }
    }
    documented_events
}

fn read(folder: &Path, texts: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !["events/kinds.rs", "kinds/lists.rs", "tests.rs"].iter().any(|other| path.ends_with(other))
        {
            let text = fs::read_to_string(&path).expect("a source");
            // Tests are at the end of a file.
            let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            texts.push((path.display().to_string(), text));
        }
    }
}

#[test]
fn asyncapi_event_types_are_those_that_the_sources_publish() {
    let documented_events = published_types();
    let listed: BTreeSet<&str> =
        ChannelKind::ALL.into_iter().flat_map(ChannelKind::events).map(|event| event.name).collect();
    let of_clients: BTreeSet<&str> =
        ChannelKind::ALL.into_iter().flat_map(ChannelKind::client_events).copied().collect();
    for name in listed.difference(&of_clients) {
        let is_missing = WITHOUT_A_SOURCE.iter().any(|(missing, _)| missing == name);
        assert_eq!(
            documented_events.contains_key(*name),
            !is_missing,
            "`{name}` of shared/foundation/src/events/kinds: no source tells it, or it is listed as having none"
        );
    }
    // Types that a source passes to an event with a channel.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut texts = Vec::new();
    for folder in ["api", "shared", "workers"] {
        read(&root.join(folder), &mut texts);
    }
    let published = regex::Regex::new(
        r#"(?s)(?:Event::(?:new|of_source)\(\s*(?:Event)?Channel::\w+\([^()]*(?:\(\))?[^()]*\),\s*|tell\([^"()]*|event_type: )"([a-z_-]+:[a-z_]+)""#,
    )
    .unwrap();
    let mut found = BTreeSet::new();
    for (path, text) in &texts {
        for source in published.captures_iter(text) {
            let name = source[1].to_owned();
            let is_of_a_platform = EVENT_TYPES.iter().any(|known| known.name == name);
            assert!(
                listed.contains(name.as_str()) || is_of_a_platform || name.starts_with("custom:"),
                "{path} tells `{name}`, which shared/foundation/src/events/kinds does not list"
            );
            found.insert(name);
        }
    }
    assert!(found.len() >= 10, "only {found:?} were found: the sources are written in another way now");
}

#[tokio::test]
async fn asyncapi_schemas_hold_for_the_frames_of_the_server() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let mut client: Socket = socket(&app, &owner).await;
    conforms("connected", &client.hello);
    let name = format!("events:{account}");
    for frame in [
        json!({ "type": "subscribe", "channel": name }),
        json!({ "type": "subscribe", "channel": name, "request_id": 7, "after": Uuid::now_v7() }),
    ] {
        conforms("subscribed", &client.ask(frame).await);
    }
    owner.post("/v1/events", json!({ "event_type": "custom:a", "data": { "n": 1 } })).await.expect(201);
    let cheer =
        json!({ "event_type": "twitch:cheer", "data": { "user_name": "Ada", "bits": 5 }, "is_test": false });
    owner.post("/v1/events", cheer).await.expect(201);
    let online = json!({ "event_type": "twitch:stream_online", "data": { "broadcaster_name": "Ada" }, "is_test": false });
    owner.post("/v1/events", online).await.expect(201);
    for message in ["event.test", "event.new", "event.new", "stream.online"] {
        let frame = client.frame().await;
        conforms("event", &frame);
        conforms(message, &frame);
    }
    // The catalogue applies: a payload of another type does not match.
    let mut wrong = json!({ "type": "event", "channel": name, "event_type": "event:new", "id": Uuid::now_v7(),
        "timestamp": "2026-01-01T00:00:00.000Z", "data": {} });
    assert!(!validator("event.new").is_valid(&wrong));
    wrong["data"] =
        owner.post("/v1/events", json!({ "event_type": "custom:a", "data": {} })).await.data().clone();
    assert!(validator("event.new").is_valid(&wrong));
    wrong["data"]["event_type"] = json!("twitch:cheer");
    assert!(!validator("event.new").is_valid(&wrong), "a cheer has its keys");
    client.frame().await;

    conforms("pong", &client.ask(json!({ "type": "ping", "ts": { "a": 1 }, "request_id": "p" })).await);
    conforms("pong", &client.ask(json!({ "type": "ping" })).await);
    conforms(
        "unsubscribed",
        &client.ask(json!({ "type": "unsubscribe", "channel": name, "request_id": "u" })).await,
    );
    let publish = json!({ "type": "broadcast", "channel": name, "event_type": "event:new", "data": {}, "request_id": "b" });
    let refused = client.ask(publish).await;
    conforms("error", &refused);
    assert_eq!(refused["code"], "FORBIDDEN");
    conforms("error", &client.ask(json!({ "type": "shout" })).await);
    client.subscribe(&name).await;
    app.override_feature(account, "feature:events", false).await;
    let pushed = client.frame().await;
    conforms("unsubscribed", &pushed);
    assert_eq!(pushed["reason"], "feature_disabled");
}

#[tokio::test]
async fn asyncapi_document_is_served_when_enabled() {
    let app = TestApp::start().await;
    let served = app.anonymous().get("/v1/asyncapi.json").await;
    assert_eq!(served.expect(200), document());
    assert_eq!(served.header("content-type"), "application/json");
    let off = TestApp::builder().with("LUMIO_ASYNCAPI", "false").start().await;
    off.anonymous().get("/v1/asyncapi.json").await.refused("NOT_FOUND", "There is no such route");
    // The protocol does not depend on its description.
    SocketRequest::to(off.url()).connect().await;
}
