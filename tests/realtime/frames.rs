//! Frames of a socket (reference/realtime.md#client-frames).

use foundation::events::{Channel, Event};
use lumio_tests::{SocketRequest, TestApp};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{number_of, publish, socket};

#[tokio::test]
async fn frames_of_events_arrive_complete_and_in_order() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let name = format!("chat:{}", owner.account_id);
    let mut client = socket(&app, &owner).await;
    client.subscribe(&name).await;
    let data = json!({ "text": "h\u{e9} \"quoted\"", "n": 1.5, "nested": { "list": [1, null] } });
    let event = Event::new(Channel::Chat(owner.account_id), "chat:message", data.clone(), app.clock.now());
    app.state.events.append(&event).await.unwrap();
    let frame = client.frame().await;
    assert_eq!(
        frame,
        json!({
            "type": "event",
            "channel": name,
            "event_type": "chat:message",
            "data": data,
            "id": event.id,
            "timestamp": event.timestamp.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
        })
    );
    // The same event again is not sent.
    app.state.events.append(&event).await.unwrap();
    client.is_quiet().await;
    for n in 0..200 {
        publish(&app, Channel::Chat(owner.account_id), n).await;
    }
    for n in 0..200 {
        assert_eq!(number_of(&client.frame().await), n);
    }
}

#[tokio::test]
async fn frames_are_sent_for_bare_pairs_that_workers_publish() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let name = format!("events:{}", owner.account_id);
    let mut client = socket(&app, &owner).await;
    client.subscribe(&name).await;
    let topic = app.state.events.topic(&name);
    for junk in [&b"not JSON"[..], b"{}", br#"{"type":"stop"}"#, b"\xff\xfe"] {
        app.state.redis.publish(&topic, junk).await.unwrap();
    }
    app.state.redis.publish(&topic, br#"{"event_type":"stream:online","data":{"a":1}}"#).await.unwrap();
    let frame = client.frame().await;
    assert_eq!((&frame["event_type"], &frame["data"]), (&json!("stream:online"), &json!({ "a": 1 })));
    assert!(frame["id"].is_string() && frame["timestamp"].is_string());
}

#[tokio::test]
async fn frames_answer_every_subscribe_and_unsubscribe() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let name = channel.to_string();
    let mut client = socket(&app, &owner).await;
    for _ in 0..2 {
        let answer = client.ask(json!({ "type": "subscribe", "channel": name, "request_id": "r1" })).await;
        assert_eq!(answer, json!({ "type": "subscribed", "channel": name, "request_id": "r1" }));
    }
    publish(&app, channel, 1).await;
    assert_eq!(number_of(&client.frame().await), 1);
    client.is_quiet().await;
    for _ in 0..2 {
        let answer = client.ask(json!({ "type": "unsubscribe", "channel": name, "request_id": 7 })).await;
        assert_eq!(answer, json!({ "type": "unsubscribed", "channel": name, "request_id": 7 }));
    }
    publish(&app, channel, 2).await;
    client.is_quiet().await;
}

#[tokio::test]
async fn frames_of_ping_echo_ts() {
    let app = TestApp::start().await;
    let mut client = SocketRequest::to(app.url()).connect().await;
    for ts in [json!(1_700_000_000_123_u64), json!("text"), json!({ "a": [1] }), json!(1.25)] {
        assert_eq!(
            client.ask(json!({ "type": "ping", "ts": ts })).await,
            json!({ "type": "pong", "ts": ts })
        );
    }
    assert_eq!(client.ask(json!({ "type": "ping" })).await, json!({ "type": "pong" }));
}

#[tokio::test]
async fn frames_that_are_invalid_are_reported_and_keep_the_socket_open() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut client = socket(&app, &owner).await;
    let name = format!("chat:{}", owner.account_id);
    let unreadable = ["", "x", "{", "[]", "1", "\"subscribe\"", "{\"type\":}", "\u{0}"];
    for text in unreadable {
        client.send_message(Message::text(text)).await;
        let answer = client.frame().await;
        assert_eq!(answer["code"], "INVALID_MESSAGE", "{text}: {answer}");
    }
    let named = [
        (json!({}), "type"),
        (json!({ "type": "shout" }), "type"),
        (json!({ "type": "subscribe" }), "channel"),
        (json!({ "type": "subscribe", "channel": 5 }), "channel"),
        (json!({ "type": "subscribe", "channel": name, "after": "yesterday" }), "after"),
        (json!({ "type": "unsubscribe" }), "channel"),
        (json!({ "type": "broadcast", "channel": name }), "event_type"),
        (json!({ "type": "broadcast", "channel": name, "event_type": "x" }), "data"),
        (json!({ "type": "call", "channel": name, "request_id": "1" }), "function"),
        (json!({ "type": "ping", "request_id": {} }), "request_id"),
    ];
    for (frame, field) in named {
        let answer = client.ask(frame.clone()).await;
        assert_eq!(answer["code"], "INVALID_MESSAGE", "{frame}: {answer}");
        assert!(answer["message"].as_str().unwrap().contains(field), "{frame}: {answer}");
    }
    client.is_quiet().await;
}

