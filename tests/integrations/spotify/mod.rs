//! Player, library and search of Spotify (reference/music.md#player).

mod library;
mod limits;
mod playback;
mod state;

use lumio_tests::{Answer, Caller, Person, TestApp, both_refused, world::connect};
use platforms_stand_in::{
    Platform, User,
    spotify::player::{Device, Player, Track},
};
use serde_json::{Value, json};
use uuid::Uuid;

const STATE: &str = "/v1/spotify/state";

/// Command as both protocols take it.
#[derive(Clone)]
struct Command {
    operation: &'static str,
    permission: &'static str,
    method: reqwest::Method,
    path: String,
    /// Null when there is none.
    input: Value,
}

/// Owner with a player that plays a track.
struct Scene {
    app: TestApp,
    owner: Person,
    listener: User,
}

impl Scene {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        let listener =
            connect(&app, owner.account_id, Platform::Spotify, &format!("l{}", Uuid::now_v7().simple()))
                .await;
        app.platforms.spotify_add_tracks([sun(), rain()]);
        let devices = vec![Device::new("computer", true), Device::new("phone", false)];
        app.platforms.spotify_set_player(&listener, Player { devices, ..Player::playing(sun()) });
        Self { app, owner, listener }
    }

    fn player(&self) -> Player {
        self.app.platforms.spotify_player(&self.listener).expect("a player")
    }

    /// Commands that the stand-in executed.
    fn executed(&self) -> Vec<&'static str> {
        self.app.platforms.engagement_calls(Platform::Spotify).into_iter().map(|call| call.action).collect()
    }

    fn calls(&self) -> usize {
        self.app.platforms.spotify_calls(&self.listener).len()
    }

    /// Runs a command over both protocols.
    async fn both(&self, command: &Command) -> (Answer, Answer) {
        (command.rest(&self.owner).await, command.graphql(&self.owner).await)
    }

    /// Asserts the refusal of a command on both protocols.
    async fn refused(&self, command: &Command, status: u16, code: &str, message: &str) {
        let (rest, graphql) = self.both(command).await;
        both_refused(&rest, &graphql, status, code, message);
    }
}

impl Command {
    fn of(operation: &'static str, permission: &'static str, path: &str, input: Value) -> Self {
        let method = if path == "volume" { reqwest::Method::PUT } else { reqwest::Method::POST };
        Self { operation, permission, method, path: format!("/v1/spotify/{path}"), input }
    }

    async fn rest(&self, caller: &Caller) -> Answer {
        let request = caller.request(self.method.clone(), &self.path);
        caller.send(if self.input.is_null() { request } else { request.json(&self.input) }).await
    }

    async fn graphql(&self, caller: &Caller) -> Answer {
        let operation = self.operation;
        if operation == "spotifyPlayPlaylist" {
            let id = self.path.split('/').nth(4).expect("an id");
            let document = "mutation($id: String!) { spotifyPlayPlaylist(id: $id) { success } }";
            return caller.graphql(document, json!({ "id": id })).await;
        }
        if self.input.is_null() {
            return caller.graphql(&format!("mutation {{ {operation} {{ success }} }}"), json!({})).await;
        }
        let mut input = self.input.clone();
        if let Some(mode) = input.get_mut("mode") {
            *mode = json!(mode.as_str().expect("a mode").to_uppercase());
        }
        caller.mutate(operation, &input, "{ success }").await
    }
}

/// Every command, with an input that Spotify takes.
fn commands() -> Vec<Command> {
    vec![
        Command::of("spotifyPlay", "spotify:playback", "play", json!({ "uri": rain().uri() })),
        Command::of("spotifyNext", "spotify:playback", "next", Value::Null),
        Command::of("spotifyPrevious", "spotify:playback", "previous", Value::Null),
        Command::of("spotifySeek", "spotify:playback", "seek", json!({ "position_ms": 60_000 })),
        Command::of("spotifyShuffle", "spotify:playback", "shuffle", json!({ "enabled": true })),
        Command::of("spotifyRepeat", "spotify:playback", "repeat", json!({ "mode": "context" })),
        Command::of("spotifySetVolume", "spotify:volume", "volume", json!({ "percent": 40 })),
        Command::of("spotifyAddToQueue", "spotify:queue", "queue", json!({ "uri": rain().uri() })),
        Command::of("spotifySetDevice", "spotify:device", "device", json!({ "device_id": "phone" })),
        pause(),
    ]
}

fn pause() -> Command {
    Command::of("spotifyPause", "spotify:playback", "pause", Value::Null)
}

fn play(uri: &str) -> Command {
    Command::of("spotifyPlay", "spotify:playback", "play", json!({ "uri": uri }))
}

fn play_playlist(id: &str) -> Command {
    Command::of("spotifyPlayPlaylist", "spotify:playlist", &format!("playlists/{id}/play"), Value::Null)
}

fn sun() -> Track {
    Track::new(1, "Sun", &["The Beatles", "Ravi"])
}

fn rain() -> Track {
    Track::new(2, "Rain", &["The Beatles"])
}

/// A track as the API returns it.
fn shown(track: &Track) -> Value {
    json!({
        "track_id": track.id,
        "uri": track.uri(),
        "title": track.name,
        "artist": track.artists.join(", "),
        "artists": track.artists,
        "album": track.album,
        "image_url": format!("https://i.example/640/{}", track.id),
        "url": format!("https://open.spotify.com/track/{}", track.id),
        "duration_ms": track.duration_ms,
    })
}

/// Runs a statement that names the account as `$1`.
async fn change(app: &TestApp, sql: &str, account: Uuid) {
    use diesel_async::RunQueryDsl;
    let mut db = app.databases.postgres.get().await.unwrap();
    let changed = diesel::sql_query(sql).bind::<diesel::sql_types::Uuid, _>(account).execute(&mut *db).await;
    assert_eq!(changed.unwrap(), 1);
}
