//! Reactions of bots to chat messages and events.

use std::time::{Duration, Instant};

use platforms_stand_in::Platform;
use serde_json::json;

use super::stage::{Module, Stage};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_to_a_repeated_job_are_sent_once() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export async function run(ctx, input) {
        ctx.log.info(`said by ${ctx.user.displayName} to ${ctx.auth.surface} as ${ctx.auth.role}`);
        return { action: 'send_message', message: `${ctx.config.word}: ${input.argsText}`, reply_to: input.message.id };
    }";
    let install = stage.install(&ada, Module::command("hello", code)).await;

    let event = stage.say(&ada, "!hello wide world").await;
    assert_eq!(stage.sent(&ada, 1).await, ["default word: wide world"]);
    stage.deliver(&ada, &event, "the same event again").await;
    // The second run is over when it is counted.
    stage.eventually("both jobs ran", async || stage.invocations(&install).await == 2).await;
    let sent = stage.sent_now(&ada);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].reply_to.as_deref(), Some(event.id.to_string().as_str()));
    let logged = stage.logs(&install, 1).await;
    assert_eq!(logged[0], ("info".to_owned(), "said by Ada to bot as viewer".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_follow_keywords_patterns_and_events() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let bot_module = json!({
        "keywords": [{ "value": "good night", "handler": "night" }],
        "patterns": [{ "regex": "(\\d+) bits", "handler": "bits" }],
        "events": [{ "event_type": "twitch:raid", "handler": "raid" }],
    });
    let code = "
        const say = (message) => ({ action: 'send_message', message });
        export const night = async (ctx) => say(`sleep well, ${ctx.user.username}`);
        export const bits = async (ctx, input) => say(`thanks for ${input.groups[1]}`);
        export const raid = async (ctx, input) => say(`${input.event.data.viewer_count} raiders`);";
    stage.install(&ada, Module::of(bot_module, code)).await;

    stage.say(&ada, "100 bits and Good Night").await;
    stage.happen(&ada, "twitch:raid", json!({ "viewer_count": 7 })).await;
    let mut sent = stage.sent(&ada, 3).await;
    sent.sort();
    assert_eq!(sent, ["7 raiders", "sleep well, ada", "thanks for 100"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_stop_at_the_first_moderator_that_acts() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let moderator = |result: &str| Module {
        permissions: vec!["chat:read", "chat:send", "chat:delete", "chat:ban"],
        ..Module::of(
            json!({ "moderate": "look", "commands": [{ "name": "hello", "handler": "hello" }] }),
            &format!(
                "export const look = async () => ({result}); export const hello = async () => ({{ action: 'send_message', message: 'hello' }})"
            ),
        )
    };
    let first = stage.install(&ada, moderator("null")).await;
    let second = stage
        .install(&ada, moderator("[{ action: 'delete' }, { action: 'timeout', duration_secs: 60 }]"))
        .await;
    let third = stage.install(&ada, moderator("{ action: 'ban' }")).await;

    let event = stage.say(&ada, "!hello").await;
    let actions = || stage.app.platforms.moderation_actions(Platform::Twitch);
    stage.eventually("both actions are carried out", async || actions().len() >= 2).await;
    stage
        .eventually("two ran", async || {
            stage.invocations(&first).await == 1 && stage.invocations(&second).await == 1
        })
        .await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let done: Vec<_> = actions().into_iter().map(|action| (action.target_id, action.duration_secs)).collect();
    assert_eq!(done, [(event.id.to_string(), None), ("4711".to_owned(), Some(60))]);
    assert_eq!(stage.invocations(&third).await, 0);
    assert_eq!(stage.sent_now(&ada).len(), 0, "the command of a removed message does not run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_to_commands_need_the_role_and_the_cooldown() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let bot_module = json!({ "commands": [
        { "name": "once", "handler": "run", "cooldown_global": 3600 },
        { "name": "mods", "handler": "run", "min_role": "moderator" },
    ] });
    let code =
        "export const run = async (ctx, input) => ({ action: 'send_message', message: input.command })";
    stage.install(&ada, Module::of(bot_module, code)).await;

    stage.say(&ada, "!once").await;
    assert_eq!(stage.sent(&ada, 1).await, ["once"]);
    stage.say(&ada, "!once").await;
    stage.say(&ada, "!mods").await;
    stage.say_as(&ada, "!mods", &["moderator"]).await;
    assert_eq!(stage.sent(&ada, 2).await, ["once", "mods"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_without_a_granted_permission_are_recorded_as_errors() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export const run = async () => ({ action: 'ban' })";
    let install = stage.install(&ada, Module::command("ban", code)).await;

    stage.say(&ada, "!ban").await;
    let errors = stage.errors(&install, 1).await;
    assert_eq!((errors.len(), errors[0].0.as_str()), (1, "PERMISSION_ERROR"), "{errors:?}");
    assert!(stage.app.platforms.moderation_actions(Platform::Twitch).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_end_within_a_second_of_a_kill() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, Module::answering("doomed", "alive")).await;
    stage.install(&ada, Module::answering("other", "other")).await;
    stage.say(&ada, "!doomed").await;
    assert_eq!(stage.sent(&ada, 1).await, ["alive"]);

    let killed = Instant::now();
    let body = json!({ "install_id": install.id });
    ada.person.post("/v1/bot-modules/kill", body).await.expect(204);
    tokio::time::sleep(Duration::from_millis(800).saturating_sub(killed.elapsed())).await;
    stage.say(&ada, "!doomed").await;
    stage.say(&ada, "!other").await;
    assert_eq!(stage.sent(&ada, 2).await, ["alive", "other"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_are_in_the_telemetry_of_a_stopped_worker() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, Module::answering("hello", "hi")).await;
    stage.say(&ada, "!hello").await;
    stage.eventually("an answer", async || stage.sent_now(&ada).len() == 1).await;
    let Stage { app, worker } = stage;
    worker.stop().await.unwrap();

    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;
    use shared::schema::timeseries::extension_invocations::dsl;
    let rows: i64 = dsl::extension_invocations
        .filter(dsl::install_id.eq(install.id))
        .count()
        .get_result(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(rows, 1);
}
