//! Drawing of the pages.

use lumio_tests::world::{connect, workers};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, NewUser, Platform, twitch};
use serde_json::json;

use super::{Stage, layer, layer_with, pictures, random_name, text, widget};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_draws_an_alert_of_the_platform() {
    let Some(mut stage) = Stage::start().await else { return };
    let (account, name) = (stage.owner.account_id, random_name());
    let bits = rand::random_range(1000..99_999);
    let streamer = connect(&stage.app, account, Platform::Twitch, "streamer").await;
    let viewer =
        NewUser { display_name: Some(name.clone()), login: Some(name.to_lowercase()), ..NewUser::default() };
    let viewer = stage.app.platforms.create_user_with(Platform::Twitch, viewer).user;
    let running = workers(&stage.app, &[Daemon::Ingest]).await;
    stage.set_layers(&json!([layer("alert_box", (600, 300), &json!({ "duration_secs": 60 }))])).await;
    stage.open(1).await;
    assert_eq!(pictures::coverage(&mut stage.browser, (600, 300, 600, 200)).await, 0.0, "nothing is drawn");

    let event = twitch::Event::cheer(&streamer, Some(&viewer), bits, "well played");
    let callback = format!("{}/v1/webhooks/twitch", stage.app.url());
    let secret = "stand-in-eventsub-secret";
    let delivery =
        stage.app.platforms.deliver_twitch_to(&callback, secret, &event, &DeliveryOptions::default()).await;
    assert_eq!(delivery.statuses(), [Some(200)]);
    let shown = format!("document.querySelector('.layer').textContent.includes({})", json!(name));
    stage.browser.until(&shown).await;
    let drawn = stage.text_of(".layer").await;
    let digits: String = drawn.chars().filter(char::is_ascii_digit).collect();
    assert!(digits.contains(&bits.to_string()), "{bits}: {drawn}");
    // The text is within the layer, and its pixels are there; the rest of the stage stays transparent.
    pictures::until_covered(&mut stage.browser, (600, 300, 600, 200), 0.01).await;
    assert_eq!(pictures::coverage(&mut stage.browser, (0, 600, 1920, 400)).await, 0.0);
    running.stop().await.unwrap();
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_composes_layers_like_the_reference_picture() {
    let Some(mut stage) = Stage::start().await else { return };
    let block = |color: &str| json!({ "html": "<div></div>", "css": format!("div {{ height: 100%; background: {color}; }}") });
    let small = json!({ "width": 400, "height": 400 });
    let with = |others: serde_json::Value| {
        let mut all = small.clone();
        all.as_object_mut().unwrap().extend(others.as_object().unwrap().clone());
        all
    };
    stage
        .set_layers(&json!([
            layer_with("custom_html", (100, 100), &block("#d02020"), &small),
            layer_with("custom_html", (300, 300), &block("#20a040"), &with(json!({ "opacity": 0.5 }))),
            layer_with("custom_html", (1000, 300), &block("#2040d0"), &with(json!({ "rotation": 45 }))),
            layer_with("custom_html", (100, 700), &block("#ffffff"), &with(json!({ "visible": false }))),
        ]))
        .await;
    stage.open(3).await;
    pictures::compare(&mut stage.browser, "composition", &[("all", (0, 0, 1920, 1080))]).await;
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_moves_layers_without_mounting_them_again() {
    let Some(mut stage) = Stage::start().await else { return };
    let layers = json!([
        layer("text", (0, 0), &json!({ "text": "one" })),
        layer("text", (0, 300), &json!({ "text": "two" }))
    ]);
    let stored = stage.set_layers(&layers).await;
    stage.open(2).await;
    let mark = "document.querySelectorAll('.layer .root > *').forEach((part) => (part.marked = true)); true";
    assert_eq!(stage.browser.value(mark).await, true);
    let id = text(&stored[0]["id"]).to_owned();
    let path = stage.path(&format!("/layers/{id}"));
    let of = |rest: &str| format!("document.querySelector('[data-layer=\"{id}\"]'){rest}");
    let move_to = json!({ "x": 700, "y": 80, "rotation": 30, "opacity": 0.25, "width": 500 });
    stage.owner.patch(&path, move_to).await.expect(200);
    stage.browser.until(&of(".style.transform === 'translate(700px, 80px) rotate(30deg)'")).await;
    assert_eq!(
        stage
            .browser
            .value(&of(".style.opacity + getComputedStyle(document.querySelector('.layer')).width"))
            .await,
        "0.25500px"
    );
    assert_eq!(
        stage
            .browser
            .value("[...document.querySelectorAll('.layer .root > *')].every((part) => part.marked)")
            .await,
        true
    );

    stage.owner.patch(&path, json!({ "config": { "text": "three" } })).await.expect(200);
    stage.browser.until(&of(".textContent.includes('three')")).await;
    let marked = "[...document.querySelectorAll('.layer')].map((layer) => layer.querySelector('.root > *:last-child').marked === true)";
    let marked = stage.browser.value(&format!("JSON.stringify({marked}.sort())")).await;
    assert_eq!(marked, "[false,true]", "the other layer stays");

    stage.owner.patch(&path, json!({ "visible": false })).await.expect(200);
    stage.shows(1).await;
    stage.owner.patch(&path, json!({ "visible": true })).await.expect(200);
    stage.shows(2).await;
    stage
        .owner
        .patch(&stage.path(""), json!({ "width": 960, "height": 540, "background": "#102030" }))
        .await
        .expect(200);
    stage.browser.until("document.querySelector('#stage').style.width === '960px'").await;
    assert_eq!(stage.browser.value("document.querySelector('#stage').style.transform").await, "scale(2)");
    stage.set_layers(&json!([])).await;
    stage.shows(0).await;
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_draws_on_beside_broken_layers() {
    let Some(mut stage) = Stage::start().await else { return };
    let broken = |js: &str| layer("custom_html", (0, 600), &json!({ "html": "<p></p>", "js": js }));
    stage
        .set_layers(&json!([
            broken("throw new Error('broken at the start')"),
            broken("lumio.on('event:new', () => { throw new Error('broken at an event'); })"),
            broken("this is no script"),
            layer("event_list", (0, 0), &json!({})),
        ]))
        .await;
    stage.open(4).await;
    let name = random_name();
    stage.emit("twitch:follower", json!({ "user_name": name })).await;
    stage
        .browser
        .until(&format!("document.querySelector('[data-type=event_list]').textContent.includes('{name}')"))
        .await;
    let page = stage
        .browser
        .errors()
        .iter()
        .find(|error| error.contains("/page") && error.contains("exceptionDetails"));
    assert_eq!(page, None);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn widget_page_draws_its_widget() {
    let Some(mut stage) = Stage::start().await else { return };
    let made = widget(&stage.owner, "text", &json!({ "text": "From a widget", "font_size": 60 })).await;
    let id = text(&made["id"]).to_owned();
    let page = format!("{}/v1/widgets/{id}/page#token={}", stage.app.url(), text(&made["access_token"]));
    stage.browser.open(&page).await;
    stage
        .browser
        .until("document.querySelector('.layer')?.textContent.includes('From a widget') === true")
        .await;
    let path = format!("/v1/widgets/{id}");
    stage.owner.patch(&path, json!({ "config": { "text": "Changed" } })).await.expect(200);
    stage.browser.until("document.querySelector('.layer')?.textContent.includes('Changed') === true").await;
    stage.owner.patch(&path, json!({ "enabled": false })).await.expect(200);
    stage.shows(0).await;
    stage.owner.delete(&path).await.expect(204);
    stage.browser.until("!document.querySelector('#message').hidden").await;
    stage.stop().await;
}
