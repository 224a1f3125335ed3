//! Trigger nodes of killed installs and revoked versions, which do not run
//! (reference/automations.md#registrations).

use std::time::Duration;

use diesel::{prelude::*, update};
use diesel_async::RunQueryDsl;
use lumio_worker::Daemon;
use serde_json::json;
use shared::schema::{extension_installs, extension_versions};
use uuid::Uuid;

use super::{COUNTING, Scene};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_do_not_run_for_a_killed_install() {
    let scene = Scene::set("both", COUNTING).await;
    let app = &scene.stage.app;
    let relay = lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Outbox]).await.unwrap();
    scene.deliver(&json!(1)).await.expect(200);
    scene.stage.eventually("it is asked", async || scene.state().await["seen"].is_number()).await;
    let install = extension_installs::table.find(scene.install.id);
    update(install)
        .set(extension_installs::killed_at.eq(app.clock.now()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    // Calls in progress at that moment end.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = (scene.state().await, scene.runs().await);
    scene.deliver(&json!(2)).await.expect(200);
    app.clock.advance(chrono::Duration::seconds(60));
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!((scene.state().await, scene.runs().await), before);
    relay.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_do_not_run_a_revoked_version() {
    let scene = Scene::set("webhook", COUNTING).await;
    let app = &scene.stage.app;
    scene.enqueue(json!(1)).await;
    scene.stage.eventually("it is asked", async || scene.state().await["seen"].is_number()).await;
    let version: Uuid = extension_versions::table
        .filter(extension_versions::extension_id.eq(scene.install.extension_id))
        .select(extension_versions::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let reviewer = app.admin_with(&["extension-review:edit"]).await;
    let path = format!("/v1/admin/extension-versions/{version}/revoke");
    reviewer.post(&path, json!({ "reason": "Unsafe" })).await.data();
    // Calls in progress at that moment end.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (before, refused) = ((scene.state().await, scene.runs().await), scene.refused("disabled"));
    for body in 0..3 {
        scene.enqueue(json!(body)).await;
    }
    scene.stage.eventually("the jobs are refused", async || scene.refused("disabled") >= refused + 3).await;
    assert_eq!((scene.state().await, scene.runs().await), before);
}
