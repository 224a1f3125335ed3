//! The published schema against the parser.

use extension_model::system::{BOT_MODULES, WIDGETS};
use jsonschema::Validator;
use serde_json::{Value, json};

use super::{good, parsed};
use crate::{
    manifest::{keys::MANIFEST_SHAPE, shape::Shape},
    schema,
};

fn validator() -> Validator {
    jsonschema::validator_for(schema()).unwrap()
}

#[track_caller]
fn accepted(validator: &Validator, manifest: &Value, name: &str) {
    let errors: Vec<String> =
        validator.iter_errors(manifest).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, [""; 0], "{name}");
}

/// A manifest with every key.
fn whole() -> Value {
    let mut manifest = good();
    manifest["targets"] = json!(["layer"]);
    manifest["fonts"] = json!(["Inter"]);
    manifest["pricing"] = json!({ "type": "free" });
    manifest["visibility"] = json!("public");
    manifest["sounds"] = json!([{ "key": "a", "file": "sounds/a.mp3", "label": "A" }]);
    manifest["config_schema"] = json!({ "mode": {
        "type": "select", "label": "Mode", "default": "a", "required": true, "help": "Choose.",
        "options": ["a", { "value": "b", "label": "B" }], "min": null, "max": null, "secret": false,
    } });
    manifest["functions"] = json!({
        "top": { "kind": "query", "handler": "top", "declarative": null, "editor_only": false },
        "rows": {
            "kind": "query", "handler": null, "editor_only": true,
            "declarative": { "operation": "queryRows", "table": "visits" },
        },
    });
    let module = &mut manifest["bot_module"];
    module["keywords"][0]["enabled"] = json!(true);
    module["patterns"][0]["enabled"] = json!(true);
    module["commands"][0]["cooldown_global"] = json!(0);
    module["commands"][0]["enabled"] = json!(false);
    module["timers"][0]["min_chat_lines"] = json!(3);
    module["timers"][0]["platforms"] = json!(["twitch"]);
    manifest["automation_node"] = json!({
        "node_type": "trigger", "name": "Poll", "icon": "clock", "color": "#fff", "trigger_mode": "polling",
        "poll_interval_seconds": 30, "handler": "poll", "input_schema": {}, "output_schema": { "type": "object" },
    });
    manifest
}

#[test]
fn schema_accepts_the_manifests_of_this_repository() {
    let validator = validator();
    accepted(&validator, &good(), "the manifest of these tests");
    accepted(&validator, &whole(), "the manifest with every key");
    for widget in &WIDGETS {
        let files = widget.files();
        let manifest = files.iter().find(|file| file.path == crate::MANIFEST).unwrap();
        accepted(&validator, &serde_json::from_str(manifest.content).unwrap(), widget.name);
    }
    for module in &BOT_MODULES {
        let mut manifest: Value = serde_json::from_str(module.files()[0].content).unwrap();
        if module.name == "timed_messages" {
            // Its messages are objects, a type that developers cannot declare.
            assert!(!validator.is_valid(&manifest));
            manifest["config_schema"].as_object_mut().unwrap().remove("messages");
        }
        accepted(&validator, &manifest, module.name);
    }
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/extensions");
    for folder in std::fs::read_dir(fixtures).unwrap() {
        let path = folder.unwrap().path().join(crate::MANIFEST);
        let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        manifest["version"] = json!("1.0.0");
        accepted(&validator, &manifest, &path.display().to_string());
    }
}

#[test]
fn schema_refuses_each_key_and_type_that_the_parser_refuses() {
    let (validator, manifest) = (validator(), whole());
    assert!(parsed(&manifest).is_ok());
    let (mut places, mut checked) = (Vec::new(), 0);
    objects(&manifest, &MANIFEST_SHAPE, "", &mut places);
    for (pointer, shape) in &places {
        let mut unknown = manifest.clone();
        unknown.pointer_mut(pointer).unwrap()["unheard_of"] = json!(1);
        assert!(parsed(&unknown).is_err() && !validator.is_valid(&unknown), "{pointer}: an unknown key");
        let Shape::Object(keys) = shape else { continue };
        for key in *keys {
            let present = manifest.pointer(pointer).unwrap().get(key.name).is_some();
            assert!(present, "{pointer} lacks {}", key.name);
            let mut other = manifest.clone();
            // No key but a free one takes both.
            let is_refused = [json!(-0.5), json!([[]])].into_iter().any(|wrong| {
                other.pointer_mut(pointer).unwrap()[key.name] = wrong;
                let refused = parsed(&other).is_err();
                assert!(
                    !refused || !validator.is_valid(&other) || matches!(key.shape, Shape::Any),
                    "{pointer}/{}",
                    key.name
                );
                refused
            });
            checked += usize::from(is_refused);
        }
    }
    assert!(places.len() > 10 && checked > 50, "{} objects, {checked} keys", places.len());
}

#[test]
fn schema_refuses_wrong_values_as_the_parser_does() {
    let validator = validator();
    for (pointer, value) in [
        ("/category", json!("game")),
        ("/category", json!("automation_node")),
        ("/category", json!("widget")),
        ("/name", json!("")),
        ("/permissions", json!(["chat:wirte"])),
        ("/permissions", json!(["chat:read", "chat:read"])),
        ("/config_schema", json!({ "1a": { "type": "string", "label": "A" } })),
        ("/tables/visits/columns/name", json!("date")),
        ("/bot_module/platforms", json!(["discord"])),
        ("/bot_module/commands/0/name", json!("!hello")),
        ("/bot_module/commands/0/cooldown_user", json!(86_401)),
        ("/bot_module/events/0/event_type", json!("twitch:folower")),
        ("/bot_module/timers/0/interval_secs", json!(29)),
        ("/functions/top/handler", json!("a-b")),
    ] {
        let mut manifest = good();
        *manifest.pointer_mut(pointer).unwrap() = value;
        assert!(parsed(&manifest).is_err(), "{pointer}: the parser");
        assert!(!validator.is_valid(&manifest), "{pointer}: the schema");
    }
    for required in ["name", "description", "category", "version"] {
        let mut manifest = good();
        manifest.as_object_mut().unwrap().remove(required);
        assert!(parsed(&manifest).is_err() && !validator.is_valid(&manifest), "{required}");
    }
}

/// Places of objects with fixed keys, with their shapes.
fn objects<'a>(value: &Value, shape: &'a Shape, at: &str, places: &mut Vec<(String, &'a Shape)>) {
    match (shape, value) {
        (Shape::Refined(inner, _), value) => objects(value, inner, at, places),
        (Shape::Object(keys) | Shape::TextOr(keys), Value::Object(fields)) => {
            places.push((at.to_owned(), shape));
            for key in *keys {
                if let Some(value) = fields.get(key.name) {
                    objects(value, &key.shape, &format!("{at}/{}", key.name), places);
                }
            }
        }
        (Shape::List(entry), Value::Array(entries)) => {
            for (index, value) in entries.iter().enumerate() {
                objects(value, entry, &format!("{at}/{index}"), places);
            }
        }
        (Shape::Map(entry), Value::Object(fields)) => {
            for (name, value) in fields {
                objects(value, entry, &format!("{at}/{name}"), places);
            }
        }
        _ => {}
    }
}
