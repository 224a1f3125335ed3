//! The connection of the page: its token, its losses and its end.

use std::time::Duration;

use lumio_tests::{Network, Weather};
use serde_json::json;

use super::{Stage, layer, random_name, text};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_keeps_its_token_out_of_the_address_and_over_a_refresh() {
    let Some(mut stage) = Stage::start().await else { return };
    stage.set_layers(&json!([layer("text", (0, 0), &json!({ "text": "one" }))])).await;
    stage.open(1).await;
    let address = format!("{}/v1/overlays/{}/page", stage.app.url(), text(&stage.overlay["key"]));
    assert_eq!(stage.browser.value("location.href").await, address);
    let kept =
        stage.browser.value("[document.cookie, localStorage.length, sessionStorage.length].join()").await;
    assert_eq!(kept, ",0,0");
    stage.browser.value("window.isOld = true").await;
    stage.browser.reload().await;
    stage.browser.until("window.isOld === undefined && document.readyState === 'complete'").await;
    stage.shows(1).await;
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_says_why_it_stopped_after_a_rotation() {
    let Some(mut stage) = Stage::start().await else { return };
    stage.set_layers(&json!([layer("text", (0, 0), &json!({ "text": "one" }))])).await;
    stage.open(1).await;
    assert_eq!(stage.browser.value("document.querySelector('#message').hidden").await, true);
    stage.owner.post(&stage.path("/token/rotate"), json!({})).await.expect(200);
    stage.shows(0).await;
    stage.browser.until("!document.querySelector('#message').hidden").await;
    let message = stage.text_of("#message").await;
    assert!(message.contains("replaced") && message.contains("Copy the new one"), "{message}");
    assert_eq!(stage.browser.value("history.state").await, serde_json::Value::Null, "the token is gone");
    // The new link in the same browser source is the same page with another fragment.
    stage.token = stage.present_token().await;
    stage.open(1).await;
    assert_eq!(stage.browser.value("document.querySelector('#message').hidden").await, true);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_without_a_token_or_with_a_foreign_one_says_so() {
    let Some(mut stage) = Stage::start().await else { return };
    let address = format!("{}/v1/overlays/{}/page", stage.app.url(), text(&stage.overlay["key"]));
    stage.browser.open(&address).await;
    stage.browser.until("document.querySelector('#message').textContent.includes('not complete')").await;
    let other =
        stage.owner.post("/v1/overlays", json!({ "name": "Other" })).await.expect(201)["data"].clone();
    let other =
        stage.owner.get(&format!("/v1/overlays/{}/token", text(&other["id"]))).await.data()["token"].clone();
    stage.browser.open("about:blank").await;
    stage.browser.open(&format!("{address}#token={}", text(&other))).await;
    stage.browser.until("document.querySelector('#message').textContent.includes('another page')").await;
    stage.browser.open("about:blank").await;
    stage.browser.open(&format!("{address}#token=lm_overlay_unknown")).await;
    stage.browser.until("document.querySelector('#message').textContent.includes('not valid')").await;
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_resumes_without_repeating_an_alert() {
    let Some(mut stage) = Stage::start().await else { return };
    stage.set_layers(&json!([layer("event_list", (0, 0), &json!({}))])).await;
    let network = Network::to(&stage.app.url()).await;
    let address = stage.address(network.url(&stage.app.url()).trim_end_matches('/'));
    stage.browser.open(&address).await;
    stage.shows(1).await;
    let (before, meanwhile, after) = (random_name(), random_name(), random_name());
    let shows = |name: &str| format!("document.querySelector('.layer').textContent.includes('{name}')");
    stage.emit("twitch:follower", json!({ "user_name": before })).await;
    stage.browser.until(&shows(&before)).await;
    stage.browser.value("document.querySelector('.layer .root > :last-child').marked = true").await;

    network.set_weather(Weather::Cut);
    stage.emit("twitch:follower", json!({ "user_name": meanwhile })).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    network.set_weather(Weather::Fair);
    stage.browser.until(&shows(&meanwhile)).await;
    stage.emit("twitch:follower", json!({ "user_name": after })).await;
    stage.browser.until(&shows(&after)).await;
    let drawn = stage.text_of(".layer").await;
    for name in [&before, &meanwhile, &after] {
        assert_eq!(drawn.matches(name.as_str()).count(), 1, "{name}: {drawn}");
    }
    let kept = "document.querySelector('.layer .root > :last-child').marked === true";
    assert_eq!(stage.browser.value(kept).await, true, "the layer stayed");
    stage.stop().await;
}
