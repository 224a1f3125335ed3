//! The channels of the pages of overlays and widgets (reference/realtime.md#surfaces).

use std::collections::BTreeSet;

use foundation::events::{Channel, ChannelKind, Event, Payload};
use lumio_tests::{
    Caller, Heard, Person, Socket, SocketRequest, TestApp,
    world::{eventually, stored_events, workers as start_workers},
};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{OVERLAYS, WIDGETS, id_of, layered_install, overlay, text};

/// An overlay with its token.
struct Shown {
    id: Uuid,
    channel: String,
    token: String,
}

async fn shown(owner: &Person) -> Shown {
    let made = overlay(owner, "Live").await;
    let id = id_of(&made);
    let token = owner.get(&format!("{OVERLAYS}/{id}/token")).await.data().clone();
    Shown { id, channel: format!("overlay:{}", text(&made["key"])), token: text(&token["token"]).to_owned() }
}

async fn page(app: &TestApp, token: &str) -> Socket {
    SocketRequest::to(app.url()).query(token).connect().await
}

/// Subscribes and returns the state.
async fn open(client: &mut Socket, channel: &str) -> Value {
    client.subscribe(channel).await;
    event(client, &["overlay:snapshot", "widget:snapshot"]).await["data"].clone()
}

/// The next frame, which must be an event of one of these types.
async fn event(client: &mut Socket, types: &[&str]) -> Value {
    let frame = client.frame().await;
    assert!(types.iter().any(|wanted| frame["event_type"] == *wanted), "{types:?}: {frame}");
    if STATES.iter().any(|state| frame["event_type"] == *state) {
        let keys: BTreeSet<&str> = frame["data"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, documented(text(&frame["event_type"])), "{}", frame["event_type"]);
    }
    frame
}

/// Frames of the state of a page.
const STATES: [&str; 5] =
    ["overlay:snapshot", "overlay:layers_updated", "layer:visibility", "widget:snapshot", "widget:updated"];

/// Keys of a frame as the published document states them.
fn documented(event_type: &str) -> BTreeSet<&'static str> {
    let kinds = [ChannelKind::Overlay, ChannelKind::Widget];
    let event = kinds.iter().flat_map(|kind| kind.events()).find(|event| event.name == event_type);
    match event.expect("a documented event").payload {
        Payload::Keys(keys) => keys.iter().map(|(key, _)| *key).collect(),
        Payload::Resource(name) => panic!("{event_type} is a {name}"),
    }
}

async fn put_layers(owner: &Caller, overlay: Uuid, layers: Value) -> Vec<Uuid> {
    let answer = owner.put(&format!("{OVERLAYS}/{overlay}/layers"), json!({ "layers": layers })).await;
    answer.expect(200)["data"].as_array().unwrap().iter().map(id_of).collect()
}

fn layer(kind: &str) -> Value {
    json!({ "type": kind, "name": kind, "width": 400, "height": 300 })
}

async fn emit(owner: &Caller, event_type: &str, data: Value, is_test: bool) {
    let body = json!({ "event_type": event_type, "data": data, "is_test": is_test });
    owner.post("/v1/events", body).await.expect(201);
}

