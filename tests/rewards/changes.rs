//! Changes and deletions of rewards, here and at Twitch (reference/rewards.md#rewards-at-twitch).

use std::time::Duration;

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use foundation::lease::Lease;
use lumio_tests::{Answer, TestApp, both_refused, eventually};
use platforms_stand_in::{Failure, Platform};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{REWARDS, chat, found, gql_delete, gql_reward, gql_update, id_of, linked, new, owner, streamer};

const UNKNOWN: &str = "Reward not found";

#[tokio::test]
async fn update_reward_changes_a_created_reward_at_twitch_too() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let created = owner.post(REWARDS, new("Hello", chat())).await.expect(201)["data"].clone();
    let path = format!("{REWARDS}/{}", id_of(&created));
    app.clock.advance(chrono::Duration::seconds(5));
    let changed = owner.patch(&path, json!({ "title": " Hi ", "cost": 7 })).await.data().clone();
    assert_eq!(
        (&changed["title"], &changed["cost"], &changed["enabled"]),
        (&json!("Hi"), &json!(7), &json!(true))
    );
    assert!(changed["updated_at"].as_str() > created["updated_at"].as_str());
    let off = gql_update(&owner, &id_of(&created), &json!({ "enabled": false })).await.field("updateReward");
    assert_eq!((&off["enabled"], &off["title"]), (&json!(false), &json!("Hi")));
    let at_twitch = app.platforms.twitch_rewards(&channel).remove(0);
    assert_eq!((at_twitch.title.as_str(), at_twitch.cost, at_twitch.is_enabled), ("Hi", 7, false));
    // An action is no matter of the platform.
    let calls = app.platforms.engagement_calls(Platform::Twitch).len();
    let action = json!({ "type": "none" });
    assert_eq!(owner.patch(&path, json!({ "action": action })).await.data()["action"], action);
    assert_eq!(app.platforms.engagement_calls(Platform::Twitch).len(), calls);
    let fields: Vec<Value> = app
        .audited("reward:updated")
        .await
        .into_iter()
        .map(|entry| entry.metadata["fields"].clone())
        .collect();
    assert_eq!(fields, [json!(["title", "cost"]), json!(["enabled"]), json!(["action"])]);

    // A refusal of the platform changes nothing here.
    app.platforms.fail_next(Platform::Twitch, Failure::ServerError);
    owner.patch(&path, json!({ "cost": 8 })).await.refused_with("INTERNAL_SERVER_ERROR");
    assert_eq!(owner.get(&path).await.data()["cost"], 7);
    app.stop().await;
}

#[tokio::test]
async fn update_reward_and_delete_reward_leave_a_linked_reward_at_twitch_alone() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let of_streamer = app.platforms.add_twitch_reward(&channel, "Own", 10);
    let linked = owner.post(REWARDS, linked(&of_streamer.id, chat())).await.expect(201)["data"].clone();
    let path = format!("{REWARDS}/{}", id_of(&linked));
    let change = json!({ "title": "Mine", "cost": 3, "enabled": false });
    assert_eq!(owner.patch(&path, change).await.data()["title"], "Mine");
    owner.delete(&path).await.expect(204);
    assert_eq!(app.platforms.twitch_rewards(&channel), [of_streamer]);
    assert!(app.platforms.engagement_calls(Platform::Twitch).is_empty());
    app.stop().await;
}

