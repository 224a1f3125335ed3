//! Coming back after a cut: exactly what was missed, or the word that it is gone (architecture: resume).

use std::time::Duration;

use lumio_tests::{Heard, SocketRequest, TestApp};
use serde_json::json;
use shared::events::{Channel, HISTORY};
use uuid::Uuid;

use super::{publish, said, socket};

#[tokio::test]
async fn what_was_missed_follows_and_then_what_happens_now() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let mut ids = Vec::new();
    for n in 0..450 {
        ids.push(publish(&app, channel, n).await);
    }
    let mut client = socket(&app, &owner).await;
    assert!(client.resume(&channel.to_string(), ids[9]).await);
    for n in 450..460 {
        publish(&app, channel, n).await;
    }
    for n in 10..460 {
        assert_eq!(said(&client.frame().await), n);
    }
    client.is_quiet().await;
    // Nothing was missed.
    let newest = publish(&app, channel, 460).await;
    assert_eq!(said(&client.frame().await), 460);
    let mut client = socket(&app, &owner).await;
    assert!(client.resume(&channel.to_string(), newest).await);
    client.is_quiet().await;
}

#[tokio::test]
async fn resuming_again_starts_anew_after_the_cursor() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let first = publish(&app, channel, 0).await;
    publish(&app, channel, 1).await;
    let mut client = socket(&app, &owner).await;
    client.subscribe(&channel.to_string()).await;
    for _ in 0..2 {
        assert!(client.resume(&channel.to_string(), first).await);
        assert_eq!(said(&client.frame().await), 1);
    }
    publish(&app, channel, 2).await;
    assert_eq!(said(&client.frame().await), 2);
    client.is_quiet().await;
}

#[tokio::test]
async fn a_cursor_that_the_log_does_not_hold_is_told_and_events_go_on() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let foreign = publish(&app, Channel::Events(owner.account_id), 0).await;
    let trimmed = publish(&app, channel, 0).await;
    for n in 1..HISTORY + 300 {
        publish(&app, channel, n).await;
    }
    for (n, cursor) in [Uuid::now_v7(), Uuid::nil(), foreign, trimmed].into_iter().enumerate() {
        let mut client = socket(&app, &owner).await;
        assert!(!client.resume(&channel.to_string(), cursor).await, "{cursor}");
        publish(&app, channel, n).await;
        assert_eq!(said(&client.frame().await), n);
        client.is_quiet().await;
    }
}

#[tokio::test]
async fn gates_hold_for_resuming() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let channel = Channel::Chat(owner.account_id);
    let cursor = publish(&app, channel, 0).await;
    publish(&app, channel, 1).await;
    let mut client = socket(&app, &stranger).await;
    let frame = json!({ "type": "subscribe", "channel": channel.to_string(), "after": cursor });
    assert_eq!(client.error_of(frame).await, "UNAUTHORIZED");
    client.is_quiet().await;
}

#[tokio::test]
async fn cut_at_random_nothing_is_missing_and_nothing_comes_twice() {
    const CUTS: usize = 1000;
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.service_key(owner.account_id, &["chat:read"]).await;
    let channel = Channel::Chat(owner.account_id);
    let (_state, second) = app.second_server().await;
    let bases = [app.url(), format!("http://{}", second.address)];
    let mut cursor = publish(&app, channel, 0).await;
    let (mut next, mut cuts) = (1, 0);
    let client = async {
        while cuts < CUTS {
            let mut client = SocketRequest::to(&bases[cuts % 2]).bearer(key.token()).connect().await;
            assert!(
                client.resume(&channel.to_string(), cursor).await,
                "the log reaches back after cut {cuts}"
            );
            for _ in 0..rand::random_range(0..12) {
                let frame = client.frame().await;
                assert_eq!(said(&frame), next, "after cut {cuts}");
                next += 1;
                cursor = frame["id"].as_str().unwrap().parse().unwrap();
            }
            if rand::random_bool(0.5) {
                tokio::time::sleep(Duration::from_millis(rand::random_range(0..5))).await;
            }
            cuts += 1;
        }
    };
    let publisher = async {
        for n in 1.. {
            publish(&app, channel, n).await;
            tokio::time::sleep(Duration::from_micros(rand::random_range(0..2000))).await;
        }
    };
    tokio::select! {
        () = client => {}
        () = publisher => {}
    }
    assert!(next > CUTS, "{next} events in {cuts} cuts");
    second.stop().await.unwrap();
}

#[tokio::test]
async fn a_server_that_stops_says_1001_and_clients_resume_at_another() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let (_state, second) = app.second_server().await;
    let at_second = SocketRequest::to(format!("http://{}", second.address)).bearer(owner.token());
    let mut client = at_second.connect().await;
    client.subscribe(&channel.to_string()).await;
    let cursor = publish(&app, channel, 1).await;
    assert_eq!(said(&client.frame().await), 1);
    let (stopped, heard) = tokio::join!(second.stop(), client.hear());
    stopped.unwrap();
    assert_eq!(heard, Heard::Closed(1001));
    publish(&app, channel, 2).await;
    let mut client = socket(&app, &owner).await;
    assert!(client.resume(&channel.to_string(), cursor).await);
    assert_eq!(said(&client.frame().await), 2);
}
