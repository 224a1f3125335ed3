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
    let expected = Expected { extension_id: ID, version: "1.2.3", verified: false };
    parse(Some(value.to_string().as_bytes()), expected).map(|(manifest, _)| manifest)
}

/// The first refusal of the good manifest with one field set.
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
fn a_good_manifest_is_read() {
    let manifest = parsed(&good()).unwrap();
    let module = manifest.bot_module.unwrap();
    assert_eq!(module.handlers(), ["check", "follow", "hello", "so", "tip"]);
    assert!(module.commands[0].enabled);
}

#[test]
fn a_function_that_names_no_handler_is_the_export_of_its_name() {
    let mut manifest = good();
    manifest["functions"] = json!({ "top": { "kind": "query" } });
    assert_eq!(parsed(&manifest).unwrap().functions["top"].handler, None);
    manifest["server"] = json!(false);
    manifest["bot_module"] = json!({});
    let errors = parsed(&manifest).unwrap_err();
    assert_eq!(errors[0].message, "server must be true when handlers run");
}

#[test]
fn unknown_permissions_are_named() {
    assert_eq!(
        refusal("/permissions", json!(["chat:read", "obs:control"])),
        "permissions[1]: Invalid permission: obs:control"
    );
    assert_eq!(
        refusal("/permissions", json!([" chat:read"])),
        "permissions[0]: Invalid permission:  chat:read"
    );
    assert_eq!(
        refusal("/permissions", json!(["chat:read", "chat:read"])),
        "permissions: permissions must not repeat an entry"
    );
}

#[test]
fn refusals_name_the_field_and_what_is_allowed() {
    for (pointer, value, expected) in [
        (
            "/extensionId",
            json!(Uuid::nil()),
            "extensionId: extensionId must be 00000000-0000-0000-0000-000000000007",
        ),
        ("/extensionId", json!("x"), "extensionId: extensionId: UUID parsing failed"),
        ("/name", json!(""), "name: name must be between 1 and 255 characters"),
        ("/name", json!(3), "name: name: invalid type: integer `3`, expected a string"),
        (
            "/description",
            json!("x".repeat(1001)),
            "description: description must be between 1 and 1000 characters",
        ),
        ("/category", json!("game"), "category: category: unknown variant `game`"),
        ("/version", json!("1.2"), "version: version must be a semantic version"),
        ("/version", json!("1.2.4"), "version: version must be 1.2.3 as the field of the upload says"),
        ("/server", json!(false), "server: server must be true when handlers run"),
        ("/pricing", json!({ "type": "one_time" }), "pricing: Paid pricing requires developer verification"),
        ("/visibility", json!("system"), "visibility: visibility must be private, unlisted, public or paid"),
        ("/fonts", json!(vec!["f"; 11]), "fonts: fonts must have at most 10 entries"),
        (
            "/egress/allowHosts",
            json!(vec!["a.example"; 21]),
            "egress.allowHosts: egress.allowHosts must have at most 20 entries",
        ),
        (
            "/egress/allowHosts",
            json!(["10.0.0.1"]),
            "egress.allowHosts[0]: egress.allowHosts[0] must be a host name, not an address",
        ),
        (
            "/egress/allowPorts",
            json!([80]),
            "egress.allowPorts[0]: egress.allowPorts[0] must be a port other than 80",
        ),
        ("/egress/allowPorts", json!([70000]), "egress.allowPorts[0]: egress.allowPorts[0]: invalid value"),
        (
            "/config_schema",
            json!({ "1a": { "type": "string", "label": "x" } }),
            "config_schema.1a: config_schema.1a must start with a letter",
        ),
        (
            "/config_schema/greeting/type",
            json!("date"),
            "config_schema.greeting.type: config_schema.greeting.type: unknown variant `date`",
        ),
        (
            "/config_schema/greeting/default",
            json!(1),
            "config_schema.greeting.default: config_schema.greeting.default must be a string",
        ),
        (
            "/sounds",
            json!([{ "key": "a", "file": "b.mp3", "label": "l" }]),
            "sounds[0].file: sounds[0].file must lie below sounds/",
        ),
        (
            "/tables/visits/columns/name",
            json!("date"),
            "tables.visits.columns.name: tables.visits.columns.name must be one of string",
        ),
        (
            "/tables/user",
            json!({ "columns": {} }),
            "tables.user: tables.user must not be named global, install or user",
        ),
        (
            "/functions/top/declarative",
            json!({}),
            "functions.top: functions.top must not have both a handler and a declarative definition",
        ),
        (
            "/functions/top/handler",
            json!("a-b"),
            "functions.top.handler: functions.top.handler must be the name of an export",
        ),
        (
            "/bot_module/platforms",
            json!(["discord"]),
            "bot_module.platforms[0]: bot_module.platforms[0] must be one of twitch",
        ),
        (
            "/bot_module/commands/0/name",
            json!("!hello"),
            "bot_module.commands[0].name: bot_module.commands[0].name must have 1 to 32",
        ),
        (
            "/bot_module/commands/0/alias",
            json!("hello"),
            "bot_module.commands[0].alias: bot_module.commands[0].alias must not be used twice",
        ),
        (
            "/bot_module/commands/0/min_role",
            json!("owner"),
            "bot_module.commands[0].min_role: bot_module.commands[0].min_role: unknown variant",
        ),
        (
            "/bot_module/patterns/0/regex",
            json!("(a)\\1"),
            "bot_module.patterns[0].regex: bot_module.patterns[0].regex is not a pattern",
        ),
        (
            "/bot_module/timers/0/interval_secs",
            json!(29),
            "bot_module.timers[0].interval_secs: bot_module.timers[0].interval_secs must be between 30 and 86400",
        ),
        (
            "/bot_module/timers/0/interval_secs",
            json!(86_401),
            "bot_module.timers[0].interval_secs: bot_module.timers[0].interval_secs must be between 30 and 86400",
        ),
        (
            "/bot_module/events/0/event_type",
            json!("follower"),
            "bot_module.events[0].event_type: bot_module.events[0].event_type must be a type of the event catalogue",
        ),
        ("/bot_module", Value::Null, "bot_module: bot_module is required for the category bot_module"),
    ] {
        let found = refusal(pointer, value);
        assert!(found.starts_with(expected), "{pointer}: {found}");
    }
}

