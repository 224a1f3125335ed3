//! Manual connect (reference/music.md#manual-connect).

use chrono::TimeDelta;
use lumio_tests::{Caller, Person, TestApp, both_refused, world::connect};
use platforms_stand_in::Platform;
use serde_json::{Value, json};

const PATH: &str = "/v1/spotify/manual-connect";
const READ: &str = "{ spotifyManualConnect { active remainingSeconds } }";
const START: &str = "mutation { startSpotifyManualConnect { active remainingSeconds } }";
const STOP: &str = "mutation { stopSpotifyManualConnect { active remainingSeconds } }";

fn off() -> Value {
    json!({ "active": false, "remaining_seconds": 0 })
}

async fn connected(app: &TestApp) -> Person {
    let owner = app.owner().await;
    connect(app, owner.account_id, Platform::Spotify, "listener").await;
    owner
}

async fn remaining(caller: &Caller) -> i64 {
    let data = caller.get(PATH).await.data().clone();
    assert_eq!(data["active"], data["remaining_seconds"].as_i64().unwrap() > 0);
    data["remaining_seconds"].as_i64().unwrap()
}

#[tokio::test]
async fn spotify_manual_connect_is_off_until_it_is_started_and_after_thirty_minutes() {
    let app = TestApp::start().await;
    let owner = connected(&app).await;
    assert_eq!(*owner.get(PATH).await.data(), off());
    owner.post(PATH, json!({})).await.expect(200);
    app.clock.advance(TimeDelta::minutes(29));
    let later = app.session(owner.user_id, owner.account_id).await;
    assert!((1..=60).contains(&remaining(&later).await));
    let shown = later.graphql(READ, json!({})).await.field("spotifyManualConnect");
    assert_eq!(shown["active"], true);
    app.clock.advance(TimeDelta::minutes(1));
    assert_eq!(*later.get(PATH).await.data(), off());
    app.stop().await;
}

#[tokio::test]
async fn start_spotify_manual_connect_lasts_thirty_minutes_from_the_last_call() {
    let app = TestApp::start().await;
    let owner = connected(&app).await;
    let first = owner.post(PATH, json!({})).await;
    assert_eq!(first.status, 200);
    assert_eq!(*first.data(), json!({ "active": true, "remaining_seconds": 1800 }));
    let entry = app.audited_once("spotify:manual_connect_started").await;
    assert_eq!(entry.account_id, Some(owner.account_id));
    app.clock.advance(TimeDelta::minutes(10));
    assert!((1100..=1200).contains(&remaining(&owner).await));
    let again = owner.graphql(START, json!({})).await.field("startSpotifyManualConnect");
    assert_eq!(again, json!({ "active": true, "remaining_seconds": 1800 }));
    assert!(remaining(&owner).await > 1700);
    app.stop().await;
}

#[tokio::test]
async fn stop_spotify_manual_connect_ends_it_once() {
    let app = TestApp::start().await;
    let (owner, other) = (connected(&app).await, connected_other(&app).await);
    for caller in [&owner, &other] {
        caller.post(PATH, json!({})).await.expect(200);
    }
    let stopped = owner.delete(PATH).await;
    assert_eq!(stopped.status, 200);
    assert_eq!(*stopped.data(), off());
    app.audited_once("spotify:manual_connect_stopped").await;
    assert_eq!(owner.graphql(STOP, json!({})).await.field("stopSpotifyManualConnect"), off());
    app.audited_once("spotify:manual_connect_stopped").await;
    assert_eq!(*owner.get(PATH).await.data(), off());
    assert!(remaining(&other).await > 1700, "it is that of another account");
    app.stop().await;
}

async fn connected_other(app: &TestApp) -> Person {
    let owner = app.owner().await;
    connect(app, owner.account_id, Platform::Spotify, "other-listener").await;
    owner
}

#[tokio::test]
async fn spotify_manual_connect_needs_a_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let message = "Spotify is not connected";
    let (code, none) = ("NOT_FOUND", json!({}));
    both_refused(&owner.get(PATH).await, &owner.graphql(READ, none.clone()).await, 404, code, message);
    let started = owner.graphql(START, none.clone()).await;
    both_refused(&owner.post(PATH, none.clone()).await, &started, 404, code, message);
    both_refused(&owner.delete(PATH).await, &owner.graphql(STOP, none).await, 404, code, message);
    assert_eq!(app.audited("spotify:manual_connect_started").await.len(), 0);
    app.stop().await;
}

#[tokio::test]
async fn start_spotify_manual_connect_needs_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = connected(&app).await;
    let worker = app.member_with(owner.account_id, &["spotify:worker"]).await;
    worker.post(PATH, json!({})).await.expect(200);
    worker.graphql(STOP, json!({})).await.field("stopSpotifyManualConnect");
    let reader = app.member_with(owner.account_id, &["spotify:read"]).await;
    let message = "Missing permission: spotify:worker";
    let (rest, graphql) = (reader.post(PATH, json!({})).await, reader.graphql(START, json!({})).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
    let (rest, graphql) = (reader.delete(PATH).await, reader.graphql(STOP, json!({})).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
    let (rest, graphql) = (reader.get(PATH).await, reader.graphql(READ, json!({})).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
    app.override_feature(owner.account_id, "feature:music", false).await;
    let off = worker.post(PATH, json!({})).await;
    assert_eq!(off.status, 403);
    off.refused_with("FEATURE_DISABLED");
    worker.graphql(START, json!({})).await.refused_with("FEATURE_DISABLED");
    app.stop().await;
}
