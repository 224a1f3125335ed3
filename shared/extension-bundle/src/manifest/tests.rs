mod errors;
mod schema;

use extension_model::limits::ResolvedLimits;
use serde_json::json;
use uuid::Uuid;

use super::*;

const ID: Uuid = Uuid::from_u128(7);

fn good() -> Value {
    json!({
        "$schema": "https://example.com/schema.json",
        "extensionId": ID, "name": "Greeter", "description": "Greets.", "category": "bot_module", "version": "1.2.3",
        "server": true,
        "permissions": ["chat:read", "chat:send"],
        "egress": { "allowHosts": ["api.example.com", "*.example.org"], "allowPorts": [8443] },
        "config_schema": { "greeting": { "type": "string", "label": "Greeting", "default": "Hello" } },
        "tables": { "visits": { "scope": "account", "columns": { "name": "string", "tags": { "type": "string[]", "optional": true } } } },
        "functions": { "top": { "kind": "query", "handler": "top" } },
        "bot_module": {
            "platforms": ["twitch"],
            "commands": [{ "name": "hello", "alias": "hi", "cooldown_user": 5, "min_role": "vip", "handler": "hello" }],
            "keywords": [{ "value": "good morning", "handler": "hello" }],
            "patterns": [{ "regex": "^so (\\w+)$", "handler": "so" }],
            "events": [{ "event_type": "twitch:follower", "handler": "follow" }],
            "timers": [{ "name": "tip", "interval_secs": 60, "handler": "tip" }],
            "moderate": "check"
        }
    })
}

fn parsed(value: &Value) -> Result<Manifest, Vec<FieldError>> {
    let expected =
        Expected { extension_id: ID, version: "1.2.3", verified: false, limits: &ResolvedLimits::default() };
    parse(Some(value.to_string().as_bytes()), expected).map(|(manifest, _)| manifest)
}

/// First refusal of the valid manifest with one field set.
#[track_caller]
fn refusal(pointer: &str, value: Value) -> String {
    let mut manifest = good();
    match manifest.pointer_mut(pointer) {
        Some(field) => *field = value,
        None => {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            manifest.pointer_mut(parent).unwrap()[key] = value;
        }
    }
    let errors = parsed(&manifest).expect_err(pointer);
    format!("{}: {}", errors[0].field, errors[0].message)
}

#[test]
fn manifest_that_is_valid_is_read() {
    let manifest = parsed(&good()).unwrap();
    let module = manifest.bot_module.unwrap();
    assert_eq!(module.handlers(), ["check", "follow", "hello", "so", "tip"]);
    assert!(module.commands[0].enabled);
}

#[test]
fn manifest_function_without_a_handler_is_the_export_of_its_name() {
    let mut manifest = good();
    manifest["functions"] = json!({ "top": { "kind": "query" } });
    assert_eq!(parsed(&manifest).unwrap().functions["top"].handler, None);
    manifest["server"] = json!(false);
    manifest["bot_module"] = json!({});
    let errors = parsed(&manifest).unwrap_err();
    assert_eq!(errors[0].message, "server must be true when handlers run");
}

#[test]
fn manifest_automation_nodes_use_the_schema_subset() {
    let mut manifest = good();
    manifest["category"] = json!("automation_node");
    assert_eq!(parsed(&manifest).unwrap_err()[0].field, "automation_node");
    manifest["automation_node"] = json!({
        "node_type": "trigger", "name": "Poll", "trigger_mode": "polling", "poll_interval_seconds": 30, "handler": "poll",
        "input_schema": { "type": "object", "properties": { "q": { "type": "string", "maxLength": 5 } }, "required": ["q"] },
        "output_schema": { "type": "object" },
    });
    assert!(parsed(&manifest).is_ok());
    manifest["automation_node"]["input_schema"]["properties"]["q"] = json!({ "$ref": "#" });
    manifest["automation_node"]["poll_interval_seconds"] = json!(9);
    let fields: Vec<String> = parsed(&manifest).unwrap_err().into_iter().map(|error| error.field).collect();
    assert_eq!(
        fields,
        ["automation_node.poll_interval_seconds", "automation_node.input_schema.properties.q.$ref"]
    );
}

