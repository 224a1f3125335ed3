//! State of the player (reference/music.md#player).

use live_model::music::{self, Playback};
use lumio_tests::{TestApp, both_refused, world::connect_to};
use platforms_stand_in::{
    Failure, NewUser, Platform,
    spotify::player::{Device, Player, Track, UserPlaylist},
};
use serde_json::{Value, json};
use shared::id::{AccountId, Trust};

use super::{STATE, Scene, rain, shown, sun};

const TRACK: &str = "{ trackId uri title artist artists album imageUrl url durationMs }";
const NOW_PLAYING: &str = "{ trackId uri title artist artists album imageUrl url durationMs progressMs isPlaying \
                            copyrightStatus }";
const DEVICE: &str = "{ id name type volume isActive isRestricted }";

fn document() -> String {
    format!(
        "{{ spotifyState {{ nowPlaying {NOW_PLAYING} isPlaying progressMs volume shuffle repeat device {DEVICE} \
         queue {TRACK} devices {DEVICE} playlists {{ id uri name owner imageUrl url trackCount }} }} }}"
    )
}

fn device(id: &str, is_active: bool) -> Value {
    json!({ "id": id, "name": format!("My {id}"), "type": "Computer", "volume": 50, "is_active": is_active,
        "is_restricted": false })
}

fn playlist(number: usize) -> UserPlaylist {
    let id = format!("{number:0>22}");
    UserPlaylist { id, name: format!("Mix {number}"), owner: "ada".into(), track_count: 7 }
}

/// Track in the player, which no poll has checked.
fn playing(track: &Track, progress_ms: i64) -> Value {
    let mut shown = shown(track);
    shown["progress_ms"] = json!(progress_ms);
    shown["is_playing"] = json!(true);
    shown["copyright_status"] = json!(null);
    shown
}

#[tokio::test]
async fn spotify_state_returns_the_player_its_queue_devices_and_playlists() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_change_player(&scene.listener, |player| {
        player.progress_ms = 4000;
        player.shuffle = true;
        player.repeat = "context".into();
        player.queue = vec![rain()];
    });
    scene.app.platforms.spotify_set_library(&scene.listener, vec![playlist(1)]);
    let expected = json!({
        "now_playing": playing(&sun(), 4000), "is_playing": true, "progress_ms": 4000, "volume": 50, "shuffle": true,
        "repeat": "context", "device": device("computer", true), "queue": [shown(&rain())],
        "devices": [device("computer", true), device("phone", false)],
        "playlists": [{ "id": playlist(1).id, "uri": format!("spotify:playlist:{}", playlist(1).id),
            "name": "Mix 1", "owner": "ada", "image_url": format!("https://i.example/playlist/{}", playlist(1).id),
            "url": format!("https://open.spotify.com/playlist/{}", playlist(1).id), "track_count": 7 }],
    });
    assert_eq!(*scene.owner.get(STATE).await.data(), expected);
    let mut graphql = scene.owner.graphql(&document(), json!({})).await.field("spotifyState");
    assert_eq!(graphql["repeat"], "CONTEXT");
    graphql["repeat"] = json!("context");
    assert_eq!(graphql, expected);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_state_without_a_player_is_empty() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_remove_player(&scene.listener);
    let empty = json!({ "now_playing": null, "is_playing": false, "progress_ms": null, "volume": null,
        "shuffle": false, "repeat": "off", "device": null, "queue": [], "devices": [], "playlists": [] });
    assert_eq!(*scene.owner.get(STATE).await.data(), empty);
    let free = scene.app.owner().await;
    let user = scene.app.platforms.create_user_with(Platform::Spotify, NewUser::default());
    connect_to(&scene.app, free.account_id, &user.user, Some(&user.access_token)).await;
    scene.app.platforms.spotify_set_player(&user.user, Player::playing(sun()));
    scene.app.platforms.spotify_set_premium(&user.user, false);
    assert_eq!(free.get(STATE).await.data()["now_playing"]["title"], "Sun", "reads need no Premium");
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_state_returns_at_most_20_tracks_20_devices_and_50_playlists() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_change_player(&scene.listener, |player| {
        player.queue = vec![rain(); 21];
        player.devices = (0..21).map(|number| Device::new(&format!("d{number}"), number == 0)).collect();
    });
    scene.app.platforms.spotify_set_library(&scene.listener, (0..51).map(playlist).collect());
    let state = scene.owner.get(STATE).await.data().clone();
    let counts = ["queue", "devices", "playlists"].map(|list| state[list].as_array().unwrap().len());
    assert_eq!(counts, [20, 20, 50]);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_state_lacks_the_playlists_of_a_connection_without_their_scope() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let scopes = Some(vec!["user-read-playback-state".to_owned()]);
    let user = app.platforms.create_user_with(Platform::Spotify, NewUser { scopes, ..NewUser::default() });
    connect_to(&app, owner.account_id, &user.user, Some(&user.access_token)).await;
    app.platforms.spotify_set_player(&user.user, Player::playing(sun()));
    app.platforms.spotify_set_library(&user.user, vec![playlist(1)]);
    let state = owner.get(STATE).await.data().clone();
    assert_eq!((&state["playlists"], &state["now_playing"]["title"]), (&json!([]), &json!("Sun")));
    let document = "{ spotifyPlaylists { id } }";
    both_refused(
        &owner.get("/v1/spotify/playlists").await,
        &owner.graphql(document, json!({})).await,
        400,
        "BAD_REQUEST",
        "The connection lacks the scope playlist-read-private",
    );
    app.stop().await;
}

