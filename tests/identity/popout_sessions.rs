//! Popout sessions (reference/credentials.md#popout-sessions).

use api_core::token::TokenKind;
use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::invalidation::Invalidation;
use lumio_tests::{Answer, Caller, SocketRequest, TestApp, both_refused};
use reqwest::Method;
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Permission},
    schema::popout_tokens,
};
use uuid::Uuid;

use super::text;

const EXCHANGE: &str = "/v1/auth/popout/exchange";
const WS_TOKEN: &str = "/v1/auth/popout/ws-token";
const ISSUE: &str = "mutation { issuePopoutWsToken { wsToken } }";
const REFUSED: &str = "Invalid or expired popout token";

async fn exchange(app: &TestApp, token: &str) -> Answer {
    app.anonymous().post(EXCHANGE, json!({ "token": token })).await
}

async fn exchange_over_graphql(app: &TestApp, token: &str) -> Answer {
    let input = json!({ "token": token });
    app.anonymous().mutate("exchangePopoutToken", &input, "{ token expiresAt accountId }").await
}

/// Session of a popout.
async fn session(app: &TestApp, popout: &Caller) -> Caller {
    app.bearer(text(exchange(app, popout.token()).await.data(), "/token"))
}

/// Sends a request with the session in the cookie, as a page would.
async fn with_cookie(app: &TestApp, method: Method, path: &str, body: &Value, session: &Caller) -> Answer {
    let anonymous = app.anonymous();
    let cookie = format!("service-popout-token={}", session.token());
    anonymous.send(anonymous.request(method, path).json(body).header("cookie", cookie)).await
}

/// Sends a change with the session in the cookie.
async fn change(app: &TestApp, session: &Caller, headers: &[(&str, &str)]) -> Answer {
    let anonymous = app.anonymous();
    let cookie = format!("service-popout-token={}", session.token());
    let request = anonymous.request(Method::POST, "/v1/bot-commands").header("cookie", cookie);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    anonymous.send(request.body("{}")).await
}

#[tokio::test]
async fn popout_sessions_by_cookie_change_only_from_allowed_origins_with_json() {
    let app = TestApp::builder().with("LUMIO_ALLOWED_ORIGINS", "https://app.lumio.example").start().await;
    let owner = app.owner().await;
    let session = session(&app, &app.popout(&owner, &["bot-commands:create"]).await).await;
    let json_type = ("content-type", "application/json");
    for other in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let answer = change(&app, &session, &[("content-type", other)]).await;
        assert_eq!(answer.status, 400, "{other}");
        answer.refused("BAD_REQUEST", "Content-Type must be application/json");
    }
    change(&app, &session, &[]).await.refused("BAD_REQUEST", "Content-Type must be application/json");
    for origin in ["https://evil.example", "https://app.lumio.example.evil.example", "null"] {
        let answer = change(&app, &session, &[json_type, ("origin", origin)]).await;
        assert_eq!(answer.status, 403, "{origin}");
        answer.refused("FORBIDDEN", "Origin is not allowed");
    }
    let own = app.state.config.http.public_url.origin().ascii_serialization();
    let utf8 = ("content-type", "application/json; charset=utf-8");
    for headers in [
        vec![json_type],
        vec![utf8],
        vec![json_type, ("origin", own.as_str())],
        vec![json_type, ("origin", "https://app.lumio.example")],
    ] {
        let answer = change(&app, &session, &headers).await;
        answer.refused("VALIDATION_ERROR", "Missing field: name");
    }
    let anonymous = app.anonymous();
    for method in [Method::PUT, Method::PATCH, Method::DELETE] {
        let request = anonymous.request(method.clone(), &format!("/v1/bot-commands/{}", Uuid::now_v7()));
        let request = request.header("cookie", format!("service-popout-token={}", session.token()));
        let plain = request.try_clone().unwrap().header("content-type", "text/plain");
        let answer = anonymous.send(plain).await;
        assert_eq!(answer.error().1, "Content-Type must be application/json", "{method}");
        let foreign =
            request.header("content-type", "application/json").header("origin", "https://evil.example");
        let answer = anonymous.send(foreign).await;
        assert_eq!(answer.error().1, "Origin is not allowed", "{method}");
    }
    // Reads, and changes with the session in the header, are not restricted.
    let read = anonymous.request(Method::GET, "/v1/tokens/me").header("origin", "https://evil.example");
    let cookie = format!("service-popout-token={}", session.token());
    assert_eq!(anonymous.send(read.header("cookie", cookie)).await.status, 200);
    let by_header =
        session.request(Method::POST, "/v1/bot-commands").header("origin", "https://evil.example");
    let by_header = session.send(by_header.json(&json!({}))).await;
    by_header.refused("VALIDATION_ERROR", "Missing field: name");
}