#[test]
fn manifest_that_is_missing_or_unreadable_is_refused() {
    let expected =
        Expected { extension_id: ID, version: "1.2.3", verified: false, limits: &ResolvedLimits::default() };
    for text in [None, Some(&b""[..]), Some(b"[]"), Some(b"{"), Some(b"\xff"), Some(br#"{"name":"\u0000"}"#)]
    {
        assert!(parse(text, expected).is_err(), "{text:?}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(Some(deep.as_bytes()), expected).is_err());
}

#[test]
fn manifest_lists_are_bounded() {
    let sound = |n: usize| json!({ "key": format!("s{n}"), "file": "sounds/a.mp3", "label": "A" });
    let sounds = |count: usize| json!((0..count).map(sound).collect::<Vec<_>>());
    let named = |count: usize, value: Value| {
        Value::Object((0..count).map(|n| (format!("n{n}"), value.clone())).collect())
    };
    let function = json!({ "kind": "query", "handler": "top" });
    let setting = json!({ "type": "string", "label": "A" });
    let columns = |count: usize| json!({ "scope": "account", "columns": named(count, json!("string")) });
    for (pointer, max, entries) in [
        ("/sounds", 200, &sounds as &dyn Fn(usize) -> Value),
        ("/functions", 50, &|count| named(count, function.clone())),
        ("/config_schema", 100, &|count| named(count, setting.clone())),
        ("/tables", 50, &|count| named(count, columns(1))),
    ] {
        let mut manifest = good();
        manifest[&pointer[1..]] = entries(max);
        assert_eq!(parsed(&manifest).map(drop), Ok(()), "{pointer}");
        let field = &pointer[1..];
        let expected = format!("{field}: {field} must have at most {max} entries");
        assert_eq!(refusal(pointer, entries(max + 1)), expected);
    }
    let ports = |count: u16| json!((0..count).map(|n| 8000 + n).collect::<Vec<_>>());
    for (pointer, field, max, value) in [
        ("/tables/visits", "tables.visits.columns", 50, columns(51)),
        ("/egress/allowPorts", "egress.allowPorts", 20, ports(21)),
        ("/egress/allowHosts", "egress.allowHosts", 20, json!(vec!["a.example"; 21])),
    ] {
        assert_eq!(refusal(pointer, value), format!("{field}: {field} must have at most {max} entries"));
    }
}

#[test]
fn manifest_without_an_id_belongs_to_the_extension_of_the_upload() {
    let mut manifest = good();
    manifest.as_object_mut().unwrap().remove("extensionId");
    let expected =
        Expected { extension_id: ID, version: "1.2.3", verified: false, limits: &ResolvedLimits::default() };
    let (read, stored) = parse(Some(manifest.to_string().as_bytes()), expected).unwrap();
    assert_eq!(read.extension_id, ID);
    assert_eq!(Manifest::stored(stored).unwrap(), read, "what is stored reads back");
}

#[test]
fn manifest_shape_lists_the_keys_that_are_read() {
    let mut manifest = good();
    manifest["pricing"] = json!({ "type": "free" });
    manifest["visibility"] = json!("public");
    manifest["sounds"] = json!([{ "key": "a", "file": "sounds/a.mp3", "label": "A" }]);
    manifest["automation_node"] = json!({ "node_type": "action", "name": "Act", "handler": "top" });
    let read = serde_json::to_value(parsed(&manifest).unwrap()).unwrap();
    let mut missing = Vec::new();
    known(&read, &keys::MANIFEST_SHAPE, "", &mut missing);
    assert_eq!(missing, ["$schema"], "keys of the shape that the types do not have");

    // The reverse: every key that the types write is known.
    let mut again = read.clone();
    let mut errors = Errors::default();
    shape::conform(&mut again, &keys::MANIFEST_SHAPE, &mut errors);
    assert!(errors.0.is_empty(), "{errors:?}");
}

/// Keys of a shape that a value does not have.
fn known(value: &Value, shape: &shape::Shape, at: &str, missing: &mut Vec<String>) {
    use shape::Shape;
    match (shape, value) {
        (Shape::Object(keys), Value::Object(fields)) => {
            for key in *keys {
                match fields.get(key.name) {
                    Some(value) => known(value, &key.shape, &format!("{at}{}.", key.name), missing),
                    None => missing.push(format!("{at}{}", key.name)),
                }
            }
        }
        (Shape::Refined(inner, _), value) => known(value, inner, at, missing),
        (Shape::List(entry), Value::Array(entries)) => {
            entries.iter().for_each(|value| known(value, entry, at, missing));
        }
        (Shape::Map(entry), Value::Object(fields)) => {
            fields.values().for_each(|value| known(value, entry, at, missing));
        }
        _ => {}
    }
}
