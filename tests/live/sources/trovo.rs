//! The reader of Trovo (reference/platforms.md#trovo-chat-socket).

use std::time::Duration;

use lumio_worker::Daemon;
use platforms_stand_in::{Failure, Platform, trovo_chat::chat_of};
use serde_json::{Value, json};

use super::{Stage, chat_socket, next_event};
use lumio_tests::world::{eventually, jobs, stored_events};

const DAEMONS: [Daemon; 2] = [Daemon::Ingest, Daemon::TrovoChat];

async fn stage() -> Stage {
    Stage::on(Platform::Trovo, &[]).await
}

fn send(stage: &Stage, chat: &Value) {
    assert_eq!(stage.app.platforms.send_trovo(&stage.channel, chat), 1, "one socket hears it");
}

fn send_line(stage: &Stage, text: &str) {
    send(stage, &chat_of(0, &stage.viewer, text));
}

async fn reads(stage: &Stage) {
    eventually("the chat is read", async || stage.app.platforms.trovo_readers(&stage.channel) == 1).await;
}

#[tokio::test]
async fn trovo_lines_are_published_and_stored_once() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    let mut socket = chat_socket(&stage.app, &stage.owner).await;
    let line = chat_of(0, &stage.viewer, "hello");
    for _ in 0..3 {
        send(&stage, &line);
    }
    let published = next_event(&mut socket, "chat:message").await;
    assert_eq!((&published["text"], &published["platform"]), (&json!("hello"), &json!("trovo")));
    stage.stored_once(&["hello"]).await;
    assert_eq!(jobs(&stage.app, "extension_triggers").await, 1);
    eventually("its health is shown", async || stage.is_shown_as("reading").await).await;
    stage.end(running).await;
}

#[tokio::test]
async fn trovo_chat_items_become_events_of_their_type() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    let spell = r#"{"gift":"Winner","num":2,"gift_value":100,"value_type":"Elixir"}"#;
    for (kind, content) in [
        (5, spell),
        (5001, "just subscribed"),
        (5003, "just followed"),
        (5005, "3"),
        (5006, "99,Lucky"),
        (5008, "viewer is carrying 12 raiders"),
        (5012, "stream_on"),
        (5012, "stream_off"),
        (5004, "welcome"),
        (7777, "of a kind that nobody knows"),
    ] {
        send(&stage, &chat_of(kind, &stage.viewer, content));
    }
    eventually("seven events are stored", async || {
        stored_events(&stage.app, stage.owner.account_id).await.len() == 7
    })
    .await;
    let mut types: Vec<String> = stored_events(&stage.app, stage.owner.account_id)
        .await
        .iter()
        .map(|row| row["event_type"].as_str().unwrap().to_owned())
        .collect();
    types.sort_unstable();
    assert_eq!(
        types,
        [
            "trovo:follower",
            "trovo:gift_sub",
            "trovo:raid",
            "trovo:spell",
            "trovo:stream_offline",
            "trovo:stream_online",
            "trovo:subscribe",
        ]
    );
    stage.end(running).await;
}

#[tokio::test]
async fn trovo_sockets_reopen_after_a_cut_and_history_triggers_nothing() {
    let stage = stage().await;
    let running = stage.workers(&DAEMONS).await;
    let mut expected: Vec<String> = Vec::new();
    for round in 0..4 {
        reads(&stage).await;
        let text = format!("line {round}");
        send_line(&stage, &text);
        expected.push(text);
        let texts: Vec<&str> = expected.iter().map(String::as_str).collect();
        stage.stored_once(&texts).await;
        stage.app.platforms.cut_trovo(round % 2 == 0);
        eventually("the socket is gone", async || stage.app.platforms.trovo_readers(&stage.channel) == 0)
            .await;
    }
    reads(&stage).await;
    assert_eq!(jobs(&stage.app, "extension_triggers").await, 4);
    // History that the platform sends to a new socket: one line of the cut, and one from long before.
    let mut old = chat_of(0, &stage.viewer, "long ago");
    old["send_time"] = json!(stage.app.clock.now().timestamp() - 600);
    let missed = chat_of(0, &stage.viewer, "missed");
    stage.app.platforms.change_trovo(|chats| chats.history = vec![old, missed]);
    stage.app.platforms.cut_trovo(false);
    expected.extend(["long ago".to_owned(), "missed".to_owned()]);
    let texts: Vec<&str> = expected.iter().map(String::as_str).collect();
    stage.stored_once(&texts).await;
    eventually("the missed line is answered", async || jobs(&stage.app, "extension_triggers").await == 5)
        .await;
    stage.end(running).await;
}

#[tokio::test]
async fn trovo_sockets_without_pongs_are_reopened() {
    let stage = stage().await;
    stage.app.platforms.change_trovo(|chats| chats.gap_secs = 1);
    let running = stage.workers(&DAEMONS).await;
    reads(&stage).await;
    let pings = || {
        let mut pings = 0;
        stage.app.platforms.change_trovo(|chats| pings = chats.pings);
        pings
    };
    eventually("pings come at the gap that was named", async || pings() >= 3).await;
    stage.app.platforms.change_trovo(|chats| chats.is_mute = true);
    eventually("the silent socket is left", async || stage.app.platforms.trovo_readers(&stage.channel) == 0)
        .await;
    stage.app.platforms.change_trovo(|chats| chats.is_mute = false);
    reads(&stage).await;
    stage.end(running).await;
}

#[tokio::test]
async fn trovo_token_refusals_are_waited_out() {
    let stage = stage().await;
    let path = "/chat/channel-token";
    let pause = Duration::from_secs(2);
    stage.app.platforms.fail_next_at(Platform::Trovo, path, Failure::RateLimited { retry_after: pause });
    stage.app.platforms.fail_next_at(Platform::Trovo, path, Failure::ServerError);
    let running = stage.workers(&DAEMONS).await;
    let began = std::time::Instant::now();
    reads(&stage).await;
    assert!(began.elapsed() >= Duration::from_secs(1), "the pause is kept: {:?}", began.elapsed());
    send_line(&stage, "after");
    stage.stored_once(&["after"]).await;
    stage.end(running).await;
}

#[tokio::test]
async fn trovo_reading_moves_to_another_copy_within_seconds() {
    let stage = stage().await;
    let ingest = stage.workers(&[Daemon::Ingest]).await;
    let one = stage.workers(&[Daemon::TrovoChat]).await;
    reads(&stage).await;
    let two = stage.workers(&[Daemon::TrovoChat]).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(stage.app.platforms.trovo_readers(&stage.channel), 1, "one copy reads");
    drop(one);
    eventually("the dead copy's socket is gone", async || {
        stage.app.platforms.trovo_readers(&stage.channel) == 0
    })
    .await;
    eventually("the other reads", async || stage.app.platforms.trovo_readers(&stage.channel) == 1).await;
    send_line(&stage, "after the kill");
    stage.stored_once(&["after the kill"]).await;
    two.stop().await.unwrap();
    stage.end(ingest).await;
}