#[tokio::test]
async fn update_reward_refuses_wrong_fields_and_foreign_ids() {
    let app = TestApp::start().await;
    let (owner, stranger) = (owner(&app).await, owner(&app).await);
    let own = id_of(&owner.post(REWARDS, linked("r1", chat())).await.expect(201)["data"]);
    for (change, message) in [
        (json!({ "title": "" }), "title must not be empty"),
        (json!({ "title": null }), "title cannot be null"),
        (json!({ "title": "x".repeat(46) }), "title must be between 1 and 45 characters"),
        (json!({ "cost": 0 }), "cost must be between 1 and 1000000"),
        (json!({ "cost": 1_000_001 }), "cost must be between 1 and 1000000"),
        (json!({ "cost": null }), "cost cannot be null"),
        (json!({ "enabled": null }), "enabled cannot be null"),
        (json!({ "action": null }), "action cannot be null"),
        (json!({ "action": { "type": "chat" } }), "Missing field: action.template"),
    ] {
        let rest = owner.patch(&format!("{REWARDS}/{own}"), change.clone()).await;
        both_refused(&rest, &gql_update(&owner, &own, &change).await, 400, "VALIDATION_ERROR", message);
    }
    let change = json!({ "title": "Stolen" });
    for (caller, id) in [(&stranger, own.clone()), (&owner, Uuid::now_v7().to_string())] {
        let rest = caller.patch(&format!("{REWARDS}/{id}"), change.clone()).await;
        both_refused(&rest, &gql_update(caller, &id, &change).await, 404, "NOT_FOUND", UNKNOWN);
        let rest = caller.get(&format!("{REWARDS}/{id}")).await;
        both_refused(&rest, &gql_reward(caller, &id).await, 404, "NOT_FOUND", UNKNOWN);
        let rest = caller.delete(&format!("{REWARDS}/{id}")).await;
        both_refused(&rest, &gql_delete(caller, &id).await, 404, "NOT_FOUND", UNKNOWN);
    }
    assert_eq!(owner.get(&format!("{REWARDS}/{own}")).await.data()["title"], "Say hello");
    assert!(app.audited("reward:updated").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn update_reward_refuses_an_action_of_a_reward_of_kick() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let on_kick = json!({ "platform": "kick", "platform_reward_id": "r1", "title": "Hi", "cost": 1 });
    let own = id_of(&owner.post(REWARDS, on_kick).await.expect(201)["data"]);
    let (path, change) = (format!("{REWARDS}/{own}"), json!({ "title": "Hello", "action": chat() }));
    let message = "action must be none for a reward of kick";
    let rest = owner.patch(&path, change.clone()).await;
    both_refused(&rest, &gql_update(&owner, &own, &change).await, 400, "VALIDATION_ERROR", message);
    assert_eq!(owner.get(&path).await.data()["title"], "Hi");
    let none = json!({ "title": "Hello", "action": { "type": "none" } });
    assert_eq!(owner.patch(&path, none).await.data()["title"], "Hello");
    app.stop().await;
}

/// Number of locks that writes of other connections have on the rewards.
async fn locks(app: &TestApp) -> Option<String> {
    let sql = "SELECT count(*)::text AS text FROM pg_locks
        WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND relation = 'rewards'::regclass AND mode IN ('RowShareLock', 'RowExclusiveLock')";
    found(app, sql).await
}

#[tokio::test]
async fn update_reward_and_delete_reward_lock_no_row_during_their_call_of_twitch() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let created = owner.post(REWARDS, new("Hello", chat())).await.expect(201)["data"].clone();
    let path = format!("{REWARDS}/{}", id_of(&created));
    // Twitch has the change at once, and its response is late.
    let late = || {
        let failure = Failure::Late(Duration::from_secs(3));
        app.platforms.fail_next_at(Platform::Twitch, "custom_rewards", failure);
    };
    late();
    let during = async {
        let is_changed = async || app.platforms.twitch_rewards(&channel)[0].title == "Hi";
        eventually("the reward has changed at Twitch", is_changed).await;
        locks(&app).await
    };
    let (changed, during) = tokio::join!(owner.patch(&path, json!({ "title": "Hi" })), during);
    assert_eq!((changed.data()["title"].as_str(), during.as_deref()), (Some("Hi"), Some("0")));
    late();
    let during = async {
        let is_deleted = async || app.platforms.twitch_rewards(&channel).is_empty();
        eventually("the reward is deleted at Twitch", is_deleted).await;
        locks(&app).await
    };
    let (deleted, during) = tokio::join!(owner.delete(&path), during);
    assert_eq!((deleted.status, during.as_deref()), (204, Some("0")));
    app.stop().await;
}

