//! Tokens of providers, and the lifetime of tokens of the service (reference/credentials.md#provider-proof).

use chrono::Duration;
use lumio_tests::{TestApp, both_refused};
use platforms_stand_in::{NewToken, Platform};

use crate::{EXCHANGED, refresh, sign_in, sign_in_with, text};

#[tokio::test]
async fn tokens_of_providers_must_match_subject_and_application() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut attempts = 0;
    for (provider, platform) in
        [("twitch", Platform::Twitch), ("google", Platform::Youtube), ("discord", Platform::Discord)]
    {
        let (ada, own) = app.platforms.create_user(platform, "ada");
        let (bob, _) = app.platforms.create_user(platform, "bob");
        let foreign = app.platforms.issue_token(NewToken {
            platform,
            user_id: Some(ada.id.clone()),
            client_id: Some("another-application".into()),
            scopes: None,
            expires_in_secs: None,
        });
        for input in [sign_in_with(provider, &ada, &foreign), sign_in_with(provider, &bob, &own)] {
            let anonymous = app.anonymous();
            let rest = anonymous.post("/v1/auth/token", input.clone()).await;
            let graphql = anonymous.mutate("exchangeToken", &input, EXCHANGED).await;
            both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Invalid provider token");
            let authorize = anonymous.post("/v1/auth/authorize", input.clone()).await;
            let link = owner.post("/v1/auth/link", input).await;
            for answer in [authorize, link] {
                assert_eq!(answer.status, 401, "{provider}: {}", answer.text);
                answer.refused("UNAUTHORIZED", "Invalid provider token");
            }
            attempts += 4;
        }
    }
    let failed = app.audited("user:login_failed").await;
    assert_eq!(failed.len(), attempts);

    // Without a configured client id every sign-in is refused, and the reason is not shown.
    let app = TestApp::builder()
        .with("LUMIO_TWITCH_CLIENT_ID", "")
        .with("LUMIO_TWITCH_CLIENT_SECRET", "")
        .with("LUMIO_YOUTUBE_CLIENT_ID", "")
        .with("LUMIO_YOUTUBE_CLIENT_SECRET", "")
        .with("LUMIO_DISCORD_CLIENT_ID", "")
        .with("LUMIO_DISCORD_CLIENT_SECRET", "")
        .start()
        .await;
    let owner = app.owner().await;
    for (provider, platform) in
        [("twitch", Platform::Twitch), ("google", Platform::Youtube), ("discord", Platform::Discord)]
    {
        let (ada, token) = app.platforms.create_user(platform, "ada");
        let input = sign_in_with(provider, &ada, &token);
        let anonymous = app.anonymous();
        let rest = anonymous.post("/v1/auth/token", input.clone()).await;
        let graphql = anonymous.mutate("exchangeToken", &input, EXCHANGED).await;
        both_refused(&rest, &graphql, 500, "INTERNAL_SERVER_ERROR", "Internal server error");
        let authorize = anonymous.post("/v1/auth/authorize", input.clone()).await;
        let link = owner.post("/v1/auth/link", input).await;
        for answer in [authorize, link] {
            answer.refused("INTERNAL_SERVER_ERROR", "Internal server error");
        }
    }
}

#[tokio::test]
async fn tokens_expire_after_their_lifetime() {
    // A session token lives 15 minutes, a refresh token 30 days.
    let app = TestApp::start().await;
    let signed_in = sign_in(&app, "ada").await;
    let (token, refresh_token) = (text(signed_in.data(), "/token"), text(signed_in.data(), "/refresh_token"));
    let session = app.bearer(token);
    app.clock.advance(Duration::seconds(895));
    session.get("/v1/tokens/me").await.expect(200);
    app.clock.advance(Duration::seconds(6));
    session.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    app.clock.advance(Duration::days(29));
    let next = refresh(&app, refresh_token).await;
    app.bearer(text(next.data(), "/token")).get("/v1/tokens/me").await.expect(200);
    app.clock.advance(Duration::days(31));
    refresh(&app, text(next.data(), "/refresh_token")).await.refused("UNAUTHORIZED", "Invalid refresh token");
}
