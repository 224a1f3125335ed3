//! Starts by events: of platforms, by begin and end of a broadcast, of the account's own, and of automations.

use super::*;
use crate::common::custom_event;
use automation_model::starts::{Emitter, add_for_event};
use live_model::AccountEvent;

fn custom(stage: &Stage, name: &str) -> AccountEvent {
    custom_event(&stage.app, stage.owner.account_id, name)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_by_events_match_type_platform_and_filters_once() {
    let stage = Stage::start().await;
    let filters = json!([{ "path": "viewer_count", "op": "gte", "value": 10 }]);
    let raid = json!({ "event_types": ["twitch:raid"], "platforms": ["twitch"], "filters": filters });
    let (automation, node) = stage.automate("event", raid.clone()).await;
    // Neighbours: another type, another platform, disabled, and another account.
    stage.automate("event", json!({ "event_types": ["twitch:follower"] })).await;
    stage.automate("event", json!({ "event_types": ["twitch:raid"], "platforms": ["kick"] })).await;
    let (disabled, _) = stage.automate("event", raid.clone()).await;
    stage.run_sql(&format!("UPDATE automations SET enabled = false WHERE id = '{disabled}'")).await;
    announce(&stage.app, stage.owner.account_id).await;
    let other = stage.app.owner().await;
    automate(&stage.app, other.account_id, "event", raid).await;

    let raider = stage.app.platforms.create_user(Platform::Twitch, "raider").0;
    stage.deliver(&twitch::Event::raid(&raider, &stage.streamer, 9)).await;
    assert!(stage.runs().await.is_empty(), "the filter does not match");
    stage.deliver(&twitch::Event::raid(&raider, &stage.streamer, 42)).await;
    eventually("it starts", async || stage.runs_of(automation).await == 1).await;
    let all = stage.runs().await;
    assert_eq!(all.len(), 1, "{all:?}");
    let run = &all[0];
    assert_eq!((&run.trigger["node_id"], &run.trigger["type"]), (&json!(node), &json!("event")));
    assert_eq!(run.trigger["payload"]["viewer_count"], 42);
    assert_eq!(run.trigger["payload"]["from_broadcaster_id"], json!(raider.id));
    assert!(run.dedupe_key.starts_with("event:") && !run.is_test && run.depth == 0, "{run:?}");
    assert!(runs(&stage.app, other.account_id).await.is_empty());
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_by_broadcasts_follow_begin_and_end_of_their_platforms() {
    let stage = Stage::start().await;
    let (online, _) = stage.automate("stream_online", json!({ "platforms": ["twitch"] })).await;
    let (offline, _) = stage.automate("stream_offline", json!({})).await;
    let (elsewhere, _) = stage.automate("stream_online", json!({ "platforms": ["kick"] })).await;
    stage.deliver(&twitch::Event::stream_online(&stage.streamer)).await;
    eventually("it starts", async || stage.runs_of(online).await == 1).await;
    assert_eq!(stage.runs_of(offline).await, 0);
    stage.deliver(&twitch::Event::stream_offline(&stage.streamer)).await;
    eventually("it starts", async || stage.runs_of(offline).await == 1).await;
    assert_eq!((stage.runs_of(online).await, stage.runs_of(elsewhere).await), (1, 0));
    // An event of the account's own is no broadcast.
    let own = json!({ "event_type": "custom:stream_online", "data": {} });
    stage.owner.post("/v1/events", own).await.expect(201);
    stage.starts_are_done().await;
    assert_eq!(stage.runs_of(online).await, 1);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_by_emitted_events_are_marked_as_tests() {
    let stage = Stage::start().await;
    let (automation, _) = stage.automate("event", json!({ "event_types": ["custom:level_up"] })).await;
    for is_test in [true, false] {
        let event = json!({ "event_type": "custom:level_up", "data": { "level": 3 }, "is_test": is_test });
        stage.owner.post("/v1/events", event).await.expect(201);
        let other = json!({ "event_type": "custom:other", "data": {}, "is_test": is_test });
        stage.owner.post("/v1/events", other).await.expect(201);
        let expected = if is_test { 1 } else { 2 };
        eventually("it starts", async || stage.runs_of(automation).await == expected).await;
    }
    let found: Vec<_> =
        stage.runs().await.iter().map(|run| (run.is_test, run.trigger["payload"]["level"].clone())).collect();
    assert_eq!(found, [(true, json!(3)), (false, json!(3))]);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_by_events_of_automations_end_at_a_depth_of_three() {
    let stage = Stage::start().await;
    let (automation, _) = stage.automate("event", json!({ "event_types": ["custom:again"] })).await;
    // A run of depth 2 starts one of depth 3, and that one none.
    for depth in [2, 3] {
        let (event, run_id) = (custom(&stage, "again"), id::new());
        let mut db = stage.app.databases.postgres.get().await.unwrap();
        assert!(add_for_event(&mut db, &event, Some(Emitter { run_id, depth })).await.unwrap());
    }
    eventually("it starts", async || stage.runs_of(automation).await == 1).await;
    stage.starts_are_done().await;
    let depths: Vec<i16> = stage.runs().await.iter().map(|run| run.depth).collect();
    assert_eq!(depths, [3]);
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    assert!(!add_for_event(&mut db, &custom(&stage, "other"), None).await.unwrap(), "nothing waits for it");
    drop(db);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_need_the_feature_of_automations() {
    let stage = Stage::start().await;
    let (automation, _) = stage.automate("event", json!({ "event_types": ["twitch:follower"] })).await;
    let account = stage.owner.account_id;
    stage.app.override_feature(account, "feature:automations", false).await;
    stage.deliver(&twitch::Event::follow(&stage.streamer, &stage.viewer)).await;
    assert_eq!(stage.runs_of(automation).await, 0);
    stage.app.override_feature(account, "feature:automations", true).await;
    let second = stage.app.platforms.create_user(Platform::Twitch, "bob").0;
    stage.deliver(&twitch::Event::follow(&stage.streamer, &second)).await;
    eventually("it starts", async || stage.runs_of(automation).await == 1).await;
    stage.stop().await;
}
