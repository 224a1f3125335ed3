//! Settings of an account (reference/accounts.md#settings).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::schema::overlays;
use uuid::Uuid;

use super::{socket, workers};

const SETTINGS: &str = "{ locale timezone currency commandPrefix \
    chat { defaultPlatforms showTimestamps highlightMentions fontSize } alerts { muted volume } \
    privacy { storeChat storeUserProfiles } defaultOverlayId }";

async fn read(caller: &Caller) -> Answer {
    caller.get("/v1/settings").await
}

async fn read_over_graphql(caller: &Caller) -> Answer {
    caller.graphql(&format!("{{ accountSettings {SETTINGS} }}"), json!({})).await
}

async fn change(caller: &Caller, input: &Value) -> Answer {
    caller.patch("/v1/settings", input.clone()).await
}

/// Sends the same input over GraphQL, where enum values are upper case.
async fn change_over_graphql(caller: &Caller, input: &Value) -> Answer {
    let mut input = input.clone();
    if let Some(locale) = input["locale"].as_str() {
        input["locale"] = json!(locale.to_uppercase());
    }
    caller.mutate("updateAccountSettings", &input, SETTINGS).await
}

/// Converts a GraphQL result to the form of REST.
fn as_rest(mut settings: Value) -> Value {
    settings["locale"] = json!(settings["locale"].as_str().unwrap().to_lowercase());
    settings
}

fn at_first() -> Value {
    json!({
        "locale": "en", "timezone": "UTC", "currency": "EUR", "command_prefix": "!",
        "chat": {
            "default_platforms": [], "show_timestamps": true, "highlight_mentions": true, "font_size": 14,
        },
        "alerts": { "muted": false, "volume": 100 },
        "privacy": { "store_chat": true, "store_user_profiles": true },
        "default_overlay_id": null,
    })
}

#[tokio::test]
async fn update_account_settings_changes_only_the_given_fields() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    assert_eq!(read(&owner).await.data(), &at_first());
    assert_eq!(as_rest(read_over_graphql(&owner).await.field("accountSettings")), at_first());

    let input = json!({
        "locale": "de", "timezone": "Europe/Berlin", "currency": "USD", "command_prefix": " ?! ",
        "chat": { "default_platforms": ["twitch", "kick"], "font_size": 72 },
    });
    let changed = change(&owner, &input).await;
    let mut expected = at_first();
    for (field, value) in
        [("locale", "de"), ("timezone", "Europe/Berlin"), ("currency", "USD"), ("command_prefix", "?!")]
    {
        expected[field] = json!(value);
    }
    expected["chat"]["default_platforms"] = json!(["twitch", "kick"]);
    expected["chat"]["font_size"] = json!(72);
    assert_eq!(changed.data(), &expected);
    let audited = app.audited_once("settings:updated").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    let names = json!([
        "locale",
        "timezone",
        "currency",
        "command_prefix",
        "chat.default_platforms",
        "chat.font_size",
    ]);
    assert_eq!(audited.metadata["changed"], names);

    let input = json!({
        "alerts": { "muted": true, "volume": 0 }, "chat": { "show_timestamps": false },
        "privacy": { "store_chat": false }, "default_overlay_id": null,
    });
    let twin = change_over_graphql(&owner, &input).await.field("updateAccountSettings");
    expected["alerts"] = json!({ "muted": true, "volume": 0 });
    expected["chat"]["show_timestamps"] = json!(false);
    expected["privacy"]["store_chat"] = json!(false);
    assert_eq!(as_rest(twin), expected);
    assert_eq!(read(&owner).await.data(), &expected);
    // Repeating the change changes nothing.
    assert_eq!(change(&owner, &json!({ "alerts": { "muted": true } })).await.data(), &expected);
    change(&owner, &json!({})).await.expect(200);
    assert_eq!(app.audited("settings:updated").await.len(), 2);
    assert_eq!(read(&other).await.data(), &at_first());
}

