//! Browsers that come straight from a platform.

use lumio_tests::TestApp;
use platforms_stand_in::Platform;
use serde_json::json;
use url::Url;

use super::world::{begin, opened, parameter, streamer};

/// The answer of the address that a platform sent the browser back to, at this server.
async fn follow(app: &TestApp, back: &Url) -> lumio_tests::Answer {
    let path = format!("{}?{}", back.path(), back.query().unwrap_or_default());
    app.anonymous().get(&path).await
}

fn target(answer: &lumio_tests::Answer) -> Url {
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert_eq!(answer.header("cache-control"), "no-store");
    Url::parse(answer.header("location")).expect("an address")
}

#[tokio::test]
async fn the_browser_is_sent_on_to_where_the_client_wanted() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");
    let to = "http://localhost:3000/connections?tab=1";
    let begun = owner.post("/v1/connections/channel/twitch/authorize", json!({ "return_to": to })).await;
    let (page, _) = opened(&begun);
    let back = app.platforms.visit(&page).await.unwrap();
    let sent = target(&follow(&app, &back).await);
    assert_eq!(sent.as_str(), "http://localhost:3000/connections?tab=1&connected=twitch&kind=channel");
    assert_eq!(owner.get("/v1/connections/channel").await.data().as_array().unwrap().len(), 1);

    // The handle is spent: nothing tells where to go.
    let again = follow(&app, &back).await;
    assert_eq!(again.status, 400);
    again.refused("BAD_REQUEST", "Invalid or expired state");

    let (page, _) = begin(&owner, Platform::Twitch).await;
    let back = app.platforms.visit(&page).await.unwrap();
    let sent = target(&follow(&app, &back).await);
    assert_eq!(sent.as_str(), "http://localhost:3000/?connected=twitch&kind=channel");
    app.stop().await;
}

#[tokio::test]
async fn whoever_declines_or_brings_nonsense_is_sent_back_with_the_reason() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (query, reason) in [
        ("error=access_denied", "access_denied"),
        ("error=server_error&code=x", "no_code"),
        ("code=", "no_code"),
        ("code=made-up", "bad_request"),
    ] {
        let (_, state) = begin(&owner, Platform::Twitch).await;
        let path = format!("/v1/connections/oauth/twitch/exchange?{query}&state={state}");
        let sent = target(&app.anonymous().get(&path).await);
        assert_eq!(parameter(&sent, "connection_error").as_deref(), Some(reason), "{query}");
        assert_eq!((sent.host_str(), sent.port()), (Some("localhost"), Some(3000)));
        let again = app.anonymous().get(&path).await;
        again.refused("BAD_REQUEST", "Invalid or expired state");
    }
    for query in ["", "?code=x", "?code=x&state=", "?state=0"] {
        let lost = app.anonymous().get(&format!("/v1/connections/oauth/twitch/exchange{query}")).await;
        lost.refused("BAD_REQUEST", "Invalid or expired state");
    }
    assert_eq!(owner.get("/v1/connections/channel").await.data(), &json!([]));
    app.stop().await;
}
