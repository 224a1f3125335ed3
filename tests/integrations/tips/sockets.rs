//! Sockets of the daemon `tips`.

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Program,
    world::{count, eventually, workers},
};
use lumio_worker::Daemon;
use platforms_stand_in::stream_elements::{MODERATION, NewToken, TIPS};
use serde_json::{Value, json};

use super::super::se_tokens::FEATURE;
use super::{PATH, QUIET, Stage, store};

#[tokio::test]
async fn tips_of_an_account_have_one_socket_among_all_copies() {
    let stage = Stage::start().await;
    let (first, second) =
        (workers(&stage.app, &[Daemon::Tips]).await, workers(&stage.app, &[Daemon::Tips]).await);
    stage.receives().await;
    tokio::time::sleep(QUIET).await;
    assert_eq!((stage.connections(), stage.app.platforms.stream_elements_subscriptions().len()), (1, 2));
    // Whichever copy held it: the other one connects.
    for running in [first, second] {
        running.stop().await.unwrap();
        let third = workers(&stage.app, &[Daemon::Ingest, Daemon::Tips]).await;
        stage.receives().await;
        third.stop().await.unwrap();
    }
    eventually("no connection is left", async || stage.connections() == 0).await;
    stage.app.stop().await;
}

#[tokio::test]
async fn tips_follow_the_tokens_of_the_account_within_seconds() {
    let stage = Stage::start().await;
    let running = stage.workers().await;
    stage.receives().await;
    let other = stage.app.platforms.stream_elements_channel("bob");
    let token = stage.app.platforms.stream_elements_token(&other, &NewToken::jwt());
    stage.app.clock.advance(chrono::Duration::seconds(1));
    assert_eq!(store(&stage.owner, "twitch", &token).await, stage.token_id);
    let expected = [TIPS, MODERATION].map(|topic| (topic.to_owned(), other.id.clone()));
    eventually("the new channel is subscribed to", async || {
        stage.app.platforms.stream_elements_subscriptions() == expected
    })
    .await;
    stage.app.override_feature(stage.owner.account_id, FEATURE, false).await;
    eventually("the socket is closed", async || stage.connections() == 0).await;
    stage.app.override_feature(stage.owner.account_id, FEATURE, true).await;
    eventually("the socket is open again", async || stage.connections() == 1).await;
    stage.owner.delete(&format!("{PATH}/{}", stage.token_id)).await.expect(204);
    eventually("the socket is closed", async || stage.connections() == 0).await;
    stage.end(running).await;
}

#[tokio::test]
async fn tips_continue_after_a_cut_a_move_and_refused_connections() {
    let stage = Stage::start().await;
    stage.app.platforms.change_stream_elements(|gateway| {
        gateway.busy = 1;
        gateway.errors = vec!["err_internal_error"];
    });
    let running = stage.workers().await;
    stage.receives().await;
    stage.send(&stage.tip("first"));
    stage.has_stored(1).await;

    let subscribed = |stage: &Stage| stage.app.platforms.change_stream_elements(|gateway| gateway.subscribed);
    let welcomed = |stage: &Stage| stage.app.platforms.change_stream_elements(|gateway| gateway.welcomed);
    let (subscriptions, welcomes) = (subscribed(&stage), welcomed(&stage));
    stage.app.platforms.move_stream_elements();
    let moved = stage.tip("moved");
    // The old connection and the new one: both may report it.
    stage.app.platforms.send_stream_elements(&stage.channel, TIPS, &moved, 1);
    eventually("one connection is left", async || {
        welcomed(&stage) == welcomes + 1 && stage.connections() == 1
    })
    .await;
    assert_eq!(subscribed(&stage), subscriptions, "the subscriptions move with the connection");
    stage.app.platforms.send_stream_elements(&stage.channel, TIPS, &moved, 1);
    stage.has_stored(2).await;

    stage.app.platforms.cut_stream_elements();
    eventually("another connection", async || welcomed(&stage) > welcomes + 1).await;
    stage.receives().await;
    stage.app.platforms.change_stream_elements(|gateway| gateway.is_draining = true);
    stage.app.platforms.cut_stream_elements();
    eventually("no connection", async || stage.connections() == 0).await;
    stage.app.platforms.change_stream_elements(|gateway| gateway.is_draining = false);
    stage.receives().await;
    stage.send(&stage.tip("last"));
    stage.has_stored(3).await;
    stage.end(running).await;
}

