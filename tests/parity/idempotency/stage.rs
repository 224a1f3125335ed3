//! The scene in which one operation succeeds.

use std::{collections::BTreeMap, time::Duration};

use api_core::access::{Needs, Who};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Nullable, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use extension_model::calls::{Calls, FunctionReply};
use futures::{FutureExt, future::LocalBoxFuture};
use lumio_tests::{
    Caller, Person, TestApp,
    world::{connect, count},
};
use platforms_stand_in::{
    Platform,
    spotify::{
        player::{Device, Player, Track, UserPlaylist},
        playlists::track,
    },
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::{
    Post, posts,
    recipes::{Actor, Part, recipe},
    requests,
};
use crate::foreign_inputs::scene::{Credential, Scene};

/// Playlist of the document's example.
const PLAYLIST: &str = "3cEYpjA9oz9GiPac4AsH4n";

/// Sets a manifest that passes every check into the account's extension.
const MANIFEST: &str = "UPDATE extension_versions SET manifest = jsonb_build_object('extensionId', extension_id,
        'name', 'Walker', 'description', 'Walks.', 'category', 'bot_module', 'version', version, 'server', true,
        'permissions', jsonb_build_array('chat:read', 'chat:send'), 'bot_module', jsonb_build_object('commands',
            jsonb_build_array(jsonb_build_object('name', 'hello', 'handler', 'hello'))))
    FROM extensions WHERE extensions.id = extension_id AND slug = 'rows-' || $1";

#[derive(QueryableByName)]
struct Made {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    id: Option<Uuid>,
}

/// An account in which an operation succeeds.
pub(super) struct Stage<'a> {
    scene: Scene<'a>,
    staff: &'a Person,
    other: Person,
    /// Values by the names under which recipes use them.
    values: BTreeMap<String, String>,
    /// Part of names that makes them unique.
    number: String,
    runtime: Option<JoinHandle<()>>,
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        if let Some(runtime) = &self.runtime {
            runtime.abort();
        }
    }
}

impl<'a> Stage<'a> {
    /// Sets the scene of an operation.
    pub async fn set(scene: Scene<'a>, staff: &'a Person, operation: &str) -> Self {
        let other = scene.app().owner().await;
        let number = Uuid::now_v7().simple().to_string().split_off(24);
        let mut stage = Self { scene, staff, other, values: BTreeMap::new(), number, runtime: None };
        stage.prepare(operation).await;
        stage
    }

    /// Owner of the account.
    pub const fn owner(&self) -> &Person {
        self.scene.owner()
    }

    /// An id of the account's own for a place of an operation.
    pub fn own(&self, operation: &str, name: &str) -> Uuid {
        self.scene.own(operation, name)
    }

    /// Caller of an operation.
    pub async fn caller(&self, post: &Post) -> Caller {
        match recipe(post.name()).actor {
            Some(Actor::Helper) => self.scene.helper().caller.clone(),
            Some(Actor::Other) => self.other.caller.clone(),
            None if matches!(post.rule.needs, Needs::Admin(_) | Needs::AnyAdmin(_)) => {
                self.staff.caller.clone()
            }
            None if post.rule.who == Who::PersonalKey => self.scene.caller(Credential::PersonalKey).await,
            None => self.owner().caller.clone(),
        }
    }

