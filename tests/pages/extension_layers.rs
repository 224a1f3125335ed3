//! Layers of extensions.

use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::events::{Channel, Event};
use lumio_tests::{
    eventually,
    extensions::{Studio, archive},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Stage, layer_with, random_name, text};

/// Publishes an extension with this layer and installs it; returns the install's id.
pub async fn installed(stage: &Stage, code: &str, permissions: &[&str]) -> Uuid {
    let (_, extension, version) = uploaded(stage, code, permissions).await;
    review(stage, &version, "publish").await;
    install(stage, extension, permissions).await
}

/// Uploads an extension with this layer; returns its studio, its id and the id of its version.
async fn uploaded(stage: &Stage, code: &str, permissions: &[&str]) -> (Studio, Uuid, String) {
    let studio = stage.app.studio().await;
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
    (studio, extension, version)
}

async fn review(stage: &Stage, version: &str, decision: &str) {
    let reviewer = stage.app.admin_with(&["extension-review:read", "extension-review:edit"]).await;
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/{decision}"), json!({})).await.data();
}

async fn install(stage: &Stage, extension: Uuid, permissions: &[&str]) -> Uuid {
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
        lumio.on('event:new', (event) => write(`default ${lumio.overlay.is_default} ${event.display_name}`));
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
    writes(&mut stage, &format!("event {name} true")).await;
    writes(&mut stage, &format!("default false {name}")).await;
    writes(&mut stage, "storage").await;
    assert!(!wrote(&stage, "chat"), "chat was not granted");
    for (default, is_default) in [(stage.overlay["id"].clone(), true), (Value::Null, false)] {
        stage.owner.patch("/v1/settings", json!({ "default_overlay_id": default })).await.expect(200);
        stage.browser.until(&format!("document.documentElement.dataset.default === '{is_default}'")).await;
        let name = random_name();
        stage.emit("twitch:follower", json!({ "user_name": name })).await;
        writes(&mut stage, &format!("default {is_default} {name}")).await;
    }
    stage.stop().await;
}

/// True when the layer has written this into the console of the page.
fn wrote(stage: &Stage, what: &str) -> bool {
    stage.browser.console().iter().any(|line| line.contains(&format!("WROTE {what}")))
}

async fn writes(stage: &mut Stage, what: &str) {
    eventually(what, async || {
        stage.browser.value("1").await;
        wrote(stage, what)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlay_page_draws_the_layer_of_a_version_in_testing() {
    let Some(mut stage) = Stage::start().await else { return };
    let permissions = ["events:read"];
    let (studio, extension, version) = uploaded(&stage, LAYER, &permissions).await;
    review(&stage, &version, "approve-testing").await;
    let username = format!("tester-{}", stage.owner.user_id.simple());
    sql_query("UPDATE users SET username = $1 WHERE id = $2")
        .bind::<Text, _>(&username)
        .bind::<SqlUuid, _>(stage.owner.user_id)
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let testers = format!("/v1/developer/extensions/{extension}/testers");
    studio.person.post(&testers, json!({ "username": username })).await.expect(201);
    let install = install(&stage, extension, &permissions).await;
    let bundle = format!("/v1/extension-bundles/{extension}/1.0.0/layer.js");
    assert_eq!(stage.app.anonymous().get(&bundle).await.status, 404, "the version is not public");

    let others = json!({ "install_id": install });
    stage
        .set_layers(&json!([layer_with("extension", (0, 0), &json!({ "color": "#0000ff" }), &others)]))
        .await;
    stage.open(1).await;
    super::pictures::until_covered(&mut stage.browser, (0, 0, 600, 200), 0.95).await;
    let name = random_name();
    stage.emit("twitch:follower", json!({ "user_name": name })).await;
    writes(&mut stage, &format!("event {name} true")).await;
    // It is drawn again when it is shown again, long after the state that the page began with.
    let id = stage.browser.value("document.querySelector('.layer').dataset.layer").await;
    let path = stage.path(&format!("/layers/{}", text(&id)));
    stage.owner.patch(&path, json!({ "visible": false })).await.expect(200);
    stage.shows(0).await;
    stage.owner.patch(&path, json!({ "visible": true })).await.expect(200);
    stage.shows(1).await;
    super::pictures::until_covered(&mut stage.browser, (0, 0, 600, 200), 0.95).await;
    stage.stop().await;
}