#[tokio::test]
async fn tips_of_a_refused_token_are_not_requested_again_until_it_is_replaced() {
    let stage = Stage::with(NewToken::jwt().with_scopes(&["session:read"])).await;
    let running = stage.workers().await;
    let welcomed = || stage.app.platforms.change_stream_elements(|gateway| gateway.welcomed);
    eventually("the token was tried", async || welcomed() == 1 && stage.connections() == 0).await;
    tokio::time::sleep(QUIET).await;
    assert_eq!(welcomed(), 1);
    let shown = stage.owner.get(PATH).await.data()[0].clone();
    assert_ne!(shown["refused_at"], Value::Null);
    let notified = format!(
        "notifications WHERE notification_type = 'connection_reconnect_required' AND user_id = '{}'
         AND data ->> 'seTokenId' = '{}'",
        stage.owner.user_id, stage.token_id
    );
    assert_eq!(count(&stage.app, &notified).await, 1);
    let entry = stage.app.audited_once("se_token:refused").await;
    assert_eq!(
        (entry.account_id, entry.metadata),
        (Some(stage.owner.account_id), json!({ "platform": "twitch" }))
    );
    let token = stage.app.platforms.stream_elements_token(&stage.channel, &NewToken::jwt());
    stage.app.clock.advance(chrono::Duration::seconds(1));
    store(&stage.owner, "twitch", &token).await;
    assert_eq!(stage.owner.get(PATH).await.data()[0]["refused_at"], Value::Null);
    stage.receives().await;
    stage.end(running).await;
}

#[tokio::test]
async fn tips_of_an_unreadable_token_are_no_refusal_and_arrive_once_it_is_replaced() {
    let stage = Stage::start().await;
    sql_query("UPDATE se_tokens SET token = decode('00', 'hex')")
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let running = stage.workers().await;
    tokio::time::sleep(QUIET).await;
    assert_eq!(stage.app.platforms.change_stream_elements(|gateway| gateway.welcomed), 0);
    assert_eq!(stage.owner.get(PATH).await.data()[0]["refused_at"], Value::Null);
    assert_eq!(count(&stage.app, "audit_log WHERE action = 'se_token:refused'").await, 0);
    let token = stage.app.platforms.stream_elements_token(&stage.channel, &NewToken::jwt());
    stage.app.clock.advance(chrono::Duration::seconds(1));
    store(&stage.owner, "twitch", &token).await;
    stage.receives().await;
    stage.end(running).await;
}

#[tokio::test]
async fn tips_of_an_overlay_token_arrive_without_the_scope_of_moderation() {
    let stage = Stage::with(NewToken::api_key(&["tips:read"])).await;
    let running = stage.workers().await;
    stage.receives().await;
    assert_eq!(
        stage.app.platforms.change_stream_elements(|gateway| gateway.calls),
        1,
        "the API names the channel"
    );
    assert_eq!(stage.app.platforms.stream_elements_subscriptions().len(), 1);
    stage.send(&stage.tip("hello"));
    stage.has_stored(1).await;
    stage.end(running).await;
}

#[tokio::test]
async fn tips_survive_messages_that_are_not_published() {
    let stage = Stage::start().await;
    let running = stage.workers().await;
    stage.receives().await;
    let room = &stage.channel.id;
    for odd in [
        json!({ "type": "message" }),
        json!({ "type": "message", "topic": TIPS, "room": room, "data": null }),
        json!({ "type": "message", "topic": TIPS, "room": room, "data": { "donation": [], "_id": 1 } }),
        json!({ "type": "message", "topic": "channel.activities", "room": room, "data": stage.tip("other") }),
        json!({ "type": "notice", "data": {} }),
        json!([]),
    ] {
        stage.app.platforms.broadcast_stream_elements(&odd);
    }
    stage.send(&stage.tip("hello"));
    let stored = stage.has_stored(1).await;
    assert_eq!(stored[0]["message"], "hello");
    assert_eq!(stage.app.platforms.change_stream_elements(|gateway| gateway.welcomed), 1);
    stage.end(running).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tips_of_a_killed_copy_arrive_at_another() {
    let stage = Stage::start().await;
    let mut killed = Program::start("lumio-worker", &["tips"], &stage.app.variables());
    stage.receives().await;
    let before = stage.tip("before");
    stage.send(&before);
    killed.kill();
    eventually("its connection is gone", async || stage.connections() == 0).await;
    let running = stage.workers().await;
    stage.receives().await;
    // A tip that the killed copy has written, or not, and that is reported again is one event.
    stage.send(&before);
    stage.send(&stage.tip("after"));
    let messages =
        |stored: &[Value]| -> Vec<Value> { stored.iter().map(|event| event["message"].clone()).collect() };
    let mut stored = stage.has_stored(2).await;
    stored.sort_by_key(|event| event["message"].to_string());
    assert_eq!(messages(&stored), [json!("after"), json!("before")]);
    stage.end(running).await;
}