/// Appends an event to a channel of the account as its source does.
async fn publish(app: &TestApp, channel: Channel, event_type: &str, data: Value) {
    let event = Event::new(channel, event_type, data, app.clock.now());
    app.state.events.append(&event).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_gets_the_state_and_what_its_layers_use() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let shown = shown(&owner).await;
    let layers = put_layers(&owner, shown.id, json!([layer("alert_box"), layer("text")])).await;
    owner
        .patch(&format!("{OVERLAYS}/{}/layers/{}", shown.id, layers[1]), json!({ "visible": false }))
        .await
        .expect(200);
    let settings = json!({ "alerts": { "volume": 50 }, "default_overlay_id": shown.id });
    owner.patch("/v1/settings", settings).await.expect(200);

    let mut client = page(&app, &shown.token).await;
    let state = open(&mut client, &shown.channel).await;
    assert_eq!(state["overlay"]["id"], json!(shown.id));
    assert_eq!((&state["version"], &state["overlay"]["width"]), (&json!(3), &json!(1920)));
    assert_eq!(state["alerts"], json!({ "muted": false, "volume": 0.5 }));
    assert_eq!(state["overlay"]["is_default"], true);
    let drawn = state["layers"].as_array().unwrap();
    assert_eq!(drawn.len(), 1, "the hidden layer is left out");
    assert_eq!((&drawn[0]["id"], &drawn[0]["sandboxed"]), (&json!(layers[0]), &json!(false)));
    let script = text(&drawn[0]["script"]);
    assert!(script.contains("/v1/extension-bundles/") && script.ends_with("/layer.js"), "{script}");
    assert!(
        drawn[0]["config"]["duration_secs"].is_number(),
        "defaults are filled in: {}",
        drawn[0]["config"]
    );

    emit(&owner, "twitch:cheer", json!({ "user_name": "Ada", "bits": 100, "message": "hi" }), false).await;
    let new = event(&mut client, &["event:new"]).await;
    assert_eq!((&new["channel"], &new["data"]["amount"]), (&json!(shown.channel), &json!(100)));
    emit(&owner, "twitch:cheer", json!({ "user_name": "Ada", "bits": 5, "message": "hi" }), true).await;
    let test = event(&mut client, &["event:new"]).await;
    assert_eq!(test["data"]["is_test"], true, "a test comes under the name of the real event");
    assert_eq!(
        open(&mut client, &shown.channel).await["version"],
        3,
        "a second subscription brings the state again"
    );
    // No layer shows chat or music.
    publish(&app, Channel::Chat(account), "chat:clear", json!({ "platform": "twitch" })).await;
    publish(&app, Channel::Spotify(account), "spotify:pause", json!({ "track_id": null, "progress_ms": 1 }))
        .await;
    client.is_quiet().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_plays_the_sounds_of_its_target_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let sounds = Channel::Sounds(owner.account_id);
    let shown = shown(&owner).await;
    let mut client = page(&app, &shown.token).await;
    open(&mut client, &shown.channel).await;
    for (target, is_heard) in [
        (Value::Null, true),
        (json!({ "type": "overlay", "id": shown.id }), true),
        (json!({ "type": "overlay", "id": Uuid::now_v7() }), false),
        (json!({ "type": "widget", "id": shown.id }), false),
    ] {
        let data = json!({ "sound_id": Uuid::now_v7(), "url": "u", "volume": 1.0, "target": target });
        publish(&app, sounds, "sound:play", data.clone()).await;
        if is_heard {
            assert_eq!(event(&mut client, &["sound:play"]).await["data"], data);
        }
    }
    publish(&app, sounds, "sound:list:updated", json!({ "action": "deleted", "sound_id": Uuid::now_v7() }))
        .await;
    client.is_quiet().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_follows_changes_of_layers_settings_and_installs() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let workers = start_workers(&app, &[Daemon::Outbox]).await;
    let (install, _) = layered_install(&app, &owner).await;
    let (shown, other) = (shown(&owner).await, shown(&owner).await);
    let layers = put_layers(&owner, shown.id, json!([layer("text"), layer("image")])).await;
    let mut client = page(&app, &shown.token).await;
    open(&mut client, &shown.channel).await;

    let address = |id: Uuid| format!("{OVERLAYS}/{}/layers/{id}", shown.id);
    owner.patch(&address(layers[1]), json!({ "visible": false })).await.expect(200);
    let hidden = event(&mut client, &["layer:visibility"]).await["data"].clone();
    assert_eq!((&hidden["layer_id"], &hidden["visible"]), (&json!(layers[1]), &json!(false)));
    owner.patch(&address(layers[1]), json!({ "visible": true, "x": 40 })).await.expect(200);
    let back = event(&mut client, &["layer:visibility"]).await["data"].clone();
    assert_eq!((&back["visible"], &back["layer"]["x"]), (&json!(true), &json!(40.0)));
    owner.patch(&address(layers[0]), json!({ "x": 7 })).await.expect(200);
    let moved = event(&mut client, &["overlay:layers_updated"]).await["data"].clone();
    assert_eq!((&moved["layers"][0]["x"], &moved["version"]), (&json!(7.0), &json!(5)));
    owner.patch(&format!("{OVERLAYS}/{}", shown.id), json!({ "background": "#101010" })).await.expect(200);
    let changed = event(&mut client, &["overlay:updated"]).await["data"].clone();
    assert_eq!(changed["overlay"]["background"], "#101010");
    owner.patch("/v1/settings", json!({ "alerts": { "muted": true } })).await.expect(200);
    let muted = event(&mut client, &["overlay:snapshot"]).await["data"].clone();
    assert_eq!(muted["alerts"]["muted"], true);

    // The page that becomes the default one, and the one that ceases to be.
    let mut second = page(&app, &other.token).await;
    assert_eq!(open(&mut second, &other.channel).await["overlay"]["is_default"], false);
    owner.patch("/v1/settings", json!({ "default_overlay_id": shown.id })).await.expect(200);
    assert!(becomes_default(&mut client).await);
    owner.patch("/v1/settings", json!({ "default_overlay_id": other.id })).await.expect(200);
    assert!(!becomes_default(&mut client).await);
    assert!(becomes_default(&mut second).await);
    owner.patch("/v1/settings", json!({ "default_overlay_id": null })).await.expect(200);
    assert!(!becomes_default(&mut second).await);
    drop(second);

    // A layer of an extension brings the install's storage and pushes, and events as far as it may read them.
    let drawn = json!([{ "type": "extension", "name": "e", "width": 1, "height": 1, "install_id": install }]);
    put_layers(&owner, shown.id, drawn).await;
    let with = event(&mut client, &["overlay:layers_updated"]).await["data"].clone();
    let of_install = &with["layers"][0];
    assert_eq!((&of_install["sandboxed"], &of_install["install"]["id"]), (&json!(true), &json!(install)));
    let storage = json!({ "value": { "n": 1 } });
    owner.put(&format!("/v1/extension-installs/{install}/storage"), storage).await.expect(200);
    let stored = event(&mut client, &["ext:storage"]).await["data"].clone();
    assert_eq!((&stored["install_id"], &stored["value"]), (&json!(install), &json!({ "n": 1 })));
    publish(&app, Channel::ExtStorage(install), "ext:push", json!({ "topic": "t", "payload": 2 })).await;
    let pushed = event(&mut client, &["ext:push"]).await["data"].clone();
    assert_eq!(
        (&pushed["install_id"], &pushed["topic"], &pushed["payload"]),
        (&json!(install), &json!("t"), &json!(2))
    );
    emit(&owner, "twitch:cheer", json!({ "user_name": "Ada", "bits": 1, "message": "" }), false).await;
    client.is_quiet().await;

    owner.patch(&format!("/v1/extension-installs/{install}"), json!({ "enabled": false })).await.expect(200);
    let off = event(&mut client, &["layer:visibility"]).await["data"].clone();
    assert_eq!(off["visible"], false, "the layer of an install that does not run is not drawn");
    let before = owner.get(&format!("{OVERLAYS}/{}", shown.id)).await.data()["version"].as_i64().unwrap();
    owner.delete(&format!("/v1/extension-installs/{install}")).await.expect(204);
    let after = owner.get(&format!("{OVERLAYS}/{}", shown.id)).await.data()["version"].as_i64().unwrap();
    assert_eq!(after, before + 1, "its layers are gone");
    workers.stop().await.unwrap();
    app.stop().await;
}

