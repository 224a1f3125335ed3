//! Events of music, and the song in replies of commands (reference/music.md#events-of-music).

use chrono::TimeDelta;
use lumio_tests::world::{self, stored_events, workers};
use lumio_worker::Daemon;
use platforms_stand_in::Platform;
use serde_json::json;
use uuid::Uuid;

use super::stage::{Stage, eventually};

const MUSIC: [Daemon; 1] = [Daemon::Music];

/// Polls now and not when the next poll is due.
async fn wake(stage: &Stage) {
    live_model::music::wake(&stage.app.state.redis, stage.account()).await.unwrap();
}

#[tokio::test]
async fn events_follow_the_player() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    stage.goes_live().await;
    let running = workers(&stage.app, &MUSIC).await;
    eventually("the song is published", async || stage.published("spotify:state").await.len() == 1).await;
    let track = stage.published("spotify:track").await.remove(0);
    assert_eq!(
        (&track["title"], &track["artist"], &track["artists"], &track["is_playing"]),
        (&json!("one"), &json!("Artist"), &json!(["Artist"]), &json!(true))
    );
    assert_eq!(stage.published("spotify:play").await.len(), 1);

    stage.plays("two", 1_000);
    wake(&stage).await;
    eventually("the song was left", async || stage.published("spotify:skip").await.len() == 1).await;
    assert_eq!(stage.published("spotify:skip").await[0]["track_id"], track["track_id"]);
    eventually("the next one plays", async || stage.published("spotify:track").await.len() == 2).await;

    stage.pauses("two", 5_000);
    wake(&stage).await;
    eventually("it is paused", async || stage.published("spotify:pause").await.len() == 1).await;
    assert_eq!(stage.song().await, None, "a paused song does not play");
    let known = live_model::music::now_playing(&stage.app.state.redis, stage.account()).await.unwrap();
    assert_eq!(known.map(|track| track["is_playing"].clone()), Some(json!(false)));

    stage.stops();
    wake(&stage).await;
    eventually("the player is gone", async || stage.published("spotify:track").await.len() == 3).await;
    assert!(stage.published("spotify:track").await[2]["uri"].is_null());
    assert_eq!(stage.published("spotify:pause").await.len(), 1);
    stage.end(running).await;
}

#[tokio::test]
async fn events_of_songs_are_stored_once_and_published_to_the_account() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    stage.goes_live().await;
    let running = workers(&stage.app, &[Daemon::Music, Daemon::Ingest]).await;
    let stored = async || {
        let page = stage.owner.get("/v1/events?types=spotify:track").await;
        page.body["data"].as_array().cloned().unwrap_or_default()
    };
    eventually("the song is stored", async || stored().await.len() == 1).await;
    stage.plays("two", 1_000);
    wake(&stage).await;
    eventually("the next one is stored", async || stored().await.len() == 2).await;
    let newest = stored().await.remove(0);
    assert_eq!((&newest["platform"], &newest["is_test"]), (&json!("spotify"), &json!(false)));
    let keys = ["track_id", "title", "artist", "album", "duration_ms"];
    let data = newest["data"].as_object().unwrap();
    assert_eq!((data.len(), keys.iter().all(|key| data.contains_key(*key))), (keys.len(), true), "{data:?}");
    assert_eq!(data["title"], "two");
    let live = world::published(&stage.app, &format!("events:{}", stage.owner.account_id)).await;
    let songs: Vec<_> = live.iter().filter(|event| event["data"]["event_type"] == "spotify:track").collect();
    assert_eq!(songs.len(), 2, "{live:?}");

    stage.stops();
    wake(&stage).await;
    eventually("the player is gone", async || stage.published("spotify:track").await.len() == 3).await;
    assert_eq!(stored().await.len(), 2, "no song is no event");
    stage.end(running).await;
}

#[tokio::test]
async fn events_of_songs_need_their_flag() {
    let stage = Stage::new().await;
    stage.app.override_feature(stage.owner.account_id, "event:spotify:track", false).await;
    stage.plays("one", 10_000);
    stage.goes_live().await;
    let running = workers(&stage.app, &[Daemon::Music, Daemon::Ingest]).await;
    eventually("the song is published", async || stage.published("spotify:state").await.len() == 1).await;
    assert_eq!(stored_events(&stage.app, stage.owner.account_id).await, Vec::<serde_json::Value>::new());
    let live = world::published(&stage.app, &format!("events:{}", stage.owner.account_id)).await;
    assert!(live.iter().all(|event| event["data"]["event_type"] != "spotify:track"), "{live:?}");
    stage.end(running).await;
}

#[tokio::test]
async fn events_of_a_seek_are_states() {
    let stage = Stage::new().await;
    stage.pauses("one", 10_000);
    stage.goes_live().await;
    let running = workers(&stage.app, &MUSIC).await;
    let states = async || stage.published("spotify:state").await;
    eventually("the player is published", async || states().await.len() == 1).await;
    stage.pauses("one", 90_000);
    stage.advances(TimeDelta::seconds(15)).await;
    eventually("the position is published", async || states().await.len() == 2).await;
    assert_eq!(states().await[1]["progress_ms"], 90_000);
    stage.end(running).await;
}

/// Reply of `{song}` to a line.
async fn reply(stage: &Stage, command: Uuid) -> String {
    let system = stage.app.system_key().await;
    let sent = stage.app.platforms.sent_messages(Platform::Twitch).len();
    let body = json!({
        "account_id": stage.owner.account_id, "event_id": Uuid::now_v7(), "platform": "twitch",
        "user_id": "7", "user_name": "Ada", "message_id": "m", "response_type": "template",
        "response": "now {song}", "automation_id": null, "arguments": "", "use_count": 1,
    });
    let path = format!("/v1/internal/bot-commands/{command}/replies");
    let answer = system.post(&path, body).await;
    assert_eq!(answer.expect(200)["ok"], true, "{}", answer.text);
    stage.app.platforms.sent_messages(Platform::Twitch)[sent].text.clone()
}

#[tokio::test]
async fn internal_reply_to_command_names_the_song_that_plays() {
    let stage = Stage::new().await;
    let created = stage.owner.post("/v1/bot-commands", json!({ "name": "song", "response": "r" })).await;
    let command: Uuid = created.data()["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(reply(&stage, command).await, "now nothing");
    stage.plays("one", 10_000);
    stage.goes_live().await;
    let running = workers(&stage.app, &MUSIC).await;
    eventually("the song is known", async || stage.song().await.is_some()).await;
    assert_eq!(reply(&stage, command).await, "now one - Artist");
    stage.end(running).await;
}
