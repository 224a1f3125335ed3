//! Alerts of blocked songs (reference/music.md#blocked-songs).

use chrono::TimeDelta;
use lumio_tests::world::workers;
use lumio_worker::Daemon;
use serde_json::json;

use super::stage::{Stage, eventually};

const DAEMONS: [Daemon; 2] = [Daemon::Music, Daemon::Outbox];

async fn blocked(stage: &Stage, title: &str) {
    let song = json!({ "title": title, "artist": "Artist" });
    stage.owner.post("/v1/copyright/blocked-songs", song).await.expect(201);
}

async fn polled_again(stage: &Stage) {
    let polls = stage.polls();
    stage.advances(TimeDelta::seconds(3)).await;
    eventually("it is polled", async || stage.polls() > polls + 1).await;
}

#[tokio::test]
async fn alerts_reach_readers_once_for_each_song_and_stream() {
    let stage = Stage::new().await;
    let reader = stage.app.member_with(stage.owner.account_id, &["copyright:read"]).await;
    let all = stage.app.member_with(stage.owner.account_id, &["copyright:*"]).await;
    let other = stage.app.member_with(stage.owner.account_id, &["chat:read"]).await;
    for title in ["Sun", "Moon"] {
        blocked(&stage, title).await;
    }
    stage.plays("Sun", 10_000);
    stage.goes_live().await;
    let running = workers(&stage.app, &DAEMONS).await;
    for person in [&stage.owner, &reader, &all] {
        eventually("the person is notified", async || stage.alerts(person).await.len() == 1).await;
    }
    let notice = stage.alerts(&reader).await.remove(0);
    assert_eq!(notice["data"]["title"], "Sun");
    assert_eq!(notice["data"]["accountId"], json!(stage.owner.account_id));
    eventually("it is published", async || stage.published("spotify:copyright_alert").await.len() == 1).await;
    let published = stage.published("spotify:copyright_alert").await;
    assert_eq!((&published[0]["title"], &published[0]["status"]), (&json!("Sun"), &json!("blocked")));
    assert_eq!(stage.published("spotify:track").await[0]["copyright_status"], "blocked");

    // Another song, and the first one again.
    for (title, expected) in [("Moon", 2), ("Sun", 2)] {
        stage.plays(title, 1_000);
        let is_current = async || stage.song().await.is_some_and(|song| song.starts_with(title));
        eventually("the song changes", is_current).await;
        polled_again(&stage).await;
        eventually("alerts are as expected", async || stage.alerts(&reader).await.len() == expected).await;
    }

    // Another stream.
    stage.goes_off().await;
    eventually("the stream ends", async || stage.song().await.is_none()).await;
    stage.advances(TimeDelta::minutes(5)).await;
    stage.goes_live().await;
    eventually("it is a stream of its own", async || stage.alerts(&reader).await.len() == 3).await;
    assert_eq!(stage.alerts(&other).await.len(), 0, "the permission is missing");
    stage.end(running).await;
}

#[tokio::test]
async fn alerts_need_a_live_channel_and_the_feature() {
    let stage = Stage::new().await;
    blocked(&stage, "Sun").await;
    stage.plays("Sun", 10_000);
    stage.owner.post("/v1/spotify/manual-connect", json!({})).await.expect(200);
    let running = workers(&stage.app, &DAEMONS).await;
    eventually("the song is known", async || stage.song().await.is_some()).await;
    polled_again(&stage).await;
    assert_eq!(stage.published("spotify:track").await[0]["copyright_status"], "blocked");
    assert_eq!(stage.alerts(&stage.owner).await.len(), 0, "no channel is live");
    stage.goes_live().await;
    eventually("the stream began", async || stage.alerts(&stage.owner).await.len() == 1).await;

    let other = stage.another().await;
    stage.app.override_feature(other, "feature:copyright_detection", false).await;
    stage.live(other, true).await;
    eventually("the other song is known", async || stage.song_of(other).await.is_some()).await;
    let track = live_model::music::now_playing(&stage.app.state.redis, Stage::id(other)).await.unwrap();
    assert!(track.unwrap()["copyright_status"].is_null());
    stage.end(running).await;
}
