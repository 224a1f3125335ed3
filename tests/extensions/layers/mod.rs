//! Layers of built-in widgets in a browser (reference/extensions.md#built-in-extensions).

mod alerts;
mod chat;
mod events;
mod others;
mod themes;

use extension_model::system::{WIDGETS, put_files};
use lumio_tests::{TestApp, browser::Browser};
use serde_json::{Map, Value, json};

use super::system::address;

/// Replaces the timers and the clock of the page: `step()` runs what waits, `waiting()` counts it, and `time` is the
/// number of milliseconds of `performance.now()`.
const MANUAL_TIMERS: &str = "(() => {
    let last = 0;
    const pending = new Map();
    window.time = 0;
    performance.now = () => window.time;
    window.setTimeout = (run) => { pending.set(++last, { run, once: true }); return last; };
    window.setInterval = (run) => { pending.set(++last, { run, once: false }); return last; };
    window.clearTimeout = window.clearInterval = (id) => { pending.delete(id); };
    window.waiting = () => pending.size;
    window.step = () => {
        for (const [id, { run, once }] of [...pending]) {
            if (!pending.has(id)) continue;
            if (once) pending.delete(id);
            run();
        }
    };
    return true;
})()";

/// Makes pictures request nothing: `pictures` lists their addresses instead.
const MANUAL_PICTURES: &str = "(() => {
    window.pictures = [];
    Object.defineProperty(HTMLImageElement.prototype, 'src', { set: (url) => { window.pictures.push(url); } });
    return true;
})()";

/// Mounts a layer with its defaults and these settings. In the page, `publish(type, data, meta)` then sends it an
/// event, `unmount()` unmounts it, and `heard()` counts its listeners.
async fn mount(app: &TestApp, browser: &mut Browser, name: &str, settings: Value) {
    mount_with(app, browser, name, settings, "{}").await;
}

/// The same with further members of `lumio`, as a JavaScript object.
async fn mount_with(app: &TestApp, browser: &mut Browser, name: &str, settings: Value, members: &str) {
    let widget = WIDGETS.iter().find(|widget| widget.name == name).expect("a widget");
    let mut config = settings.as_object().cloned().unwrap_or_default();
    let defaults = widget.manifest().unwrap().config_schema.with_defaults(Map::new());
    for (key, value) in defaults {
        config.entry(key).or_insert(value);
    }
    let script = format!(
        "(async () => {{
            const layer = await import({url});
            const listeners = {{}};
            const lumio = {{ config: {config}, on: (type, listener) => {{
                (listeners[type] ??= new Set()).add(listener);
                return () => listeners[type].delete(listener);
            }}, ...{members} }};
            const root = document.createElement('div');
            root.style.cssText = 'width: 600px; height: 400px';
            document.body.replaceChildren(root);
            window.publish = (type, data, meta) => {{
                (listeners[type] ?? new Set()).forEach((listener) => listener(data, meta));
                return true;
            }};
            window.unmount = layer.mount(root, lumio);
            window.heard = () => Object.values(listeners).reduce((sum, these) => sum + these.size, 0);
            window.place = root.lastElementChild;
            return [...layer.events].sort().join() === Object.keys(listeners).sort().join();
        }})()",
        url = json!(format!("{}{}", app.url(), address(app, widget, "layer.js").await)),
        config = Value::Object(config),
    );
    assert_eq!(browser.value(&script).await, true, "{name} listens to the events that it exports");
}

/// Browser at a page of the server, so that imports are of the same origin.
async fn page(app: &TestApp) -> Option<Browser> {
    let mut browser = Browser::start().await?;
    put_files(&app.state.storage).await.unwrap();
    browser.open(&format!("{}/v1/health", app.url())).await;
    Some(browser)
}

/// Waits for the style sheet of the layer.
async fn styled(browser: &mut Browser) {
    browser.until("document.styleSheets.length === 1 && document.styleSheets[0].cssRules.length > 0").await;
}

fn errors(browser: &Browser) -> Vec<&String> {
    // The browser requests the favicon by itself.
    browser.errors().iter().filter(|error| !error.contains("favicon")).collect()
}

/// Event of a type with further fields.
fn event(event_type: &str, fields: Value) -> Value {
    let mut event = json!({
        "id": shared::id::new(), "event_type": event_type, "platform": event_type.split(':').next(),
        "display_name": "Ada", "amount": null, "currency": null, "message": null, "data": {}, "is_test": false,
    });
    event.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap_or_default());
    event
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_leave_no_timer_listener_or_element_behind() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_PICTURES).await, true);
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    let line = json!({
        "platform": "twitch", "platform_message_id": "1", "platform_user_id": "1", "username": "ada", "text": "hi",
    });
    let track =
        json!({ "title": "T", "artist": "A", "duration_ms": 1000, "progress_ms": 0, "is_playing": true });
    let publish = format!(
        "publish('event:new', {}); publish('chat:message', {line}); publish('spotify:track', {track})",
        event("twitch:raid", json!({ "amount": 5 })),
    );
    for widget in &WIDGETS {
        let settings = json!({
            "hide_after_secs": 5, "text": "{time}", "image": "/a.png", "images": ["/b.png"],
            "sound": "/a.mp3", "url": "https://127.0.0.1:1/", "reload_secs": 60,
        });
        let members = "{ play: () => ({ stop: () => { window.stopped = true; } }) }";
        mount_with(&app, &mut browser, widget.name, settings, members).await;
        assert_eq!(browser.value(&publish).await, true, "{}", widget.name);
        assert_ne!(browser.value("waiting()").await, 0, "{}", widget.name);
        let left =
            "unmount(); [heard(), waiting(), document.body.firstElementChild.childElementCount].join()";
        assert_eq!(browser.value(left).await, "0,0,0", "{}", widget.name);
    }
    assert_eq!(browser.value("window.stopped").await, true, "the sound of the alert ends with it");
    app.stop().await;
}