#[tokio::test]
async fn spotify_state_needs_the_permission_the_feature_and_a_connection() {
    let scene = Scene::start().await;
    let account = scene.owner.account_id;
    let reader = scene.app.member_with(account, &["spotify:read"]).await;
    reader.get(STATE).await.expect(200);
    let member = scene.app.member_with(account, &["spotify:playback"]).await;
    both_refused(
        &member.get(STATE).await,
        &member.graphql(&document(), json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: spotify:read",
    );
    let stranger = scene.app.owner().await;
    both_refused(
        &stranger.get(STATE).await,
        &stranger.graphql(&document(), json!({})).await,
        404,
        "NOT_FOUND",
        "Spotify is not connected",
    );
    scene.app.platforms.fail_next_at(Platform::Spotify, "devices", Failure::ServerError);
    scene.owner.get(STATE).await.refused_with("INTERNAL_SERVER_ERROR");
    scene.app.override_feature(account, "feature:music", false).await;
    both_refused(
        &scene.owner.get(STATE).await,
        &scene.owner.graphql(&document(), json!({})).await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: feature:music",
    );
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_state_has_the_keys_of_the_event_and_the_status_of_the_last_check() {
    let scene = Scene::start().await;
    let account = AccountId::trusted(scene.owner.account_id, Trust::Task);
    let polled = |uri: String| -> Playback {
        serde_json::from_value(json!({
            "song": { "track_id": null, "uri": uri, "title": "Sun", "artists": [], "album": null, "image_url": null,
                "url": null, "duration_ms": 1, "copyright_status": "blocked" },
            "is_playing": true, "progress_ms": 1, "shuffle": false, "repeat": "off", "volume": null, "device": null,
            "seen_at": scene.app.clock.now(), "state_published_at": scene.app.clock.now(), "alerted": null,
            "unpublished": [],
        }))
        .unwrap()
    };
    let redis = &scene.app.state.redis;
    music::save(redis, account, &polled(sun().uri())).await.unwrap();
    let shown = scene.owner.get(STATE).await.data()["now_playing"].clone();
    assert_eq!(shown["copyright_status"], "blocked");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&shown), keys(&polled(sun().uri()).track()));

    music::save(redis, account, &polled(rain().uri())).await.unwrap();
    let shown = scene.owner.get(STATE).await.data()["now_playing"].clone();
    assert_eq!(shown["copyright_status"], json!(null), "another song was checked");
    scene.app.stop().await;
}
