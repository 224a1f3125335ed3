//! Tests and simulations run their triggers and do not count (reference/events.md#tests).

use foundation::events::Event;
use live_model::ChatMessage;
use serde_json::json;

use super::stage::{Module, Stage, Streamer};

/// Every key of Redis that counts something about installs, commands or chat.
async fn counters(stage: &Stage) -> Vec<String> {
    const COUNTS: [&str; 4] = ["runtime:", "cmd_cd:", "cmd_uses:", "chat_lines:"];
    let ours = stage.app.state.redis.key("");
    let mut redis = stage.app.state.redis.get().await.unwrap();
    let keys: Vec<String> =
        redis::cmd("KEYS").arg(format!("{ours}*")).query_async(&mut *redis).await.unwrap();
    let names = keys.iter().filter_map(|key| key.strip_prefix(&ours));
    names.filter(|name| COUNTS.iter().any(|kind| name.starts_with(kind))).map(str::to_owned).collect()
}

/// A line of the simulator's.
async fn say_as_a_test(stage: &Stage, streamer: &Streamer, text: &str) -> Event {
    let event_id = shared::id::new();
    let message: ChatMessage = serde_json::from_value(json!({
        "id": event_id, "account_id": streamer.person.account_id, "platform": "twitch",
        "platform_message_id": event_id.to_string(), "platform_user_id": "sim-1", "username": "sim",
        "display_name": "Sim", "color": null, "badges": [], "text": text, "fragments": [], "emotes": [],
        "reply_to": null, "is_deleted": false, "is_action": false, "sent_at": stage.app.clock.now(),
    }))
    .unwrap();
    let mut event = message.announcement().unwrap();
    event.data["is_test"] = json!(true);
    stage.deliver(streamer, &event, &event.id.to_string()).await;
    event
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn test_runs_of_events_leave_no_count() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let bot_module = json!({ "events": [{ "event_type": "twitch:raid", "handler": "raid" }] });
    let code = "export const raid = async (ctx, input) => ({
        action: 'send_message', message: `${input.event.is_test}: ${input.event.data.viewer_count}` })";
    let install = stage.install(&ada, Module::of(bot_module, code)).await;
    let emit = async |is_test: bool, viewers: u32| {
        let input =
            json!({ "event_type": "twitch:raid", "data": { "viewer_count": viewers }, "is_test": is_test });
        ada.person.post("/v1/events", input).await.expect(201);
    };

    emit(true, 1).await;
    assert_eq!(stage.sent(&ada, 1).await, ["true: 1"]);
    stage.done(1).await;
    assert_eq!(stage.invocations(&install).await, 0, "no statistic");
    assert_eq!(counters(&stage).await, Vec::<String>::new(), "no counter");

    emit(false, 2).await;
    assert_eq!(stage.sent(&ada, 2).await, ["true: 1", "false: 2"]);
    stage.eventually("the real one counts", async || stage.invocations(&install).await == 1).await;
    assert!(!counters(&stage).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn test_runs_that_fail_never_open_the_circuit_breaker() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let bot_module = json!({ "events": [{ "event_type": "twitch:raid", "handler": "raid" }] });
    let code = "export const raid = async (ctx, input) => {
        if (input.event.is_test) throw new Error('not today');
        return { action: 'send_message', message: 'hello' } }";
    let install = stage.install(&ada, Module::of(bot_module, code)).await;
    for _ in 0..25 {
        let input = json!({ "event_type": "twitch:raid", "data": {} });
        ada.person.post("/v1/events", input).await.expect(201);
    }
    stage.done(25).await;
    assert_eq!(counters(&stage).await, Vec::<String>::new());
    let errors = stage.errors_now(&install).await;
    assert!(errors.iter().all(|(kind, _)| kind != extension_model::feeds::CIRCUIT_OPEN), "{errors:?}");
    let real = json!({ "event_type": "twitch:raid", "data": {}, "is_test": false });
    ada.person.post("/v1/events", real).await.expect(201);
    assert_eq!(stage.sent(&ada, 1).await, ["hello"], "real events are not paused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn test_runs_of_lines_ignore_and_start_no_cooldown() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let bot_module = json!({ "commands": [{ "name": "once", "handler": "run", "cooldown_global": 3600 }] });
    let code =
        "export const run = async (ctx, input) => ({ action: 'send_message', message: input.argsText })";
    stage.install(&ada, Module::of(bot_module, code)).await;
    say_as_a_test(&stage, &ada, "!once one").await;
    assert_eq!(stage.sent(&ada, 1).await, ["one"]);
    say_as_a_test(&stage, &ada, "!once two").await;
    assert_eq!(stage.sent(&ada, 2).await, ["one", "two"]);
    stage.done(2).await;
    assert_eq!(counters(&stage).await, Vec::<String>::new());
    stage.say(&ada, "!once three").await;
    assert_eq!(stage.sent(&ada, 3).await, ["one", "two", "three"], "the real one does not rest");
    stage.say(&ada, "!once four").await;
    say_as_a_test(&stage, &ada, "!once five").await;
    assert_eq!(stage.sent(&ada, 4).await, ["one", "two", "three", "five"], "a test is answered all the same");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn test_runs_have_a_limit_of_their_own() {
    let stage = Stage::start_with(|config| config.workers.runtime_invocations_per_minute = 5).await;
    let ada = stage.streamer().await;
    let bot_module = json!({ "events": [{ "event_type": "twitch:raid", "handler": "raid" }] });
    let code = "export const raid = async (ctx, input) => ({
        action: 'send_message', message: input.event.is_test ? 'test' : 'real' })";
    let install = stage.install(&ada, Module::of(bot_module, code)).await;
    let emit = async |is_test: bool| {
        let input = json!({ "event_type": "twitch:raid", "data": {}, "is_test": is_test });
        ada.person.post("/v1/events", input).await.expect(201);
    };
    stage.app.begin_a_window(60);
    for _ in 0..7 {
        emit(true).await;
    }
    stage.done(7).await;
    assert_eq!(stage.sent_now(&ada).len(), 5, "the sixth and the seventh test do not run");
    assert_eq!(stage.figure("lumio_runtime_refusals_total", "rate_limited"), 2);
    let errors = stage.errors(&install, 1).await;
    assert_eq!(errors, [("RATE_LIMITED".to_owned(), "more than 5 tests within a minute".to_owned())]);
    for _ in 0..6 {
        emit(false).await;
    }
    stage.done(13).await;
    let sent = stage.sent_now(&ada);
    assert_eq!(
        sent.iter().filter(|message| message.text == "real").count(),
        5,
        "real ones are counted apart"
    );
    stage.app.clock.advance(chrono::Duration::minutes(1));
    emit(true).await;
    assert_eq!(stage.sent(&ada, 11).await.len(), 11, "the next minute is free");
}
