//! Limits of Spotify (reference/music.md#limits-of-spotify).

use std::time::Duration;

use chrono::TimeDelta;
use lumio_tests::{both_refused, world::connect};
use platforms_stand_in::{Failure, Platform};
use serde_json::json;

use super::{STATE, Scene, pause};

const MESSAGE: &str = "Spotify limits the calls";

fn limit(scene: &Scene, seconds: u64) {
    let retry_after = Duration::from_secs(seconds);
    scene.app.platforms.fail_next_at(Platform::Spotify, "pause", Failure::RateLimited { retry_after });
}

#[tokio::test]
async fn spotify_pause_waits_as_long_as_spotify_asks() {
    let scene = Scene::start().await;
    limit(&scene, 7);
    let first = pause().rest(&scene.owner).await;
    first.refused("RATE_LIMIT_EXCEEDED", MESSAGE);
    assert_eq!((first.status, first.header("retry-after")), (429, "7"));
    let (rest, graphql) = scene.both(&pause()).await;
    both_refused(&rest, &graphql, 429, "RATE_LIMIT_EXCEEDED", MESSAGE);
    assert!((1..=7).contains(&rest.header("retry-after").parse::<u64>().unwrap()));
    let state = scene.owner.get(STATE).await;
    state.refused("RATE_LIMIT_EXCEEDED", MESSAGE);
    assert_eq!(scene.calls(), 0, "Spotify is not called meanwhile");
    let other = scene.app.owner().await;
    connect(&scene.app, other.account_id, Platform::Spotify, "another").await;
    assert_eq!(other.get(STATE).await.data()["queue"], json!([]), "other connections are not limited");
    scene.app.clock.advance(TimeDelta::seconds(8));
    pause().rest(&scene.owner).await.expect(200);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_pause_accepts_a_wait_of_at_most_a_day() {
    let scene = Scene::start().await;
    limit(&scene, 200_000);
    let refused = pause().rest(&scene.owner).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "86400"));
    scene.app.clock.advance(TimeDelta::hours(25));
    let later = scene.app.session(scene.owner.user_id, scene.owner.account_id).await;
    pause().rest(&later).await.expect(200);
    scene.app.stop().await;
}
