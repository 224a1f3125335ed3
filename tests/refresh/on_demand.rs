//! Tokens for callers that need one immediately (reference/connections.md#tokens).

use platform_access::PlatformAccess as _;
use std::time::Duration;

use chrono::TimeDelta;
use lumio_tests::TestApp;
use platform_credentials::tokens::Unavailable;
use platforms::{ChatCredentials, ChatMessage, PlatformError, SendAs};
use platforms_stand_in::{Failure, Platform};
use serde_json::json;

use super::world::{
    another_process, channel, channel_with, granted, granted_refreshes, reconnect, set, stored,
};
use lumio_tests::world::install;

const MINUTE: TimeDelta = TimeDelta::minutes(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

#[tokio::test]
async fn on_demand_token_near_its_expiry_is_refreshed_once_for_all_callers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, MINUTE).await;
    app.platforms.fail_next_at(Platform::Twitch, "/token", Failure::Slow(Duration::from_millis(300)));
    let config = app.config();
    let processes =
        [app.state.tokens().clone(), another_process(&app, &config), another_process(&app, &config)];
    let asked = processes.iter().cycle().take(24).cloned();
    let asked: Vec<_> =
        asked.map(|tokens| tokio::spawn(async move { tokens.access(holder).await })).collect();
    let fresh = async || stored(&app, holder).await.access;
    for handed_out in asked {
        let access = handed_out.await.unwrap().unwrap();
        assert_eq!((access.token.expose(), access.version), (fresh().await.as_str(), 1));
    }
    assert_eq!(granted_refreshes(&app, Platform::Twitch), 1);
    app.stop().await;
}

#[tokio::test]
async fn on_demand_token_that_cannot_be_refreshed_is_used_until_its_expiry() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, MINUTE).await;
    let old = stored(&app, holder).await.access;
    app.platforms.fail_next_at(Platform::Twitch, "/token", Failure::ServerError);
    for _ in 0..2 {
        assert_eq!(app.state.tokens().access(holder).await.unwrap().token.expose(), old);
    }
    set(&app, holder, "expires_at", "now() - interval '1 minute'").await;
    assert!(matches!(app.state.tokens().access(holder).await, Err(Unavailable::Postponed)));
    app.stop().await;
}

#[tokio::test]
async fn on_demand_token_is_never_taken_from_a_flagged_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, HOUR).await;
    set(&app, holder, "reconnect_required", "true").await;
    assert!(matches!(app.state.tokens().access(holder).await, Err(Unavailable::ReconnectRequired)));
    let unknown = platform_credentials::tokens::Holder::Channel(shared::id::new());
    assert!(matches!(app.state.tokens().access(unknown).await, Err(Unavailable::Missing)));
    app.stop().await;
}

#[tokio::test]
async fn on_demand_call_with_a_refused_token_is_repeated_once_with_a_new_one() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, HOUR).await;
    let old = stored(&app, holder).await;
    app.platforms.revoke_token(Platform::Twitch, &old.access);
    let mut tried = Vec::new();
    let answer = app
        .state
        .tokens()
        .call(holder, |access| {
            let is_live = app.platforms.is_live(Platform::Twitch, access.token.expose());
            tried.push(access.token.expose().to_owned());
            async move { if is_live { Ok("done") } else { Err(PlatformError::Unauthorized) } }
        })
        .await;
    assert_eq!(answer.unwrap(), "done");
    assert_eq!(tried, [old.access, stored(&app, holder).await.access]);

    let always = app.state.tokens().call(holder, |_| async { Err::<(), _>(PlatformError::Unauthorized) });
    assert!(matches!(always.await, Err(Unavailable::Platform(PlatformError::Unauthorized))));
    assert!(!stored(&app, holder).await.flagged, "a grant that was refreshed a moment ago is not dead");
    app.stop().await;
}

#[tokio::test]
async fn on_demand_refresh_pauses_when_a_new_token_is_refused_too() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, HOUR * 8).await;
    let refused = async || {
        // As a platform does when a scope is missing.
        let call = app.state.tokens().call(holder, |_| async { Err::<(), _>(PlatformError::Unauthorized) });
        assert!(matches!(call.await, Err(Unavailable::Platform(PlatformError::Unauthorized))));
        granted_refreshes(&app, Platform::Twitch)
    };
    for _ in 0..5 {
        assert_eq!(refused().await, 1, "the new token is refused, too");
    }
    let other = app.state.tokens().call(holder, |_| async { Ok::<_, PlatformError>("done") });
    assert_eq!(other.await.unwrap(), "done", "other calls are made");
    assert!(!stored(&app, holder).await.flagged);
    app.clock.advance(MINUTE * 11);
    assert_eq!(refused().await, 2);
    // A new connect may have granted the scope.
    let again = granted(&app, Platform::Twitch, "again");
    reconnect(&app, holder, &again.access_token, &again.refresh_token).await;
    assert_eq!(refused().await, 3);
    app.stop().await;
}

#[tokio::test]
async fn on_demand_call_refused_without_a_refresh_token_flags_the_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let created = granted(&app, Platform::Twitch, "streamer");
    let holder = channel_with(&app, &owner, &created.user, &created.access_token, None, None).await;
    let refused = app.state.tokens().call(holder, |_| async { Err::<(), _>(PlatformError::Unauthorized) });
    assert!(matches!(refused.await, Err(Unavailable::ReconnectRequired)));
    assert!(stored(&app, holder).await.flagged);
    assert_eq!(app.audited_once("connection:flagged").await.metadata["reason"], "token_refused");
    app.stop().await;
}

#[tokio::test]
async fn on_demand_refresh_serves_a_chat_message_of_an_extension() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, HOUR).await;
    let (install, system) =
        (install(&app, &owner, &["chat:read", "chat:send"]).await, app.system_key().await);
    app.platforms.revoke_token(Platform::Twitch, &stored(&app, holder).await.access);
    let call = json!({ "install_id": install, "invocation_id": "i:0", "action": "chat:send",
        "payload": { "message": "still here" } });
    assert_eq!(system.post("/v1/internal/actions", call).await.expect(200)["ok"], true);
    assert_eq!(app.platforms.sent_messages(Platform::Twitch).len(), 1);
    assert_eq!(stored(&app, holder).await.version, 1);

    // The platform accepts the token itself, too.
    let access = app.state.tokens().access(holder).await.unwrap();
    let channel_id = app.platforms.sent_messages(Platform::Twitch)[0].channel_id.clone();
    let message = ChatMessage {
        channel_id: channel_id.clone(),
        sender_id: channel_id,
        text: "and again".into(),
        reply_to: None,
    };
    let credentials =
        ChatCredentials { send_as: SendAs::User, access_token: access.token, client_id: access.client_id };
    app.state
        .platforms()
        .client(shared::platform::Platform::Twitch)
        .send_chat(&credentials, &message)
        .await
        .unwrap();
    app.stop().await;
}
