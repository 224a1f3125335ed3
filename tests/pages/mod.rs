//! Pages of overlays and widgets, in a browser that is started as OBS starts it (reference/overlays.md#pages).

mod built_in;
mod connection;
mod cost;
mod documents;
mod drawing;
mod extension_layers;
mod pictures;
mod sandbox;
mod shared_report;
mod sounds;

use extension_model::system::put_files;
use lumio_tests::{Caller, Person, TestApp, browser::Browser, world::workers};
use lumio_worker::{Daemon, Running};
use serde_json::{Value, json};

/// An overlay of 1920×1080 and a browser for its page.
struct Stage {
    app: TestApp,
    owner: Person,
    browser: Browser,
    overlay: Value,
    token: String,
    /// Publishes changes.
    outbox: Running,
}

impl Stage {
    /// `None` without a browser.
    async fn start() -> Option<Self> {
        Some(Self::start_in(Browser::start_as_obs().await?).await)
    }

    async fn start_in(browser: Browser) -> Self {
        let app = TestApp::start().await;
        put_files(&app.state.storage).await.unwrap();
        let owner = app.owner().await;
        let overlay =
            owner.post("/v1/overlays", json!({ "name": "Stage" })).await.expect(201)["data"].clone();
        let outbox = workers(&app, &[Daemon::Outbox]).await;
        let mut stage = Self { app, owner, browser, overlay, token: String::new(), outbox };
        stage.token = stage.present_token().await;
        stage
    }

    fn path(&self, rest: &str) -> String {
        format!("/v1/overlays/{}{rest}", text(&self.overlay["id"]))
    }

    async fn present_token(&self) -> String {
        text(&self.owner.get(&self.path("/token")).await.data()["token"]).to_owned()
    }

    /// Address of the page at a server.
    fn address(&self, base: &str) -> String {
        format!("{base}/v1/overlays/{}/page#token={}", text(&self.overlay["key"]), self.token)
    }

    /// Replaces the layers; returns them as stored.
    async fn set_layers(&self, layers: &Value) -> Value {
        self.owner.put(&self.path("/layers"), json!({ "layers": layers })).await.data().clone()
    }

    /// Opens the page, and waits until it shows this number of layers, each with its content.
    async fn open(&mut self, layers: usize) {
        let address = self.address(&self.app.url());
        self.browser.open(&address).await;
        self.shows(layers).await;
    }

    async fn shows(&mut self, layers: usize) {
        let all = "[...document.querySelectorAll('.layer')]";
        let shown =
            format!("{all}.length === {layers} && {all}.every((layer) => layer.childElementCount > 0)");
        self.browser.until(&shown).await;
    }

    /// Emits an event that is no test.
    async fn emit(&self, event_type: &str, data: Value) -> Value {
        let body = json!({ "event_type": event_type, "data": data, "is_test": false });
        self.owner.post("/v1/events", body).await.expect(201)["data"].clone()
    }

    async fn text_of(&mut self, selector: &str) -> String {
        let text = format!("document.querySelector({})?.textContent ?? ''", json!(selector));
        self.browser.value(&text).await.as_str().unwrap_or_default().to_owned()
    }

    async fn stop(self) {
        self.outbox.stop().await.unwrap();
        self.app.stop().await;
    }
}

/// A layer of 600×200 pixels at a place.
fn layer(layer_type: &str, (x, y): (i32, i32), config: &Value) -> Value {
    json!({ "type": layer_type, "name": layer_type, "x": x, "y": y, "width": 600, "height": 200, "config": config })
}

/// The same with other fields.
fn layer_with(layer_type: &str, place: (i32, i32), config: &Value, others: &Value) -> Value {
    let mut made = layer(layer_type, place, config);
    for (key, value) in others.as_object().into_iter().flatten() {
        made[key] = value.clone();
    }
    made
}

/// A name that was never used before.
fn random_name() -> String {
    let id = uuid::Uuid::new_v4().simple().to_string();
    format!("Viewer{}", &id[..10])
}

async fn widget(caller: &Caller, widget_type: &str, config: &Value) -> Value {
    let body = json!({ "name": "Mine", "type": widget_type, "config": config });
    caller.post("/v1/widgets", body).await.expect(201)["data"].clone()
}

#[track_caller]
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}
