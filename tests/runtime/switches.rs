//! Features that are switched off stop their handlers within a second, and by polling without a notification.

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::invalidation::{self, Invalidation};
use lumio_tests::Caller;
use serde_json::{Value, json};
use shared::schema::{extension_installs, feature_flags};

use super::stage::{Module, Stage};

/// Waits until a number of installs runs in the worker. Announcements arrive in their order, so all earlier ones are
/// applied then.
async fn running(stage: &Stage, installs: i64) {
    stage
        .eventually("the worker has read the feed", async || {
            stage.figure("lumio_runtime_feed_enabled_installs", "") == installs
        })
        .await;
}

async fn switch(stage: &Stage, operator: &Caller, key: &str, on: bool) {
    let id: uuid::Uuid = feature_flags::table
        .filter(feature_flags::key.eq(key))
        .select(feature_flags::id)
        .first(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let path = format!("/v1/admin/feature-flags/{id}");
    operator.patch(&path, json!({ "globally_enabled": on })).await.data();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switches_stop_and_start_extensions_and_commands_within_a_second() {
    let stage = Stage::start().await;
    let (ada, bea) = (stage.streamer().await, stage.streamer().await);
    let operator = stage.app.admin_with(&["feature-flags:edit"]).await;
    let module = Module::answering("hello", "hi");
    let install = stage.install(&ada, module).await;
    stage.install_published(&bea, install.extension_id, &["chat:read", "chat:send"]).await;
    let command = json!({ "name": "own", "response": "own answer" });
    ada.person.post("/v1/bot-commands", command).await.data();
    running(&stage, 2).await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 1).await, ["hi"]);

    // Everywhere.
    switch(&stage, &operator, "feature:extensions", false).await;
    running(&stage, 0).await;
    for streamer in [&ada, &bea] {
        stage.say(streamer, "!hello").await;
    }
    stage.say(&ada, "!own").await;
    stage.done(4).await;
    assert_eq!(stage.sent(&ada, 2).await, ["hi", "own answer"], "commands are another feature");
    assert!(stage.sent_now(&bea).is_empty());
    switch(&stage, &operator, "feature:extensions", true).await;
    running(&stage, 2).await;
    stage.say(&bea, "!hello").await;
    assert_eq!(stage.sent(&bea, 1).await, ["hi"]);

    // In one account.
    let own = async |key: &str, on: bool| {
        stage.app.override_feature(ada.person.account_id, key, on).await;
        // As the operation notifies all processes.
        let changed = Invalidation::Features { account_id: ada.person.account_id };
        invalidation::announce(&stage.app.state.redis, &changed).await.unwrap();
    };
    own("feature:bot_commands", false).await;
    own("feature:extensions", false).await;
    running(&stage, 1).await;
    stage.say(&ada, "!hello").await;
    stage.say(&ada, "!own").await;
    stage.say(&bea, "!hello").await;
    assert_eq!(stage.sent(&bea, 2).await, ["hi", "hi"]);
    stage.done(8).await;
    assert_eq!(stage.sent_now(&ada).len(), 2);
    own("feature:bot_commands", true).await;
    own("feature:extensions", true).await;
    running(&stage, 2).await;
    stage.say(&ada, "!own").await;
    assert_eq!(stage.sent(&ada, 3).await[2], "own answer");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switches_of_built_in_modules_are_the_feature_and_their_flag() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let system = stage.app.system_key().await;
    let input = json!({ "enabled": true, "config": { "words": ["spoon"] } });
    ada.person.put("/v1/bot-modules/word_filter", input).await.data();
    let path = format!("/v1/internal/bot-modules/{}/triggers", ada.person.account_id);
    let running = async || system.get(&path).await.expect(200)["installs"].as_array().unwrap().len();
    let all = running().await;
    assert!(all >= 1);
    for key in ["feature:bot_modules", "bot_module:word_filter"] {
        stage.app.override_feature(ada.person.account_id, key, false).await;
        assert!(running().await < all, "{key}");
        let feed = system.get("/v1/internal/bot-modules/handlers").await;
        let installs = feed.expect(200)["installs"].as_array().unwrap().clone();
        let filter: Vec<Value> = installs
            .into_iter()
            .filter(|install| install["account_id"] == ada.person.account_id.to_string())
            .filter(|install| install["extension_name"] == "Word filter" || install["enabled"] == true)
            .collect();
        assert!(filter.iter().all(|install| install["enabled"] == false), "{key}: {filter:?}");
        stage.app.override_feature(ada.person.account_id, key, true).await;
        assert_eq!(running().await, all, "{key}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switches_are_found_by_polling_without_announcements() {
    let stage = Stage::start_with(|config| config.workers.feed_poll_secs = 1).await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, Module::answering("hello", "hi")).await;
    let command = json!({ "name": "own", "response": "own answer" });
    ada.person.post("/v1/bot-commands", command).await.data();
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 1).await, ["hi"]);
    // A manual change of a row, or a lost announcement, notifies no process.
    let set = async |enabled: bool| {
        diesel::update(extension_installs::table.find(install.id))
            .set(extension_installs::enabled.eq(enabled))
            .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    };
    set(false).await;
    stage.app.override_feature(ada.person.account_id, "feature:bot_commands", false).await;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    stage.say(&ada, "!hello").await;
    stage.say(&ada, "!own").await;
    stage.done(3).await;
    assert_eq!(stage.sent_now(&ada).len(), 1);
    set(true).await;
    stage.app.override_feature(ada.person.account_id, "feature:bot_commands", true).await;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    stage.say(&ada, "!hello").await;
    stage.say(&ada, "!own").await;
    let mut sent = stage.sent(&ada, 3).await;
    sent.sort();
    assert_eq!(sent, ["hi", "hi", "own answer"]);
}
