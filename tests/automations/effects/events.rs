//! Events and alerts.

use automation_daemons::effects::RunIdentity;
use serde_json::json;
use shared::id;

use super::{Scene, make_run_of};

#[tokio::test]
async fn effects_of_emit_event_are_stored_and_published() {
    let scene = Scene::start().await;
    let arguments = json!({ "event_type": "custom:boss", "data": { "name": "Bowser" } });
    let output = scene.output("emit_event", arguments.clone()).await;
    let published = scene.published("events", "event:new").await;
    assert_eq!((published.len(), &published[0]["id"]), (1, &output["event_id"]));
    assert_eq!(published[0]["data"]["data"], json!({ "name": "Bowser" }));
    let event = scene.owner.get(&format!("/v1/events/{}", output["event_id"].as_str().unwrap())).await;
    assert_eq!(event.expect(200)["data"]["event_type"], "custom:boss");

    let unknown = scene.refused("emit_event", json!({ "event_type": "twitch:nothing" })).await;
    assert_eq!(unknown, "Unknown event type: twitch:nothing");
    scene.needs("feature:events", "emit_event", arguments.clone()).await;
    let raid = json!({ "event_type": "twitch:raid", "data": { "viewer_count": 3 } });
    scene.needs("event:twitch:raid", "emit_event", raid).await;

    let test = RunIdentity { run_id: id::new(), is_test: true, ..scene.run };
    let test = make_run_of(&scene.app, test).await;
    scene.perform_in(&test, "emit_event", None, arguments).await.unwrap();
    let tested = scene.published("events", "event:test").await;
    assert_eq!((tested.len(), &tested[0]["data"]["is_test"]), (1, &json!(true)));
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_show_alert_are_published_to_alert_boxes() {
    let scene = Scene::start().await;
    let arguments = json!({ "title": "Boss {defeated}", "message": "GG", "duration_secs": 9 });
    scene.output("show_alert", arguments.clone()).await;
    let published = scene.published("events", "event:new").await;
    assert_eq!(published.len(), 1);
    let alert = &published[0]["data"];
    assert_eq!(alert["event_type"], "custom:alert");
    assert_eq!(alert["data"], arguments);
    scene.needs("feature:overlays", "show_alert", arguments).await;
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_emit_event_keep_a_pace() {
    let scene = Scene::start().await;
    let limit = scene.app.state.config.rate_limits.events_emit;
    for _ in 0..limit {
        scene.output("emit_event", json!({ "event_type": "custom:tick" })).await;
    }
    let message = scene.refused("emit_event", json!({ "event_type": "custom:tick" })).await;
    assert!(message.contains("events in 30 seconds may be emitted"), "{message}");
    scene.app.stop().await;
}
