//! Access to channels (reference/realtime.md#gates).

use api_core::token::TokenKind;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::socket;
use lumio_tests::world::install;

#[tokio::test]
async fn gates_hold_for_every_kind_of_caller_and_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (account, user) = (owner.account_id, owner.user_id);
    let stranger = app.owner().await;
    let powerless = app.member_with(account, &[]).await;
    let all = ["chat:read", "events:read", "extension-store:read"];
    // In the order of the channels below: true when it may subscribe.
    let callers = [
        ("owner", owner.caller.clone(), [true; 8]),
        (
            "member without permissions",
            powerless.caller.clone(),
            [false, false, false, true, false, true, false, false],
        ),
        ("stranger", stranger.caller.clone(), [false; 8]),
        (
            "personal key",
            app.personal_key(&owner, &all).await,
            [true, true, true, true, false, true, false, false],
        ),
        (
            "narrow personal key",
            app.personal_key(&owner, &["chat:read"]).await,
            [true, false, false, true, false, true, false, false],
        ),
        (
            "key beyond its person",
            app.personal_key(&powerless, &all).await,
            [false, false, false, true, false, true, false, false],
        ),
        (
            "service key",
            app.service_key(account, &["events:read"]).await,
            [false, true, false, true, false, true, false, false],
        ),
        ("system key", app.system_key().await, [true; 8]),
        (
            "popout",
            app.popout(&owner, &["chat:read"]).await,
            [true, false, false, false, false, true, false, false],
        ),
        (
            "popout beyond its person",
            app.popout(&powerless, &all).await,
            [false, false, false, false, false, true, false, false],
        ),
        ("overlay", app.surface_token(TokenKind::Overlay, account, "k", None).await, [false; 8]),
        ("widget", app.surface_token(TokenKind::Widget, account, "w", None).await, [false; 8]),
        ("extension", app.surface_token(TokenKind::Extension, account, "i", None).await, [false; 8]),
    ];
    let channels = [
        format!("chat:{account}"),
        format!("events:{account}"),
        format!("extensions:{account}"),
        format!("account:{account}"),
        format!("user:{user}"),
        format!("sounds:{account}"),
        format!("spotify:{account}"),
        format!("obs:{account}"),
    ];
    for (kind, caller, may) in &callers {
        let mut client = socket(&app, caller).await;
        for (channel, may) in channels.iter().zip(may) {
            let answer =
                client.ask(json!({ "type": "subscribe", "channel": channel, "request_id": "g" })).await;
            if *may {
                assert_eq!(answer["type"], "subscribed", "{kind} {channel}: {answer}");
            } else {
                let found = (&answer["code"], &answer["channel"], &answer["request_id"]);
                assert_eq!(
                    found,
                    (&json!("UNAUTHORIZED"), &json!(channel), &json!("g")),
                    "{kind} {channel}: {answer}"
                );
            }
        }
        client.is_quiet().await;
    }
    let mut client = socket(&app, &app.system_key().await).await;
    let overlay = json!({ "type": "subscribe", "channel": format!("overlay:{}", Uuid::now_v7()) });
    assert_eq!(client.error_of(overlay).await, "INVALID_CHANNEL");
}

#[tokio::test]
async fn gates_check_the_feature_after_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let powerless = app.member_with(owner.account_id, &[]).await;
    for (feature, channel) in [
        ("feature:multichat", "chat"),
        ("feature:events", "events"),
        ("feature:extensions", "extensions"),
        ("feature:music", "spotify"),
        ("feature:obs_remote", "obs"),
    ] {
        app.override_feature(owner.account_id, feature, false).await;
        let frame = json!({ "type": "subscribe", "channel": format!("{channel}:{}", owner.account_id) });
        let mut permitted = socket(&app, &owner).await;
        assert_eq!(permitted.error_of(frame.clone()).await, "FEATURE_DISABLED", "{channel}");
        let mut without = socket(&app, &powerless).await;
        assert_eq!(without.error_of(frame).await, "UNAUTHORIZED", "{channel}");
    }
    // Every member may hear sounds.
    app.override_feature(owner.account_id, "feature:sounds", false).await;
    let frame = json!({ "type": "subscribe", "channel": format!("sounds:{}", owner.account_id) });
    for caller in [&owner, &powerless] {
        assert_eq!(socket(&app, caller).await.error_of(frame.clone()).await, "FEATURE_DISABLED");
    }
    let stranger = app.owner().await;
    assert_eq!(socket(&app, &stranger).await.error_of(frame).await, "UNAUTHORIZED");
}

#[tokio::test]
async fn gates_of_extension_storage_admit_its_pages_and_readers() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let account = owner.account_id;
    let (id, other) = (install(&app, &owner, &[]).await, install(&app, &owner, &[]).await);
    let read = ["extension-data:read"];
    let reader = app.member_with(account, &read).await;
    let powerless = app.member_with(account, &["extension-data:edit", "extension-store:read"]).await;
    let page = |of: Uuid| {
        let app = &app;
        async move { app.surface_token(TokenKind::Extension, account, &of.to_string(), None).await }
    };
    let callers = [
        ("owner", owner.caller.clone(), true),
        ("reader", reader.caller.clone(), true),
        ("member without", powerless.caller.clone(), false),
        ("stranger", stranger.caller.clone(), false),
        ("personal key", app.personal_key(&owner, &read).await, true),
        ("narrow personal key", app.personal_key(&owner, &["chat:read"]).await, false),
        ("service key", app.service_key(account, &read).await, true),
        ("service key without", app.service_key(account, &["extension-data:edit"]).await, false),
        ("service key elsewhere", app.service_key(stranger.account_id, &read).await, false),
        ("popout", app.popout(&reader, &read).await, true),
        ("popout beyond its person", app.popout(&powerless, &read).await, false),
        ("popout beyond its maker", app.popout_by(&powerless, &reader, &read).await, false),
        ("page", page(id).await, true),
        ("page of another install", page(other).await, false),
        ("overlay", app.surface_token(TokenKind::Overlay, account, &id.to_string(), None).await, false),
        ("widget", app.surface_token(TokenKind::Widget, account, &id.to_string(), None).await, false),
        ("system key", app.system_key().await, true),
    ];
    let frame = json!({ "type": "subscribe", "channel": format!("ext-storage:{id}") });
    for (kind, caller, may) in &callers {
        let answer = socket(&app, caller).await.ask(frame.clone()).await;
        let expected = if *may { ("subscribed", Value::Null) } else { ("error", json!("UNAUTHORIZED")) };
        assert_eq!((&answer["type"], &answer["code"]), (&json!(expected.0), &expected.1), "{kind}: {answer}");
    }
    let nobodys = json!({ "type": "subscribe", "channel": format!("ext-storage:{}", Uuid::now_v7()) });
    assert_eq!(socket(&app, &owner).await.error_of(nobodys).await, "UNAUTHORIZED");
    app.override_feature(account, "feature:extensions", false).await;
    assert_eq!(socket(&app, &reader).await.error_of(frame.clone()).await, "FEATURE_DISABLED");
    assert_eq!(socket(&app, &powerless).await.error_of(frame).await, "UNAUTHORIZED");
}
