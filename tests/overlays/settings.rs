//! Time from a change of a setting until the pages have it (reference/overlays.md#pages).

use std::time::{Duration, Instant};

use lumio_tests::{Person, Socket, SocketRequest, TestApp, world::workers};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{OVERLAYS, id_of, overlay, text, widget};

/// Longest time from the request to the frame on the socket of each page.
const MAX_DELAY: Duration = Duration::from_secs(1);
/// Changes of each setting. The median counts, so that a machine which stops for a moment is no failure.
const CHANGES: usize = 9;

/// The pages of an overlay and of a widget, as browser sources have opened them.
struct Pages {
    id: Uuid,
    overlay: Socket,
    widget: Socket,
}

impl Pages {
    async fn open(app: &TestApp, owner: &Person) -> Self {
        let (shown, drawn) = (overlay(owner, "Shown").await, widget(owner, "Drawn").await);
        let id = id_of(&shown);
        let token = owner.get(&format!("{OVERLAYS}/{id}/token")).await.data()["token"].clone();
        let overlay = page(app, text(&token), &format!("overlay:{}", text(&shown["key"]))).await;
        let widget = page(app, text(&drawn["access_token"]), &format!("widget:{}", id_of(&drawn))).await;
        Self { id, overlay, widget }
    }
}

/// A socket that has the state of a page.
async fn page(app: &TestApp, token: &str, channel: &str) -> Socket {
    let mut client = SocketRequest::to(app.url()).query(token).connect().await;
    client.subscribe(channel).await;
    client.frame().await;
    client
}

/// Setting, the value of a change by its number, and where the frame of a page has it.
struct Setting {
    name: &'static str,
    value: fn(usize, &Pages) -> Value,
    /// JSON pointer in the data of the frame.
    place: &'static str,
    shown: fn(usize) -> Value,
    is_of_widgets: bool,
}

const SETTINGS: [Setting; 3] = [
    Setting {
        name: "alerts.muted",
        value: |number, _| json!({ "alerts": { "muted": number.is_multiple_of(2) } }),
        place: "/alerts/muted",
        shown: |number| json!(number.is_multiple_of(2)),
        is_of_widgets: true,
    },
    Setting {
        name: "alerts.volume",
        value: |number, _| json!({ "alerts": { "volume": 25 * (number % 2) } }),
        place: "/alerts/volume",
        shown: |number| json!(if number.is_multiple_of(2) { 0.0 } else { 0.25 }),
        is_of_widgets: true,
    },
    Setting {
        name: "default_overlay_id",
        value: |number, pages| json!({ "default_overlay_id": number.is_multiple_of(2).then_some(pages.id) }),
        place: "/overlay/is_default",
        shown: |number| json!(number.is_multiple_of(2)),
        is_of_widgets: false,
    },
];

/// Changes a setting and waits until the pages have it; returns how long that took.
async fn delay(owner: &Person, pages: &mut Pages, setting: &Setting, number: usize) -> Duration {
    let (change, shown) = ((setting.value)(number, pages), (setting.shown)(number));
    let began = Instant::now();
    owner.patch("/v1/settings", change).await.expect(200);
    let mut frames = vec![pages.overlay.frame().await];
    if setting.is_of_widgets {
        frames.push(pages.widget.frame().await);
    }
    let delay = began.elapsed();
    for frame in frames {
        assert_eq!(frame["data"].pointer(setting.place), Some(&shown), "{}: {frame}", setting.name);
    }
    delay
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_reach_every_page_within_a_second() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let running = workers(&app, &[Daemon::Outbox]).await;
    let mut pages = Pages::open(&app, &owner).await;
    for setting in &SETTINGS {
        let mut delays = Vec::new();
        for number in 0..CHANGES {
            delays.push(delay(&owner, &mut pages, setting, number).await);
        }
        delays.sort_unstable();
        assert!(delays[CHANGES / 2] <= MAX_DELAY, "{}: {delays:?}", setting.name);
    }
    running.stop().await.unwrap();
    app.stop().await;
}
