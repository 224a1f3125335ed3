//! Commands to Spotify.

use lumio_tests::world::connect;
use platforms_stand_in::{
    Platform, User,
    spotify::player::{Device, Player, Track},
};
use serde_json::json;

use super::Scene;

const FEATURE: &str = "feature:music";

fn track() -> Track {
    Track::new(1, "Sun", &["Artist"])
}

/// Connects Spotify with a player that plays.
async fn player(scene: &Scene) -> User {
    let listener = connect(&scene.app, scene.owner.account_id, Platform::Spotify, "listener").await;
    scene.app.platforms.spotify_add_tracks([track()]);
    let devices = vec![Device::new("computer", true)];
    scene.app.platforms.spotify_set_player(&listener, Player { devices, ..Player::playing(track()) });
    listener
}

fn executed(scene: &Scene) -> Vec<&'static str> {
    scene.app.platforms.engagement_calls(Platform::Spotify).into_iter().map(|call| call.action).collect()
}

#[tokio::test]
async fn effects_of_spotify_pause_and_skip_name_a_missing_connection() {
    let scene = Scene::start().await;
    for action in ["spotify_pause", "spotify_skip", "spotify_play"] {
        assert_eq!(scene.refused(action, json!({})).await, "Spotify is not connected", "{action}");
    }
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_spotify_pause_pause() {
    let scene = Scene::start().await;
    player(&scene).await;
    scene.output("spotify_pause", json!({})).await;
    assert_eq!(executed(&scene), ["pause"]);
    scene.needs(FEATURE, "spotify_pause", json!({})).await;
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_spotify_skip_go_to_the_next_track() {
    let scene = Scene::start().await;
    player(&scene).await;
    scene.output("spotify_skip", json!({})).await;
    assert_eq!(executed(&scene), ["next"]);
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_spotify_play_take_addresses_of_tracks() {
    let scene = Scene::start().await;
    player(&scene).await;
    scene.output("spotify_play", json!({ "uri": track().uri() })).await;
    assert_eq!(executed(&scene), ["play"]);
    let wrong = scene.refused("spotify_play", json!({ "uri": "https://example.com/" })).await;
    assert_eq!(wrong, "uri must be the address of a track at Spotify");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_spotify_queue_are_published() {
    let scene = Scene::start().await;
    let listener = player(&scene).await;
    scene.output("spotify_queue", json!({ "uri": track().uri() })).await;
    assert_eq!(executed(&scene), ["queue"]);
    assert_eq!(scene.published("spotify", "spotify:queue").await.len(), 1);
    scene.app.platforms.spotify_remove_player(&listener);
    let without = scene.refused("spotify_queue", json!({ "uri": track().uri() })).await;
    assert_eq!(without, "No active Spotify device");
    scene.app.stop().await;
}