/// Makes a call whose client disconnects when Twitch has the change and has not responded yet. The response is as late
/// as the timeout of the API for it allows, since this test may wait for its turn meanwhile.
async fn disconnect_during(
    app: &TestApp,
    call: impl Future<Output = Answer>,
    has_changed: impl AsyncFnMut() -> bool,
) {
    let late = Failure::Late(Duration::from_secs(6));
    app.platforms.fail_next_at(Platform::Twitch, "custom_rewards", late);
    tokio::select! {
        answer = call => panic!("answered before it was cut off: {}", answer.text),
        _ = eventually("Twitch has the change", has_changed) => {}
    }
}

#[tokio::test]
async fn create_reward_update_reward_and_delete_reward_change_both_sides_for_a_client_that_disconnects() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let at_twitch = || app.platforms.twitch_rewards(&channel);
    let created = owner.post(REWARDS, new("Hello", chat()));
    disconnect_during(&app, created, async || !at_twitch().is_empty()).await;
    let listed = async || owner.get(REWARDS).await.data().clone();
    eventually("the reward is stored", async || listed().await.as_array().unwrap().len() == 1).await;
    let reward = listed().await[0].clone();
    assert_eq!(reward["platform_reward_id"], json!(at_twitch()[0].id));

    let path = format!("{REWARDS}/{}", id_of(&reward));
    let changed = owner.patch(&path, json!({ "title": "Hi" }));
    disconnect_during(&app, changed, async || at_twitch()[0].title == "Hi").await;
    eventually("the change is stored", async || owner.get(&path).await.data()["title"] == "Hi").await;
    // Its lease has ended.
    assert_eq!(owner.patch(&path, json!({ "cost": 7 })).await.data()["cost"], 7);

    let deleted = owner.delete(&path);
    disconnect_during(&app, deleted, async || at_twitch().is_empty()).await;
    eventually("the deletion is stored", async || owner.get(&path).await.status == 404).await;
    for action in ["reward:created", "reward:deleted"] {
        assert_eq!(app.audited(action).await.len(), 1, "{action}");
    }
    app.stop().await;
}

#[tokio::test]
async fn update_reward_leaves_the_same_at_twitch_and_here_when_requests_meet() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let created = owner.post(REWARDS, new("Hello", chat())).await.expect(201)["data"].clone();
    let path = format!("{REWARDS}/{}", id_of(&created));
    // Another request could pass the first one between Twitch and the database.
    let late = Failure::Late(Duration::from_secs(1));
    app.platforms.fail_next_at(Platform::Twitch, "custom_rewards", late);
    let changes = ["A", "B", "C"].map(|title| owner.patch(&path, json!({ "title": title })));
    let answers = futures::future::join_all(changes).await;
    assert!(answers.iter().any(|answer| answer.status == 200));
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        refused.refused("CONFLICT", "Reward is being changed");
    }
    let here = owner.get(&path).await.data()["title"].clone();
    assert_eq!(here, json!(app.platforms.twitch_rewards(&channel)[0].title));
    assert_ne!(here, "Hello");
    app.stop().await;
}

