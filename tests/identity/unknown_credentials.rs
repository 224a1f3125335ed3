//! Unknown credentials (reference/limits.md#unknown-credentials).

use api_core::token::{NewToken, TokenKind};
use chrono::Duration;
use lumio_tests::{Caller, SocketRequest, Statements, TestApp};
use serde_json::json;

/// Text of a key that does not exist.
fn guess(n: usize) -> String {
    format!("lm_svc_{n:064x}")
}

async fn guesses(app: &TestApp, numbers: std::ops::Range<usize>) -> Vec<u16> {
    let mut statuses = Vec::new();
    for n in numbers {
        statuses.push(app.bearer(guess(n)).get("/v1/roles").await.status);
    }
    statuses
}

#[tokio::test]
async fn unknown_credentials_and_anonymous_traffic_block_no_key_of_the_address() {
    let app = TestApp::builder().with("LUMIO_RATE_ANONYMOUS", 3).start().await;
    app.begin_a_window(60);
    let owner = app.owner().await;
    let account = owner.account_id;
    let (system, popout) = (app.system_key().await, app.popout(&owner, &[]).await);
    let keys = [app.personal_key(&owner, &[]).await, app.service_key(account, &[]).await, popout];
    for n in 0..5 {
        let status = app.anonymous().get("/v1/plans").await.status;
        assert_eq!(status, if n < 3 { 200 } else { 429 });
    }
    for key in &keys {
        key.get("/v1/tokens/me").await.expect(200);
    }
    system.get("/v1/internal/accounts/active").await.expect(200);
    let socket = SocketRequest::to(app.url()).bearer(app.service_key(account, &[]).await.token());
    assert!(socket.try_connect().await.is_ok(), "a key that the process has not seen");
}

#[tokio::test]
async fn unknown_credentials_beyond_the_limit_get_429() {
    let app = TestApp::builder().with("LUMIO_RATE_UNKNOWN_CREDENTIAL", 5).start().await;
    app.begin_a_window(60);
    let owner = app.owner().await;
    for _ in 0..8 {
        app.anonymous().get("/v1/plans").await.expect(200);
        assert_eq!(app.anonymous().get("/v1/roles").await.status, 401, "no credential is no guess");
        assert_eq!(app.bearer("nonsense").get("/v1/roles").await.status, 401, "no key is no guess");
    }
    assert_eq!(guesses(&app, 0..5).await, [401; 5]);
    let refused = app.bearer(guess(60)).get("/v1/roles").await;
    assert_eq!(refused.status, 429);
    refused.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!(refused.header("x-ratelimit-limit"), "5");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    let twin = app.bearer(guess(61)).graphql("{ roles { id } }", json!({})).await;
    twin.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    let socket = SocketRequest::to(app.url()).bearer(&guess(62)).refused().await;
    assert_eq!((socket.status, &socket.body["error"]), (429, &json!("RATE_LIMIT_EXCEEDED")));

    // Other requests are not affected.
    app.bearer(guess(63)).get("/v1/plans").await.expect(200);
    assert_eq!(app.anonymous().get("/v1/roles").await.status, 401);
    owner.get("/v1/roles").await.expect(200);
    app.service_key(owner.account_id, &["roles:read"]).await.get("/v1/roles").await.expect(200);
    app.system_key().await.get("/v1/internal/accounts/active").await.expect(200);
    SocketRequest::to(app.url()).bearer(app.service_key(owner.account_id, &[]).await.token()).connect().await;
    app.clock.advance(Duration::seconds(60));
    assert_eq!(app.bearer(guess(64)).get("/v1/roles").await.status, 401, "the next minute");
}

#[tokio::test]
async fn unknown_credentials_are_queried_once_a_minute() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    statements.to(&app);
    let ask = async |caller: &Caller| {
        assert_eq!(caller.get("/v1/roles").await.status, 401);
        statements.take_of("account_service_keys").len()
    };
    let wrong = app.bearer(guess(0));
    assert_eq!(ask(&wrong).await, 1);
    assert_eq!((ask(&wrong).await, ask(&wrong).await), (0, 0));
    assert_eq!(ask(&app.bearer(guess(1))).await, 1, "another text is another lookup");
    app.clock.advance(Duration::seconds(61));
    assert_eq!(ask(&wrong).await, 1);
}

#[tokio::test]
async fn unknown_credentials_are_ignored_on_public_routes() {
    let app = TestApp::start().await;
    let mut texts = vec!["nonsense".to_owned(), "lm_eyJhbGciOiJub25lIn0.e30.".to_owned(), guess(0)];
    for kind in [TokenKind::User, TokenKind::Popout, TokenKind::System, TokenKind::Overlay] {
        texts.push(NewToken::generate(kind).text.expose().to_owned());
    }
    for text in texts {
        let caller = app.bearer(text.as_str());
        caller.get("/v1/plans").await.expect(200);
        caller.graphql("{ plans { id } }", json!({})).await.field("plans");
        caller.get("/v1/roles").await.refused("UNAUTHORIZED", "Invalid or expired token");
    }
}

#[tokio::test]
async fn unknown_credentials_wait_for_a_permit() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let known = app.service_key(owner.account_id, &["roles:read"]).await;
    known.get("/v1/roles").await.expect(200);
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(app.state.lookups.permit().await.expect("a permit"));
    }
    let guessed = app.bearer(guess(1)).get("/v1/roles").await;
    assert_eq!((guessed.status, guessed.error().0.as_str()), (500, "DATABASE_ERROR"));
    known.get("/v1/roles").await.expect(200);
    drop(held);
    assert_eq!(app.bearer(guess(1)).get("/v1/roles").await.status, 401);
}
