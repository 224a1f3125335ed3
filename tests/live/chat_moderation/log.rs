//! The moderation log (reference/chat.md#moderation-log).

use foundation::jobs::{Housekeep, HousekeepingTask};
use lumio_tests::both_refused;
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, Platform};
use serde_json::{Value, json};

use super::{LOG, Scene, over_graphql, over_rest, succeeds};
use crate::{
    chat_world::change,
    world::{eventually, install, published, workers},
};

#[tokio::test]
async fn moderate_chat_returns_and_logs_failures_with_their_reason() {
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
    // Another account's channel does not exist for a stranger.
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
    assert!(published(&scene.app, &format!("chat:{}", scene.owner.account_id)).await.is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn moderate_chat_logs_the_first_rate_limited_action_and_counts_the_others() {
    let scene = Scene::slow(Platform::Twitch).await;
    let details = "At most 2 moderation actions in 30 seconds may be taken";
    for round in 1..=2 {
        for _ in 0..2 {
            succeeds(&scene.owner, &scene.timeout(60)).await;
        }
        let ban = scene.ban();
        let refused = futures::future::join_all((0..8).map(|_| over_rest(&scene.owner, &ban))).await;
        assert!(refused.iter().all(|answer| answer.status == 429));
        let log = scene.log().await;
        assert_eq!(log.len(), 3 * round);
        assert_eq!(
            (&log[0]["action"], &log[0]["target"], &log[0]["success"], &log[0]["details"]),
            (&json!("ban"), &json!(scene.spammer.id), &json!(false), &json!(details))
        );
        let audited = scene.app.audited("chat:user_banned").await;
        assert_eq!(audited.len(), round);
        assert!(audited.iter().all(|entry| entry.metadata["details"] == details));
        let figures = scene.app.state.metrics.render().unwrap();
        let counted = figures.lines().find(|line| line.starts_with("lumio_moderation_unlogged_total{"));
        assert!(counted.is_some_and(|line| line.ends_with(&format!(" {}", 7 * round))), "{counted:?}");
        scene.app.clock.advance(chrono::Duration::seconds(31));
    }
    scene.app.stop().await;
}

#[tokio::test]
async fn moderation_log_is_paged_and_names_extensions() {
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
async fn moderation_log_is_kept_as_long_as_chat() {
    let scene = Scene::on(Platform::Twitch).await;
    succeeds(&scene.owner, &scene.timeout(60)).await;
    let old = "UPDATE moderation_log SET created_at = created_at - interval '91 days' WHERE account_id = $1";
    change(&scene.app, old, scene.owner.account_id).await;
    scene.store_m1().await;
    succeeds(&scene.owner, &scene.delete()).await;
    let running = workers(&scene.app, &[Daemon::Housekeeping]).await;
    let job = Housekeep { task: HousekeepingTask::ForgetChat };
    scene.app.state.jobs.enqueue(&job, "moderation-log").await.unwrap();
    eventually("the old entry is gone", async || scene.log().await.len() == 1).await;
    assert_eq!(scene.log().await[0]["action"], "delete");
    running.stop().await.unwrap();
    scene.app.stop().await;
}
