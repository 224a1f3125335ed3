//! Who may listen to which channel (A §6, C §2.3, §11.5).

use lumio_tests::TestApp;
use serde_json::json;
use shared::token::TokenKind;
use uuid::Uuid;

use super::socket;

#[tokio::test]
async fn every_kind_of_caller_meets_the_gate_of_every_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (account, user) = (owner.account_id, owner.user_id);
    let stranger = app.owner().await;
    let powerless = app.member_with(account, &[]).await;
    let all = ["chat:read", "events:read", "extension-store:read"];
    // In the order of the channels below: may it listen?
    let callers = [
        ("owner", owner.caller.clone(), [true, true, true, true, true]),
        ("member without permissions", powerless.caller.clone(), [false, false, false, true, false]),
        ("stranger", stranger.caller.clone(), [false; 5]),
        ("personal key", app.personal_key(&owner, &all).await, [true, true, true, true, false]),
        (
            "narrow personal key",
            app.personal_key(&owner, &["chat:read"]).await,
            [true, false, false, true, false],
        ),
        (
            "key beyond its person",
            app.personal_key(&powerless, &all).await,
            [false, false, false, true, false],
        ),
        ("service key", app.service_key(account, &["events:read"]).await, [false, true, false, true, false]),
        ("system key", app.system_key().await, [true; 5]),
        ("popout", app.popout(&owner, &["chat:read"]).await, [true, false, false, false, false]),
        ("popout beyond its person", app.popout(&powerless, &all).await, [false; 5]),
        ("overlay", app.surface_token(TokenKind::Overlay, account, "k", None).await, [false; 5]),
        ("widget", app.surface_token(TokenKind::Widget, account, "w", None).await, [false; 5]),
        ("extension", app.surface_token(TokenKind::Extension, account, "i", None).await, [false; 5]),
    ];
    let channels = [
        format!("chat:{account}"),
        format!("events:{account}"),
        format!("extensions:{account}"),
        format!("account:{account}"),
        format!("user:{user}"),
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
async fn a_feature_is_asked_for_after_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let powerless = app.member_with(owner.account_id, &[]).await;
    for (feature, channel) in
        [("feature:multichat", "chat"), ("feature:events", "events"), ("feature:extensions", "extensions")]
    {
        app.override_feature(owner.account_id, feature, false).await;
        let frame = json!({ "type": "subscribe", "channel": format!("{channel}:{}", owner.account_id) });
        let mut permitted = socket(&app, &owner).await;
        assert_eq!(permitted.error_of(frame.clone()).await, "FEATURE_DISABLED", "{channel}");
        let mut without = socket(&app, &powerless).await;
        assert_eq!(without.error_of(frame).await, "UNAUTHORIZED", "{channel}");
    }
}
