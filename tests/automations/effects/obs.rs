//! Commands to OBS.

use lumio_tests::{TestApp, eventually, world::workers};
use lumio_worker::Daemon;
use platforms_stand_in::obs::ObsStandIn;
use serde_json::json;

use super::Scene;

const CONFIG: &str = "/v1/integrations/obs";

#[tokio::test]
async fn effects_of_obs_set_scene_are_relayed_to_the_page_of_the_account() {
    let scene = Scene::start().await;
    let arguments = json!({ "scene": "Game" });
    assert_eq!(scene.refused("obs_set_scene", arguments.clone()).await, "OBS is not connected");
    scene.owner.put(CONFIG, json!({ "port": 4455, "remote_enabled": false })).await.expect(200);
    let output = scene.output("obs_set_scene", arguments.clone()).await;
    assert_eq!(output, json!({ "relayed": true }));
    let commands = scene.published("obs", "obs:command").await;
    assert_eq!(commands[0]["data"]["command"], "set_scene");
    assert_eq!(commands[0]["data"]["scene"], "Game");
    let entry = scene.app.audited_once("obs_scene:set").await;
    assert_eq!(entry.account_id, Some(scene.owner.account_id));
    let actor = "SELECT actor_type || ' ' || actor_id AS text FROM audit_log WHERE action = 'obs_scene:set'";
    assert_eq!(scene.found(actor).await, Some(format!("automation {}", scene.run.automation_id)));
    let empty = scene.refused("obs_set_scene", json!({ "scene": " " })).await;
    assert_eq!(empty, "scene must have 1 to 256 characters");
    scene.needs("feature:obs_remote", "obs_set_scene", arguments.clone()).await;
    scene.needs("integration:obs_websocket", "obs_set_scene", arguments).await;
    scene.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn effects_of_obs_set_source_reach_the_obs_of_the_account() {
    let obs = ObsStandIn::start(None).await;
    let builder = TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", obs.address());
    let scene = Scene::start_with(builder).await;
    let config = json!({ "port": obs.address().port(), "remote_enabled": true, "remote_host": "127.0.0.1" });
    scene.owner.put(CONFIG, config).await.expect(200);
    let running = workers(&scene.app, &[Daemon::ObsRemote]).await;
    eventually("the service is connected", async || {
        scene.owner.get(&format!("{CONFIG}/status")).await.data()["connected"] == true
    })
    .await;
    let hide = json!({ "scene": "Game", "source": "Camera", "visible": false });
    let output = scene.output("obs_set_source", hide.clone()).await;
    assert_eq!(output, json!({ "relayed": false }));
    assert_eq!(
        (obs.is_visible("Game", "Camera"), obs.is_visible("Game", "Screen")),
        (Some(false), Some(true))
    );
    let entry = scene.app.audited_once("obs_source:set").await;
    assert_eq!((&entry.metadata["source"], &entry.metadata["visible"]), (&json!("Camera"), &json!(false)));
    let unknown = json!({ "scene": "Nowhere", "source": "Camera", "visible": true });
    let failure = scene.refused("obs_set_source", unknown).await;
    assert!(!failure.is_empty(), "OBS states a reason");
    scene.needs("feature:obs_remote", "obs_set_source", hide).await;
    running.stop().await.unwrap();
    scene.app.stop().await;
}
