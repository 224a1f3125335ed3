//! Nodes of extensions, in the runtime.

use lumio_tests::eventually;
use lumio_worker::{Daemon, Running};
use serde_json::{Value, json};
use shared::{id, secret::Secret};
use uuid::Uuid;

use super::Scene;

const CODE: &str = "
    export const act = async (ctx, input) => {
        if (input.config.fail) throw new RangeError('no');
        if (input.config.wrong) return 7;
        const output = { got: input.config, from: input.input, source: input.source, surface: ctx.auth.surface };
        return input.config.isLogic ? { output, branch: 'left' } : output;
    };
";

/// Starts a runtime.
async fn runtime(scene: &Scene) -> Running {
    let mut config = scene.app.config();
    config.workers.system_key = Some(Secret::new(scene.app.system_key().await.token()).into());
    let engine = sandbox::EngineConfig::default_dir().expect("LUMIO_ENGINE_DIR or a target folder");
    config.workers.engine_dir = engine.to_str().expect("a readable path").to_owned();
    let daemons = [Daemon::ExtensionRuntime];
    lumio_worker::start_with(config, scene.app.clock.clone(), &daemons).await.expect("the runtime starts")
}

/// Waits until the runtime takes calls: on a loaded machine its start lasts longer than a call waits.
async fn await_runtime(scene: &Scene, install: Uuid) {
    eventually("the runtime takes calls", async || {
        let arguments = json!({ "config": {} });
        let called = scene.perform_in(&scene.run, "extension", Some(install), arguments).await;
        called.err().is_none_or(|failure| failure.message != "No runtime of extensions is available")
    })
    .await;
}

/// Installs an extension with a node.
async fn install(scene: &Scene, account: Uuid, node_type: &str) -> Uuid {
    let extension = id::new();
    let manifest = json!({
        "extensionId": extension, "name": "Node", "description": "Node", "category": "automation_node",
        "version": "1.0.0", "server": true, "permissions": [],
        "egress": { "allowHosts": [], "allowPorts": [] },
        "automation_node": { "node_type": node_type, "name": "Act", "handler": "act" },
    });
    let version = scene.app.plant_extension(&manifest, CODE).await;
    scene.app.plant_install(account, (extension, version), &[]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn effects_of_extension_nodes_run_in_the_sandbox() {
    let scene = Scene::start().await;
    let running = runtime(&scene).await;
    let account = scene.owner.account_id;
    let action = install(&scene, account, "action").await;
    await_runtime(&scene, action).await;
    let call = async |install: Uuid, config: Value| {
        let arguments = json!({ "config": config, "input": { "viewers": 3 } });
        scene.perform_in(&scene.run, "extension", Some(install), arguments).await
    };
    let performed = call(action, json!({ "word": "hello" })).await.unwrap();
    let expected = json!({
        "got": { "word": "hello" }, "from": { "viewers": 3 }, "source": "automation", "surface": "automation",
    });
    assert_eq!((performed.branch, performed.output), (None, expected));
    let logic = install(&scene, account, "logic").await;
    let performed = call(logic, json!({ "isLogic": true })).await.unwrap();
    assert_eq!(performed.branch.as_deref(), Some("left"));
    assert_eq!(performed.output["from"], json!({ "viewers": 3 }));

    let thrown = call(action, json!({ "fail": true })).await.unwrap_err();
    assert_eq!(thrown.message, "HANDLER_ERROR: no");
    let wrong = call(action, json!({ "wrong": true })).await.unwrap_err();
    assert_eq!(wrong.message, "HANDLER_ERROR: a node answers an object or null");
    let trigger = install(&scene, account, "trigger").await;
    assert_eq!(call(trigger, json!({})).await.unwrap_err().message, "The node is gone");
    let other = scene.app.owner().await;
    let foreign = install(&scene, other.account_id, "action").await;
    assert_eq!(call(foreign, json!({})).await.unwrap_err().message, "Extension install not found");
    scene
        .alter(&format!(
            "UPDATE extension_installs SET enabled = false, updated_at = now() WHERE id = '{logic}'"
        ))
        .await;
    let switched_off = call(logic, json!({})).await.unwrap_err();
    assert_eq!(switched_off.message, "The extension install is switched off");
    running.stop().await.unwrap();
    scene.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn effects_of_extension_nodes_fit_the_output_schema_of_the_node() {
    let scene = Scene::start().await;
    let running = runtime(&scene).await;
    let action = install(&scene, scene.owner.account_id, "action").await;
    let schema = json!({ "type": "object", "properties": {
        "got": { "type": "object", "properties": { "word": { "type": "string" } } } } });
    scene
        .alter(&format!(
            "UPDATE extension_versions SET manifest = jsonb_set(manifest, '{{automation_node,output_schema}}', '{schema}')
             WHERE id = (SELECT version_id FROM extension_installs WHERE id = '{action}')"
        ))
        .await;
    await_runtime(&scene, action).await;
    let call = async |config: Value| {
        scene.perform_in(&scene.run, "extension", Some(action), json!({ "config": config })).await
    };
    assert!(call(json!({ "word": "hello" })).await.is_ok());
    let misfit = call(json!({ "word": 5 })).await.unwrap_err();
    assert_eq!(misfit.message, "HANDLER_ERROR: output.got.word must be of type string");
    assert!(!misfit.unknown);
    running.stop().await.unwrap();
    scene.app.stop().await;
}
