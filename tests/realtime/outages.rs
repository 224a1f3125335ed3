//! Outages of Redis with open sockets.

use std::time::Duration;

use foundation::events::{Channel, Event, MIN_KEPT_EVENTS};
use lumio_tests::{RedisServer, Socket, SocketRequest, TestApp};
use serde_json::json;

use super::{number_of, publish, socket};

async fn app_on(redis: &RedisServer) -> TestApp {
    TestApp::builder().with("REDIS_URL", redis.url()).start().await
}

/// Appends as soon as Redis accepts it.
async fn publish_persistently(app: &TestApp, channel: Channel, n: usize) {
    let event = Event::new(channel, "test:event", json!({ "n": n }), app.clock.now());
    for _ in 0..1000 {
        if app.state.events.append(&event).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the log does not come back");
}

/// Subscribes until it is refused: the hub notices a dead connection a moment after the server died.
async fn refused_at_last(client: &mut Socket, channel: &str) -> String {
    for _ in 0..200 {
        let answer = client.ask(json!({ "type": "subscribe", "channel": channel })).await;
        if answer["type"] == "error" {
            return answer["code"].as_str().expect("an error has a code").to_owned();
        }
        client.ask(json!({ "type": "unsubscribe", "channel": channel })).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("subscribing to {channel} is never refused");
}

#[tokio::test]
async fn outages_of_redis_keep_sockets_open() {
    let mut redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let owner = app.owner().await;
    let (chat, events) = (Channel::Chat(owner.account_id), Channel::Events(owner.account_id));
    let mut client = socket(&app, &owner).await;
    client.subscribe(&chat.to_string()).await;
    client.subscribe(&events.to_string()).await;
    publish(&app, chat, 0).await;
    assert_eq!(number_of(&client.frame().await), 0);
    for round in 0..3 {
        redis.kill();
        client.is_quiet().await;
        let code = refused_at_last(&mut client, &format!("user:{}", owner.user_id)).await;
        assert_eq!(code, "INTERNAL_SERVER_ERROR", "what cannot be heard is not promised");
        redis.restart().await;
        // The first falls into the gap, before the hub is subscribed again; the channel that was empty counts too.
        for n in 0..5 {
            publish_persistently(&app, chat, 100 * round + n).await;
        }
        publish_persistently(&app, events, round).await;
        let (mut of_chat, mut of_events) = (Vec::new(), Vec::new());
        for _ in 0..6 {
            let frame = client.frame().await;
            let heard = if frame["channel"] == chat.to_string() { &mut of_chat } else { &mut of_events };
            heard.push(number_of(&frame));
        }
        assert_eq!(of_chat, (0..5).map(|n| 100 * round + n).collect::<Vec<_>>());
        assert_eq!(of_events, [round]);
        client.is_quiet().await;
    }
    // A new socket is served, also where its channel was requested during the outage.
    let mut client = socket(&app, &owner).await;
    client.subscribe(&format!("user:{}", owner.user_id)).await;
}

#[tokio::test]
async fn outages_of_the_subscription_lose_and_repeat_no_event() {
    const EVENTS: usize = 3000;
    let redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let mut client = socket(&app, &owner).await;
    client.subscribe(&channel.to_string()).await;
    let cuts = async {
        loop {
            tokio::time::sleep(Duration::from_millis(rand::random_range(5..150))).await;
            redis.cut_subscribers().await;
        }
    };
    let publisher = async {
        for n in 0..EVENTS {
            publish(&app, channel, n).await;
            tokio::time::sleep(Duration::from_micros(rand::random_range(0..1500))).await;
        }
    };
    let reader = async {
        for n in 0..EVENTS {
            assert_eq!(number_of(&client.frame().await), n);
        }
    };
    tokio::select! {
        () = async { tokio::join!(publisher, reader); } => {}
        () = cuts => {}
    }
    client.is_quiet().await;
}

#[tokio::test]
async fn outages_that_the_log_cannot_fill_close_the_socket() {
    let redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let mut client = socket(&app, &owner).await;
    let mut bystander = socket(&app, &owner).await;
    client.subscribe(&channel.to_string()).await;
    bystander.subscribe(&format!("events:{}", owner.account_id)).await;
    let cursor = publish(&app, channel, 0).await;
    assert_eq!(number_of(&client.frame().await), 0);
    // All events since are gone, and a new one exists before the hub reconnects.
    redis.flush().await;
    redis.cut_subscribers().await;
    publish(&app, channel, 1).await;
    let (frames, code) = client.until_closed().await;
    assert_eq!((frames.len(), code), (0, 1001));
    bystander.is_quiet().await;
    let mut client = socket(&app, &owner).await;
    assert!(!client.resume(&channel.to_string(), cursor).await, "it is told what it lost");
}

#[tokio::test]
async fn outages_without_a_cut_of_the_subscription_are_no_gap() {
    let redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let mut client = socket(&app, &owner).await;
    client.subscribe(&channel.to_string()).await;
    publish(&app, channel, 0).await;
    assert_eq!(number_of(&client.frame().await), 0);
    redis.flush().await;
    publish(&app, channel, 1).await;
    assert_eq!(number_of(&client.frame().await), 1);
    client.is_quiet().await;
}

#[tokio::test]
async fn outages_of_redis_leave_each_server_to_count_its_own_sockets() {
    let mut redis = RedisServer::start().await;
    let app = app_on(&redis).await;
    let owner = app.owner().await;
    redis.kill();
    let popout = app.popout(&owner, &["chat:read"]).await;
    let request = SocketRequest::to(app.url()).bearer(popout.token());
    let mut open = Vec::new();
    for _ in 0..10 {
        open.push(request.connect().await);
    }
    assert_eq!(request.refused().await.status, 429);
    for client in &mut open {
        client.is_quiet().await;
    }
}

#[tokio::test]
async fn outages_beyond_the_bound_of_the_log_are_recognised() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let mut ids = Vec::new();
    for n in 0..2 * MIN_KEPT_EVENTS {
        ids.push(publish(&app, channel, n).await);
    }
    let name = channel.to_string();
    let log = &app.state.events;
    assert_eq!(log.after(&name, ids[0]).await.unwrap(), None);
    let kept = log.after(&name, ids[MIN_KEPT_EVENTS]).await.unwrap().expect("at least this many are kept");
    assert_eq!(kept.iter().map(|event| event.id).collect::<Vec<_>>(), ids[MIN_KEPT_EVENTS + 1..]);
    assert_eq!(log.after(&name, *ids.last().unwrap()).await.unwrap(), Some(vec![]));
    let length: usize = redis::cmd("XLEN")
        .arg(app.state.redis.key(format_args!("log:{name}")))
        .query_async(&mut *app.state.redis.get().await.unwrap())
        .await
        .unwrap();
    assert!((MIN_KEPT_EVENTS..MIN_KEPT_EVENTS + 200).contains(&length), "{length}");
}
