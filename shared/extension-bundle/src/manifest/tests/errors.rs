//! Errors of a manifest.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{good, parsed, refusal};
use crate::manifest::check_exports;

#[test]
fn manifest_errors_name_unknown_permissions() {
    assert_eq!(
        refusal("/permissions", json!(["chat:read", "obs:control"])),
        "permissions[1]: Invalid permission: obs:control"
    );
    let mut manifest = good();
    manifest["permissions"] = json!(["chat:reed"]);
    let messages = parsed(&manifest).unwrap_err().swap_remove(1);
    assert_eq!(messages.field, "permissions");
    assert!(messages.message.starts_with("permissions must be out of events:read, events:emit, chat:read,"));
    assert!(messages.message.ends_with("; did you mean chat:read?"), "{}", messages.message);
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
fn manifest_errors_name_the_field_and_the_allowed_values() {
    for (pointer, value, expected) in [
        (
            "/extensionId",
            json!(Uuid::nil()),
            "extensionId: extensionId must be 00000000-0000-0000-0000-000000000007",
        ),
        ("/extensionId", json!("x"), "extensionId: extensionId must be a UUID"),
        ("/name", json!(""), "name: name must be between 1 and 255 characters"),
        ("/name", json!(3), "name: name must be a text"),
        (
            "/description",
            json!("x".repeat(1001)),
            "description: description must be between 1 and 1000 characters",
        ),
        (
            "/category",
            json!("game"),
            "category: category must be one of widget, bot_module, automation_node, theme, integration",
        ),
        ("/version", json!("1.2"), "version: version must be a semantic version"),
        ("/version", json!("1.2.4"), "version: version must be 1.2.3 as the field of the upload says"),
        ("/server", json!(false), "server: server must be true when handlers run"),
        ("/pricing", json!({ "type": "one_time" }), "pricing: Paid pricing requires developer verification"),
        (
            "/visibility",
            json!("system"),
            "visibility: visibility must be one of private, unlisted, public, paid",
        ),
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
        (
            "/egress/allowPorts",
            json!([70000]),
            "egress.allowPorts[0]: egress.allowPorts[0] must be a whole number between 0 and 65535",
        ),
        (
            "/config_schema",
            json!({ "1a": { "type": "string", "label": "x" } }),
            "config_schema.1a: config_schema.1a must start with a letter",
        ),
        (
            "/config_schema/greeting/type",
            json!("date"),
            "config_schema.greeting.type: config_schema.greeting.type must be one of string, number, boolean",
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
            "bot_module.commands[0].min_role: bot_module.commands[0].min_role must be one of broadcaster, moderator",
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
fn manifest_errors_are_reported_together() {
    let mut manifest = good();
    manifest["permissions"] = json!(["a", "b"]);
    manifest["name"] = json!("");
    let errors = parsed(&manifest).unwrap_err();
    assert_eq!(
        errors.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(),
        ["name", "permissions[0]", "permissions[1]", "permissions"]
    );
}

#[test]
fn manifest_errors_shorten_long_values() {
    let answer = |manifest: &Value| parsed(manifest).unwrap_err();
    let long = "x".repeat(500_000);

    let mut manifest = good();
    manifest["permissions"] = json!([long]);
    assert_eq!(answer(&manifest)[0].message, format!("Invalid permission: {}…", "x".repeat(100)));
    let mut manifest = good();
    manifest["category"] = json!(long);
    let reason = answer(&manifest)[0].message.clone();
    assert!(reason.len() < 600 && reason.contains("must be one of widget"), "{reason}");
    let mut manifest = good();
    manifest["config_schema"] = json!({ long.as_str(): { "type": "string", "label": "" } });
    assert!(answer(&manifest).iter().all(|error| error.field.len() < 110 && error.message.len() < 300));

    // Above a limit of entries, the entries are not checked.
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
fn manifest_errors_suggest_the_nearest_key_at_every_level() {
    for (pointer, message) in [
        ("/permisions", "permisions is not a key of lumio.config.json; did you mean permissions?"),
        ("/configSchema", "configSchema is not a key of lumio.config.json; did you mean config_schema?"),
        ("/egress/allow_hosts", "allow_hosts is not a key of egress; did you mean allowHosts?"),
        (
            "/config_schema/greeting/defualt",
            "defualt is not a key of config_schema.greeting; did you mean default?",
        ),
        (
            "/bot_module/commands/0/cooldownUser",
            "cooldownUser is not a key of bot_module.commands[0]; did you mean cooldown_user?",
        ),
        (
            "/bot_module/keywords/0/colour",
            "colour is not a key of bot_module.keywords[0]; the keys are value, enabled, handler",
        ),
        (
            "/bot_module/timers/0/interval",
            "interval is not a key of bot_module.timers[0]; the keys are name, interval_secs, min_chat_lines, handler",
        ),
        ("/bot_module/event", "event is not a key of bot_module; did you mean events?"),
        ("/tables/visits/scopes", "scopes is not a key of tables.visits; did you mean scope?"),
        (
            "/tables/visits/columns/tags/optinal",
            "optinal is not a key of tables.visits.columns.tags; did you mean optional?",
        ),
        ("/functions/top/editorOnly", "editorOnly is not a key of functions.top; did you mean editor_only?"),
    ] {
        let field = pointer[1..].replace("/0/", "[0].").replace('/', ".");
        let found = refusal(pointer, json!(1));
        assert!(found.starts_with(&format!("{field}: {message}")), "{pointer}: {found}");
    }
    let declared = json!({ "operation": "queryRows", "table": "visits", "order_by": "name" });
    let mut manifest = good();
    manifest["functions"]["top"] = json!({ "kind": "query", "declarative": declared });
    let errors = parsed(&manifest).unwrap_err();
    assert_eq!(errors[0].field, "functions.top.declarative.order_by");
    assert!(errors[0].message.ends_with("did you mean orderBy?"), "{}", errors[0].message);
}

#[test]
fn manifest_with_a_missing_field_reports_every_other_error() {
    let mut manifest = good();
    let fields = manifest.as_object_mut().unwrap();
    for missing in ["category", "description"] {
        fields.remove(missing);
    }
    manifest["permisions"] = json!([]);
    manifest["permissions"] = json!(["chat:wirte"]);
    manifest["bot_module"]["commands"] = json!([{ "name": "!roll" }, { "name": "!spin", "handler": "spin" }]);
    manifest["bot_module"]["events"] = json!([{ "event_type": "twitch:folower", "handler": "follow" }]);
    let errors = parsed(&manifest).unwrap_err();
    let messages: Vec<String> =
        errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
    let expected = [
        "permisions: permisions is not a key of lumio.config.json; did you mean permissions?",
        "description: description is required and must be a text",
        "category: category is required and must be one of widget, bot_module, automation_node, theme, integration",
        "bot_module.commands[0].handler: bot_module.commands[0].handler is required and must be a text",
        "permissions[0]: Invalid permission: chat:wirte",
        "permissions: permissions must be out of events:read",
        "bot_module.commands[1].name: bot_module.commands[1].name must have 1 to 32",
        "bot_module.events[0].event_type: bot_module.events[0].event_type must be a type of the event catalogue",
    ];
    assert_eq!(messages.len(), expected.len(), "{messages:#?}");
    for (messages, expected) in messages.iter().zip(expected) {
        assert!(messages.starts_with(expected), "{messages}");
    }
    assert!(messages[7].ends_with("did you mean twitch:follower?"), "{}", messages[7]);
}

#[test]
fn manifest_errors_name_handlers_that_are_not_exported() {
    let mut manifest = good();
    manifest["functions"] =
        json!({ "top": { "kind": "query" }, "other": { "kind": "query", "handler": "top" } });
    let manifest = parsed(&manifest).unwrap();
    let exports = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let all = exports(&["check", "follow", "hello", "so", "tip", "top"]);
    assert!(check_exports(&manifest, &all).is_empty());
    let errors = check_exports(&manifest, &exports(&["chek", "follow", "hello", "so", "tip"]));
    let messages: Vec<String> =
        errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
    let listed = "its exports are chek, follow, hello, so, tip";
    assert_eq!(
        messages,
        [
            format!("bot_module.moderate: check is not exported by server.js; did you mean chek?; {listed}"),
            format!("functions.other.handler: top is not exported by server.js; did you mean tip?; {listed}"),
            format!("functions.top: top is not exported by server.js; did you mean tip?; {listed}"),
        ]
    );
    assert!(check_exports(&manifest, &[])[0].message.ends_with("; it has no exports"));
}
