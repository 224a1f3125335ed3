//! The channel of the editors of an overlay (reference/realtime.md#surfaces).

use lumio_tests::{Caller, Socket, SocketRequest, TestApp, world::workers as start_workers};
use lumio_worker::Daemon;
use serde_json::{Value, json};

use super::{OVERLAYS, WIDGETS, entry, id_of, overlay, widget};

async fn socket(app: &TestApp, caller: &Caller) -> Socket {
    SocketRequest::to(app.url()).bearer(caller.token()).connect().await
}

/// The next event of a type; others are skipped.
async fn next(client: &mut Socket, event_type: &str) -> Value {
    loop {
        let frame = client.frame().await;
        if frame["event_type"] == event_type {
            return frame["data"].clone();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn editors_see_each_other_and_each_others_changes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let workers = start_workers(&app, &[Daemon::Outbox]).await;
    let other = app.member_as(owner.account_id, "administrator").await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let channel = format!("overlay-editor:{id}");
    let mut first = socket(&app, &owner).await;
    first.subscribe(&channel).await;
    assert_eq!(next(&mut first, "presence:join").await["user_id"], json!(owner.user_id));
    let mut second = socket(&app, &other).await;
    second.subscribe(&channel).await;
    let joined = next(&mut first, "presence:join").await;
    assert_eq!(joined["user_id"], json!(other.user_id));

    let moved = json!({ "type": "broadcast", "channel": channel, "event_type": "presence:cursor",
        "data": { "x": 1, "user_id": "somebody else" }, "request_id": 1 });
    second.send(moved).await;
    let cursor = next(&mut first, "presence:cursor").await;
    let expected = json!({ "session_id": joined["session_id"], "user_id": other.user_id,
        "data": { "x": 1, "user_id": "somebody else" } });
    assert_eq!(cursor, expected, "the server says whose it is");

    other.patch(&format!("{OVERLAYS}/{id}"), json!({ "name": "Ours" })).await.expect(200);
    let changed = next(&mut first, "overlay:updated").await;
    let expected = json!({ "overlay_id": id, "version": 2, "change": "overlay", "layer_id": null,
        "user_id": other.user_id, "overlay": null });
    assert_eq!(changed, expected);
    let stale = owner.patch(&format!("{OVERLAYS}/{id}"), json!({ "name": "Mine", "version": 1 })).await;
    stale.refused("CONFLICT", "Overlay was changed meanwhile");
    assert_eq!(stale.body["details"]["version"], 2);

    drop(second);
    assert_eq!(next(&mut first, "presence:leave").await["user_id"], json!(other.user_id));
    owner.delete(&format!("{OVERLAYS}/{id}")).await.expect(204);
    assert_eq!(next(&mut first, "overlay:updated").await["change"], "deleted");
    workers.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn editors_alone_publish_their_presence() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let channel = format!("overlay-editor:{id}");
    let publish = |event_type: &str, data: Value| json!({ "type": "broadcast", "channel": channel, "event_type": event_type, "data": data });
    let code_of = async |caller: &Caller, frame: Value| socket(&app, caller).await.error_of(frame).await;
    let reader = app.member_with(owner.account_id, &["overlays:read"]).await;
    let editor = app.member_with(owner.account_id, &["overlays:read", "overlays:edit"]).await;
    let stranger = app.owner().await;
    assert_eq!(code_of(&reader, publish("presence:cursor", json!({}))).await, "FORBIDDEN");
    assert_eq!(code_of(&stranger, publish("presence:cursor", json!({}))).await, "UNAUTHORIZED");
    assert_eq!(code_of(&owner, publish("presence:join", json!({}))).await, "FORBIDDEN");
    let large = json!({ "x": "y".repeat(4096) });
    assert_eq!(code_of(&owner, publish("presence:selection", large)).await, "PAYLOAD_TOO_LARGE");
    let mut client = socket(&app, &editor).await;
    assert_eq!(client.ask(publish("presence:selection", json!({}))).await["type"], "ack");

    // Entries of the overlay narrow what the permission gives.
    entry(&app, "overlay", id, editor.user_id, "viewer").await;
    assert_eq!(client.error_of(publish("presence:cursor", json!({}))).await, "FORBIDDEN");
    let subscribe = json!({ "type": "subscribe", "channel": channel });
    assert_eq!(code_of(&reader, subscribe.clone()).await, "UNAUTHORIZED", "the entries leave the reader out");
    client.subscribe(&channel).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn editors_lose_the_channel_with_their_access() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let reader = app.member_with(owner.account_id, &["overlays:read", "widgets:read"]).await;
    let friend = app.member_as(owner.account_id, "viewer").await;
    let (shown, drawn) = (id_of(&overlay(&owner, "Mine").await), id_of(&widget(&owner, "Mine").await));
    for (channel, object) in [
        (format!("overlay-editor:{shown}"), format!("{OVERLAYS}/{shown}")),
        (format!("widget:{drawn}"), format!("{WIDGETS}/{drawn}")),
    ] {
        let mut left_out = socket(&app, &reader).await;
        left_out.subscribe(&channel).await;
        let entry = format!("{object}/access/{}", friend.user_id);
        owner.put(&entry, json!({ "role": "viewer" })).await.expect(200);
        let ended = loop {
            let frame = left_out.frame().await;
            if frame["type"] != "event" {
                break frame;
            }
        };
        assert_eq!(
            (&ended["type"], &ended["channel"], &ended["reason"]),
            (&json!("unsubscribed"), &json!(channel), &json!("permission_revoked"))
        );
        let subscribe = json!({ "type": "subscribe", "channel": channel });
        assert_eq!(left_out.error_of(subscribe).await, "UNAUTHORIZED");

        // Without entries the permission of the role is enough again.
        owner.delete(&entry).await.expect(204);
        left_out.subscribe(&channel).await;
    }
    app.stop().await;
}
