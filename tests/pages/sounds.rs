//! Sounds of the page.

use chrono::{DateTime, TimeDelta, Utc};
use foundation::events::{Channel, Event};
use lumio_tests::Caller;
use serde_json::{Value, json};

use super::{Stage, layer, random_name, text};

/// Counts what the page plays, `[address, volume]` each, and keeps the frames that it received.
const COUNT: &str = "window.received = [];
    window.WebSocket = class extends WebSocket {
        constructor(...values) {
            super(...values);
            this.addEventListener('message', ({ data }) => received.push(JSON.parse(data)));
        }
    };
    window.plays = []; const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = function () {
        plays.push([this.src, this.volume]);
        return play.call(this);
    };";

async fn sound(caller: &Caller) -> String {
    const BOUNDARY: &str = "lumio-test-boundary";
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"tone.wav\"";
    let mut body = format!("--{BOUNDARY}\r\n{head}\r\n\r\n").into_bytes();
    body.extend(include_bytes!("../fixtures/media/tone.wav"));
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    text(&caller.post_raw("/v1/sounds", &content_type, body).await.expect(201)["data"]["id"]).to_owned()
}

async fn plays(stage: &mut Stage, count: usize) -> Value {
    stage.browser.until(&format!("plays.length >= {count}")).await;
    let plays = stage.browser.value("plays").await;
    assert_eq!(plays.as_array().map(Vec::len), Some(count), "{plays}");
    plays
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_plays_sounds_as_loud_as_the_settings_say() {
    let Some(mut stage) = Stage::start().await else { return };
    stage.browser.before_each_document(COUNT).await;
    let id = sound(&stage.owner).await;
    let settings = json!({ "sound": id, "volume": 50, "duration_secs": 1 });
    stage.set_layers(&json!([layer("alert_box", (0, 0), &settings)])).await;
    stage.open(1).await;
    let path = format!("/v1/sounds/{id}/play");
    stage.owner.post(&path, json!({ "volume": 0.5 })).await.expect(200);
    let played = plays(&mut stage, 1).await;
    assert_eq!(played[0][1], 0.5);
    assert!(
        text(&played[0][0]).starts_with(&format!("{}/v1/media/sound/{id}?", stage.app.url())),
        "{played}"
    );

    let elsewhere = json!({ "target": { "type": "overlay", "id": other_overlay(&stage).await } });
    stage.owner.post(&path, elsewhere).await.expect(200);
    stage.owner.patch("/v1/settings", json!({ "alerts": { "volume": 40 } })).await.expect(200);
    stage.browser.until("received.some(({ data }) => data?.alerts?.volume === 0.4)").await;
    stage.emit("twitch:follower", json!({ "user_name": random_name() })).await;
    let played = plays(&mut stage, 2).await;
    let volume = played[1][1].as_f64().expect("a volume");
    assert!((0.19..=0.21).contains(&volume), "{played}");
    assert!(text(&played[1][0]).starts_with("blob:"), "the page keeps the file: {played}");

    stage.owner.patch("/v1/settings", json!({ "alerts": { "muted": true } })).await.expect(200);
    stage.browser.until("received.some(({ data }) => data?.alerts?.muted === true)").await;
    let name = random_name();
    stage.emit("twitch:follower", json!({ "user_name": name })).await;
    stage.owner.post(&path, json!({})).await.expect(200);
    let sounds = "received.filter(({ event_type }) => event_type === 'sound:play').length === 2";
    stage.browser.until(sounds).await;
    stage.browser.until(&format!("document.querySelector('.layer').textContent.includes('{name}')")).await;
    plays(&mut stage, 2).await;
    stage.stop().await;
}

/// Stops the clock of the page, so that no age depends on the time until an event arrives.
const STOPPED_CLOCK: &str = "{ const now = Date.now(); Date.now = () => now; }";

/// Publishes an event of this time.
async fn publish(stage: &Stage, channel: Channel, event_type: &str, data: Value, at: DateTime<Utc>) {
    let event = Event::new(channel, event_type, data, at);
    stage.app.state.events.append(&event).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_plays_no_old_sound_and_announces_no_old_event() {
    let Some(mut stage) = Stage::start().await else { return };
    for script in [COUNT, STOPPED_CLOCK] {
        stage.browser.before_each_document(script).await;
    }
    let id = sound(&stage.owner).await;
    let layers = json!([
        layer("alert_box", (0, 0), &json!({ "duration_secs": 60 })),
        layer("event_list", (0, 300), &json!({})),
    ]);
    stage.set_layers(&layers).await;
    stage.open(2).await;
    stage.owner.post(&format!("/v1/sounds/{id}/play"), json!({})).await.expect(200);
    let url = plays(&mut stage, 1).await[0][0].clone();
    let account = stage.owner.account_id;
    // The time of the server that the page knows: that of its connection. A state may be older than its frame.
    let known = "received.findLast(({ type }) => type === 'connected').server_time";
    let now: DateTime<Utc> = text(&stage.browser.value(known).await).parse().unwrap();
    for (volume, age_ms) in [(0.25, 5_001), (0.75, 5_000)] {
        let play = json!({ "sound_id": id, "url": url, "volume": volume, "target": null });
        let at = now - TimeDelta::milliseconds(age_ms);
        publish(&stage, Channel::Sounds(account), "sound:play", play, at).await;
    }
    assert_eq!(plays(&mut stage, 2).await[1][1], 0.75);

    for (age_ms, is_announced) in [(60_001, false), (60_000, true)] {
        let (name, at) = (random_name(), now - TimeDelta::milliseconds(age_ms));
        let event = json!({
            "event_type": "twitch:follower", "platform": "twitch", "display_name": name, "username": name,
            "data": {}, "is_test": false, "occurred_at": at.to_rfc3339(),
        });
        publish(&stage, Channel::Events(account), "event:new", event, at).await;
        let has = |layer: &str| {
            format!("document.querySelector('[data-type={layer}]').textContent.includes('{name}')")
        };
        stage.browser.until(&has("event_list")).await;
        // Both layers get an event in the same task.
        assert_eq!(stage.browser.value(&has("alert_box")).await, is_announced, "{age_ms} ms");
    }
    stage.stop().await;
}

async fn other_overlay(stage: &Stage) -> Value {
    stage.owner.post("/v1/overlays", json!({ "name": "Other" })).await.expect(201)["data"]["id"].clone()
}
