//! Limits of the events that extensions emit (reference/events.md#events-of-extensions).

use chrono::Duration;
use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

use lumio_tests::world::{install, published};

struct Scene {
    app: TestApp,
    owner: Person,
    system: Caller,
    install: Uuid,
}

impl Scene {
    async fn with(name: &'static str, value: u32) -> Self {
        let app = TestApp::builder().with(name, value).start().await;
        let owner = app.owner().await;
        let install = install(&app, &owner, &["events:read", "events:emit"]).await;
        let system = app.system_key().await;
        Self { app, owner, system, install }
    }

    async fn emit(&self, install: Uuid, invocation: &str, data: Value) -> Value {
        let call = json!({ "install_id": install, "invocation_id": invocation, "action": "events:emit",
            "payload": { "eventType": "custom:level_up", "data": data } });
        self.system.post("/v1/internal/actions", call).await.expect(200).clone()
    }

    async fn published(&self) -> usize {
        published(&self.app, &format!("events:{}", self.owner.account_id)).await.len()
    }
}

#[tokio::test]
async fn run_extension_action_limits_the_events_of_an_install() {
    let scene = Scene::with("LUMIO_RATE_EVENTS_EMIT", 3).await;
    for index in 0..3 {
        assert_eq!(scene.emit(scene.install, &format!("i:{index}"), json!({})).await["ok"], true);
    }
    let refused = scene.emit(scene.install, "i:3", json!({})).await;
    assert_eq!(
        (&refused["error_code"], &refused["error"]),
        (&json!("RATE_LIMITED"), &json!("At most 3 events in 30 seconds may be emitted"))
    );
    assert_eq!(scene.published().await, 3);
    // A repeated call returns the first result and does not count.
    assert_eq!(scene.emit(scene.install, "i:0", json!({})).await["ok"], true);
    // Another install has its own limit.
    let other = install(&scene.app, &scene.owner, &["events:read", "events:emit"]).await;
    assert_eq!(scene.emit(other, "i:0", json!({})).await["ok"], true);
    scene.app.clock.advance(Duration::seconds(31));
    assert_eq!(scene.emit(scene.install, "i:4", json!({})).await["ok"], true);
    assert_eq!(scene.published().await, 5);
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_limits_the_bytes_of_an_event() {
    let scene = Scene::with("LUMIO_EVENTS_EMIT_BYTES", 256).await;
    // `{"t":""}` is eight bytes.
    let fits = json!({ "t": "x".repeat(248) });
    assert_eq!(scene.emit(scene.install, "i:0", fits).await["ok"], true);
    let refused = scene.emit(scene.install, "i:1", json!({ "t": "x".repeat(249) })).await;
    assert_eq!(
        (&refused["error_code"], &refused["error"]),
        (&json!("INVALID_PAYLOAD"), &json!("data must have at most 256 bytes as JSON"))
    );
    assert_eq!(scene.published().await, 1);
    scene.app.stop().await;
}
