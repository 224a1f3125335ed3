//! OAuth callbacks of browsers that come straight from a platform.

use lumio_tests::{Answer, Caller, TestApp};
use platforms_stand_in::Platform;
use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use super::world::{opened, parameter, streamer};

/// Follows the redirect of a platform as a browser with these cookies.
async fn follow(app: &TestApp, back: &Url, cookies: &str) -> Answer {
    follow_as(&app.anonymous(), back, cookies).await
}

async fn follow_as(caller: &Caller, back: &Url, cookies: &str) -> Answer {
    let path = format!("{}?{}", back.path(), back.query().unwrap_or_default());
    caller.send(caller.request(Method::GET, &path).header("cookie", cookies)).await
}

/// Starts to connect a Twitch channel; returns the address that the platform redirects to, and the cookie of
/// the browser.
async fn start(app: &TestApp, caller: &Caller, body: Value) -> (Url, String) {
    let answer = caller.post("/v1/connections/channel/twitch/authorize", body).await;
    let (page, _) = opened(&answer);
    (app.platforms.visit(&page).await.unwrap(), cookie(&answer))
}

/// Cookie that an answer sets, in the form of a request header.
fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned()
}

#[track_caller]
fn target(answer: &Answer) -> Url {
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    Url::parse(answer.header("location")).expect("an address")
}

#[tokio::test]
async fn receive_oauth_callback_redirects_to_the_requested_address() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");
    let to = "http://localhost:3000/connections?tab=1";
    let (back, cookie) = start(&app, &owner, json!({ "return_to": to })).await;
    let sent = target(&follow(&app, &back, &cookie).await);
    assert_eq!(sent.as_str(), "http://localhost:3000/connections?tab=1&connected=twitch&kind=channel");
    assert_eq!(owner.get("/v1/connections/channel").await.data().as_array().unwrap().len(), 1);

    // The state is used up, and no return address is known.
    let again = follow(&app, &back, &cookie).await;
    assert_eq!(again.status, 400);
    again.refused("BAD_REQUEST", "Invalid or expired state");

    let (back, cookie) = start(&app, &owner, json!({})).await;
    let sent = target(&follow(&app, &back, &cookie).await);
    assert_eq!(sent.as_str(), "http://localhost:3000/?connected=twitch&kind=channel");
    app.stop().await;
}

#[tokio::test]
async fn receive_oauth_callback_redirects_failures_with_the_reason() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (query, reason) in [
        ("error=access_denied", "access_denied"),
        ("error=server_error&code=x", "no_code"),
        ("code=", "no_code"),
        ("code=made-up", "bad_request"),
    ] {
        let answer = owner.post("/v1/connections/channel/twitch/authorize", json!({})).await;
        let (_, state) = opened(&answer);
        let path = format!("/v1/connections/oauth/twitch/exchange?{query}&state={state}");
        let back = Url::parse(&format!("{}{path}", app.url())).unwrap();
        let sent = target(&follow(&app, &back, &cookie(&answer)).await);
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

#[tokio::test]
async fn receive_oauth_callback_works_in_the_starting_browser_only() {
    let app = TestApp::start().await;
    let (owner, victim) = (app.owner().await, app.owner().await);
    streamer(&app, Platform::Twitch, "victim");
    let none = "lumio-browser=";
    let guessed = format!("lumio-browser={}", "0".repeat(64));
    for cookies in ["", none, &guessed, "other=1"] {
        let (back, cookie) = start(&app, &owner, json!({})).await;
        let lured = follow(&app, &back, cookies).await;
        assert_eq!(lured.status, 400, "{cookies}");
        lured.refused("BAD_REQUEST", "Invalid or expired state");
        // The state is used up, because another browser presented it.
        follow(&app, &back, &cookie).await.refused("BAD_REQUEST", "Invalid or expired state");
    }
    let (back, cookie) = start(&app, &owner, json!({})).await;
    follow_as(&victim, &back, &cookie).await.refused("BAD_REQUEST", "Invalid or expired state");
    let (_, of_victim) = start(&app, &victim, json!({})).await;
    let (back, _) = start(&app, &owner, json!({})).await;
    follow(&app, &back, &of_victim).await.refused("BAD_REQUEST", "Invalid or expired state");
    for caller in [&owner, &victim] {
        assert_eq!(caller.get("/v1/connections/channel").await.data(), &json!([]));
    }

    // The user who started the flow needs no cookie while signed in.
    let (back, _) = start(&app, &owner, json!({})).await;
    target(&follow_as(&owner, &back, "").await);
    assert_eq!(owner.get("/v1/connections/channel").await.data().as_array().unwrap().len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn authorize_channel_reuses_the_cookie_of_the_browser() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Twitch, "streamer");
    let begin = async |cookies: &str| {
        let request = owner.request(Method::POST, "/v1/connections/channel/twitch/authorize");
        owner.send(request.header("cookie", cookies).json(&json!({}))).await
    };
    let first = begin("").await;
    let set = first.header("set-cookie").to_owned();
    for part in ["lumio-browser=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"] {
        assert!(set.contains(part), "{part}: {set}");
    }
    let held = cookie(&first);
    assert_eq!(cookie(&begin(&held).await), held, "two windows of one browser do not disturb each other");
    assert_ne!(cookie(&begin("lumio-browser=short").await), held);

    let query = "mutation { a: authorizeChannel(platform: \"twitch\") { authorizeUrl }
        b: authorizeChannel(platform: \"twitch\") { authorizeUrl } }";
    let both = owner.graphql(query, json!({})).await;
    let held = cookie(&both);
    for field in ["a", "b"] {
        let page = both.field(field)["authorize_url"].as_str().unwrap().to_owned();
        let back = app.platforms.visit(&page).await.unwrap();
        target(&follow(&app, &back, &held).await);
    }
    app.stop().await;
}

#[tokio::test]
async fn receive_oauth_callback_of_a_key_works_with_its_cookie_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.service_key(owner.account_id, &["connections:create"]).await;
    streamer(&app, Platform::Twitch, "streamer");
    let (back, _) = start(&app, &key, json!({})).await;
    follow(&app, &back, "").await.refused("BAD_REQUEST", "Invalid or expired state");
    let (back, _) = start(&app, &key, json!({})).await;
    follow_as(&owner, &back, "").await.refused("BAD_REQUEST", "Invalid or expired state");
    let (back, cookie) = start(&app, &key, json!({})).await;
    let sent = target(&follow(&app, &back, &cookie).await);
    assert_eq!(parameter(&sent, "connected").as_deref(), Some("twitch"));
    app.stop().await;
}