#[test]
fn every_mistake_is_reported_at_once() {
    let mut manifest = good();
    manifest["permissions"] = json!(["a", "b"]);
    manifest["name"] = json!("");
    let errors = parsed(&manifest).unwrap_err();
    assert_eq!(
        errors.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(),
        ["name", "permissions[0]", "permissions[1]"]
    );
}

#[test]
fn a_manifest_that_is_wrong_at_length_gets_a_short_answer() {
    let answer = |manifest: &Value| parsed(manifest).unwrap_err();
    let long = "x".repeat(500_000);

    let mut manifest = good();
    manifest["permissions"] = json!([long]);
    assert_eq!(answer(&manifest)[0].message, format!("Invalid permission: {}…", "x".repeat(100)));
    let mut manifest = good();
    manifest["category"] = json!(long);
    let reason = answer(&manifest)[0].message.clone();
    assert!(reason.len() < 600 && reason.contains("expected one of `widget`"), "{reason}");
    let mut manifest = good();
    manifest["config_schema"] = json!({ long.as_str(): { "type": "string", "label": "" } });
    assert!(answer(&manifest).iter().all(|error| error.field.len() < 110 && error.message.len() < 300));

    // Past a limit of entries, the entries are not looked at.
    let mut manifest = good();
    manifest["permissions"] = json!(vec!["x"; 100_000]);
    manifest["bot_module"]["platforms"] = json!(vec!["x"; 50_000]);
    manifest["egress"]["allowHosts"] = json!(vec!["x"; 50_000]);
    manifest["bot_module"]["keywords"] = json!(vec![json!({ "value": "", "handler": "" }); 101]);
    let fields: Vec<String> = answer(&manifest).into_iter().map(|error| error.field).collect();
    assert_eq!(fields, ["permissions", "egress.allowHosts", "bot_module.platforms", "bot_module.keywords"]);

    let mut manifest = good();
    manifest["bot_module"]["keywords"] = json!(vec![json!({ "value": "", "handler": "" }); 100]);
    assert_eq!(answer(&manifest).len(), 100);
}

#[test]
fn automation_nodes_have_schemas_of_the_subset() {
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
fn missing_and_unreadable_manifests_are_refused() {
    let expected = Expected { extension_id: ID, version: "1.2.3", verified: false };
    for text in [None, Some(&b""[..]), Some(b"[]"), Some(b"{"), Some(b"\xff"), Some(br#"{"name":"\u0000"}"#)]
    {
        assert!(parse(text, expected).is_err(), "{text:?}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(Some(deep.as_bytes()), expected).is_err());
}

#[test]
fn every_list_of_a_manifest_is_bounded() {
    let sound = |n: usize| json!({ "key": format!("s{n}"), "file": "sounds/a.mp3", "label": "A" });
    let sounds = |count: usize| json!((0..count).map(sound).collect::<Vec<_>>());
    let named = |count: usize, value: Value| {
        Value::Object((0..count).map(|n| (format!("n{n}"), value.clone())).collect())
    };
    let function = json!({ "kind": "query", "handler": "top" });
    let setting = json!({ "type": "string", "label": "A" });
    let columns = |count: usize| json!({ "scope": "account", "columns": named(count, json!("string")) });
    for (pointer, most, entries) in [
        ("/sounds", 200, &sounds as &dyn Fn(usize) -> Value),
        ("/functions", 50, &|count| named(count, function.clone())),
        ("/config_schema", 100, &|count| named(count, setting.clone())),
        ("/tables", 50, &|count| named(count, columns(1))),
    ] {
        let mut manifest = good();
        manifest[&pointer[1..]] = entries(most);
        assert_eq!(parsed(&manifest).map(drop), Ok(()), "{pointer}");
        let field = &pointer[1..];
        let expected = format!("{field}: {field} must have at most {most} entries");
        assert_eq!(refusal(pointer, entries(most + 1)), expected);
    }
    let ports = |count: u16| json!((0..count).map(|n| 8000 + n).collect::<Vec<_>>());
    for (pointer, field, most, value) in [
        ("/tables/visits", "tables.visits.columns", 50, columns(51)),
        ("/egress/allowPorts", "egress.allowPorts", 20, ports(21)),
        ("/egress/allowHosts", "egress.allowHosts", 20, json!(vec!["a.example"; 21])),
    ] {
        assert_eq!(refusal(pointer, value), format!("{field}: {field} must have at most {most} entries"));
    }
}