fn ws_token(answer: &Answer) -> String {
    text(answer.data(), "/ws_token").to_owned()
}

/// Sets the expiry of the only popout token and invalidates the caches of this process.
async fn expire(app: &TestApp, expires_at: Option<DateTime<Utc>>) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let id = popout_tokens::table.select(popout_tokens::id).first(&mut *db).await.unwrap();
    diesel::update(popout_tokens::table)
        .set(popout_tokens::expires_at.eq(expires_at))
        .execute(&mut *db)
        .await
        .unwrap();
    app.state.caches.invalidate(&Invalidation::Credential { id });
}

#[tokio::test]
async fn exchange_popout_token_sets_the_cookie_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read", "events:read"]).await;
    let earliest = app.clock.now();
    let rest = exchange(&app, popout.token()).await;
    let graphql = exchange_over_graphql(&app, popout.token()).await;
    for (answer, exchanged) in
        [(&rest, rest.data().clone()), (&graphql, graphql.field("exchangePopoutToken"))]
    {
        assert_eq!(answer.status, 200);
        let token = text(&exchanged, "/token");
        assert!(token.starts_with("lm_ey"), "a signed token");
        assert_eq!(
            answer.header("set-cookie"),
            format!("service-popout-token={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=900")
        );
        assert_eq!(exchanged["account_id"], json!(owner.account_id));
        let ends: DateTime<Utc> = text(&exchanged, "/expires_at").parse().unwrap();
        let lives = (ends - earliest).num_seconds();
        assert!((895..=900).contains(&lives), "15 minutes: {lives}");
        let held = app.bearer(token).get("/v1/tokens/me").await;
        let expected = json!({
            "token_type": "popout",
            "account_id": owner.account_id,
            "permissions": ["chat:read", "events:read"],
        });
        assert_eq!(*held.data(), expected);
    }
    let mut fields: Vec<&String> = rest.data().as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(fields, ["account_id", "expires_at", "token"]);
}

#[tokio::test]
async fn exchange_popout_token_sets_a_secure_cookie_outside_development() {
    let app = TestApp::builder()
        .with("LUMIO_ENV", "staging")
        .with("LUMIO_PUBLIC_URL", "https://api.lumio.example")
        .with("LUMIO_JWT_SECRET", "a secret of the test of more than thirty-two characters")
        .with("LUMIO_ENCRYPTION_KEYS", "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
        .start()
        .await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    for answer in [exchange(&app, popout.token()).await, exchange_over_graphql(&app, popout.token()).await] {
        let cookie = answer.header("set-cookie");
        assert!(cookie.ends_with("; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=900"), "{cookie}");
    }
}

#[tokio::test]
async fn exchange_popout_token_refuses_all_but_valid_popout_tokens() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let past = Some(app.clock.now() - Duration::seconds(1));
    let expired = app.popout(&owner, &["chat:read"]).await;
    expire(&app, past).await;
    let revoked = app.popout(&owner, &["chat:read"]).await;
    exchange(&app, revoked.token()).await.expect(200);
    let session_of_a_popout = session(&app, &app.popout(&owner, &["chat:read"]).await).await;
    let listed = owner.get("/v1/tokens").await;
    let prefix = &revoked.token()[..13];
    let id = listed.data().as_array().unwrap().iter().find(|token| token["token_prefix"] == prefix).unwrap();
    owner.delete(&format!("/v1/tokens/{}", text(id, "/id"))).await;
    let unknown = format!("lm_pop_{}", "0".repeat(64));
    let others = [
        String::new(),
        "nonsense".to_owned(),
        unknown,
        expired.token().to_owned(),
        revoked.token().to_owned(),
        format!(" {}", expired.token()),
        owner.token().to_owned(),
        session_of_a_popout.token().to_owned(),
        app.personal_key(&owner, &["chat:read"]).await.token().to_owned(),
        app.service_key(owner.account_id, &["chat:read"]).await.token().to_owned(),
        app.system_key().await.token().to_owned(),
        app.surface_token(TokenKind::Overlay, owner.account_id, "o", None).await.token().to_owned(),
    ];
    for token in &others {
        let (rest, graphql) = (exchange(&app, token).await, exchange_over_graphql(&app, token).await);
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", REFUSED);
        assert_eq!((rest.header("set-cookie"), graphql.header("set-cookie")), ("", ""));
        assert!(token.is_empty() || !rest.text.contains(token), "the answer does not repeat the secret");
    }
    let missing = app.anonymous().post(EXCHANGE, json!({})).await;
    missing.refused("VALIDATION_ERROR", "Missing field: token");
}

