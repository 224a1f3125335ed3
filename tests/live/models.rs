//! One model on the wire: a socket and a list send the same keys of the same resource, nulls included
//! (reference/events.md#event).

use std::collections::BTreeSet;

use diesel_async::AsyncConnection;
use foundation::events::{ChannelKind, Payload};
use lumio_tests::{Person, Socket, SocketRequest, TestApp};
use lumio_worker::Daemon;
use notices::notify::{Notice, notify};
use platforms_stand_in::{DeliveryOptions, Platform, twitch};
use serde_json::{Value, json};
use shared::id::UserId;

use lumio_tests::world::{connect, eventually, install, workers};

/// Every key of a value, with its path; entries of a list count as one.
fn keys(value: &Value) -> BTreeSet<String> {
    fn collect(value: &Value, at: &str, keys: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let at = format!("{at}.{name}");
                    collect(value, &at, keys);
                    keys.insert(at);
                }
            }
            Value::Array(entries) => {
                entries.iter().for_each(|entry| collect(entry, &format!("{at}[]"), keys))
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    collect(value, "", &mut found);
    found
}

/// A listener and the resources that it has compared.
struct Compared {
    app: TestApp,
    owner: Person,
    socket: Socket,
    resources: BTreeSet<&'static str>,
}

impl Compared {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        let mut socket = SocketRequest::to(app.url()).bearer(owner.caller.token()).connect().await;
        for kind in ["chat", "events", "extensions", "account"] {
            socket.subscribe(&format!("{kind}:{}", owner.account_id)).await;
        }
        socket.subscribe(&format!("user:{}", owner.user_id)).await;
        Self { app, owner, socket, resources: BTreeSet::new() }
    }

    /// The data of the next event of a type.
    async fn published(&mut self, event_type: &str) -> Value {
        for _ in 0..20 {
            let frame = self.socket.frame().await;
            if frame["event_type"] == event_type {
                return frame["data"].clone();
            }
        }
        panic!("no {event_type} was told");
    }

    #[track_caller]
    fn same(&mut self, resource: &'static str, published: &Value, listed: &Value) {
        assert!(listed.is_object(), "{resource}: {listed}");
        assert_eq!(keys(published), keys(listed), "{resource}\ntold {published}\nlisted {listed}");
        self.resources.insert(resource);
    }
}

#[tokio::test]
async fn models_have_the_same_keys_on_a_socket_and_in_a_list() {
    let mut it = Compared::start().await;
    let account = it.owner.account_id;
    let streamer = connect(&it.app, account, Platform::Twitch, "streamer").await;
    let viewer = it.app.platforms.create_user(Platform::Twitch, "viewer").0;
    let running = workers(&it.app, &[Daemon::Ingest, Daemon::Outbox]).await;

    // A line with badges and fragments.
    let callback = format!("{}/v1/webhooks/twitch", it.app.url());
    let line = twitch::Event::chat_message(&streamer, &viewer, "hello there");
    let options = DeliveryOptions::default();
    let secret = "stand-in-eventsub-secret";
    let delivered = it.app.platforms.deliver_twitch_to(&callback, secret, &line, &options).await;
    assert_eq!(delivered.statuses(), [Some(200)]);
    let published = it.published("chat:message").await;
    let owner = &it.owner;
    eventually("the line is listed", async || {
        owner.get("/v1/chat/messages").await.data().as_array().is_some_and(|rows| !rows.is_empty())
    })
    .await;
    let listed = owner.get("/v1/chat/messages").await.data()[0].clone();
    assert!(published["fragments"][0].get("emote_id").is_some_and(Value::is_null), "{published}");
    it.same("ChatMessage", &published, &listed);

    // An event.
    let cheer = json!({ "event_type": "twitch:cheer", "data": { "bits": 5 }, "is_test": false });
    it.owner.post("/v1/events", cheer).await.expect(201);
    let published = it.published("event:new").await;
    let listed = it.owner.get("/v1/events").await.data()[0].clone();
    it.same("Event", &published, &listed);

    // A poll, a prediction and a raid.
    let poll = json!({ "platform": "twitch", "title": "Which?", "choices": ["A", "B"], "duration_secs": 60 });
    it.owner.post("/v1/chat/polls", poll).await.expect(201);
    let published = it.published("poll:updated").await["poll"].clone();
    let listed = it.owner.get("/v1/chat/polls").await.data()[0].clone();
    it.same("Poll", &published, &listed);
    let prediction =
        json!({ "platform": "twitch", "title": "Win?", "outcomes": ["Yes", "No"], "window_secs": 120 });
    it.owner.post("/v1/chat/predictions", prediction).await.expect(201);
    let published = it.published("prediction:updated").await["prediction"].clone();
    let listed = it.owner.get("/v1/chat/predictions").await.data()[0].clone();
    it.same("Prediction", &published, &listed);
    it.app.platforms.create_user(Platform::Twitch, "friend");
    let raid = json!({ "platform": "twitch", "target": "friend" });
    let begun = it.owner.post("/v1/chat/raid", raid).await.data().clone();
    let published = it.published("raid:updated").await["raid"].clone();
    it.same("Raid", &published, &begun);

    // An install that is switched off.
    let installed = install(&it.app, &it.owner, &["chat:read"]).await;
    let path = format!("/v1/extension-installs/{installed}");
    it.owner.patch(&path, json!({ "enabled": false })).await.data();
    let published = it.published("install:updated").await;
    let listed = it.owner.get("/v1/extension-installs").await.data().clone();
    let own = |row: &&Value| row["id"] == json!(installed);
    let listed = listed.as_array().unwrap().iter().find(own).unwrap().clone();
    it.same("ExtensionInstall", &published, &listed);

    // The settings of the account.
    it.owner.patch("/v1/settings", json!({ "privacy": { "store_chat": false } })).await.data();
    let published = it.published("settings:updated").await;
    let listed = it.owner.get("/v1/settings").await.data().clone();
    it.same("AccountSettings", &published, &listed);

    // A notification.
    let notice = Notice::MemberJoined {
        account_id: account,
        account_name: "Night shift",
        user_id: account,
        user_name: "Ada",
        role_name: "Viewer",
    };
    let (people, now) = ([UserId(it.owner.user_id)], it.app.clock.now());
    it.app
        .databases
        .postgres
        .get()
        .await
        .unwrap()
        .transaction(async |connection| notify(connection, &people, &notice, now).await)
        .await
        .unwrap();
    let published = it.published("notification:new").await;
    let listed = it.owner.get("/v1/notifications").await.data()["items"][0].clone();
    it.same("Notification", &published, &listed);

    // A stream.
    let online = twitch::Event::stream_online(&streamer);
    let delivered = it.app.platforms.deliver_twitch_to(&callback, secret, &online, &options).await;
    assert_eq!(delivered.statuses(), [Some(200)]);
    let published = it.published("channel_status:updated").await;
    let listed = it.owner.get("/v1/channel-status").await.data()[0].clone();
    it.same("ChannelStatus", &published, &listed);

    // Every resource that a channel publishes was compared.
    let events = ChannelKind::ALL.into_iter().flat_map(ChannelKind::events);
    let all: BTreeSet<&str> = events
        .filter_map(|event| match event.payload {
            Payload::Resource(name) => Some(name),
            Payload::Keys(_) => None,
        })
        .collect();
    let missing: Vec<&&str> = all.iter().filter(|name| !it.resources.contains(**name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    running.stop().await.unwrap();
    it.app.stop().await;
}
