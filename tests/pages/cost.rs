//! Cost of the page (reference/overlays.md#cost-of-a-page). Times are those of the processor, so that other work of
//! the machine does not count.

use std::time::Duration;

use foundation::events::{Channel, Event};
use lumio_tests::is_slow;
use serde_json::{Value, json};

use super::{Stage, layer_with, random_name};

/// Layers of a full overlay.
const MAX_LAYERS: i32 = 100;
/// Time of a frame, and of the page in it, in milliseconds.
const FRAME_MS: f64 = 1000.0 / 60.0;
const MAX_MS_PER_FRAME: f64 = 4.0;
const EVENTS_PER_SECOND: u32 = 20;
/// Growth after ten times as many events.
const MAX_GROWTH: f64 = 1.1;

/// An overlay of as many layers as it may have, of every kind that hears events.
fn many_layers() -> Value {
    let kinds = [
        "text",
        "text",
        "text",
        "timer",
        "alert_box",
        "chat_box",
        "event_list",
        "image",
        "music",
        "custom_html",
    ];
    let layers = (0..MAX_LAYERS).zip(kinds.iter().cycle()).map(|(at, kind)| {
        let config = match *kind {
            "custom_html" => json!({ "html": "<p></p>", "js": "lumio.on('event:new', () => {})" }),
            "alert_box" => json!({ "duration_secs": 1 }),
            _ => json!({}),
        };
        let size = json!({ "width": 190, "height": 100 });
        layer_with(kind, (at % 10 * 190, at / 10 * 105), &config, &size)
    });
    Value::Array(layers.collect())
}

/// Publishes events and lines of chat in alternation.
async fn publish(stage: &Stage, count: u32, pause: Duration) {
    let account = stage.owner.account_id;
    for at in 0..count {
        let name = random_name();
        let (channel, event_type, data) = if at % 2 == 0 {
            let event = json!({
                "event_type": "twitch:follower", "platform": "twitch", "display_name": name, "username": name,
                "data": {}, "is_test": false, "occurred_at": stage.app.clock.now().to_rfc3339(),
            });
            (Channel::Events(account), "event:new", event)
        } else {
            let line = json!({
                "platform": "twitch", "platform_message_id": at.to_string(), "platform_user_id": "1", "username": name,
                "display_name": name, "badges": [], "text": name, "fragments": [{ "type": "text", "text": name }],
            });
            (Channel::Chat(account), "chat:message", line)
        };
        let event = Event::new(channel, event_type, data, stage.app.clock.now());
        stage.app.state.events.append(&event).await.unwrap();
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_takes_little_of_each_frame() {
    let Some(mut stage) = Stage::start().await else { return };
    stage.set_layers(&many_layers()).await;
    stage.open(100).await;
    // Until everything is mounted.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = stage.browser.metrics().await;
    let began = std::time::Instant::now();
    let seconds = if is_slow() { 10 } else { 4 };
    publish(&stage, seconds * EVENTS_PER_SECOND, Duration::from_secs(1) / EVENTS_PER_SECOND).await;
    let frames = began.elapsed().as_secs_f64() * 1000.0 / FRAME_MS;
    let after = stage.browser.metrics().await;
    // The scripts of the layers are in it too.
    let spent = (after["ScriptDuration"] - before["ScriptDuration"]) * 1000.0;
    assert!(spent > 0.0 && spent / frames <= MAX_MS_PER_FRAME, "{:.2} ms a frame", spent / frames);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_keeps_no_memory_of_past_events() {
    let Some(mut stage) = Stage::start().await else { return };
    // The page remembers the ids of 2,000 events.
    let (first, second) = if is_slow() { (2000, 18_000) } else { (2000, 2500) };
    let mut layers = many_layers();
    layers.as_array_mut().unwrap().truncate(10);
    stage.set_layers(&layers).await;
    stage.open(10).await;
    publish(&stage, first, Duration::ZERO).await;
    let few = settled(&mut stage).await;
    publish(&stage, second, Duration::ZERO).await;
    let many = settled(&mut stage).await;
    for what in ["JSHeapUsedSize", "Nodes", "JSEventListeners", "Frames", "Documents"] {
        let (few, many) = (few[what], many[what]);
        assert!(many <= few * MAX_GROWTH, "{what}: {few} after {first} events, {many} after {second} more");
    }
    stage.stop().await;
}

/// Metrics after the last event was drawn and what it left is gone.
async fn settled(stage: &mut Stage) -> std::collections::BTreeMap<String, f64> {
    let name = random_name();
    stage.emit("twitch:follower", json!({ "user_name": name })).await;
    let shown = format!("document.querySelector('[data-type=event_list]').textContent.includes('{name}')");
    stage.browser.until(&shown).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    stage.browser.metrics().await
}