    /// A value of a recipe, with what its texts stand for.
    pub fn filled(&self, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                fields.iter().map(|(name, field)| (name.clone(), self.filled(field))).collect()
            }
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::String(text) => json!(self.text(text)),
            other => other.clone(),
        }
    }

    /// The same for a text.
    pub fn text(&self, text: &str) -> String {
        let account = self.owner().account_id;
        let text = text.replace("{n}", &self.number).replace("{account}", &account.to_string());
        let Some(name) = text.strip_prefix('@') else { return text };
        match name {
            "account" => account.to_string(),
            "owner" => self.owner().user_id.to_string(),
            "helper" => self.scene.helper().user_id.to_string(),
            "other" => self.other.user_id.to_string(),
            name => match self.values.get(name) {
                Some(value) => value.clone(),
                None => self.scene.rows().get(name).unwrap_or_else(|| panic!("no value {name}")).to_string(),
            },
        }
    }

    fn prepare<'s>(&'s mut self, operation: &'s str) -> LocalBoxFuture<'s, ()> {
        async move {
            let recipe = recipe(operation);
            for part in &recipe.scene {
                self.add(*part).await;
            }
            for statement in &recipe.sql {
                self.run(statement).await;
            }
            if let Some(before) = &recipe.before {
                self.prepare(before).await;
                let post = posts().into_iter().find(|post| post.name() == before).expect("an operation");
                let answer = requests::rest(self, &post, None).await;
                if let Some(id) = answer.data()["id"].as_str() {
                    self.values.insert("made".to_owned(), id.to_owned());
                }
            }
        }
        .boxed_local()
    }

    async fn run(&mut self, statement: &str) {
        let ids = [self.owner().account_id, self.owner().user_id, self.scene.helper().user_id];
        let sql = ids.iter().enumerate().fold(statement.to_owned(), |sql, (place, id)| {
            sql.replace(&format!("${}", place + 1), &format!("'{id}'::uuid"))
        });
        let mut db = self.scene.app().databases.postgres.get().await.unwrap();
        if !sql.starts_with("SELECT") && !sql.ends_with("RETURNING id") {
            sql_query(&sql).execute(&mut *db).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
            return;
        }
        let made: Vec<Made> =
            sql_query(&sql).load(&mut *db).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        let id = made.into_iter().next().and_then(|made| made.id).unwrap_or_else(|| panic!("no row: {sql}"));
        self.values.insert("made".to_owned(), id.to_string());
    }

    async fn add(&mut self, part: Part) {
        let app = self.scene.app();
        match part {
            Part::Twitch => self.connect_twitch(app).await,
            Part::Spotify => self.connect_spotify(app).await,
            Part::Playlist => {
                self.connect_spotify(app).await;
                app.platforms.set_playlist(PLAYLIST, "Mix", vec![track(1, "Sun", &["Ravi"], None)]);
            }
            Part::PublicChannel => {
                let channel = app.platforms.create_user(Platform::Twitch, &format!("p{}", self.number)).0;
                self.values.insert("made".to_owned(), channel.id);
            }
            Part::Manifest => self.run(MANIFEST).await,
            Part::Runtime => {
                self.runtime = Some(tokio::spawn(run_functions(Calls::new(app.state.redis.clone()))))
            }
        }
    }

    async fn connect_twitch(&mut self, app: &TestApp) {
        self.run("DELETE FROM channel_connections WHERE account_id = $1 AND platform = 'twitch'").await;
        connect(app, self.owner().account_id, Platform::Twitch, &format!("s{}", self.number)).await;
        let friend = app.platforms.create_user(Platform::Twitch, &format!("f{}", self.number)).0;
        self.values.insert("friend_id".to_owned(), friend.id);
        self.values.insert("friend_login".to_owned(), friend.login);
    }

    async fn connect_spotify(&mut self, app: &TestApp) {
        let account = self.owner().account_id;
        let listener = connect(app, account, Platform::Spotify, &format!("l{}", self.number)).await;
        let tracks = [Track::new(1, "Sun", &["Ravi"]), Track::new(2, "Rain", &["Ravi"])];
        let devices = vec![Device::new("computer", true), Device::new("phone", false)];
        let player = Player { devices, ..Player::playing(tracks[0].clone()) };
        app.platforms.spotify_add_tracks(tracks);
        app.platforms.spotify_set_player(&listener, player);
        let library =
            UserPlaylist { id: PLAYLIST.into(), name: "Mix".into(), owner: "ada".into(), track_count: 1 };
        app.platforms.spotify_set_library(&listener, vec![library]);
    }
}

/// Takes the place of a runtime: every function returns.
async fn run_functions(calls: Calls) {
    let runtime = Uuid::now_v7();
    loop {
        calls.announce_presence(runtime).await.expect("Redis answers");
        for call in calls.take(runtime, 10).await.expect("Redis answers") {
            let reply = FunctionReply::Returned { value: json!({ "ran": call.function }) };
            calls.answer(call.id, &reply).await.expect("Redis answers");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Number of stored requests.
pub(super) async fn stored(app: &TestApp, condition: &str) -> i64 {
    count(app, &format!("idempotent_requests WHERE {condition}")).await
}
