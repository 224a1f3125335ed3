//! Timers of bot modules (reference/bots.md#timers).

use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{schema::extension_installs, secret::Secret};
use uuid::Uuid;

use super::stage::{Module, Stage, Streamer};

/// Seconds of every timer here, and so the length of its slots.
const INTERVAL: i64 = 60;

async fn timed_messages(stage: &Stage, streamer: &Streamer, config: Value) {
    let input = json!({ "enabled": true, "config": config });
    streamer.person.put("/v1/bot-modules/timed_messages", input).await.data();
    stage.feed_has_settled().await;
    let install = extension_installs::table
        .filter(extension_installs::account_id.eq(streamer.person.account_id))
        .select(extension_installs::id)
        .get_result(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    a_slot_begins(stage, install).await;
}

/// Lets the worker read the timers and advances to the beginning of their next slot, in which they run: the time of the
/// test from here on ends no slot.
async fn a_slot_begins(stage: &Stage, install: Uuid) {
    tokio::time::sleep(Duration::from_millis(2500)).await;
    let shift = i64::try_from(install.as_u128() % u128::try_from(INTERVAL).unwrap()).unwrap();
    let in_slot = (stage.app.clock.now().timestamp() + shift) % INTERVAL;
    pass(stage, INTERVAL - in_slot).await;
}

/// Advances the clock, and gives the worker time to notice.
async fn pass(stage: &Stage, seconds: i64) {
    stage.app.clock.advance(chrono::Duration::seconds(seconds));
    tokio::time::sleep(Duration::from_millis(2500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timers_run_once_an_interval_with_several_workers() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let mut config = stage.app.config();
    config.workers.system_key = Some(Secret::new(stage.app.system_key().await.token()).into());
    config.workers.engine_dir = stage.worker.context.config.workers.engine_dir.clone();
    let daemons = [Daemon::ExtensionRuntime];
    let second = lumio_worker::start_with(config, stage.app.clock.clone(), &daemons).await.unwrap();
    let bot_module = json!({ "timers": [{ "name": "tick", "interval_secs": INTERVAL, "min_chat_lines": 0, "handler": "tick" }] });
    let code = "export const tick = async (ctx, input) => ({
        action: 'send_message', message: `${input.trigger} ${input.name} ${input.platform} ${ctx.user}` })";
    let install = stage.install(&ada, Module::of(bot_module, code)).await;
    a_slot_begins(&stage, install.id).await;
    let sent = stage.sent(&ada, 1).await;
    assert_eq!(sent[0], "timer tick twitch undefined");
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(stage.sent_now(&ada).len(), sent.len(), "not before its interval is over");

    for run in 1..=2 {
        pass(&stage, INTERVAL).await;
        assert_eq!(stage.sent(&ada, sent.len() + run).await.len(), sent.len() + run);
    }

    let body = json!({ "install_id": install.id });
    ada.person.post("/v1/bot-modules/kill", body).await.expect(204);
    tokio::time::sleep(Duration::from_millis(800)).await;
    pass(&stage, 2 * INTERVAL).await;
    assert_eq!(stage.sent_now(&ada).len(), sent.len() + 2, "killed");
    second.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timers_wait_for_lines_of_chat_and_their_platform() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let message = |text: &str, lines: u32, platforms: &[&str]| json!({ "text": text, "interval_secs": INTERVAL, "min_chat_lines": lines, "platforms": platforms });
    let messages = [message("after three", 3, &["twitch"]), message("only on kick", 0, &["kick"])];
    timed_messages(&stage, &ada, json!({ "messages": messages })).await;
    stage.say(&ada, "one").await;
    stage.say(&ada, "two").await;
    stage.done(2).await;
    pass(&stage, INTERVAL).await;
    assert_eq!(stage.sent_now(&ada).len(), 0, "two lines are too few");
    stage.say(&ada, "three").await;
    stage.done(3).await;
    pass(&stage, INTERVAL).await;
    assert_eq!(stage.sent(&ada, 1).await, ["after three"]);
    pass(&stage, INTERVAL).await;
    assert_eq!(stage.sent_now(&ada).len(), 1, "the lines count from the last run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timers_rotate_timed_messages() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let message = |text: &str| json!({ "text": text, "interval_secs": INTERVAL });
    let config = json!({ "messages": [message("first"), message("second")], "rotate": true });
    timed_messages(&stage, &ada, config).await;
    let before = stage.sent(&ada, 1).await.len();
    for run in 1..=4 {
        pass(&stage, INTERVAL).await;
        stage.sent(&ada, before + run).await;
    }
    let sent = stage.sent(&ada, before + 4).await.split_off(before);
    assert_eq!((&sent[0], &sent[1]), (&sent[2], &sent[3]));
    assert_ne!(sent[0], sent[1]);
}
