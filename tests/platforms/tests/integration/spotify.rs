//! The player of Spotify over HTTP, and the client against it.

use std::time::Duration;

use crate::world::World;
use platforms::{
    PlatformError,
    spotify::player::{Repeat, Track as FoundTrack},
};
use platforms_stand_in::{
    self as stand_in, Failure, NewToken, StandIn, User,
    spotify::player::{Device, Player, Track, UserPlaylist},
};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use shared::{platform::Platform, secret::Secret};

const SPOTIFY: stand_in::Platform = stand_in::Platform::Spotify;

struct Listener {
    stand_in: StandIn,
    client: Client,
    user: User,
    token: String,
}

impl Listener {
    async fn start() -> Self {
        let stand_in = StandIn::start().await;
        let (user, token) = stand_in.create_user(SPOTIFY, "listener");
        stand_in.spotify_add_tracks([sun(), rain()]);
        stand_in.spotify_set_player(&user, Player::playing(sun()));
        Self { stand_in, client: Client::builder().build().unwrap(), user, token }
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        self.call_with(&self.token, method, path, body).await
    }

    async fn call_with(&self, token: &str, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let url = format!("{}/spotify/api/v1{path}", self.stand_in.url());
        let request = self.client.request(method, url).bearer_auth(token);
        let request = match body {
            Some(body) => request.json(&body),
            None => request.header("Content-Length", "0"),
        };
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or(Value::Null))
    }

    /// Asserts the refusal of a call.
    async fn refused(&self, method: Method, path: &str, body: Option<Value>, status: u16) {
        let answer = self.call(method.clone(), path, body).await;
        assert_eq!(answer.0, status, "{method} {path}: {}", answer.1);
    }
}

fn sun() -> Track {
    Track { isrc: Some("GBAYE0601690".into()), ..Track::new(1, "Sun", &["The Beatles", "Ravi"]) }
}

fn rain() -> Track {
    Track::new(2, "Rain", &["The Beatles"])
}

#[tokio::test]
async fn spotify_refuses_other_methods_parameters_and_bodies() {
    let it = Listener::start().await;
    for (method, path) in [
        (Method::POST, "/me/player"),
        (Method::POST, "/me/player/play"),
        (Method::GET, "/me/player/pause"),
        (Method::PUT, "/me/player/next"),
        (Method::PUT, "/me/player/previous"),
        (Method::POST, "/me/player/seek?position_ms=1"),
        (Method::POST, "/me/player/volume?volume_percent=1"),
        (Method::PUT, "/me/player/queue"),
        (Method::PUT, "/me/player/devices"),
        (Method::POST, "/search"),
    ] {
        it.refused(method, path, None, 405).await;
    }
    for (method, path) in [
        (Method::GET, "/me/player/queue?limit=1"),
        (Method::GET, "/me/player/devices?market=DE"),
        (Method::GET, "/me/playlists?limit=51"),
        (Method::GET, "/me/playlists?page=1"),
        (Method::GET, "/search?q=sun"),
        (Method::GET, "/search?q=sun&type=playlist"),
        (Method::GET, "/search?q=sun&type=track&limit=11"),
        (Method::PUT, "/me/player/seek"),
        (Method::PUT, "/me/player/seek?position_ms=-1"),
        (Method::PUT, "/me/player/seek?position_ms=1&state=true"),
        (Method::PUT, "/me/player/shuffle?state=yes"),
        (Method::PUT, "/me/player/repeat?state=all"),
        (Method::PUT, "/me/player/volume?volume_percent=101"),
        (Method::POST, "/me/player/queue?uri=spotify:album:1"),
    ] {
        it.refused(method, path, None, 400).await;
    }
    for (path, body) in [
        ("/me/player/play", json!({ "uri": sun().uri() })),
        ("/me/player/play", json!({ "uris": ["spotify:track:none"] })),
        ("/me/player/play", json!({ "uris": [sun().uri()], "context_uri": "spotify:playlist:1" })),
        ("/me/player/pause", json!({ "now": true })),
        ("/me/player", json!({ "device_ids": ["computer", "phone"] })),
        ("/me/player", json!({ "device_id": "computer" })),
    ] {
        it.refused(Method::PUT, path, Some(body), 400).await;
    }
    assert!(it.stand_in.engagement_calls(SPOTIFY).is_empty());
}

#[tokio::test]
async fn spotify_refuses_tokens_without_the_scope() {
    let it = Listener::start().await;
    let token = |scopes: &[&str]| {
        it.stand_in.issue_token(NewToken {
            platform: SPOTIFY,
            user_id: Some(it.user.id.clone()),
            client_id: None,
            scopes: Some(scopes.iter().map(|scope| (*scope).to_owned()).collect()),
            expires_in_secs: None,
        })
    };
    let (reader, commander) = (token(&["user-read-playback-state"]), token(&["user-modify-playback-state"]));
    for (token, method, path, status) in [
        ("none", Method::GET, "/me/player", 401),
        (&commander, Method::GET, "/me/player", 401),
        (&commander, Method::GET, "/me/player/queue", 401),
        (&reader, Method::PUT, "/me/player/pause", 401),
        (&reader, Method::GET, "/me/playlists", 403),
        (&reader, Method::GET, "/me/player/devices", 200),
        (&commander, Method::GET, "/search?q=sun&type=track", 200),
    ] {
        assert_eq!(it.call_with(token, method, path, None).await.0, status, "{path}");
    }
}

