//! Layers of overlays.

use foundation::jobs::{Job, PublishEvent};
use serde_json::json;
use uuid::Uuid;

use super::Scene;

/// A hidden layer of a new overlay: the ids of both.
async fn make_layer(scene: &Scene, account: Uuid) -> (Uuid, Uuid) {
    let (overlay, layer) = (shared::id::new(), shared::id::new());
    let key = &overlay.simple().to_string()[20..];
    scene
        .alter(&format!(
            "INSERT INTO overlays (id, account_id, name, key, width, height, background, token)
             VALUES ('{overlay}', '{account}', 'o', '{key}', 1920, 1080, 'transparent', '')"
        ))
        .await;
    scene
        .alter(&format!(
            "INSERT INTO overlay_layers (id, account_id, overlay_id, layer_type, name, visible, sort_order, width, height)
             VALUES ('{layer}', '{account}', '{overlay}', 'text', 'l', false, 0, 1, 1)"
        ))
        .await;
    (overlay, layer)
}

#[tokio::test]
async fn effects_of_toggle_layer_change_the_row_and_are_published() {
    let scene = Scene::start().await;
    let (overlay, layer) = make_layer(&scene, scene.owner.account_id).await;
    let other = scene.app.owner().await;
    let (foreign_overlay, foreign_layer) = make_layer(&scene, other.account_id).await;
    let arguments = |overlay: Uuid, layer: Uuid, visible: serde_json::Value| json!({ "overlay_id": overlay, "layer_id": layer, "visible": visible });
    let visible = format!("SELECT visible::text AS text FROM overlay_layers WHERE id = '{layer}'");
    for (state, shown) in [(json!("toggle"), "true"), (json!("toggle"), "false"), (json!(true), "true")] {
        let output = scene.output("toggle_layer", arguments(overlay, layer, state)).await;
        assert_eq!(output["visible"].to_string(), shown);
        assert_eq!(scene.found(&visible).await.as_deref(), Some(shown));
    }
    let version = format!("SELECT version::text AS text FROM overlays WHERE id = '{overlay}'");
    assert_eq!(scene.found(&version).await.as_deref(), Some("4"), "each change counts");
    let queued = format!("SELECT count(*)::text AS text FROM outbox WHERE queue = '{}'", PublishEvent::QUEUE);
    assert_eq!(scene.found(&queued).await.as_deref(), Some("3"));
    for (overlay, layer) in
        [(foreign_overlay, foreign_layer), (overlay, foreign_layer), (foreign_overlay, layer)]
    {
        let message = scene.refused("toggle_layer", arguments(overlay, layer, json!(true))).await;
        assert_eq!(message, "Layer not found");
    }
    let foreign = format!("SELECT visible::text AS text FROM overlay_layers WHERE id = '{foreign_layer}'");
    assert_eq!(scene.found(&foreign).await.as_deref(), Some("false"));
    scene.needs("feature:overlays", "toggle_layer", arguments(overlay, layer, json!(true))).await;
    scene.app.stop().await;
}
