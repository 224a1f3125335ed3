//! Credential modes: the application that new connections use (reference/connections.md#credential-modes).

use lumio_tests::{Caller, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::json;

use super::world::system_app;

async fn modes(caller: &Caller) -> Vec<(String, String, String, bool)> {
    let rest = caller.get("/v1/connections/credential-modes").await;
    let query = "{ platformCredentialModes { platform kind mode systemConfigured } }";
    let graphql = caller.graphql(query, json!({})).await.field("platformCredentialModes");
    let rows = rest.data().as_array().unwrap();
    for (twin, row) in graphql.as_array().unwrap().iter().zip(rows) {
        assert_eq!(twin["kind"].as_str().unwrap().to_lowercase(), row["kind"].as_str().unwrap());
        assert_eq!(twin["mode"].as_str().unwrap().to_lowercase(), row["mode"].as_str().unwrap());
        assert_eq!(
            (&twin["platform"], &twin["system_configured"]),
            (&row["platform"], &row["system_configured"])
        );
    }
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    rows.iter()
        .map(|row| {
            (
                text(&row["platform"]),
                text(&row["kind"]),
                text(&row["mode"]),
                row["system_configured"].as_bool().unwrap(),
            )
        })
        .collect()
}

fn row(platform: &str, kind: &str, mode: &str, configured: bool) -> (String, String, String, bool) {
    (platform.to_owned(), kind.to_owned(), mode.to_owned(), configured)
}

#[tokio::test]
async fn platform_credential_modes_shows_defaults_and_configured_applications() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    // The stand-in configures the login application of every platform.
    assert_eq!(
        modes(&owner).await,
        [
            row("twitch", "channel", "system", true),
            row("youtube", "channel", "account", false),
            row("kick", "channel", "system", false),
            row("trovo", "channel", "system", false),
            row("spotify", "channel", "account", false),
            row("twitch", "bot", "system", true),
            row("youtube", "bot", "system", false),
            row("kick", "bot", "system", false),
            row("trovo", "bot", "system", false),
        ]
    );
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    system_app(&app, Platform::Youtube, "channel", "youtube-app").await;
    let known = modes(&owner).await;
    assert!(known.contains(&row("kick", "channel", "system", true)));
    assert!(known.contains(&row("kick", "bot", "system", true)), "a bot takes the channel's application");
    assert!(known.contains(&row("youtube", "channel", "account", true)));
    assert!(known.contains(&row("youtube", "bot", "system", false)), "not on YouTube");
    app.stop().await;
}

#[tokio::test]
async fn platform_credential_modes_follow_the_configuration() {
    let app = TestApp::builder()
        .with("LUMIO_CREDENTIAL_MODE_KICK", "account")
        .with("LUMIO_CREDENTIAL_MODE_BOT_YOUTUBE", "account")
        .start()
        .await;
    let owner = app.owner().await;
    let known = modes(&owner).await;
    assert!(known.contains(&row("kick", "channel", "account", false)));
    assert!(known.contains(&row("kick", "bot", "system", false)));
    assert!(known.contains(&row("youtube", "bot", "account", false)));
    app.stop().await;
}

#[tokio::test]
async fn platform_credential_modes_need_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let query = "{ platformCredentialModes { platform } }";
    let member = app.member_with(owner.account_id, &[]).await;
    let rest = member.get("/v1/connections/credential-modes").await;
    let graphql = member.graphql(query, json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:read");
    app.override_feature(owner.account_id, "feature:connections", false).await;
    let rest = owner.get("/v1/connections/credential-modes").await;
    let graphql = owner.graphql(query, json!({})).await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:connections");
    app.stop().await;
}
