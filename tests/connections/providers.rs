//! Enabled providers by use (reference/connections.md#enabled-providers).

use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::{Value, json};

async fn both(caller: &Caller, used_for: &str) -> (lumio_tests::Answer, lumio_tests::Answer) {
    let rest = caller.get(&format!("/v1/connections/providers?connection_type={used_for}")).await;
    let query = format!("{{ enabledProviders(connectionType: {}) }}", used_for.to_uppercase());
    (rest, caller.graphql(&query, json!({})).await)
}

async fn enabled(caller: &Caller, used_for: &str) -> Value {
    let (rest, graphql) = both(caller, used_for).await;
    assert_eq!(graphql.field("enabledProviders"), *rest.data());
    rest.data().clone()
}

#[tokio::test]
async fn enabled_providers_shows_logins_to_all_and_connections_to_members() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let login = json!(["twitch", "youtube", "kick", "trovo", "discord"]);
    assert_eq!(enabled(&app.anonymous(), "login").await, login);
    assert_eq!(enabled(&owner, "login").await, login);
    assert_eq!(enabled(&owner, "channel").await, json!(["twitch", "youtube", "kick", "trovo", "spotify"]));
    assert_eq!(enabled(&owner, "bot").await, json!(["twitch", "youtube", "kick", "trovo", "discord"]));

    app.switch("platform:kick", false).await;
    app.switch("platform:twitch:login", false).await;
    app.override_feature(owner.account_id, "platform:trovo:bot", false).await;
    assert_eq!(enabled(&app.anonymous(), "login").await, json!(["youtube", "trovo", "discord"]));
    assert_eq!(enabled(&owner, "channel").await, json!(["twitch", "youtube", "trovo", "spotify"]));
    assert_eq!(enabled(&owner, "bot").await, json!(["twitch", "youtube", "discord"]));
    app.stop().await;
}

#[tokio::test]
async fn enabled_providers_for_connections_needs_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    for used_for in ["channel", "bot"] {
        let (rest, graphql) = both(&app.anonymous(), used_for).await;
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
        let (rest, graphql) = both(&member, used_for).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:read");
    }
    let wrong = app.anonymous().get("/v1/connections/providers?connection_type=other").await;
    assert_eq!((wrong.status, wrong.error().0.as_str()), (400, "VALIDATION_ERROR"));
    let missing = app.anonymous().get("/v1/connections/providers").await;
    assert_eq!((missing.status, missing.error().0.as_str()), (400, "VALIDATION_ERROR"));
    app.stop().await;
}