#[tokio::test]
async fn frames_to_unknown_channels_and_broadcasts_are_refused() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut client = socket(&app, &owner).await;
    let account = owner.account_id;
    let unknown = [
        String::new(),
        "chat".into(),
        "chat:".into(),
        "chat:1".into(),
        format!("chat:{account}x"),
        format!("CHAT:{account}"),
        format!("music:{account}"),
        format!("overlay:{account}"),
        format!("ext-storage:{}", account.simple()),
        format!("chat:{}", account.simple()),
    ];
    for channel in unknown {
        for kind in ["subscribe", "unsubscribe"] {
            let answer = client.ask(json!({ "type": kind, "channel": channel, "request_id": "q" })).await;
            assert_eq!(answer["code"], "INVALID_CHANNEL", "{kind} {channel}: {answer}");
            assert_eq!((&answer["channel"], &answer["request_id"]), (&json!(channel), &json!("q")));
        }
    }
    let name = format!("chat:{account}");
    let publishing =
        json!({ "type": "broadcast", "channel": name, "event_type": "x", "data": {}, "request_id": "b" });
    let answer = client.ask(publishing).await;
    assert_eq!((&answer["code"], &answer["request_id"]), (&json!("FORBIDDEN"), &json!("b")));
    let call = json!({ "type": "call", "channel": format!("ext-storage:{account}"), "function": "f", "request_id": "c" });
    assert_eq!(client.error_of(call).await, "UNAUTHORIZED", "no install of the account's");
    let call =
        json!({ "type": "call", "channel": format!("music:{account}"), "function": "f", "request_id": "c" });
    assert_eq!(client.error_of(call).await, "INVALID_CHANNEL");
    let call = json!({ "type": "call", "channel": name, "function": "f", "request_id": "c" });
    assert_eq!(client.error_of(call).await, "FORBIDDEN");
}

#[tokio::test]
async fn frames_that_are_not_text_close_the_socket_with_their_code() {
    let app = TestApp::start().await;
    let connect = async || SocketRequest::to(app.url()).connect().await;

    let mut client = connect().await;
    client.send_message(Message::binary(vec![1, 2, 3])).await;
    assert_eq!(client.until_closed().await, (vec![], 1003));

    let mut client = connect().await;
    client.send_message(Message::text("x".repeat(64 * 1024 + 1))).await;
    let (frames, code) = client.until_closed().await;
    assert_eq!((frames[0]["code"].clone(), code), (json!("PAYLOAD_TOO_LARGE"), 1009));

    // Only the header of a frame of an exbibyte: refused without waiting for the rest.
    let mut client = connect().await;
    client.send_bytes(&[0x81, 0xff, 0x10, 0, 0, 0, 0, 0, 0, 0]).await;
    assert_eq!(client.until_closed().await.1, 1009);

    let mut client = connect().await;
    client.send_bytes(&[0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]).await;
    let (frames, code) = client.until_closed().await;
    assert_eq!((frames[0]["code"].clone(), code), (json!("INVALID_MESSAGE"), 1007));

    let mut client = connect().await;
    client.send_bytes(&[0x83, 0x80, 0, 0, 0, 0]).await;
    assert_eq!(client.until_closed().await, (vec![], 1002));

    let mut client = connect().await;
    client.send_message(Message::Close(None)).await;
    assert_eq!(client.until_closed().await, (Vec::<Value>::new(), 1000));

    let mut client = connect().await;
    let longest = json!({ "type": "ping", "ts": "x".repeat(64 * 1024 - 23) }).to_string();
    assert_eq!(longest.len(), 64 * 1024);
    client.send_message(Message::text(longest)).await;
    assert_eq!(client.frame().await["type"], "pong");
}
