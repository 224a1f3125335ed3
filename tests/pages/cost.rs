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
/// Longest task of the page, in milliseconds.
const MAX_TASK_MS: f64 = 50.0;
/// Categories of a trace that have the tasks of every thread, and the marks of pages.
const TRACED: [&str; 2] = ["disabled-by-default-devtools.timeline", "blink.user_timing"];
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
    for at in 0..count {
        publish_one(stage, at).await;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
}

/// Publishes an event, or a line of chat for an odd number. Returns a type of layer that shows it, and the name in it.
async fn publish_one(stage: &Stage, at: u32) -> (&'static str, String) {
    let (account, name) = (stage.owner.account_id, random_name());
    let (shown_by, channel, event_type, data) = if at.is_multiple_of(2) {
        let event = json!({
            "event_type": "twitch:follower", "platform": "twitch", "display_name": name, "username": name,
            "data": {}, "is_test": false, "occurred_at": stage.app.clock.now().to_rfc3339(),
        });
        ("event_list", Channel::Events(account), "event:new", event)
    } else {
        let line = json!({
            "platform": "twitch", "platform_message_id": at.to_string(), "platform_user_id": "1", "username": name,
            "display_name": name, "badges": [], "text": name, "fragments": [{ "type": "text", "text": name }],
        });
        ("chat_box", Channel::Chat(account), "chat:message", line)
    };
    let event = Event::new(channel, event_type, data, stage.app.clock.now());
    stage.app.state.events.append(&event).await.unwrap();
    (shown_by, name)
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
async fn overlay_page_runs_no_long_task() {
    let Some(mut stage) = Stage::start().await else { return };
    stage.set_layers(&many_layers()).await;
    stage.open(100).await;
    // Until everything is mounted.
    tokio::time::sleep(Duration::from_secs(3)).await;
    // Garbage of the beginning is collected before the trace.
    stage.browser.metrics().await;
    stage.browser.begin_trace(&TRACED).await;
    stage.browser.value("performance.mark('page').name").await;
    let count = if is_slow() { 200 } else { 40 };
    for at in 0..count {
        let next_at = tokio::time::Instant::now() + Duration::from_secs(1) / EVENTS_PER_SECOND;
        let (shown_by, name) = publish_one(&stage, at).await;
        // Events that wait because the machine is busy would be drawn by one task.
        drawn(&mut stage, shown_by, &name).await;
        tokio::time::sleep_until(next_at).await;
    }
    let tasks = tasks_of_the_page(&stage.browser.end_trace().await);
    assert!(tasks.len() > count as usize, "{} tasks", tasks.len());
    let longest = tasks.into_iter().fold(0.0, f64::max);
    assert!(longest > 0.0 && longest <= MAX_TASK_MS, "{longest:.1} ms of the processor");
    stage.stop().await;
}

/// Waits until layers of a type show a name and the frame with it is drawn.
pub async fn drawn(stage: &mut Stage, layer_type: &str, name: &str) {
    let script = format!(
        "new Promise((done) => {{
            const isShown = () => document.querySelector('[data-type={layer_type}]').textContent.includes('{name}');
            const poll = () => requestAnimationFrame(isShown() ? () => requestAnimationFrame(() => done(true)) : poll);
            poll();
        }})"
    );
    assert_eq!(stage.browser.value(&script).await, true);
}

/// Processor time of each task of the main thread that has set the mark, in milliseconds.
fn tasks_of_the_page(trace: &[Value]) -> Vec<f64> {
    let mark = trace.iter().find(|event| event["name"] == "page" && event["cat"] == "blink.user_timing");
    let mark = mark.expect("the mark of the page");
    let is_task = |event: &&Value| {
        (event["name"] == "RunTask" && event["ph"] == "X")
            && (&event["pid"], &event["tid"]) == (&mark["pid"], &mark["tid"])
    };
    let micros =
        |event: &Value| event["tdur"].as_f64().expect("the browser measures the time of the processor");
    trace.iter().filter(is_task).map(|event| micros(event) / 1000.0).collect()
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