#[tokio::test]
async fn spotify_refuses_commands_without_premium_and_without_an_active_device() {
    let it = Listener::start().await;
    it.stand_in.spotify_set_premium(&it.user, false);
    let (status, answer) = it.call(Method::PUT, "/me/player/pause", None).await;
    assert_eq!((status, &answer["error"]["reason"]), (403, &json!("PREMIUM_REQUIRED")));
    assert_eq!(it.call(Method::GET, "/me/player", None).await.0, 200, "reads need no Premium");
    it.stand_in.spotify_set_premium(&it.user, true);
    it.stand_in.spotify_change_player(&it.user, |player| player.devices[0].is_active = false);
    let (status, answer) = it.call(Method::POST, "/me/player/next", None).await;
    assert_eq!((status, &answer["error"]["reason"]), (404, &json!("NO_ACTIVE_DEVICE")));
    assert_eq!(it.call(Method::GET, "/me/player", None).await.0, 204);
    it.stand_in.spotify_change_player(&it.user, |player| {
        player.devices = vec![Device { is_restricted: true, ..Device::new("car", true) }];
    });
    it.refused(Method::PUT, "/me/player/pause", None, 403).await;
    it.refused(Method::PUT, "/me/player", Some(json!({ "device_ids": ["phone"] })), 404).await;
    let url = format!("{}/spotify/api/v1/me/player/next", it.stand_in.url());
    it.stand_in.fail_next_at(
        SPOTIFY,
        "/me/player/next",
        Failure::RateLimited { retry_after: Duration::from_secs(7) },
    );
    let limited = it.client.post(url).bearer_auth(&it.token).send().await.unwrap();
    assert_eq!(limited.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(limited.headers()["retry-after"], "7");
}

#[tokio::test]
async fn spotify_client_reads_the_player() {
    let world = World::start().await;
    let (user, token) = world.user(Platform::Spotify, "ada");
    let client = world.platforms.spotify();
    assert_eq!(client.player_state(&token).await, Ok(None));
    assert_eq!(client.queue(&token).await, Ok(vec![]));
    assert_eq!(client.devices(&token).await, Ok(vec![]));
    let player = Player { progress_ms: 4000, queue: vec![rain()], ..Player::playing(sun()) };
    world.stand_in.spotify_set_player(&user, player);
    let state = client.player_state(&token).await.unwrap().unwrap();
    assert_eq!((state.is_playing, state.progress_ms, state.repeat), (true, Some(4000), Repeat::Off));
    let expected = FoundTrack {
        id: Some(sun().id),
        uri: sun().uri(),
        name: "Sun".into(),
        artists: vec!["The Beatles".into(), "Ravi".into()],
        album: Some("Album of Sun".into()),
        image_url: Some(format!("https://i.example/640/{}", sun().id)),
        duration_ms: 180_000,
        isrc: Some("GBAYE0601690".into()),
        url: Some(format!("https://open.spotify.com/track/{}", sun().id)),
    };
    assert_eq!(state.item, Some(expected));
    let device = state.device.unwrap();
    assert_eq!((device.id.as_deref(), device.volume_percent), (Some("computer"), Some(50)));
    assert_eq!(client.queue(&token).await.unwrap()[0].name, "Rain");
    assert_eq!(client.devices(&token).await.unwrap().len(), 1);
    world.stand_in.spotify_add_tracks([sun(), rain()]);
    assert_eq!(client.search_tracks(&token, "rAiN", 10).await.unwrap()[0].name, "Rain");
    let mix = UserPlaylist { id: "mix".into(), name: "Mix".into(), owner: "ada".into(), track_count: 7 };
    world.stand_in.spotify_set_library(&user, vec![mix]);
    let playlists = client.playlists(&token).await.unwrap();
    assert_eq!((playlists[0].uri.as_str(), playlists[0].track_count), ("spotify:playlist:mix", 7));
}

#[tokio::test]
async fn spotify_client_commands_the_player() {
    let world = World::start().await;
    let (user, token) = world.user(Platform::Spotify, "ada");
    let client = world.platforms.spotify();
    assert_eq!(client.pause(&token).await, Err(PlatformError::NoActiveDevice));
    world.stand_in.spotify_add_tracks([sun(), rain()]);
    let devices = vec![Device::new("computer", true), Device::new("phone", false)];
    world.stand_in.spotify_set_player(&user, Player { devices, ..Player::playing(sun()) });
    client.pause(&token).await.unwrap();
    assert!(matches!(client.pause(&token).await, Err(PlatformError::Rejected { .. })), "it is paused");
    client.play(&token, None).await.unwrap();
    client.add_to_queue(&token, &rain().uri()).await.unwrap();
    client.next(&token).await.unwrap();
    client.previous(&token).await.unwrap();
    client.play(&token, Some(&rain().uri())).await.unwrap();
    client.seek(&token, 60_000).await.unwrap();
    client.set_shuffle(&token, true).await.unwrap();
    client.set_repeat(&token, Repeat::Context).await.unwrap();
    assert_eq!(client.transfer(&token, "phone").await, Ok(true));
    assert_eq!(client.transfer(&token, "tv").await, Ok(false));
    client.set_volume(&token, 0).await.unwrap();
    assert_eq!(client.play_playlist(&token, "none").await, Ok(false));
    let player = world.stand_in.spotify_player(&user).unwrap();
    assert_eq!((player.track, player.progress_ms), (Some(rain()), 60_000));
    assert_eq!((player.shuffle, player.repeat.as_str(), player.is_playing), (true, "context", true));
    assert_eq!((player.devices[1].is_active, player.devices[1].volume_percent), (true, Some(0)));
    world.stand_in.spotify_set_premium(&user, false);
    assert_eq!(client.next(&token).await, Err(PlatformError::PremiumRequired));
    assert_eq!(client.next(&Secret::new("dead")).await, Err(PlatformError::Unauthorized));
}
