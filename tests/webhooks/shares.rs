//! Shares of accounts (reference/webhooks.md#delivery).

use lumio_tests::{eventually, world::workers};
use lumio_worker::Daemon;
use serde_json::json;

use super::{
    receiver::Reply,
    stage::{Stage, emit},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shares_keep_a_slow_account_from_delaying_others() {
    let stage = Stage::new().await;
    let other = stage.app.owner().await;
    let slow = ["/slow0", "/slow1", "/slow2", "/slow3", "/slow4"];
    for path in slow {
        stage.receiver.reply(path, Reply::Held);
        stage.endpoint(path, &["*"]).await;
    }
    stage.endpoint_of(&other, "/fast", &["*"]).await;
    stage.emit("a").await;
    let running = workers(&stage.app, &[Daemon::Webhooks]).await;
    let held = || slow.iter().map(|path| stage.receiver.received(path).len()).sum::<usize>();
    let share = usize::try_from(webhook_daemons::MAX_CONCURRENT_OF_ACCOUNT).unwrap();
    eventually("the share is used up", async || held() == share).await;
    emit(&other, "custom:a", json!({})).await;
    eventually("the other account is served", async || stage.receiver.received("/fast").len() == 1).await;
    assert_eq!(held(), share, "the fifth endpoint waits");
    eventually("the fifth is served", async || {
        stage.receiver.release();
        held() == slow.len()
    })
    .await;
    stage.receiver.release();
    running.stop().await.unwrap();
    stage.stop().await;
}
