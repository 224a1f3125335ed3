//! Polls: which accounts, how often, by whom (reference/music.md#polling).

use std::time::Duration;

use chrono::TimeDelta;
use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Program, TestApp,
    world::{connect_to, workers},
};
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, Platform};
use serde_json::json;
use uuid::Uuid;

use super::stage::{Stage, eventually};

const MUSIC: [Daemon; 1] = [Daemon::Music];
/// Time in which a copy would have polled an account that is due several times.
const SEVERAL_CLAIMS: Duration = Duration::from_millis(1500);
/// Bounds (reference/music.md#polling).
const MAX_CONCURRENT_POLLS: i64 = 64;
const MAX_MANUAL_CONNECTS: usize = 20_000;

#[tokio::test]
async fn polls_begin_with_the_stream_and_end_with_it() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    let running = workers(&stage.app, &MUSIC).await;
    tokio::time::sleep(SEVERAL_CLAIMS).await;
    assert_eq!(stage.polls(), 0, "no channel is live");
    stage.goes_live().await;
    eventually("it is polled", async || stage.polls() > 0).await;
    eventually("the song is known", async || stage.song().await.as_deref() == Some("one - Artist")).await;
    stage.goes_off().await;
    eventually("the song is no longer known", async || stage.song().await.is_none()).await;
    eventually("its end is published", async || {
        stage.published("spotify:track").await.last().is_some_and(|track| track["track_id"].is_null())
    })
    .await;
    let polls = stage.polls();
    stage.advances(TimeDelta::minutes(1)).await;
    tokio::time::sleep(SEVERAL_CLAIMS).await;
    assert_eq!(stage.polls(), polls);
    stage.end(running).await;
}

#[tokio::test]
async fn polls_run_while_the_account_is_connected_manually() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    let running = workers(&stage.app, &MUSIC).await;
    stage.owner.post("/v1/spotify/manual-connect", json!({})).await.expect(200);
    eventually("it is polled", async || stage.polls() > 0).await;
    stage.advances(TimeDelta::minutes(30)).await;
    eventually("the song is no longer known", async || stage.song().await.is_none()).await;
    let polls = stage.polls();
    stage.advances(TimeDelta::minutes(1)).await;
    tokio::time::sleep(SEVERAL_CLAIMS).await;
    assert_eq!(stage.polls(), polls);
    stage.end(running).await;
}

#[tokio::test]
async fn polls_wait_while_twenty_thousand_others_are_connected_manually() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    let redis = &stage.app.state.redis;
    let (connected, plan) = (redis.key("music_polls:manual"), redis.key("music_polls:plan"));
    let mut others = redis::cmd("ZADD");
    others.arg(&connected);
    for _ in 0..MAX_MANUAL_CONNECTS {
        others.arg((stage.app.clock.now() + TimeDelta::minutes(10)).timestamp_millis());
        others.arg(Uuid::now_v7().to_string());
    }
    others.query_async::<()>(&mut *redis.get().await.unwrap()).await.unwrap();
    stage.owner.post("/v1/spotify/manual-connect", json!({})).await.expect(200);
    let running = workers(&stage.app, &MUSIC).await;
    eventually("the accounts are compared", async || {
        let mut connection = redis.get().await.unwrap();
        redis::cmd("EXISTS").arg(&plan).query_async::<bool>(&mut *connection).await.unwrap()
    })
    .await;
    tokio::time::sleep(SEVERAL_CLAIMS).await;
    assert_eq!(stage.polls(), 0, "it waits");
    let mut ended = redis::pipe();
    ended.cmd("ZREMRANGEBYRANK").arg(&connected).arg(0).arg(0).cmd("DEL").arg(&plan);
    ended.query_async::<()>(&mut *redis.get().await.unwrap()).await.unwrap();
    eventually("it is polled when another one has ended", async || stage.polls() > 0).await;
    stage.end(running).await;
}

