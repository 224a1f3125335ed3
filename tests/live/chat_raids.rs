//! Raids (reference/chat.md#raids).

use lumio_tests::{Person, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, Platform, User};
use serde_json::{Value, json};

use super::{
    chat_world::change,
    world::{connect, eventually, published, workers},
};

const PATH: &str = "/v1/chat/raid";
const SELECTION: &str = "{ platform target targetId targetName startedAt }";

struct Scene {
    app: TestApp,
    owner: Person,
    channel: User,
    friend: User,
}

impl Scene {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        let channel = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        let (friend, _) = app.platforms.create_user(Platform::Twitch, "friend");
        Self { app, owner, channel, friend }
    }

    fn calls(&self) -> Vec<(&'static str, Value)> {
        let calls = self.app.platforms.engagement_calls(Platform::Twitch).into_iter();
        calls.map(|call| (call.action, call.body)).collect()
    }
}

fn raid(target: &str) -> Value {
    json!({ "platform": "twitch", "target": target })
}

const CANCEL: &str = "mutation { cancelRaid { success } }";

#[tokio::test]
async fn cancel_raid_cancels_a_started_raid_and_both_are_published_and_audited() {
    let scene = Scene::start().await;
    let answer = scene.owner.post(PATH, raid(" @Friend ")).await;
    let started = answer.expect(201)["data"].clone();
    let at = started["started_at"].clone();
    assert_eq!(
        started,
        json!({ "platform": "twitch", "status": "started", "target": "friend", "target_id": scene.friend.id,
            "target_name": scene.friend.display_name, "started_at": at })
    );
    assert_eq!(scene.owner.delete(PATH).await.status, 204);
    let again = scene.owner.mutate("startRaid", &raid("friend"), SELECTION).await.field("startRaid");
    assert_eq!(again["target_id"], scene.friend.id);
    assert_eq!(scene.owner.graphql(CANCEL, json!({})).await.field("cancelRaid"), json!({ "success": true }));
    let go = json!({ "from": scene.channel.id, "to": scene.friend.id });
    let back = json!({ "from": scene.channel.id });
    assert_eq!(
        scene.calls(),
        [("raid", go.clone()), ("unraid", back.clone()), ("raid", go), ("unraid", back)]
    );
    let running = workers(&scene.app, &[Daemon::Outbox]).await;
    let channel = format!("chat:{}", scene.owner.account_id);
    eventually("four events", async || published(&scene.app, &channel).await.len() == 4).await;
    let events = published(&scene.app, &channel).await;
    assert!(events.iter().all(|event| event["event_type"] == "raid:updated"));
    let mut statuses: Vec<_> =
        events.iter().map(|event| event["data"]["raid"]["status"].as_str().unwrap()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["cancelled", "cancelled", "started", "started"]);
    running.stop().await.unwrap();
    let audited = scene.app.audited("raid:started").await;
    assert_eq!(audited[0].metadata, json!({ "platform": "twitch", "target": "friend" }));
    assert_eq!((audited.len(), scene.app.audited("raid:cancelled").await.len()), (2, 2));
    scene.app.stop().await;
}

#[tokio::test]
async fn start_raid_refuses_impossible_targets_on_both_protocols() {
    let scene = Scene::start().await;
    let start = async |input: Value| {
        (
            scene.owner.post(PATH, input.clone()).await,
            scene.owner.mutate("startRaid", &input, SELECTION).await,
        )
    };
    let (rest, graphql) = start(json!({ "platform": "kick", "target": "x" })).await;
    both_refused(&rest, &graphql, 400, "BAD_REQUEST", "raid is not supported on kick");
    let (rest, graphql) = start(json!({ "platform": "msn", "target": "x" })).await;
    both_refused(
        &rest,
        &graphql,
        400,
        "VALIDATION_ERROR",
        "platform must be one of twitch, youtube, kick, trovo",
    );
    let (rest, graphql) = start(raid("@")).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "target must not be empty");
    let (rest, graphql) = start(raid("nobody")).await;
    both_refused(&rest, &graphql, 400, "BAD_REQUEST", "There is no channel nobody");
    let (rest, graphql) = start(raid("streamer")).await;
    let own = "The IDs in from_broadcaster_id and to_broadcaster_id cannot be the same ID";
    both_refused(&rest, &graphql, 400, "BAD_REQUEST", own);
    let (rest, graphql) = (scene.owner.delete(PATH).await, scene.owner.graphql(CANCEL, json!({})).await);
    let none = "The broadcaster doesn't have a pending raid to cancel";
    both_refused(&rest, &graphql, 400, "BAD_REQUEST", none);
    scene
        .owner
        .delete(&format!("{PATH}?platform=trovo"))
        .await
        .refused("BAD_REQUEST", "raid is not supported on trovo");
    assert!(scene.calls().is_empty());
    scene.owner.post(PATH, raid("friend")).await.expect(201);
    let (rest, graphql) = start(raid("friend")).await;
    let busy = "The broadcaster is already in the process of raiding another channel";
    both_refused(&rest, &graphql, 409, "CONFLICT", busy);
    assert_eq!(scene.app.audited("raid:started").await.len(), 1);
    scene.app.stop().await;
}

#[tokio::test]
async fn start_raid_needs_the_permission_the_feature_and_a_working_channel() {
    let scene = Scene::start().await;
    let member = scene.app.member_with(scene.owner.account_id, &["chat:poll"]).await;
    both_refused(
        &member.post(PATH, raid("friend")).await,
        &member.mutate("startRaid", &raid("friend"), SELECTION).await,
        403,
        "FORBIDDEN",
        "Missing permission: chat:raid",
    );
    let stranger = scene.app.owner().await;
    both_refused(
        &stranger.post(PATH, raid("friend")).await,
        &stranger.mutate("startRaid", &raid("friend"), SELECTION).await,
        409,
        "CONFLICT",
        "The account is not connected to twitch",
    );
    let wait = std::time::Duration::from_secs(7);
    scene.app.platforms.fail_next_at(Platform::Twitch, "raids", Failure::RateLimited { retry_after: wait });
    let busy = scene.owner.post(PATH, raid("friend")).await;
    busy.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!((busy.status, busy.header("retry-after")), (429, "7"));
    let flag = "UPDATE channel_connections SET reconnect_required = true WHERE account_id = $1";
    change(&scene.app, flag, scene.owner.account_id).await;
    scene
        .owner
        .post(PATH, raid("friend"))
        .await
        .refused("CONFLICT", "The twitch channel must be connected again");
    scene.app.override_feature(scene.owner.account_id, "feature:multichat", false).await;
    scene.owner.delete(PATH).await.refused("FEATURE_DISABLED", "Feature is disabled: feature:multichat");
    assert!(scene.calls().is_empty());
    scene.app.stop().await;
}
