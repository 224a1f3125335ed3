//! Commands to the player (reference/music.md#player).

use lumio_tests::{SocketRequest, both_refused};
use platforms_stand_in::{Platform, spotify::player::Device};
use serde_json::{Value, json};

use super::{Command, Scene, change, commands, pause, play, rain, sun};

/// Command of an operation, with an input that Spotify takes.
fn named(operation: &str) -> Command {
    commands().into_iter().find(|command| command.operation == operation).expect("a command")
}

/// Runs a command over both protocols with success.
async fn succeeds(scene: &Scene, operation: &str) {
    let (rest, graphql) = scene.both(&named(operation)).await;
    assert_eq!(*rest.expect(200), json!({ "success": true }));
    assert_eq!(graphql.field(operation), json!({ "success": true }));
}

#[tokio::test]
async fn spotify_play_resumes_or_plays_a_track() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_change_player(&scene.listener, |player| player.is_playing = false);
    let resumed = Command { input: Value::Null, ..play("") };
    let answer = resumed.rest(&scene.owner).await;
    assert_eq!(*answer.expect(200), json!({ "success": true }));
    assert_eq!((scene.player().is_playing, scene.player().track), (true, Some(sun())));
    resumed.rest(&scene.owner).await.expect(200);
    let page = format!("https://open.spotify.com/intl-de/track/{}?si=1", rain().id);
    let played = play(&page).graphql(&scene.owner).await.field("spotifyPlay");
    assert_eq!((played, scene.player().track), (json!({ "success": true }), Some(rain())));
    resumed.graphql(&scene.owner).await.field("spotifyPlay");
    let null = Command { input: json!({ "uri": null }), ..play("") };
    null.rest(&scene.owner).await.expect(200);
    assert_eq!(scene.executed(), ["play"; 5]);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_pause_pauses_once() {
    let scene = Scene::start().await;
    assert_eq!(*pause().rest(&scene.owner).await.expect(200), json!({ "success": true }));
    assert!(!scene.player().is_playing);
    let message = "Player command failed: Restriction violated";
    scene.refused(&pause(), 400, "BAD_REQUEST", message).await;
    scene.app.platforms.spotify_change_player(&scene.listener, |player| player.is_playing = true);
    assert_eq!(pause().graphql(&scene.owner).await.field("spotifyPause"), json!({ "success": true }));
    assert_eq!(scene.executed(), ["pause", "pause"]);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_next_plays_the_queue() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_change_player(&scene.listener, |player| player.queue = vec![rain(), sun()]);
    succeeds(&scene, "spotifyNext").await;
    assert_eq!((scene.player().track, scene.player().queue), (Some(sun()), vec![]));
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_previous_returns_to_the_track_before() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_change_player(&scene.listener, |player| player.played = vec![rain(), sun()]);
    succeeds(&scene, "spotifyPrevious").await;
    assert_eq!((scene.player().track, scene.player().played), (Some(rain()), vec![]));
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_seek_jumps_to_the_position() {
    let scene = Scene::start().await;
    succeeds(&scene, "spotifySeek").await;
    assert_eq!((scene.player().track, scene.player().progress_ms), (Some(sun()), 60_000));
    for position_ms in [0, 86_400_000] {
        let input = json!({ "position_ms": position_ms });
        let seek = Command { input, ..named("spotifySeek") };
        seek.rest(&scene.owner).await.expect(200);
        assert_eq!(scene.player().progress_ms, position_ms);
    }
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_shuffle_starts_and_ends_random_order() {
    let scene = Scene::start().await;
    succeeds(&scene, "spotifyShuffle").await;
    assert!(scene.player().shuffle);
    let end = Command { input: json!({ "enabled": false }), ..named("spotifyShuffle") };
    end.rest(&scene.owner).await.expect(200);
    assert!(!scene.player().shuffle);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_repeat_sets_each_mode() {
    let scene = Scene::start().await;
    for mode in ["track", "context", "off"] {
        let repeat = Command { input: json!({ "mode": mode }), ..named("spotifyRepeat") };
        let (rest, graphql) = scene.both(&repeat).await;
        rest.expect(200);
        assert_eq!(
            (graphql.field("spotifyRepeat"), scene.player().repeat),
            (json!({ "success": true }), mode.into())
        );
    }
    assert_eq!(scene.executed(), ["repeat"; 6]);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_set_volume_changes_the_device_that_plays() {
    let scene = Scene::start().await;
    succeeds(&scene, "spotifySetVolume").await;
    let volumes: Vec<_> = scene.player().devices.iter().map(|device| device.volume_percent).collect();
    assert_eq!(volumes, [Some(40), Some(50)]);
    scene.app.platforms.spotify_change_player(&scene.listener, |player| {
        player.devices = vec![Device { volume_percent: None, ..Device::new("tv", true) }];
    });
    let message = "Player command failed: Cannot control device volume";
    scene.refused(&named("spotifySetVolume"), 400, "BAD_REQUEST", message).await;
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_set_device_moves_playback() {
    let scene = Scene::start().await;
    succeeds(&scene, "spotifySetDevice").await;
    let active: Vec<_> = scene.player().devices.iter().map(|device| device.is_active).collect();
    assert_eq!((active, scene.player().is_playing), (vec![false, true], true));
    let unknown = Command { input: json!({ "device_id": "tv" }), ..named("spotifySetDevice") };
    scene.refused(&unknown, 404, "NOT_FOUND", "Spotify device not found").await;
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_add_to_queue_adds_a_track_and_is_published() {
    let scene = Scene::start().await;
    let mut socket = SocketRequest::to(scene.app.url()).bearer(scene.owner.token()).connect().await;
    socket.subscribe(&format!("spotify:{}", scene.owner.account_id)).await;
    let add = named("spotifyAddToQueue");
    assert_eq!(*add.rest(&scene.owner).await.expect(200), json!({ "success": true }));
    let frame = socket.frame().await;
    assert_eq!((&frame["event_type"], &frame["data"]), (&json!("spotify:queue"), &json!({})));
    assert_eq!(add.graphql(&scene.owner).await.field("spotifyAddToQueue"), json!({ "success": true }));
    assert_eq!(scene.player().queue, [rain(), rain()]);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_commands_refuse_wrong_inputs() {
    let scene = Scene::start().await;
    let address = "uri must be the address of a track at Spotify";
    let queue =
        |uri: String| Command::of("spotifyAddToQueue", "spotify:queue", "queue", json!({ "uri": uri }));
    for uri in ["", "spotify:album:0000000000000000000001", "https://example.com/track/1", "spotify:track:1"]
    {
        scene.refused(&play(uri), 400, "VALIDATION_ERROR", address).await;
        scene.refused(&queue(uri.into()), 400, "VALIDATION_ERROR", address).await;
    }
    let long = format!("https://open.spotify.com/track/{}?{}", rain().id, "x".repeat(500));
    scene.refused(&queue(long), 400, "VALIDATION_ERROR", address).await;
    for (operation, path, input, message) in [
        ("spotifySeek", "seek", json!({ "position_ms": -1 }), "position_ms must be between 0 and 86400000"),
        (
            "spotifySeek",
            "seek",
            json!({ "position_ms": 86_400_001 }),
            "position_ms must be between 0 and 86400000",
        ),
        ("spotifySetVolume", "volume", json!({ "percent": -1 }), "percent must be between 0 and 100"),
        ("spotifySetVolume", "volume", json!({ "percent": 101 }), "percent must be between 0 and 100"),
        ("spotifySetDevice", "device", json!({ "device_id": " " }), "device_id must not be empty"),
        (
            "spotifySetDevice",
            "device",
            json!({ "device_id": "x".repeat(129) }),
            "device_id must be between 1 and 128 characters",
        ),
    ] {
        scene.refused(&Command::of(operation, "", path, input), 400, "VALIDATION_ERROR", message).await;
    }
    let rest = Command::of("spotifyRepeat", "", "repeat", json!({ "mode": "all" })).rest(&scene.owner).await;
    rest.expect(400);
    assert_eq!(scene.calls(), 0, "Spotify is not called");
    let unknown = format!("spotify:track:{:0>22}", 99);
    scene.refused(&play(&unknown), 400, "BAD_REQUEST", "Invalid track uri").await;
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_commands_need_their_permission_the_feature_and_a_connection() {
    let scene = Scene::start().await;
    let account = scene.owner.account_id;
    let member = scene.app.member_with(account, &["spotify:read"]).await;
    let stranger = scene.app.owner().await;
    for command in commands() {
        let message = format!("Missing permission: {}", command.permission);
        let (rest, graphql) = (command.rest(&member).await, command.graphql(&member).await);
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &message);
        let (rest, graphql) = (command.rest(&stranger).await, command.graphql(&stranger).await);
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Spotify is not connected");
    }
    let service = scene.app.service_key(account, &["spotify:playback"]).await;
    pause().rest(&service).await.expect(200);
    scene.app.override_feature(account, "feature:music", false).await;
    for command in commands() {
        let message = "Feature is disabled: feature:music";
        scene.refused(&command, 403, "FEATURE_DISABLED", message).await;
    }
    assert_eq!(scene.executed(), ["pause"]);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_commands_refuse_users_without_premium_and_without_an_active_device() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_set_premium(&scene.listener, false);
    for command in commands() {
        scene.refused(&command, 400, "BAD_REQUEST", "Spotify Premium required").await;
    }
    scene.app.platforms.spotify_set_premium(&scene.listener, true);
    scene.app.platforms.spotify_change_player(&scene.listener, |player| {
        player.devices[0].is_active = false;
    });
    for command in commands().iter().filter(|command| command.operation != "spotifySetDevice") {
        scene.refused(command, 409, "CONFLICT", "No active Spotify device").await;
    }
    assert!(scene.executed().is_empty());
    named("spotifySetDevice").rest(&scene.owner).await.expect(200);
    assert!(scene.player().devices[1].is_active, "a device can be chosen when none plays");
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_commands_refuse_a_connection_that_must_be_made_again() {
    let scene = Scene::start().await;
    let token = "UPDATE channel_connections SET reconnect_required = true WHERE account_id = $1";
    change(&scene.app, token, scene.owner.account_id).await;
    scene.refused(&pause(), 409, "CONFLICT", "Spotify must be connected again").await;
    assert_eq!(scene.calls(), 0);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_commands_flag_a_connection_whose_token_is_refused() {
    let scene = Scene::start().await;
    let fail = platforms_stand_in::Failure::Unauthorized;
    scene.app.platforms.fail_next_at(Platform::Spotify, "pause", fail);
    scene.refused(&pause(), 409, "CONFLICT", "Spotify must be connected again").await;
    scene.app.audited_once("connection:flagged").await;
    scene.app.stop().await;
}