#[tokio::test]
async fn polls_of_one_copy_are_at_most_sixty_four_at_a_time() {
    let app = TestApp::start().await;
    let (redis, claims) = (&app.state.redis, app.state.redis.key("music_polls:claims"));
    let mut listeners = Vec::new();
    for number in 0..MAX_CONCURRENT_POLLS + 2 {
        let account = app.owner().await.account_id;
        app.override_feature(account, "feature:music", true).await;
        let (listener, token) = app.platforms.create_user(Platform::Spotify, &format!("listener-{number}"));
        connect_to(&app, account, &listener, Some(&token)).await;
        live_model::music::manual::start(redis, Stage::id(account), app.clock.now()).await.unwrap();
        listeners.push(listener);
    }
    for _ in 0..MAX_CONCURRENT_POLLS {
        let slow = Failure::Slow(Duration::from_secs(3));
        app.platforms.fail_next_at(Platform::Spotify, "me/player", slow);
    }
    let running = workers(&app, &MUSIC).await;
    let mut concurrent = 0;
    eventually("every player is polled", async || {
        let mut connection = redis.get().await.unwrap();
        let now: i64 = redis::cmd("ZCARD").arg(&claims).query_async(&mut *connection).await.unwrap();
        concurrent = concurrent.max(now);
        listeners.iter().all(|listener| !app.platforms.spotify_calls(listener).is_empty())
    })
    .await;
    assert_eq!(concurrent, MAX_CONCURRENT_POLLS);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn polls_need_the_feature_and_a_connection_that_works() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    stage.app.override_feature(stage.owner.account_id, "feature:music", false).await;
    stage.goes_live().await;
    let running = workers(&stage.app, &MUSIC).await;
    tokio::time::sleep(SEVERAL_CLAIMS).await;
    assert_eq!(stage.polls(), 0);
    stage.app.override_feature(stage.owner.account_id, "feature:music", true).await;
    eventually("it is polled", async || stage.polls() > 0).await;
    // The token cannot be refreshed: the connection is flagged.
    stage.app.platforms.revoke_token(Platform::Spotify, &stage.token);
    stage.advances(TimeDelta::seconds(3)).await;
    eventually("the song is no longer known", async || stage.song().await.is_none()).await;
    let polls = stage.polls();
    stage.advances(TimeDelta::minutes(1)).await;
    tokio::time::sleep(SEVERAL_CLAIMS).await;
    assert_eq!(stage.polls(), polls);
    stage.end(running).await;
}

#[tokio::test]
async fn polls_of_a_paused_player_are_rarer_until_a_command_wakes_them() {
    let stage = Stage::new().await;
    stage.pauses("one", 10_000);
    stage.goes_live().await;
    let running = workers(&stage.app, &MUSIC).await;
    eventually("it is polled", async || stage.polls() == 1).await;
    // A player that plays would be polled by now.
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(stage.polls(), 1, "fifteen seconds are not over");
    stage.advances(TimeDelta::seconds(15)).await;
    eventually("it is polled again", async || stage.polls() == 2).await;
    live_model::music::wake(&stage.app.state.redis, stage.account()).await.unwrap();
    eventually("a command wakes it", async || stage.polls() == 3).await;
    stage.plays("one", 12_000);
    live_model::music::wake(&stage.app.state.redis, stage.account()).await.unwrap();
    eventually("it plays", async || stage.published("spotify:play").await.len() == 1).await;
    // A player that plays is polled every three seconds.
    let polls = stage.polls();
    eventually("it is polled often", async || stage.polls() >= polls + 2).await;
    stage.end(running).await;
}

#[tokio::test]
async fn polls_of_two_copies_are_one_for_each_account_and_interval() {
    let stage = Stage::new().await;
    stage.pauses("one", 10_000);
    stage.goes_live().await;
    let (first, second) = (workers(&stage.app, &MUSIC).await, workers(&stage.app, &MUSIC).await);
    for expected in 1..=4 {
        eventually("it is polled", async || stage.polls() == expected).await;
        tokio::time::sleep(Duration::from_millis(800)).await;
        assert_eq!(stage.polls(), expected);
        stage.advances(TimeDelta::seconds(15)).await;
    }
    assert_eq!(stage.published("spotify:track").await.len(), 1);
    second.stop().await.unwrap();
    stage.end(first).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn polls_of_a_killed_copy_are_taken_over() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    stage.goes_live().await;
    // The copy is killed inside a call.
    let slow = Failure::Slow(Duration::from_secs(5));
    stage.app.platforms.fail_next_at(Platform::Spotify, "me/player", slow);
    let mut killed = Program::start("lumio-worker", &["music"], &stage.app.variables());
    eventually("it calls Spotify", async || !stage.app.platforms.has_planned_failure()).await;
    killed.kill();
    assert_eq!(stage.song().await, None);
    let running = workers(&stage.app, &MUSIC).await;
    let taken_over = eventually("another copy polls it", async || stage.song().await.is_some()).await;
    // The fastest machine needs no longer than a claim; a busy one is not measured.
    eprintln!("taken over after {taken_over:?}");
    assert_eq!(stage.published("spotify:track").await.len(), 1);
    stage.end(running).await;
}

