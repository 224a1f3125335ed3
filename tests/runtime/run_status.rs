//! Extensions that reviewers stop, as the worker handles them (reference/developers.md#revoke-and-suspend).

use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::json;
use shared::schema::extension_versions;
use uuid::Uuid;

use super::stage::{Module, Stage};

/// Waits until a second has passed since `since`, less the time for answering a line.
async fn within_a_second(since: Instant) {
    tokio::time::sleep(Duration::from_millis(800).saturating_sub(since.elapsed())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_status_of_a_suspended_extension_changes_within_a_second() {
    let stage = Stage::start().await;
    let reviewer = stage.app.admin_with(&["extension-review:edit"]).await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let module = Module::answering("doomed", "alive");
    let extension = stage.publish(&module).await;
    for streamer in [&ada, &bob] {
        stage.install_published(streamer, extension, &module.permissions).await;
        stage.install(streamer, Module::answering("other", "other")).await;
        stage.say(streamer, "!doomed").await;
        assert_eq!(stage.sent(streamer, 1).await, ["alive"]);
    }

    let path = format!("/v1/admin/extensions/{extension}");
    let suspended = Instant::now();
    reviewer.post(&format!("{path}/suspend"), json!({ "reason": "Spam" })).await.data();
    within_a_second(suspended).await;
    for streamer in [&ada, &bob] {
        stage.say(streamer, "!doomed").await;
        stage.say(streamer, "!other").await;
        assert_eq!(stage.sent(streamer, 2).await, ["alive", "other"]);
    }

    let released = Instant::now();
    reviewer.post(&format!("{path}/unsuspend"), json!({})).await.data();
    within_a_second(released).await;
    for streamer in [&ada, &bob] {
        stage.say(streamer, "!doomed").await;
        assert_eq!(stage.sent(streamer, 3).await, ["alive", "other", "alive"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_status_of_a_revoked_version_stops_only_that_version() {
    let stage = Stage::start().await;
    let reviewer = stage.app.admin_with(&["extension-review:edit"]).await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let module = Module::answering("hello", "first");
    let extension = stage.publish(&module).await;
    let [one, _] = [
        stage.install_published(&ada, extension, &module.permissions).await,
        stage.install_published(&bob, extension, &module.permissions).await,
    ];
    let newer = "export const run = async () => ({ action: 'send_message', message: 'second' })";
    stage.new_version(&one, newer).await;
    stage
        .eventually("the newer version runs", async || {
            stage.say(&ada, "!hello").await;
            tokio::time::sleep(Duration::from_millis(300)).await;
            stage.sent_now(&ada).last().is_some_and(|sent| sent.text == "second")
        })
        .await;
    let before = stage.sent_now(&ada).len();
    let revoked: Uuid = extension_versions::table
        .filter(extension_versions::extension_id.eq(extension))
        .filter(extension_versions::handler_code.eq(newer))
        .select(extension_versions::id)
        .first(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();

    let since = Instant::now();
    let path = format!("/v1/admin/extension-versions/{revoked}/revoke");
    reviewer.post(&path, json!({ "reason": "Unsafe" })).await.data();
    within_a_second(since).await;
    stage.say(&ada, "!hello").await;
    stage.say(&bob, "!hello").await;
    assert_eq!(stage.sent(&bob, 1).await, ["first"]);
    assert_eq!(stage.sent_now(&ada).len(), before);
}
