//! Limits of one client (reference/realtime.md#limits).

use api_core::token::TokenKind;
use chrono::Duration;
use foundation::events::{Channel, Event};
use lumio_tests::{Caller, Socket, SocketRequest, TestApp};
use serde_json::json;
use uuid::Uuid;

use super::{number_of, socket};

#[tokio::test]
async fn limits_refuse_the_sixty_first_message_and_then_close_the_socket() {
    let app = TestApp::start().await;
    let mut client = SocketRequest::to(app.url()).connect().await;
    for n in 0..60 {
        assert_eq!(client.ask(json!({ "type": "ping", "ts": n })).await["ts"], n);
    }
    for n in 0..5 {
        assert_eq!(client.error_of(json!({ "type": "ping", "ts": n })).await, "RATE_LIMIT_EXCEEDED");
    }
    app.clock.advance(Duration::seconds(10));
    assert_eq!(client.ask(json!({ "type": "ping", "ts": "again" })).await["ts"], "again");
    for n in 0..100 {
        client.send(json!({ "type": "ping", "ts": n })).await;
    }
    let (frames, code) = client.until_closed().await;
    assert_eq!(code, 4008);
    assert!(frames.iter().any(|frame| frame["code"] == "RATE_LIMIT_EXCEEDED"));
}

#[tokio::test]
async fn limits_count_pongs_and_fragments_as_frames() {
    const FIRST_PART: [u8; 6] = [0x01, 0x80, 0, 0, 0, 0];
    const NEXT_PART: [u8; 6] = [0x00, 0x80, 0, 0, 0, 0];
    const PONG: [u8; 6] = [0x8a, 0x80, 0, 0, 0, 0];
    let app = TestApp::start().await;
    for unfinished in [PONG, NEXT_PART] {
        let mut client = SocketRequest::to(app.url()).connect().await;
        client.send_bytes(&FIRST_PART).await;
        client.send_bytes(&unfinished.repeat(59)).await;
        client.send_bytes(&PONG).await;
        assert_eq!(client.frame().await["code"], "RATE_LIMIT_EXCEEDED");
        client.send_bytes(&unfinished.repeat(20)).await;
        let (frames, code) = client.until_closed().await;
        assert_eq!((frames.len(), code, client.close_reason.as_str()), (19, 4008, "rate limit"));
    }
}

#[tokio::test]
async fn limits_allow_a_hundred_subscriptions_for_a_socket() {
    let app = TestApp::start().await;
    let mut client = socket(&app, &app.system_key().await).await;
    let mut asked = 0;
    let mut subscribe = async |client: &mut Socket, channel: &str| {
        asked += 1;
        if asked % 50 == 0 {
            app.clock.advance(Duration::seconds(10));
        }
        client.ask(json!({ "type": "subscribe", "channel": channel })).await
    };
    let mut last = String::new();
    for _ in 0..100 {
        last = format!("chat:{}", Uuid::now_v7());
        assert_eq!(subscribe(&mut client, &last).await["type"], "subscribed");
    }
    for _ in 0..900 {
        let answer = subscribe(&mut client, &format!("chat:{}", Uuid::now_v7())).await;
        assert_eq!(answer["code"], "TOO_MANY_SUBSCRIPTIONS", "{answer}");
    }
    assert_eq!(subscribe(&mut client, &last).await["type"], "subscribed", "what stands, stands");
    client.ask(json!({ "type": "unsubscribe", "channel": last })).await;
    assert_eq!(subscribe(&mut client, &format!("chat:{}", Uuid::now_v7())).await["type"], "subscribed");
}

