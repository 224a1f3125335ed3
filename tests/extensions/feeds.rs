//! Internal feeds of the workers (reference/telemetry.md#internal-feeds).

use extension_model::feeds::{HandlerFeed, TriggerFeed};
use lumio_tests::{Answer, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, reviewer};

fn module() -> Value {
    json!({
        "egress": { "allowHosts": ["api.example.com"] },
        "bot_module": {
            "commands": [{ "name": "hello", "alias": "hi", "cooldown_user": 5, "min_role": "vip", "handler": "hello" }],
            "keywords": [{ "value": "morning", "handler": "hello" }],
            "patterns": [{ "regex": "^so", "enabled": false, "handler": "hello" }],
            "events": [{ "event_type": "twitch:follower", "handler": "hello" }],
            "timers": [{ "name": "tip", "interval_secs": 60, "handler": "hello" }],
            "moderate": "hello",
        },
    })
}

#[tokio::test]
async fn internal_bot_module_handlers_and_triggers_carry_runtime_data() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &module()).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);

    let answer = system.get("/v1/internal/bot-modules/handlers").await;
    let feed: HandlerFeed = serde_json::from_value(answer.expect(200).clone()).unwrap();
    let [handler] = feed.installs.as_slice() else { panic!("{}", answer.text) };
    assert_eq!(
        (handler.install_id, handler.extension_id, handler.account_id),
        (id, extension, owner.account_id)
    );
    assert_eq!((handler.extension_name.as_str(), handler.version.as_str()), ("Greeter", "1.0.0"));
    assert_eq!(handler.platforms, ["twitch", "youtube", "kick", "trovo"]);
    assert_eq!(
        (handler.enabled, handler.has_moderate, handler.handlers.as_slice()),
        (true, true, &["hello".to_owned()][..])
    );
    assert!(handler.handler_code.as_deref().unwrap().contains("export async function hello"));
    assert_eq!(
        (handler.permissions.as_slice(), handler.egress.allow_hosts.as_slice()),
        (&ASKED.map(str::to_owned)[..], &["api.example.com".to_owned()][..])
    );

    let answer = system.get(&format!("/v1/internal/bot-modules/{}/triggers", owner.account_id)).await;
    let feed: TriggerFeed = serde_json::from_value(answer.expect(200).clone()).unwrap();
    assert!(!feed.killed);
    let trigger = &answer.body["installs"][0];
    assert_eq!(
        trigger["commands"],
        json!([{ "name": "hello", "alias": "hi", "cooldown_global": 0, "cooldown_user": 5, "min_role": "vip",
                 "enabled": true, "handler": "hello" }])
    );
    assert_eq!(trigger["keywords"], json!([{ "value": "morning", "enabled": true, "handler": "hello" }]));
    assert_eq!(trigger["patterns"], json!([{ "regex": "^so", "enabled": false, "handler": "hello" }]));
    assert_eq!((&trigger["has_moderate"], &trigger["moderate"]), (&json!(true), &json!("hello")));

    let count = |answer: &Answer| answer.expect(200)["installs"].as_array().unwrap().len();
    for (query, expected) in [
        (format!("account_id={}", owner.account_id), 1),
        (format!("account_id={}", studio.person.account_id), 0),
        (format!("install_id={id}"), 1),
        (format!("install_id={}", Uuid::nil()), 0),
    ] {
        assert_eq!(
            count(&system.get(&format!("/v1/internal/bot-modules/handlers?{query}")).await),
            expected,
            "{query}"
        );
    }
    assert_eq!(count(&system.get("/v1/internal/automation-nodes/handlers").await), 0);
    let active = system.get("/v1/internal/accounts/active").await;
    assert_eq!(active.expect(200), &json!({ "account_ids": [owner.account_id], "next": null }));

    owner.patch(&format!("/v1/extension-installs/{id}"), json!({ "enabled": false })).await.data();
    let disabled = system.get("/v1/internal/bot-modules/handlers").await;
    assert_eq!(disabled.expect(200)["installs"][0]["enabled"], false);
    assert!(disabled.body["installs"][0]["handler_code"].is_string());
    assert_eq!(system.get("/v1/internal/accounts/active").await.expect(200)["account_ids"], json!([]));
}

#[tokio::test]
async fn internal_bot_module_handlers_is_not_modified_for_the_same_etag() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let path = "/v1/internal/bot-modules/handlers";
    let empty = system.get(path).await;
    let conditional = |tag: &str| {
        let request = system.request(reqwest::Method::GET, path).header("if-none-match", tag);
        system.send(request)
    };
    assert_eq!(conditional(empty.header("etag")).await.status, 304);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    install(&owner, extension, &ASKED, &json!({})).await.data();
    let changed = conditional(empty.header("etag")).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), empty.header("etag"));
}

