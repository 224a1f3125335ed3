//! The log of moderation (C B13).

use lumio_tests::both_refused;
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, Platform};
use serde_json::{Value, json};
use shared::jobs::{Housekeep, HousekeepingTask};

use super::{LOG, Scene, over_graphql, over_rest, succeeds};
use crate::live::{
    chat_world::change,
    world::{eventually, install, told, workers},
};

#[tokio::test]
async fn failures_are_answers_with_their_reason_and_are_logged() {
    let scene = Scene::on(Platform::Twitch).await;
    let failed = |details: &str| json!({ "success": false, "details": details });
    let kick = json!({ "action": "DELETE", "platform": "kick", "message_id": "m" });
    assert_eq!(
        over_rest(&scene.owner, &kick).await.expect(200),
        &failed("The account is not connected to kick")
    );
    scene.app.platforms.fail_next_at(Platform::Twitch, "moderation", Failure::ServerError);
    assert_eq!(
        over_graphql(&scene.owner, &scene.ban()).await.field("moderateChat"),
        failed("the platform is not available: status 503")
    );
    let flag = "UPDATE channel_connections SET reconnect_required = true WHERE account_id = $1";
    change(&scene.app, flag, scene.owner.account_id).await;
    assert_eq!(
        over_rest(&scene.owner, &scene.ban()).await.expect(200),
        &failed("The twitch channel must be connected again")
    );
    // Another account's channel is not there for a stranger.
    let stranger = scene.app.owner().await;
    assert_eq!(
        over_rest(&stranger, &scene.ban()).await.expect(200),
        &failed("The account is not connected to twitch")
    );
    let log = scene.log().await;
    let details: Vec<_> = log.iter().map(|entry| entry["details"].as_str().unwrap()).collect();
    assert_eq!(
        details,
        [
            "The twitch channel must be connected again",
            "the platform is not available: status 503",
            "The account is not connected to kick"
        ]
    );
    assert_eq!(log.len(), 3);
    assert!(log.iter().all(|entry| entry["success"] == false));
    assert_eq!(scene.app.audited("chat:user_banned").await.len(), 3);
    assert!(scene.done().is_empty());
    assert!(told(&scene.app, &format!("chat:{}", scene.owner.account_id)).await.is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn the_log_is_paged_and_names_extensions() {
    let scene = Scene::on(Platform::Twitch).await;
    for _ in 0..3 {
        succeeds(&scene.owner, &scene.timeout(60)).await;
    }
    let (install, system) =
        (install(&scene.app, &scene.owner, &["chat:read", "chat:ban"]).await, scene.app.system_key().await);
    let call = json!({ "install_id": install, "invocation_id": "i:0", "action": "chat:unban",
        "payload": { "userId": scene.spammer.id } });
    assert_eq!(system.post("/v1/internal/actions", call).await.expect(200)["ok"], true);
    let first = scene.owner.get(&format!("{LOG}?limit=2")).await;
    assert_eq!(first.body["_meta"], json!({ "total": 4, "page": 1, "limit": 2, "pages": 2 }));
    assert_eq!(first.body["_links"]["next"], format!("{LOG}?page=2&limit=2"));
    assert_eq!(first.data()[0]["action"], "unban");
    assert_eq!(
        first.data()[0]["moderator"],
        json!({ "type": "extension", "id": install, "display_name": "Test" })
    );
    let page = scene
        .owner
        .graphql(
            "{ moderationLog(page: 2, limit: 2) { items { id action success durationSecs } total page limit pages } }",
            json!({}),
        )
        .await
        .field("moderationLog");
    assert_eq!((&page["total"], &page["page"], &page["pages"]), (&json!(4), &json!(2), &json!(2)));
    let second = scene.owner.get(&format!("{LOG}?limit=2&page=2")).await;
    let ids = |items: &Value| -> Vec<Value> {
        items.as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect()
    };
    assert_eq!(ids(&page["items"]), ids(second.data()));
    assert_eq!(page["items"][0]["action"], "TIMEOUT");
    scene
        .owner
        .get(&format!("{LOG}?limit=101"))
        .await
        .refused("VALIDATION_ERROR", "limit must be between 1 and 100");
    let blind = scene.app.member_with(scene.owner.account_id, &["chat:write"]).await;
    both_refused(
        &blind.get(LOG).await,
        &blind.graphql("{ moderationLog { total } }", json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: chat:read",
    );
    let stranger = scene.app.owner().await;
    assert_eq!(stranger.get(LOG).await.data(), &json!([]));
    scene.app.stop().await;
}

#[tokio::test]
async fn the_log_is_kept_as_long_as_chat() {
    let scene = Scene::on(Platform::Twitch).await;
    succeeds(&scene.owner, &scene.timeout(60)).await;
    let old = "UPDATE moderation_log SET created_at = created_at - interval '91 days' WHERE account_id = $1";
    change(&scene.app, old, scene.owner.account_id).await;
    scene.m1_is_said().await;
    succeeds(&scene.owner, &scene.delete()).await;
    let running = workers(&scene.app, &[Daemon::Housekeeping]).await;
    let job = Housekeep { task: HousekeepingTask::ForgetChat };
    scene.app.state.jobs.enqueue(&job, "moderation-log").await.unwrap();
    eventually("the old entry is gone", async || scene.log().await.len() == 1).await;
    assert_eq!(scene.log().await[0]["action"], "delete");
    running.stop().await.unwrap();
    scene.app.stop().await;
}