#[tokio::test]
async fn limits_count_the_sockets_of_a_holder_across_servers() {
    let app = TestApp::start().await;
    let (_state, second) = app.second_server().await;
    let bases = [app.url(), format!("http://{}", second.address)];
    let owner = app.owner().await;
    let install = Uuid::now_v7().to_string();
    let key = app.personal_key(&owner, &[]).await;
    let another = app.session(owner.user_id, owner.account_id).await;
    let extension = app.surface_token(TokenKind::Extension, owner.account_id, &install, None).await;
    let sibling = app.surface_token(TokenKind::Extension, owner.account_id, &install, None).await;
    let service =
        [app.service_key(owner.account_id, &[]).await, app.service_key(owner.account_id, &[]).await];
    let holders: [(&str, Vec<Caller>, usize); 7] = [
        ("service keys", service.into(), 100),
        ("address", vec![app.anonymous()], 20),
        ("user", vec![owner.caller.clone(), key, another.caller], 20),
        ("popout", vec![app.popout(&owner, &[]).await], 10),
        ("overlay", vec![app.surface_token(TokenKind::Overlay, owner.account_id, "o", None).await], 10),
        ("widget", vec![app.surface_token(TokenKind::Widget, owner.account_id, "w", None).await], 10),
        ("install", vec![extension, sibling], 5),
    ];
    for (name, callers, limit) in holders {
        let request = |n: usize| {
            let request = SocketRequest::to(bases[n % 2].clone());
            if name == "address" { request } else { request.bearer(callers[n % callers.len()].token()) }
        };
        let mut open = Vec::new();
        for n in 0..limit {
            open.push(request(n).connect().await);
        }
        for n in 0..2 {
            let refused = request(n).refused().await;
            assert_eq!(
                (refused.status, &refused.body["error"]),
                (429, &json!("RATE_LIMIT_EXCEEDED")),
                "{name}"
            );
        }
        open.pop();
        let mut again = request(0).try_connect().await;
        for _ in 0..500 {
            if again.is_ok() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            again = request(0).try_connect().await;
        }
        assert!(again.is_ok(), "{name}: a closed socket gives its place back");
    }
    second.stop().await.unwrap();
}

#[tokio::test]
async fn limits_close_a_socket_without_a_subscription_after_a_minute() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.service_key(owner.account_id, &["chat:read"]).await;
    let extension = app.surface_token(TokenKind::Extension, owner.account_id, "i", None).await;
    let chat = format!("chat:{}", owner.account_id);
    let mut idle = vec![SocketRequest::to(app.url()).connect().await];
    for caller in [&owner.caller, &key, &extension, &app.popout(&owner, &[]).await, &app.system_key().await] {
        idle.push(socket(&app, caller).await);
    }
    let (mut listening, mut done) = (socket(&app, &owner).await, socket(&app, &owner).await);
    listening.subscribe(&chat).await;
    done.subscribe(&chat).await;
    // Refused subscriptions and other frames do not extend the time.
    for client in &mut idle {
        client.ask(json!({ "type": "ping" })).await;
    }
    assert_eq!(idle[0].error_of(json!({ "type": "subscribe", "channel": chat })).await, "UNAUTHORIZED");
    let soon = app.clock.now() + Duration::seconds(40);
    let share = app.surface_token(TokenKind::Share, owner.account_id, "o", Some(soon)).await;
    let mut share = socket(&app, &share).await;
    app.clock.advance(Duration::seconds(50));
    // Sockets were checked when this one ends, and all others are still open.
    assert_eq!(share.until_closed().await.1, 4001);
    for client in &mut idle {
        client.is_quiet().await;
    }
    done.ask(json!({ "type": "unsubscribe", "channel": chat })).await;
    app.clock.advance(Duration::seconds(11));
    for mut client in idle {
        let (frames, code) = client.until_closed().await;
        assert_eq!((frames.len(), code), (0, 4008));
        assert_eq!(client.close_reason, "no subscription");
    }
    listening.is_quiet().await;
    done.is_quiet().await;
    app.clock.advance(Duration::seconds(60));
    assert_eq!(done.until_closed().await.1, 4008, "a minute after its last subscription");
    listening.is_quiet().await;
}

#[tokio::test]
async fn limits_close_a_slow_reader_with_4003() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let (mut slow, mut quick) = (socket(&app, &owner).await, socket(&app, &owner).await);
    slow.subscribe(&channel.to_string()).await;
    quick.subscribe(&channel.to_string()).await;
    // More than the queue and the buffers of the connection.
    let filling = "x".repeat(32 * 1024);
    let total = 1500;
    for n in 0..total {
        let event = Event::new(channel, "test:event", json!({ "n": n, "x": filling }), app.clock.now());
        app.state.events.append(&event).await.unwrap();
        assert_eq!(number_of(&quick.frame().await), n, "one slow socket holds nobody up");
    }
    let (frames, code) = slow.until_closed().await;
    assert_eq!(code, 4003);
    assert!(frames.len() >= 512 && frames.len() < total, "{}", frames.len());
    assert!(frames.iter().enumerate().all(|(n, frame)| number_of(frame) == n), "nothing is skipped");
    let log = app.state.redis.key(format_args!("log:{channel}"));
    redis::cmd("DEL").arg(log).query_async::<()>(&mut *app.state.redis.get().await.unwrap()).await.unwrap();
}
