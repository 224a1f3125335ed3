//! Changes and deletions of rewards, here and at Twitch (reference/rewards.md#rewards-at-twitch).

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, both_refused};
use platforms_stand_in::{Failure, Platform};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{REWARDS, chat, gql_delete, gql_reward, gql_update, id_of, linked, new, owner, streamer};

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