#[tokio::test]
async fn polls_of_an_application_pause_as_long_as_spotify_states() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    stage.goes_live().await;
    let limited = Failure::RateLimited { retry_after: Duration::from_secs(600) };
    stage.app.platforms.fail_next_at(Platform::Spotify, "me/player", limited);
    let running = workers(&stage.app, &MUSIC).await;
    eventually("Spotify limits it", async || !stage.app.platforms.has_planned_failure()).await;
    let polls = stage.polls();
    // Neither another copy nor a command ends the pause.
    let second = workers(&stage.app, &MUSIC).await;
    for _ in 0..3 {
        stage.advances(TimeDelta::minutes(3)).await;
        live_model::music::wake(&stage.app.state.redis, stage.account()).await.unwrap();
        tokio::time::sleep(SEVERAL_CLAIMS).await;
        assert_eq!(stage.polls(), polls);
    }
    stage.advances(TimeDelta::minutes(1)).await;
    eventually("the pause is over", async || stage.polls() > polls).await;
    second.stop().await.unwrap();
    stage.end(running).await;
}

#[tokio::test]
async fn polls_of_an_application_pause_when_an_import_of_a_playlist_is_limited() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    let other = stage.another().await;
    sql_query("UPDATE channel_connections SET client_id = 'app' WHERE platform = 'spotify'")
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    stage.goes_live().await;
    stage.live(other, true).await;
    let limited = Failure::RateLimited { retry_after: Duration::from_secs(600) };
    stage.app.platforms.fail_next_at(Platform::Spotify, "/playlists/", limited);
    let import = json!({ "playlist_url": "spotify:playlist:3cEYpjA9oz9GiPac4AsH4n", "list": "safe" });
    let message = "Spotify limits the calls";
    let refused = stage.owner.post("/v1/copyright/import", import.clone()).await;
    refused.refused("RATE_LIMIT_EXCEEDED", message);
    assert_eq!((refused.status, refused.header("retry-after")), (429, "600"));
    // Nothing else calls Spotify for the connection.
    stage.owner.post("/v1/copyright/import", import.clone()).await.refused("RATE_LIMIT_EXCEEDED", message);
    stage.owner.get("/v1/spotify/state").await.refused("RATE_LIMIT_EXCEEDED", message);
    let running = workers(&stage.app, &MUSIC).await;
    tokio::time::sleep(SEVERAL_CLAIMS).await;
    assert_eq!((stage.polls(), stage.song_of(other).await), (0, None), "the application is limited");
    stage.advances(TimeDelta::seconds(601)).await;
    eventually("the pause is over", async || stage.polls() > 0 && stage.song_of(other).await.is_some()).await;
    stage.owner.post("/v1/copyright/import", import).await.refused("NOT_FOUND", "Playlist not found");
    stage.end(running).await;
}

#[tokio::test]
async fn polls_that_hang_delay_no_other_account() {
    let stage = Stage::new().await;
    stage.plays("one", 10_000);
    let other = stage.another().await;
    let slow = Failure::Slow(Duration::from_secs(6));
    stage.app.platforms.fail_next_at(Platform::Spotify, "me/player", slow);
    stage.goes_live().await;
    let running = workers(&stage.app, &MUSIC).await;
    eventually("the first call hangs", async || !stage.app.platforms.has_planned_failure()).await;
    stage.live(other, true).await;
    let waited = eventually("the other is polled", async || stage.song_of(other).await.is_some()).await;
    eprintln!("the other account was polled after {waited:?}");
    running.stop().await.expect("a hanging call ends within the time to drain");
    stage.app.stop().await;
}
