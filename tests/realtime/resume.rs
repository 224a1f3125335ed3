//! Resuming after a cut: the missed events, or the report that they are lost (reference/realtime.md#resume).

use std::time::Duration;

use foundation::events::{Channel, MIN_KEPT_EVENTS};
use lumio_tests::{Heard, SocketRequest, TestApp};
use serde_json::json;
use uuid::Uuid;

use super::{number_of, publish, socket};

#[tokio::test]
async fn resume_sends_missed_events_before_new_ones() {
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
        assert_eq!(number_of(&client.frame().await), n);
    }
    client.is_quiet().await;
    // Nothing was missed.
    let newest = publish(&app, channel, 460).await;
    assert_eq!(number_of(&client.frame().await), 460);
    let mut client = socket(&app, &owner).await;
    assert!(client.resume(&channel.to_string(), newest).await);
    client.is_quiet().await;
}

#[tokio::test]
async fn resume_a_second_time_starts_after_the_cursor() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let first = publish(&app, channel, 0).await;
    publish(&app, channel, 1).await;
    let mut client = socket(&app, &owner).await;
    client.subscribe(&channel.to_string()).await;
    for _ in 0..2 {
        assert!(client.resume(&channel.to_string(), first).await);
        assert_eq!(number_of(&client.frame().await), 1);
    }
    publish(&app, channel, 2).await;
    assert_eq!(number_of(&client.frame().await), 2);
    client.is_quiet().await;
}

#[tokio::test]
async fn resume_reports_a_lost_cursor_and_continues() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let foreign = publish(&app, Channel::Events(owner.account_id), 0).await;
    let trimmed = publish(&app, channel, 0).await;
    for n in 1..MIN_KEPT_EVENTS + 300 {
        publish(&app, channel, n).await;
    }
    for (n, cursor) in [Uuid::now_v7(), Uuid::nil(), foreign, trimmed].into_iter().enumerate() {
        let mut client = socket(&app, &owner).await;
        assert!(!client.resume(&channel.to_string(), cursor).await, "{cursor}");
        publish(&app, channel, n).await;
        assert_eq!(number_of(&client.frame().await), n);
        client.is_quiet().await;
    }
}

#[tokio::test]
async fn resume_passes_the_gate_of_the_channel() {
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
async fn resume_after_random_cuts_loses_and_repeats_no_event() {
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
                assert_eq!(number_of(&frame), next, "after cut {cuts}");
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
async fn resume_continues_at_another_server_after_1001() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = Channel::Chat(owner.account_id);
    let (_state, second) = app.second_server().await;
    let at_second = SocketRequest::to(format!("http://{}", second.address)).bearer(owner.token());
    let mut client = at_second.connect().await;
    client.subscribe(&channel.to_string()).await;
    let cursor = publish(&app, channel, 1).await;
    assert_eq!(number_of(&client.frame().await), 1);
    let (stopped, heard) = tokio::join!(second.stop(), client.hear());
    stopped.unwrap();
    assert_eq!(heard, Heard::Closed(1001));
    publish(&app, channel, 2).await;
    let mut client = socket(&app, &owner).await;
    assert!(client.resume(&channel.to_string(), cursor).await);
    assert_eq!(number_of(&client.frame().await), 2);
}
