//! Rate tiers: requests per minute of each kind of credential (reference/limits.md#rate-limits).

use api_core::token::TokenKind;
use chrono::Duration;
use lumio_tests::{Answer, Caller, TestApp, TestAppBuilder};
use serde_json::json;

use super::text;

/// Server whose tiers have small, different limits.
fn limited() -> TestAppBuilder {
    TestApp::builder()
        .with("LUMIO_RATE_ANONYMOUS", 3)
        .with("LUMIO_RATE_SESSION", 4)
        .with("LUMIO_RATE_API_KEY", 5)
        .with("LUMIO_RATE_SERVICE_KEY", 6)
        .with("LUMIO_RATE_POPOUT", 7)
        .with("LUMIO_RATE_OVERLAY", 8)
        .with("LUMIO_RATE_SURFACE", 9)
}

/// Sends requests on both protocols in turn up to the limit; asserts that both then refuse.
async fn cross(name: &str, callers: &[&Caller], limit: usize) {
    for n in 0..limit {
        let answer = ask(callers[n % callers.len()], n).await;
        assert_ne!(answer.status, 429, "{name}: request {n}");
        assert_eq!(answer.header("x-ratelimit-limit"), limit.to_string(), "{name}");
        assert_eq!(answer.header("x-ratelimit-remaining"), (limit - n - 1).to_string(), "{name}");
    }
    for n in 0..2 {
        let refused = ask(callers[n % callers.len()], n).await;
        assert_eq!((refused.status, refused.header("x-ratelimit-remaining")), (429, "0"), "{name}");
        refused.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{name}: {wait}");
    }
}

async fn ask(caller: &Caller, n: usize) -> Answer {
    if n.is_multiple_of(2) {
        caller.get("/v1/platforms/enabled").await
    } else {
        caller.graphql("{ enabledPlatforms }", json!({})).await
    }
}

#[tokio::test]
async fn rate_tiers_limit_each_kind_of_credential() {
    let app = limited().start().await;
    app.begin_a_window(60);
    let owner = app.owner().await;
    let account = owner.account_id;
    // Two sessions of a person share a limit; so do a popout token and its session.
    let other_session = app.session(owner.user_id, account).await;
    cross("session", &[&owner.caller, &other_session.caller], 4).await;
    cross("personal key", &[&app.personal_key(&owner, &[]).await], 5).await;
    cross("another key of the same person", &[&app.personal_key(&owner, &[]).await], 5).await;
    cross("service key", &[&app.service_key(account, &[]).await], 6).await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let exchanged =
        app.anonymous().post("/v1/auth/popout/exchange", json!({ "token": popout.token() })).await;
    let popout_session = app.bearer(text(exchanged.data(), "/token"));
    cross("popout and its session", &[&popout, &popout_session], 7).await;
    cross("another popout", &[&app.popout(&owner, &["chat:read"]).await], 7).await;
    for (name, kind, limit) in [
        ("overlay", TokenKind::Overlay, 8),
        ("share", TokenKind::Share, 8),
        ("widget", TokenKind::Widget, 9),
        ("extension", TokenKind::Extension, 9),
    ] {
        cross(name, &[&app.surface_token(kind, account, "subject", None).await], limit).await;
    }
    let system = app.system_key().await;
    for n in 0..20 {
        let answer = ask(&system, n).await;
        assert_eq!(
            (answer.error().0.as_str(), answer.header("x-ratelimit-limit")),
            ("FORBIDDEN", ""),
            "unlimited"
        );
    }
}

#[tokio::test]
async fn rate_tiers_count_anonymous_and_invalid_callers_by_address() {
    let app = limited().start().await;
    app.begin_a_window(60);
    let owner = app.owner().await;
    let expired = app.clock.now() - Duration::minutes(1);
    let expired = app.personal_key_until(&owner, &["chat:read"], Some(expired)).await;
    let wrong = app.bearer("nonsense");
    cross("anonymous", &[&app.anonymous(), &wrong, &expired], 3).await;
    ask(&owner, 0).await.expect(200);
}

#[tokio::test]
async fn rate_tiers_reset_with_the_minute() {
    let app = limited().start().await;
    app.begin_a_window(60);
    let key = app.personal_key(&app.owner().await, &[]).await;
    cross("personal key", &[&key], 5).await;
    app.clock.advance(Duration::seconds(60));
    assert_eq!(ask(&key, 0).await.header("x-ratelimit-remaining"), "4");
}
