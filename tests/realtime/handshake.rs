//! The handshake of a socket (reference/realtime.md#handshake).

use api_core::access::{Claims, TokenType};
use api_core::token::TokenKind;
use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{PUBLIC_URL, SocketRequest, TestApp};
use serde_json::json;
use shared::{id, schema::popout_tokens};

use super::socket;

#[tokio::test]
async fn handshake_takes_every_credential_by_header_and_short_lived_ones_by_query() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let (later, subject) = (app.clock.now() + Duration::hours(1), id::new().to_string());
    let claims =
        Claims::new(TokenType::Ws, owner.user_id, owner.session_id, Some(account), app.clock.now(), 900);
    let ws_token = app.bearer(app.state.jwt.sign(&claims).unwrap());
    let surface = |kind| app.surface_token(kind, account, &subject, Some(later));
    let callers = [
        ("session", owner.caller.clone(), true),
        ("ws token", ws_token, true),
        ("personal key", app.personal_key(&owner, &["chat:read"]).await, false),
        ("service key", app.service_key(account, &["chat:read"]).await, false),
        ("system key", app.system_key().await, false),
        ("popout", app.popout(&owner, &["chat:read"]).await, true),
        ("overlay", surface(TokenKind::Overlay).await, true),
        ("share", surface(TokenKind::Share).await, true),
        ("widget", surface(TokenKind::Widget).await, true),
        ("extension", surface(TokenKind::Extension).await, true),
    ];
    for (kind, caller, by_query) in &callers {
        let greeted = socket(&app, caller).await;
        assert_eq!(greeted.hello["type"], "connected", "{kind}");
        let query = SocketRequest::to(app.url()).query(caller.token());
        if *by_query {
            query.connect().await;
        } else {
            let refused = query.refused().await;
            assert_eq!((refused.status, &refused.body["error"]), (401, &json!("UNAUTHORIZED")), "{kind}");
        }
    }
}

#[tokio::test]
async fn handshake_ends_with_a_greeting_of_the_server() {
    let app = TestApp::start().await;
    let socket = SocketRequest::to(app.url()).connect().await;
    let hello = socket.hello.as_object().unwrap();
    let mut fields: Vec<&str> = hello.keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["heartbeat_interval_ms", "server_time", "session_id", "type"]);
    assert_eq!(hello["heartbeat_interval_ms"], 30_000);
    assert_eq!(hello["session_id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap().get_version_num(), 7);
    let time = hello["server_time"].as_str().unwrap();
    assert!(time.len() == 24 && time.ends_with('Z'), "milliseconds and Z: {time}");
}

#[tokio::test]
async fn handshake_refuses_invalid_credentials_and_takes_an_expired_key_as_anonymous() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let past = Some(app.clock.now() - Duration::hours(1));
    let expired_share = app.surface_token(TokenKind::Share, owner.account_id, "o", past).await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    diesel::delete(popout_tokens::table.filter(popout_tokens::user_id.eq(owner.user_id)))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let unknown = format!("lm_usr_{}", "0".repeat(64));
    for token in ["", "nonsense", "lm_ey.a.b", &unknown, expired_share.token(), popout.token()] {
        let refused = SocketRequest::to(app.url()).bearer(token).refused().await;
        assert_eq!((refused.status, &refused.body["error"]), (401, &json!("UNAUTHORIZED")), "{token}");
    }
    let refused = SocketRequest::to(app.url()).query("").refused().await;
    assert_eq!(refused.status, 401);

    let expired_key = app.personal_key_until(&owner, &["chat:read"], past).await;
    let mut anonymous = socket(&app, &expired_key).await;
    let frame = json!({ "type": "subscribe", "channel": format!("chat:{}", owner.account_id) });
    assert_eq!(anonymous.error_of(frame).await, "UNAUTHORIZED");
}

#[tokio::test]
async fn handshake_admits_foreign_origins_only_with_embedding_tokens() {
    let app = TestApp::builder().with("LUMIO_ALLOWED_ORIGINS", "https://dash.example").start().await;
    let owner = app.owner().await;
    let at = |origin: &str| SocketRequest::to(app.url()).origin(origin);
    at("https://dash.example").query(owner.token()).connect().await;
    at(PUBLIC_URL).query(owner.token()).connect().await;
    for origin in ["https://evil.example", "null", "https://dash.example.evil.example", "http://dash.example"]
    {
        for request in [at(origin).query(owner.token()), at(origin)] {
            let refused = request.refused().await;
            assert_eq!((refused.status, &refused.body["error"]), (403, &json!("FORBIDDEN")), "{origin}");
        }
    }
    // The credential is checked first: a caller with a bad token learns nothing of origins.
    assert_eq!(at("https://evil.example").query("nonsense").refused().await.status, 401);
    for kind in [TokenKind::Overlay, TokenKind::Share, TokenKind::Widget, TokenKind::Extension] {
        let token = app.surface_token(kind, owner.account_id, "subject", None).await;
        at("https://evil.example").query(token.token()).connect().await;
    }
}

#[tokio::test]
async fn handshake_ignores_the_popout_cookie() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let request = SocketRequest::to(app.url()).cookie(&format!("service-popout-token={}", popout.token()));
    let mut socket = request.connect().await;
    let frame = json!({ "type": "subscribe", "channel": format!("chat:{}", owner.account_id) });
    assert_eq!(socket.error_of(frame).await, "UNAUTHORIZED");
}

#[tokio::test]
async fn handshake_without_an_upgrade_is_a_bad_request() {
    let app = TestApp::start().await;
    app.anonymous().get("/v1/ws").await.refused("BAD_REQUEST", "Missing header: Upgrade: websocket");
}

#[tokio::test]
async fn handshake_adds_to_the_counts_of_health_and_metrics() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let counts = async || app.anonymous().get("/v1/health").await.data()["websocket"].clone();
    assert_eq!(counts().await, json!({ "sessions": 0, "channels": 0 }));
    let (mut one, mut two) = (socket(&app, &owner).await, socket(&app, &owner).await);
    one.subscribe(&format!("chat:{}", owner.account_id)).await;
    two.subscribe(&format!("chat:{}", owner.account_id)).await;
    two.subscribe(&format!("user:{}", owner.user_id)).await;
    assert_eq!(counts().await, json!({ "sessions": 2, "channels": 2 }));
    let metrics = reqwest::get(format!("{}/metrics", app.metrics_url())).await.unwrap().text().await.unwrap();
    let gauge = metrics.lines().find(|line| line.starts_with("lumio_websocket_sessions{")).unwrap();
    assert!(gauge.ends_with(" 2"), "{gauge}");
    drop((one, two));
    for _ in 0..500 {
        if counts().await == json!({ "sessions": 0, "channels": 0 }) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("closed sockets are still counted: {}", counts().await);
}