#[tokio::test]
async fn exchange_popout_token_ignores_a_stale_cookie() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let old = session(&app, &popout).await;
    app.clock.advance(Duration::minutes(16));
    let body = json!({ "token": popout.token() });
    let again = with_cookie(&app, Method::POST, EXCHANGE, &body, &old).await;
    let fresh = app.bearer(text(again.data(), "/token"));
    with_cookie(&app, Method::GET, "/v1/tokens/me", &json!({}), &old)
        .await
        .refused("UNAUTHORIZED", "Invalid or expired token");
    with_cookie(&app, Method::GET, "/v1/tokens/me", &json!({}), &fresh).await.expect(200);
}

#[tokio::test]
async fn popout_sessions_carry_the_permissions_of_the_token_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let session =
        session(&app, &app.popout(&owner, &["account:read", "chat:read", "tokens:read"]).await).await;
    for (method, path) in [
        (Method::GET, "/v1/users/me"),
        (Method::GET, "/v1/api-keys"),
        (Method::POST, "/v1/tokens"),
        (Method::POST, "/v1/auth/ws-token"),
        (Method::POST, "/v1/auth/logout"),
    ] {
        let by_cookie = with_cookie(&app, method.clone(), path, &json!({}), &session).await;
        let by_bearer = session.send(session.request(method, path).json(&json!({}))).await;
        for answer in [by_cookie, by_bearer] {
            assert_eq!(answer.status, 403, "{path}");
            answer.refused("FORBIDDEN", "First-party session required");
        }
    }
    session.graphql("{ me { id } }", json!({})).await.refused("FORBIDDEN", "First-party session required");
    // Operations that need no first party accept its permissions.
    assert_eq!(session.get("/v1/tokens").await.data().as_array().unwrap().len(), 1);
    session
        .delete(&format!("/v1/tokens/{}", owner.user_id))
        .await
        .refused("FORBIDDEN", "Missing permission: tokens:delete");
    let features = format!("/v1/accounts/{}/enabled-features", owner.account_id);
    with_cookie(&app, Method::GET, &features, &json!({}), &session).await.expect(200);
    let query = json!({ "query": "{ accountFeatures { enabledFeatures } }" });
    let graphql = with_cookie(&app, Method::POST, "/v1/gql", &query, &session).await;
    assert!(graphql.field("accountFeatures")["enabled_features"].is_array());
}

#[tokio::test]
async fn popout_sessions_end_after_15_minutes_or_with_the_token() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let long = session(&app, &popout).await;
    app.clock.advance(Duration::seconds(890));
    long.get("/v1/tokens/me").await.expect(200);
    app.clock.advance(Duration::seconds(11));
    long.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");

    let soon = app.clock.now() + Duration::seconds(60);
    expire(&app, Some(soon)).await;
    let exchanged = exchange(&app, popout.token()).await;
    let ends: DateTime<Utc> = text(exchanged.data(), "/expires_at").parse().unwrap();
    assert!(ends <= soon && ends >= soon - Duration::seconds(3), "{ends} {soon}");
    let short = app.bearer(text(exchanged.data(), "/token"));
    short.get("/v1/tokens/me").await.expect(200);
    // An expiry in the past revokes the token.
    expire(&app, Some(app.clock.now() - Duration::seconds(1))).await;
    short.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
}