#[tokio::test]
async fn update_account_settings_validates_every_field() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let zone = "timezone must be an IANA time zone, for example Europe/Berlin";
    let currency = "currency must be a code of ISO 4217, for example EUR";
    let platforms = "chat.default_platforms must hold each of twitch, youtube, kick, trovo at most once";
    for (input, message) in [
        (json!({ "timezone": "Mars/Base" }), zone),
        (json!({ "timezone": "" }), zone),
        (json!({ "currency": "eur" }), currency),
        (json!({ "currency": "XXX" }), currency),
        (json!({ "command_prefix": "" }), "command_prefix must not be empty"),
        (json!({ "command_prefix": "!!!!" }), "command_prefix must be between 1 and 3 characters"),
        (json!({ "command_prefix": "! !" }), "command_prefix must not contain spaces"),
        (json!({ "chat": { "default_platforms": ["twitch", "twitch"] } }), platforms),
        (json!({ "chat": { "default_platforms": ["spotify"] } }), platforms),
        (json!({ "chat": { "font_size": 7 } }), "chat.font_size must be between 8 and 72"),
        (json!({ "chat": { "font_size": 73 } }), "chat.font_size must be between 8 and 72"),
        (json!({ "alerts": { "volume": -1 } }), "alerts.volume must be between 0 and 100"),
        (json!({ "alerts": { "volume": 101 } }), "alerts.volume must be between 0 and 100"),
        (json!({ "timezone": null }), "timezone cannot be null"),
        (json!({ "chat": null }), "chat cannot be null"),
        (json!({ "privacy": { "store_chat": null } }), "privacy.store_chat cannot be null"),
    ] {
        let graphql = change_over_graphql(&owner, &input).await;
        both_refused(&change(&owner, &input).await, &graphql, 400, "VALIDATION_ERROR", message);
    }
    for (input, message) in [
        (json!({ "colour": "red" }), "Invalid colour: unknown field `colour`"),
        (json!({ "chat": { "colour": "red" } }), "Invalid chat.colour: unknown field `colour`"),
        (json!({ "locale": "fr" }), "Invalid locale: must be en or de"),
        (json!({ "default_overlay_id": "mine" }), "Invalid UUID: default_overlay_id"),
    ] {
        let answer = change(&owner, &input).await;
        let (code, actual) = answer.error();
        assert_eq!((answer.status, code.as_str()), (400, "VALIDATION_ERROR"), "{}", answer.text);
        assert!(actual.starts_with(message), "{actual}");
    }
    let overlay = json!({ "default_overlay_id": Uuid::now_v7() });
    let graphql = change_over_graphql(&owner, &overlay).await;
    both_refused(&change(&owner, &overlay).await, &graphql, 404, "NOT_FOUND", "Overlay not found");
    assert_eq!(read(&owner).await.data(), &at_first());
    assert_eq!(app.audited("settings:updated").await, []);
}

#[tokio::test]
async fn account_settings_and_their_update_need_their_permissions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let graphql = read_over_graphql(&moderator).await;
    both_refused(&read(&moderator).await, &graphql, 403, "FORBIDDEN", "Missing permission: settings:read");
    let reader = app.service_key(owner.account_id, &["settings:read"]).await;
    assert_eq!(read(&reader).await.data(), &at_first());
    let input = json!({ "locale": "de" });
    let graphql = change_over_graphql(&reader, &input).await;
    let message = "Missing permission: settings:edit";
    both_refused(&change(&reader, &input).await, &graphql, 403, "FORBIDDEN", message);
    let editor = app.service_key(owner.account_id, &["settings:edit"]).await;
    change(&editor, &input).await.expect(200);
    assert_eq!(read(&owner).await.data()["locale"], "de");
}

#[tokio::test]
async fn update_account_settings_takes_an_overlay_of_the_account_as_default() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let (own, foreign) = (overlay(&app, owner.account_id).await, overlay(&app, stranger.account_id).await);
    let changed = change(&owner, &json!({ "default_overlay_id": own })).await;
    assert_eq!(changed.data()["default_overlay_id"], json!(own));
    let refused = change(&owner, &json!({ "default_overlay_id": foreign })).await;
    refused.refused("NOT_FOUND", "Overlay not found");
    // It is null again when the overlay is gone.
    let mut db = app.databases.postgres.get().await.unwrap();
    diesel::delete(overlays::table.filter(overlays::id.eq(own))).execute(&mut *db).await.unwrap();
    assert_eq!(read(&owner).await.data(), &at_first());
}

async fn overlay(app: &TestApp, account: Uuid) -> Uuid {
    let id = Uuid::now_v7();
    diesel::insert_into(overlays::table)
        .values((
            overlays::id.eq(id),
            overlays::account_id.eq(account),
            overlays::name.eq("o"),
            overlays::key.eq(&id.simple().to_string()[20..]),
            overlays::width.eq(1),
            overlays::height.eq(1),
            overlays::background.eq("transparent"),
            overlays::token.eq(vec![1]),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    id
}

#[tokio::test]
async fn update_account_settings_publishes_an_event_to_the_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut client = socket(&app, &owner).await;
    client.subscribe(&format!("account:{}", owner.account_id)).await;
    let running = workers(&app, &[Daemon::Outbox]).await;
    change(&owner, &json!({ "currency": "CHF" })).await.expect(200);
    let event = client.frame().await;
    assert_eq!(
        (&event["event_type"], &event["data"]["currency"]),
        (&json!("settings:updated"), &json!("CHF"))
    );
    running.stop().await.unwrap();
}
