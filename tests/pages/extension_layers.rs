//! Layers of extensions.

use foundation::events::{Channel, Event};
use lumio_tests::extensions::archive;
use serde_json::json;
use uuid::Uuid;

use super::{Stage, layer_with, random_name, text};

/// Publishes an extension with this layer and installs it; returns the install's id.
pub async fn installed(stage: &Stage, code: &str, permissions: &[&str]) -> Uuid {
    let studio = stage.app.studio().await;
    let reviewer = stage.app.admin_with(&["extension-review:read", "extension-review:edit"]).await;
    let extension = studio.public_extension("Layered").await;
    let manifest = json!({
        "extensionId": extension, "name": "Layered", "description": "Draws.", "category": "widget",
        "version": "1.0.0", "targets": ["layer"], "permissions": permissions,
        "config_schema": { "color": { "type": "color", "label": "Color", "default": "#00ff00" } },
    });
    let manifest = manifest.to_string();
    let files = [("lumio.config.json", manifest.as_bytes()), ("layer.js", code.as_bytes())];
    let uploaded = studio.upload(extension, "1.0.0", &archive(&files)).await;
    let version = text(&uploaded.expect(202)["version"]["id"]).to_owned();
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/publish"), json!({})).await.data();
    let body = json!({ "extension_id": extension, "granted_permissions": permissions, "config": {} });
    let answer = stage.owner.post("/v1/extension-installs", body).await;
    text(&answer.expect(201)["data"]["id"]).parse().expect("an id")
}

/// Writes what it gets into the console of the page, by errors of its listeners.
const LAYER: &str = "export const events = ['event:new', 'chat:message', 'ext:storage'];
    export function mount(root, lumio) {
        root.style.background = lumio.config.color;
        const write = (what) => { throw new Error(`WROTE ${what}`); };
        lumio.on('event:new', (event, { age_ms }) => write(`event ${event.display_name} ${age_ms < 60000}`));
        lumio.on('chat:message', () => write('chat'));
        lumio.storage.on((value) => write(`storage ${JSON.stringify(value)}`));
    }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_gives_layers_of_extensions_their_settings_events_and_storage() {
    let Some(mut stage) = Stage::start().await else { return };
    let install = installed(&stage, LAYER, &["events:read"]).await;
    let config = json!({ "color": "#0000ff" });
    let others = json!({ "install_id": install });
    // The chat box makes chat arrive at the page.
    let layers = json!([
        layer_with("extension", (0, 0), &config, &others),
        super::layer("chat_box", (0, 300), &json!({}))
    ]);
    stage.set_layers(&layers).await;
    stage.open(2).await;
    super::pictures::until_covered(&mut stage.browser, (0, 0, 600, 200), 0.95).await;
    let name = random_name();
    let wrote = |stage: &Stage, what: &str| {
        stage.browser.console().iter().any(|line| line.contains(&format!("WROTE {what}")))
    };
    let chat = Event::new(
        Channel::Chat(stage.owner.account_id),
        "chat:message",
        json!({ "platform": "twitch", "display_name": "Ada", "text": "hello", "fragments": [], "badges": [] }),
        stage.app.clock.now(),
    );
    stage.app.state.events.append(&chat).await.unwrap();
    stage.browser.until("document.querySelector('[data-type=chat_box]').textContent.includes('hello')").await;
    stage.emit("twitch:follower", json!({ "user_name": name })).await;
    let path = format!("/v1/extension-installs/{install}/storage");
    stage.owner.put(&path, json!({ "value": { "count": 7 } })).await.expect(200);
    for _ in 0..200 {
        stage.browser.value("1").await;
        if wrote(&stage, &format!("event {name} true")) && wrote(&stage, "storage") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(wrote(&stage, &format!("event {name} true")), "{:?}", stage.browser.console());
    assert!(wrote(&stage, "storage"), "{:?}", stage.browser.console());
    assert!(!wrote(&stage, "chat"), "chat was not granted");
    stage.stop().await;
}