#[tokio::test]
async fn issue_popout_ws_token_is_for_popout_sessions_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let anonymous = app.anonymous();
    let rest = anonymous.post(WS_TOKEN, json!({})).await;
    let graphql = anonymous.graphql(ISSUE, json!({})).await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    for other in [
        owner.caller.clone(),
        app.personal_key(&owner, &["chat:read"]).await,
        app.service_key(owner.account_id, &["chat:read"]).await,
        app.system_key().await,
        popout.clone(),
        app.surface_token(TokenKind::Overlay, owner.account_id, "o", None).await,
        app.surface_token(TokenKind::Share, owner.account_id, "o", None).await,
        app.surface_token(TokenKind::Widget, owner.account_id, "w", None).await,
        app.surface_token(TokenKind::Extension, owner.account_id, "i", None).await,
    ] {
        let rest = other.post(WS_TOKEN, json!({})).await;
        let graphql = other.graphql(ISSUE, json!({})).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Popout session required");
    }
    let session = session(&app, &popout).await;
    let by_bearer = session.post(WS_TOKEN, json!({})).await;
    let by_cookie = with_cookie(&app, Method::POST, WS_TOKEN, &json!({}), &session).await;
    let graphql = session.graphql(ISSUE, json!({})).await.field("issuePopoutWsToken");
    for token in [ws_token(&by_bearer), ws_token(&by_cookie), text(&graphql, "/ws_token").to_owned()] {
        SocketRequest::to(app.url()).query(&token).connect().await;
    }
    assert_eq!(by_bearer.data().as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn issue_popout_ws_token_opens_sockets_only() {
    let app = TestApp::builder().with("LUMIO_WS_TOKEN_SECONDS", "60").start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let session = session(&app, &popout).await;
    let token = ws_token(&session.post(WS_TOKEN, json!({})).await);
    let bearer = app.bearer(&token);
    let graphql = bearer.graphql("{ myPermissions { permissions } }", json!({})).await;
    both_refused(
        &bearer.get("/v1/tokens/me").await,
        &graphql,
        401,
        "UNAUTHORIZED",
        "Invalid or expired token",
    );
    let anonymous = app.anonymous();
    anonymous.get(&format!("/v1/tokens/me?token={token}")).await.refused_with("UNAUTHORIZED");
    with_cookie(&app, Method::GET, "/v1/tokens/me", &json!({}), &bearer).await.refused_with("UNAUTHORIZED");

    let request = SocketRequest::to(app.url()).query(&token);
    let mut socket = request.connect().await;
    socket.subscribe(&format!("chat:{}", owner.account_id)).await;
    for channel in [format!("events:{}", owner.account_id), format!("user:{}", owner.user_id)] {
        let frame = json!({ "type": "subscribe", "channel": channel });
        assert_eq!(socket.error_of(frame).await, "UNAUTHORIZED", "{channel}");
    }
    app.clock.advance(Duration::seconds(61));
    assert_eq!(request.refused().await.status, 401, "the configured lifetime is over");
    socket.is_quiet().await;

    // It expires no later than the popout token.
    let token = ws_token(&session.post(WS_TOKEN, json!({})).await);
    let listed = owner.get("/v1/tokens").await;
    owner.delete(&format!("/v1/tokens/{}", text(&listed.data()[0], "/id"))).await;
    assert_eq!(SocketRequest::to(app.url()).query(&token).refused().await.status, 401);
    assert_eq!(socket.until_closed().await.1, 4002);
}

#[tokio::test]
async fn popout_sessions_with_every_permission_fit_into_a_cookie() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let every: Vec<&str> = AccountPermission::ALL.iter().map(|permission| permission.text()).collect();
    let popout = app.popout(&owner, &every).await;
    let exchanged = exchange(&app, popout.token()).await;
    let cookie = exchanged.header("set-cookie");
    assert!(cookie.len() < 4096, "browsers keep no cookie of {} bytes", cookie.len());
    let session = app.bearer(text(exchanged.data(), "/token"));
    let held = with_cookie(&app, Method::GET, "/v1/tokens/me", &json!({}), &session).await;
    assert_eq!(held.data()["permissions"].as_array().unwrap().len(), every.len());
    let ws_token = ws_token(&session.post(WS_TOKEN, json!({})).await);
    SocketRequest::to(app.url()).query(&ws_token).connect().await;
}

#[tokio::test]
async fn exchange_popout_token_has_its_own_limit() {
    let app = TestApp::builder().with("LUMIO_RATE_AUTH_EXCHANGE", 2).start().await;
    app.begin_a_window(60);
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    exchange(&app, popout.token()).await.expect(200);
    exchange(&app, "nonsense").await.expect(401);
    let (rest, graphql) =
        (exchange(&app, popout.token()).await, exchange_over_graphql(&app, popout.token()).await);
    assert_eq!((rest.status, rest.header("x-ratelimit-limit")), (429, "2"));
    for answer in [&rest, &graphql] {
        answer.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
        assert_eq!(answer.header("set-cookie"), "");
    }
}