#[tokio::test]
async fn internal_bot_module_handlers_skips_installs_with_a_bad_manifest() {
    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;
    use shared::schema::extension_versions;

    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let [broken, sound] =
        [greeter(&studio, &reviewer, &json!({})).await, greeter(&studio, &reviewer, &json!({})).await];
    let [broken_install, sound_install] = [
        id_of(&install(&owner, broken, &ASKED, &json!({})).await),
        id_of(&install(&owner, sound, &ASKED, &json!({})).await),
    ];
    diesel::update(extension_versions::table.filter(extension_versions::extension_id.eq(broken)))
        .set(extension_versions::manifest.eq(json!({ "bot_module": {} })))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();

    let answer = system.get("/v1/internal/bot-modules/handlers").await;
    let installs = &answer.expect(200)["installs"];
    assert_eq!(
        (&installs[0]["install_id"], &installs[1]["install_id"]),
        (&json!(broken_install), &json!(sound_install))
    );
    assert_eq!((&installs[0]["enabled"], &installs[0]["handler_code"]), (&json!(false), &json!(null)));
    assert_eq!(installs[1]["enabled"], true);
    assert!(installs[1]["handler_code"].is_string());
    let triggers = system.get(&format!("/v1/internal/bot-modules/{}/triggers", owner.account_id)).await;
    let triggers = triggers.expect(200)["installs"].as_array().unwrap();
    assert_eq!(
        triggers.iter().map(|install| &install["install_id"]).collect::<Vec<_>>(),
        [&json!(sound_install)]
    );
}

#[tokio::test]
async fn internal_automation_node_handlers_lists_automation_nodes() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let node = json!({
        "category": "automation_node", "bot_module": null,
        "automation_node": { "node_type": "action", "name": "Greet", "handler": "hello" },
    });
    let extension = greeter(&studio, &reviewer, &node).await;
    install(&owner, extension, &ASKED, &json!({})).await.data();
    let feed = system.get("/v1/internal/automation-nodes/handlers").await;
    let install = &feed.expect(200)["installs"][0];
    assert_eq!(
        (&install["node_type"], &install["handler"], &install["enabled"]),
        (&json!("action"), &json!("hello"), &json!(true))
    );
    assert_eq!(system.get("/v1/internal/bot-modules/handlers").await.expect(200)["installs"], json!([]));
}

#[tokio::test]
async fn internal_active_accounts_and_feeds_are_for_system_keys_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.personal_key(&owner, &["extension-dev:read"]).await;
    let service = app.service_key(owner.account_id, &["bot-modules:read"]).await;
    let id = Uuid::nil();
    for path in [
        "/v1/internal/bot-modules/handlers".to_owned(),
        format!("/v1/internal/bot-modules/{id}/triggers"),
        "/v1/internal/automation-nodes/handlers".to_owned(),
        "/v1/internal/accounts/active".to_owned(),
    ] {
        assert_eq!(app.anonymous().get(&path).await.status, 401, "{path}");
        for caller in [&owner.caller, &key, &service] {
            caller.get(&path).await.refused("FORBIDDEN", "System key required");
        }
    }
    for path in ["/v1/internal/telemetry".to_owned(), format!("/v1/internal/secrets/{id}")] {
        assert_eq!(app.anonymous().post(&path, json!({})).await.status, 401, "{path}");
        for caller in [&owner.caller, &key, &service] {
            caller.post(&path, json!({})).await.refused("FORBIDDEN", "System key required");
        }
    }
}

#[tokio::test]
async fn internal_telemetry_and_feeds_validate_every_field() {
    let app = TestApp::start().await;
    let system = app.system_key().await;
    for (path, message) in [
        ("/v1/internal/bot-modules/zz/triggers", "Invalid UUID: account_id"),
        ("/v1/internal/bot-modules/handlers?account_id=zz", "Invalid UUID: account_id"),
        ("/v1/internal/accounts/active?limit=0", "limit must be between 1 and 10000"),
    ] {
        system.get(path).await.refused("VALIDATION_ERROR", message);
    }
    let error = json!({ "id": Uuid::now_v7(), "install_id": Uuid::nil(), "handler": "h", "error_type": "E",
                        "message": "m", "occurred_at": "2020-01-01T00:00:00Z" });
    let stale = system.post("/v1/internal/telemetry", json!({ "errors": [error] })).await;
    stale.refused("VALIDATION_ERROR", "errors[0].occurred_at must lie within the last day");
    let wrong = system.post("/v1/internal/telemetry", json!({ "logs": [{ "level": "loud" }] })).await;
    wrong.refused_with("VALIDATION_ERROR");
    let large =
        system.post_raw("/v1/internal/telemetry", "application/json", vec![b' '; 1024 * 1024 + 1]).await;
    large.refused("BAD_REQUEST", "Request body too large");
}