/// True when the next frame states that the page is that of the default overlay, false when it states the contrary.
async fn becomes_default(client: &mut Socket) -> bool {
    let changed = event(client, &["overlay:updated"]).await;
    changed["data"]["overlay"]["is_default"].as_bool().expect("a boolean")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_resumes_with_the_state_and_missed_events() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let shown = shown(&owner).await;
    put_layers(&owner, shown.id, json!([layer("alert_box"), layer("chat_box")])).await;
    let mut client = page(&app, &shown.token).await;
    client.subscribe(&shown.channel).await;
    let snapshot = event(&mut client, &["overlay:snapshot"]).await;
    let cheer = |bits: u32| json!({ "user_name": "Ada", "bits": bits, "message": "" });
    emit(&owner, "twitch:cheer", cheer(1), false).await;
    let seen = event(&mut client, &["event:new"]).await;
    drop(client);

    emit(&owner, "twitch:cheer", cheer(2), false).await;
    publish(&app, Channel::Chat(account), "chat:clear", json!({ "platform": "kick" })).await;
    // After the last event, and after a state that no event followed.
    for after in [&seen["id"], &snapshot["id"]] {
        let mut client = page(&app, &shown.token).await;
        let reply = client
            .ask(json!({ "type": "subscribe", "channel": shown.channel, "after": after, "request_id": 1 }))
            .await;
        assert_eq!((&reply["type"], &reply["recovered"]), (&json!("subscribed"), &json!(true)), "{reply}");
        event(&mut client, &["overlay:snapshot"]).await;
        let mut missed = Vec::new();
        while let Some(frame) = client.frame_within(std::time::Duration::from_millis(500)).await {
            missed.push(frame);
        }
        let amounts: Vec<&Value> = missed.iter().map(|frame| &frame["data"]["amount"]).collect();
        assert!(amounts.contains(&&json!(2)), "{missed:?}");
        assert!(missed.iter().any(|frame| frame["event_type"] == "chat:clear"), "{missed:?}");
        emit(&owner, "twitch:cheer", cheer(3), false).await;
        assert_eq!(event(&mut client, &["event:new"]).await["data"]["amount"], 3, "live events follow");
    }
    // Too many were missed: the state alone.
    for _ in 0..401 {
        publish(&app, Channel::Chat(account), "chat:clear", json!({ "platform": "kick" })).await;
    }
    let mut client = page(&app, &shown.token).await;
    let frame = json!({ "type": "subscribe", "channel": shown.channel, "after": seen["id"] });
    assert_eq!(client.ask(frame).await["recovered"], false);
    event(&mut client, &["overlay:snapshot"]).await;
    client.is_quiet().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_admits_the_tokens_of_its_overlay_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (mine, other) = (shown(&owner).await, shown(&owner).await);
    let share = owner.post(&format!("{OVERLAYS}/{}/shares", mine.id), json!({ "expires_in": 60 })).await;
    let share = text(&share.expect(201)["data"]["token"]).to_owned();
    let mut client = page(&app, &share).await;
    assert_eq!(open(&mut client, &mine.channel).await["overlay"]["id"], json!(mine.id));

    let refused = async |client: &mut Socket, channel: &str, code: &str| {
        let frame = json!({ "type": "subscribe", "channel": channel });
        assert_eq!(client.error_of(frame).await, code, "{channel}");
    };
    refused(&mut client, &other.channel, "UNAUTHORIZED").await;
    refused(&mut client, &format!("overlay-editor:{}", mine.id), "UNAUTHORIZED").await;
    refused(&mut client, &format!("events:{}", owner.account_id), "UNAUTHORIZED").await;
    for caller in [&owner.caller, &app.system_key().await] {
        let mut client = SocketRequest::to(app.url()).bearer(caller.token()).connect().await;
        refused(&mut client, &mine.channel, "UNAUTHORIZED").await;
    }
    refused(&mut SocketRequest::to(app.url()).connect().await, &mine.channel, "UNAUTHORIZED").await;
    app.override_feature(owner.account_id, "feature:overlays", false).await;
    let ended = client.frame().await;
    assert_eq!((&ended["type"], &ended["reason"]), (&json!("unsubscribed"), &json!("feature_disabled")));
    refused(&mut page(&app, &mine.token).await, &mine.channel, "FEATURE_DISABLED").await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_ends_with_its_token() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let shown = shown(&owner).await;
    let mut client = page(&app, &shown.token).await;
    open(&mut client, &shown.channel).await;
    owner.post(&format!("{OVERLAYS}/{}/token/rotate", shown.id), json!({})).await.expect(200);
    let (frames, code) = client.until_closed().await;
    assert_eq!((&frames[0]["code"], code), (&json!("TOKEN_REVOKED"), 4002));
    SocketRequest::to(app.url()).query(&shown.token).refused().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_widget_shows_one_layer_to_its_token_and_readers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let workers = start_workers(&app, &[Daemon::Outbox]).await;
    let made =
        owner.post(WIDGETS, json!({ "name": "Chat", "type": "chat_box", "width": 400, "height": 600 })).await;
    let made = made.expect(201)["data"].clone();
    let (id, token) = (id_of(&made), text(&made["access_token"]).to_owned());
    let channel = format!("widget:{id}");
    let mut client = page(&app, &token).await;
    let state = open(&mut client, &channel).await;
    let drawn = &state["layers"][0];
    assert_eq!((&drawn["type"], &drawn["width"]), (&json!("chat_box"), &json!(400.0)));
    assert_eq!((&state["widget"]["id"], &state["widget"]["type"]), (&json!(id), &json!("chat_box")));
    publish(&app, Channel::Chat(owner.account_id), "chat:clear", json!({ "platform": "kick" })).await;
    event(&mut client, &["chat:clear"]).await;

    let mut reader = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    open(&mut reader, &channel).await;
    owner.patch(&format!("{WIDGETS}/{id}"), json!({ "enabled": false })).await.expect(200);
    for client in [&mut client, &mut reader] {
        let off = event(client, &["widget:updated"]).await["data"].clone();
        assert_eq!((&off["layers"], &off["widget"]["enabled"]), (&json!([]), &json!(false)));
    }
    for (caller, subject) in
        [(app.owner().await.caller, "a stranger"), (app.system_key().await, "a system key")]
    {
        let mut client = SocketRequest::to(app.url()).bearer(caller.token()).connect().await;
        let frame = json!({ "type": "subscribe", "channel": channel });
        assert_eq!(client.error_of(frame).await, "UNAUTHORIZED", "{subject}");
    }
    owner.delete(&format!("{WIDGETS}/{id}")).await.expect(204);
    let Heard::Closed(code) = (loop {
        match client.hear().await {
            Heard::Frame(_) => {}
            other => break other,
        }
    }) else {
        panic!("the token is gone");
    };
    assert_eq!(code, 4002);
    let ended = reader.frame().await;
    assert_eq!(
        (&ended["type"], &ended["reason"]),
        (&json!("unsubscribed"), &json!("resource_deleted")),
        "{ended}"
    );
    workers.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_page_begins_with_earlier_events_and_without_songs() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let shown = shown(&owner).await;
    put_layers(&owner, shown.id, json!([layer("event_list")])).await;
    let workers = start_workers(&app, &[Daemon::Ingest]).await;
    emit(&owner, "twitch:cheer", json!({ "user_name": "Ada", "bits": 1, "message": "" }), false).await;
    // Songs are many: they would leave no place for what the list shows.
    emit(&owner, "spotify:track", json!({ "title": "Sun", "artist": "Ada" }), false).await;
    eventually("both are stored", async || stored_events(&app, owner.account_id).await.len() == 2).await;
    let mut client = page(&app, &shown.token).await;
    let state = open(&mut client, &shown.channel).await;
    let recent: Vec<_> =
        state["recent_events"].as_array().unwrap().iter().map(|event| &event["event_type"]).collect();
    assert_eq!(recent, ["twitch:cheer"]);
    workers.stop().await.unwrap();
    app.stop().await;
}