#[tokio::test]
async fn update_reward_and_delete_reward_are_refused_while_another_change_takes_too_long() {
    let app = TestApp::start().await;
    let (owner, _) = streamer(&app).await;
    let id = id_of(&owner.post(REWARDS, new("Hello", chat())).await.expect(201)["data"]);
    let (path, change) = (format!("{REWARDS}/{id}"), json!({ "cost": 5 }));
    let redis = &app.state.redis;
    let key = redis.key(format_args!("reward:{id}"));
    let lease = Lease::take(redis, key, &"another request", Duration::from_secs(60)).await.unwrap();
    let lease = lease.expect("nothing else changes the reward");
    let calls = app.platforms.engagement_calls(Platform::Twitch).len();
    let (rest, gql, deleted, gql_deleted) = tokio::join!(
        owner.patch(&path, change.clone()),
        gql_update(&owner, &id, &change),
        owner.delete(&path),
        gql_delete(&owner, &id),
    );
    both_refused(&rest, &gql, 409, "CONFLICT", "Reward is being changed");
    both_refused(&deleted, &gql_deleted, 409, "CONFLICT", "Reward is being changed");
    assert_eq!(app.platforms.engagement_calls(Platform::Twitch).len(), calls);
    // What Twitch does not have needs no call.
    owner.patch(&path, json!({ "action": { "type": "none" } })).await.expect(200);
    lease.release().await;
    assert_eq!(owner.patch(&path, change).await.data()["cost"], 5);
    owner.delete(&path).await.expect(204);
    app.stop().await;
}

#[tokio::test]
async fn delete_reward_deletes_a_created_reward_at_twitch_too() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let create =
        async |title: &str| id_of(&owner.post(REWARDS, new(title, chat())).await.expect(201)["data"]);
    let (first, second, third) = (create("1").await, create("2").await, create("3").await);
    owner.delete(&format!("{REWARDS}/{first}")).await.expect(204);
    let entry = app.audited_once("reward:deleted").await;
    assert_eq!(entry.metadata, json!({ "platform": "twitch", "title": "1" }));
    assert_eq!(gql_delete(&owner, &second).await.field("deleteReward"), json!({ "success": true }));
    assert_eq!(app.platforms.twitch_rewards(&channel).len(), 1);
    // The channel is no longer connected: the reward is deleted only here.
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query("DELETE FROM channel_connections").execute(&mut *db).await.unwrap();
    drop(db);
    owner.delete(&format!("{REWARDS}/{third}")).await.expect(204);
    assert_eq!(app.platforms.twitch_rewards(&channel).len(), 1);
    assert_eq!(*owner.get(REWARDS).await.data(), json!([]));
    app.stop().await;
}

#[tokio::test]
async fn delete_reward_takes_one_that_is_gone_at_twitch() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let created = owner.post(REWARDS, new("Hello", chat())).await.expect(201)["data"].clone();
    // The streamer has deleted it there.
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query("UPDATE rewards SET platform_reward_id = 'gone'").execute(&mut *db).await.unwrap();
    drop(db);
    let path = format!("{REWARDS}/{}", id_of(&created));
    let gone = "The custom reward specified in the id query parameter was not found";
    let change = json!({ "cost": 5 });
    both_refused(
        &owner.patch(&path, change.clone()).await,
        &gql_update(&owner, &id_of(&created), &change).await,
        400,
        "BAD_REQUEST",
        gone,
    );
    owner.delete(&path).await.expect(204);
    assert_eq!(app.platforms.twitch_rewards(&channel).len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn update_reward_and_delete_reward_report_a_refusal_of_twitch() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let of_streamer = app.platforms.add_twitch_reward(&channel, "Own", 10);
    let reward = owner.post(REWARDS, linked(&of_streamer.id, chat())).await.expect(201)["data"].clone();
    // As if the application of the connection had changed since.
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query("UPDATE rewards SET is_managed = true").execute(&mut *db).await.unwrap();
    drop(db);
    let (path, id) = (format!("{REWARDS}/{}", id_of(&reward)), id_of(&reward));
    let message = "The ID in the Client-Id header must match the client ID used to create the custom reward";
    let change = json!({ "cost": 5 });
    let rest = owner.patch(&path, change.clone()).await;
    both_refused(&rest, &gql_update(&owner, &id, &change).await, 400, "BAD_REQUEST", message);
    let rest = owner.delete(&path).await;
    both_refused(&rest, &gql_delete(&owner, &id).await, 400, "BAD_REQUEST", message);
    assert_eq!(*owner.get(&path).await.data(), reward);
    app.stop().await;
}
