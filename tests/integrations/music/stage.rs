//! An account with a connection to Spotify, and reads of what is known of its music.

use chrono::TimeDelta;
use connection_model::status::{self, BroadcastState, Seen};
use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp, world};
use lumio_worker::Running;
use platforms_stand_in::{
    Platform, User,
    spotify::player::{Player, Track},
};
use serde_json::Value;
use shared::id::{AccountId, Trust};
use uuid::Uuid;

pub use lumio_tests::eventually;

pub struct Stage {
    pub app: TestApp,
    pub owner: Person,
    /// Token of the connection to Spotify.
    pub token: String,
    listener: User,
}

#[derive(QueryableByName)]
struct Notified {
    #[diesel(sql_type = sql_types::Jsonb)]
    row: Value,
}

impl Stage {
    /// Connects Spotify and Twitch to an account with all features.
    pub async fn new() -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        let (listener, token) = connected(&app, owner.account_id, "one").await;
        Self { app, owner, token, listener }
    }

    /// Connects another account in the same way. Its player plays.
    pub async fn another(&self) -> Uuid {
        let other = self.app.owner().await;
        let (listener, _) = connected(&self.app, other.account_id, "two").await;
        play(&self.app, &listener, "Sun", true, 10_000);
        other.account_id
    }

    pub fn id(account: Uuid) -> AccountId {
        AccountId::trusted(account, Trust::Test)
    }

    pub fn account(&self) -> AccountId {
        Self::id(self.owner.account_id)
    }

    /// Plays a song of `Artist` from this position on.
    pub fn plays(&self, title: &str, progress_ms: i64) {
        play(&self.app, &self.listener, title, true, progress_ms);
    }

    /// Pauses a song of `Artist` at this position.
    pub fn pauses(&self, title: &str, progress_ms: i64) {
        play(&self.app, &self.listener, title, false, progress_ms);
    }

    /// Ends the player, as after a long pause.
    pub fn stops(&self) {
        self.app.platforms.spotify_remove_player(&self.listener);
    }

    /// Number of polls that Spotify answered.
    pub fn polls(&self) -> usize {
        let calls = self.app.platforms.spotify_calls(&self.listener);
        calls.iter().filter(|call| *call == "GET /me/player").count()
    }

    /// Waits until no poll is in progress, so that moving the clock ends no claim.
    pub async fn settled(&self) {
        let redis = &self.app.state.redis;
        eventually("no poll is in progress", async || {
            let mut connection = redis.get().await.unwrap();
            let key = redis.key("music_polls:claims");
            let claims: i64 = redis::cmd("ZCARD").arg(key).query_async(&mut *connection).await.unwrap();
            claims == 0
        })
        .await;
    }

    /// Moves the clock while no poll is in progress.
    pub async fn advances(&self, by: TimeDelta) {
        self.settled().await;
        self.app.clock.advance(by);
    }

    pub async fn goes_live(&self) {
        self.live(self.owner.account_id, true).await;
    }

    pub async fn goes_off(&self) {
        self.live(self.owner.account_id, false).await;
    }

    /// Begins or ends the stream of an account.
    pub async fn live(&self, account: Uuid, is_live: bool) {
        let state = if is_live { BroadcastState::Live } else { BroadcastState::Offline };
        let now = self.app.clock.now();
        let seen = Seen { started_at: is_live.then_some(now), ..Seen::new(account, state, now) };
        let mut db = self.app.databases.postgres.get().await.unwrap();
        status::record(&mut db, shared::platform::Platform::Twitch, &[seen]).await.unwrap();
    }

    /// Data of the published events of a type, oldest first.
    pub async fn published(&self, event_type: &str) -> Vec<Value> {
        let events = world::published(&self.app, &format!("spotify:{}", self.owner.account_id)).await;
        let of_type = events.into_iter().filter(|event| event["event_type"] == event_type);
        of_type.map(|mut event| event["data"].take()).collect()
    }

    /// Song that plays, as commands show it.
    pub async fn song(&self) -> Option<String> {
        self.song_of(self.owner.account_id).await
    }

    pub async fn song_of(&self, account: Uuid) -> Option<String> {
        live_model::music::song(&self.app.state.redis, Self::id(account)).await.unwrap()
    }

    /// Notifications of blocked songs.
    pub async fn alerts(&self, person: &Person) -> Vec<Value> {
        let found: Vec<Notified> = sql_query(
            "SELECT to_jsonb(n) AS row FROM notifications n
             WHERE user_id = $1 AND notification_type = 'copyright_alert' ORDER BY id",
        )
        .bind::<sql_types::Uuid, _>(person.user_id)
        .load(&mut *self.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
        found.into_iter().map(|notified| notified.row).collect()
    }

    pub async fn end(self, running: Running) {
        running.stop().await.unwrap();
        self.app.stop().await;
    }
}

async fn connected(app: &TestApp, account: Uuid, name: &str) -> (User, String) {
    world::connect(app, account, Platform::Twitch, &format!("streamer-{name}")).await;
    for feature in ["feature:music", "feature:copyright_detection"] {
        app.override_feature(account, feature, true).await;
    }
    let (listener, token) = app.platforms.create_user(Platform::Spotify, &format!("listener-{name}"));
    world::connect_to(app, account, &listener, Some(&token)).await;
    (listener, token)
}

fn play(app: &TestApp, listener: &User, title: &str, is_playing: bool, progress_ms: i64) {
    let number = title.bytes().map(usize::from).sum();
    let track = Track::new(number, title, &["Artist"]);
    let player = Player { is_playing, progress_ms, ..Player::playing(track) };
    app.platforms.spotify_set_player(listener, player);
}
