//! Jobs that run again: finished work is not repeated, and late work is dropped (reference/handlers.md#repeated-jobs).

use chrono::Duration;
use foundation::events::Event;
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{id, schema::extension_installs, secret::Secret};
use tokio::sync::watch;
use uuid::Uuid;

use super::{
    faults::{open_proxy, through},
    functions::call,
    proxy::Proxy,
    stage::{Installed, Module, Stage, Streamer},
};

const RETRIED: &str = "outcome=\"retried\",queue=\"extension_triggers\"";

/// A stage whose worker reaches the API through a proxy.
async fn behind_a_proxy() -> (Stage, Proxy) {
    let target = watch::Sender::new(None);
    let proxy = open_proxy(&target).await;
    let stage = Stage::start_with(|config| {
        config.workers.api_url = through(config.workers.api_url.as_str(), &proxy, &target);
    })
    .await;
    (stage, proxy)
}

/// A module that counts its runs without the API, and requests an action each time if `wants`.
fn counting(wants: bool) -> Module {
    let result = if wants { "{ action: 'send_message', message: `run ${runs}` }" } else { "null" };
    let code = format!(
        "export const run = async (ctx) => {{
            const runs = await ctx.cache.incr('runs');
            return {result};
        }}
        export const runs = (ctx) => ctx.cache.get('runs');"
    );
    let bot_module = json!({ "events": [{ "event_type": "twitch:raid", "handler": "run" }] });
    let functions = json!({ "runs": { "kind": "query", "handler": "runs" } });
    Module { functions, ..Module::of(bot_module, &code) }
}

async fn runs(streamer: &Streamer, install: &Installed) -> Value {
    call(&streamer.person, install, "runs", json!({})).await.data().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_run_each_handler_of_an_event_once() {
    let (stage, proxy) = behind_a_proxy().await;
    let ada = stage.streamer().await;
    let wanting = [stage.install(&ada, counting(true)).await, stage.install(&ada, counting(true)).await];
    let silent = stage.install(&ada, counting(false)).await;
    stage.happen(&ada, "twitch:raid", json!({})).await;
    assert_eq!(stage.sent(&ada, 2).await, ["run 1"; 2]);
    stage.done(1).await;

    proxy.shut();
    stage.happen(&ada, "twitch:raid", json!({})).await;
    stage
        .eventually("the job ran again and again", async || stage.figure("lumio_jobs_total", RETRIED) >= 2)
        .await;
    assert_eq!(stage.sent_now(&ada).len(), 2, "nothing can be sent");
    proxy.open();
    let sent = stage.sent(&ada, 4).await;
    assert_eq!(sent[2..], ["run 2"; 2], "what the handlers wanted the first time");
    stage.done(2).await;
    assert_eq!(stage.sent_now(&ada).len(), 4);
    for install in wanting.iter().chain([&silent]) {
        assert_eq!(runs(&ada, install).await, 2, "one run for each of the two events");
    }
    let mut redis = stage.app.state.redis.get().await.unwrap();
    let notes = stage.app.state.redis.key("runtime_done:*");
    let left: Vec<String> = redis::cmd("KEYS").arg(notes).query_async(&mut *redis).await.unwrap();
    assert_eq!(left, Vec::<String>::new(), "a job that is done leaves no notes");
}

/// The same event at an earlier time.
fn earlier(event: &Event, seconds: i64) -> Event {
    Event { id: id::new(), timestamp: event.timestamp - Duration::seconds(seconds), ..event.clone() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_of_late_lines_and_timers_send_nothing_but_events_do() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let command = json!({ "name": "own", "response": "own" });
    ada.person.post("/v1/bot-commands", command).await.data();
    let bot_module = json!({
        "commands": [{ "name": "hello", "handler": "say" }],
        "keywords": [{ "value": "word", "handler": "say" }],
        "events": [{ "event_type": "twitch:raid", "handler": "raid" }],
        "timers": [{ "name": "tick", "interval_secs": 86_400, "min_chat_lines": 0, "handler": "say" }],
    });
    let code = "
        export const say = (ctx, input) => ({ action: 'send_message', message: input.trigger });
        export const raid = (ctx, input) => ({ action: 'send_message', message: `raid ${input.event.data.n}` });";
    let install = stage.install(&ada, Module::of(bot_module, code)).await;
    let moderator = Module {
        permissions: vec!["chat:read", "chat:send", "chat:delete", "chat:ban"],
        ..Module::of(
            json!({ "moderate": "run" }),
            "export const run = (ctx, input) =>
                input.message.text === 'bad' ? { action: 'send_message', message: 'moderate' } : null;",
        )
    };
    stage.install(&ada, moderator).await;

    let lines = ["!own", "!hello", "a word", "bad"];
    for text in lines {
        let event = stage.say(&ada, text).await;
        let old = earlier(&event, 31);
        stage.deliver(&ada, &old, &old.id.to_string()).await;
    }
    let timer = Event {
        id: id::new(),
        channel: format!("extensions:{}", ada.person.account_id),
        event_type: "bot_module:timer".to_owned(),
        data: json!({ "install_id": install.id, "name": "tick", "platform": "twitch", "run": 1 }),
        timestamp: stage.app.clock.now(),
    };
    for due in [earlier(&timer, 0), earlier(&timer, 31)] {
        stage.deliver(&ada, &due, &due.id.to_string()).await;
    }
    stage.happen(&ada, "twitch:raid", json!({ "n": 1 })).await;
    let mut sent = stage.sent(&ada, 7).await;
    sent.sort();
    assert_eq!(
        sent,
        ["command", "keyword", "moderate", "moderate", "own", "raid 1", "timer"],
        "each once, and moderation is never too late"
    );
    stage.done(11).await;
    assert_eq!(stage.figure("lumio_runtime_refusals_total", "late"), 5);

    // An event is handled at any age.
    let raid = Event {
        id: id::new(),
        channel: format!("events:{}", ada.person.account_id),
        event_type: "event:new".to_owned(),
        data: json!({
            "id": id::new(), "account_id": ada.person.account_id, "event_type": "twitch:raid", "platform": "twitch",
            "platform_user_id": null, "username": null, "display_name": null, "avatar_url": null, "amount": null,
            "currency": null, "message": null, "data": { "n": 2 }, "is_test": false,
            "occurred_at": stage.app.clock.now(),
        }),
        timestamp: stage.app.clock.now() - Duration::minutes(20),
    };
    stage.deliver(&ada, &raid, &raid.id.to_string()).await;
    assert_eq!(stage.sent(&ada, 8).await[7], "raid 2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn internal_reply_to_command_and_run_extension_action_refuse_late_calls() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, Module::answering("hello", "hi")).await;
    let command = ada.person.post("/v1/bot-commands", json!({ "name": "own", "response": "own" })).await;
    let id: Uuid = command.data()["id"].as_str().unwrap().parse().unwrap();
    let workers = stage.app.system_key().await;
    let now = stage.app.clock.now();
    let reply = |event: u128, expires_at: Option<chrono::DateTime<chrono::Utc>>| {
        json!({
            "account_id": ada.person.account_id, "event_id": Uuid::from_u128(event), "platform": "twitch",
            "message_id": "m", "user_id": "4711", "user_name": "Ada", "arguments": "", "response_type": "text",
            "response": format!("own {event}"), "automation_id": null, "use_count": 1, "expires_at": expires_at,
        })
    };
    let path = format!("/v1/internal/bot-commands/{id}/replies");
    let late = workers.post(&path, reply(1, Some(now))).await;
    assert_eq!(
        (&late.body["ok"], &late.body["error_code"]),
        (&json!(false), &json!("EXPIRED")),
        "{}",
        late.text
    );
    let again = workers.post(&path, reply(1, None)).await;
    assert_eq!(again.body["error_code"], "EXPIRED", "a line that was let go stays unanswered");
    let in_time = workers.post(&path, reply(2, Some(now + Duration::seconds(30)))).await;
    assert_eq!(in_time.body["ok"], true, "{}", in_time.text);

    let action = |invocation: &str, expires_at: chrono::DateTime<chrono::Utc>| {
        json!({
            "install_id": install.id, "invocation_id": invocation, "action": "chat:send", "expires_at": expires_at,
            "payload": { "message": invocation, "platform": "twitch" },
        })
    };
    let late = workers.post("/v1/internal/actions", action("late", now)).await;
    assert_eq!(
        (&late.body["ok"], &late.body["error_code"]),
        (&json!(false), &json!("EXPIRED")),
        "{}",
        late.text
    );
    let in_time = workers.post("/v1/internal/actions", action("in time", now + Duration::seconds(1))).await;
    assert_eq!(in_time.body["ok"], true, "{}", in_time.text);
    assert_eq!(stage.sent(&ada, 2).await, ["own 2", "in time"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_of_refused_telemetry_are_made_by_the_next_worker() {
    let (stage, proxy) = behind_a_proxy().await;
    let ada = stage.streamer().await;
    let functions = json!({ "quick": { "kind": "query", "handler": "quick" } });
    let install =
        stage.install(&ada, Module::with_functions(functions, "export const quick = () => 1;")).await;
    proxy.shut();
    for _ in 0..3 {
        call(&ada.person, &install, "quick", json!({})).await.data();
    }
    let Stage { app, worker } = stage;
    let engine_dir = worker.context.config.workers.engine_dir.clone();
    worker.stop().await.unwrap();

    let mut config = app.config();
    config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
    config.workers.engine_dir = engine_dir;
    let worker =
        lumio_worker::start_with(config, app.clock.clone(), &[Daemon::ExtensionRuntime]).await.unwrap();
    let stage = Stage { app, worker };
    stage.eventually("the calls are counted", async || stage.invocations(&install).await == 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_of_unwritten_use_counts_are_made_by_another_worker() {
    use diesel::{prelude::*, sql_query, sql_types::BigInt};
    use diesel_async::{RunQueryDsl, SimpleAsyncConnection};

    #[derive(QueryableByName)]
    struct Ended {
        #[diesel(sql_type = BigInt)]
        ended: i64,
    }
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let command = ada.person.post("/v1/bot-commands", json!({ "name": "n", "response": "n" })).await;
    let id = command.data()["id"].as_str().unwrap().to_owned();
    let mut lock = stage.app.databases.postgres.get_owned().await.unwrap();
    lock.batch_execute("BEGIN; LOCK TABLE bot_command_uses IN SHARE ROW EXCLUSIVE MODE").await.unwrap();
    for _ in 0..3 {
        stage.say(&ada, "!n").await;
    }
    stage.sent(&ada, 3).await;
    let waiting = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let mut db = stage.app.databases.postgres.get_owned().await.unwrap();
    let count = format!("SELECT count(*) AS ended {waiting}");
    let begun = std::time::Instant::now();
    while sql_query(&count).get_result::<Ended>(&mut *db).await.unwrap().ended == 0 {
        assert!(begun.elapsed().as_secs() < 20, "the worker writes what it counted");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    // It dies while it writes, and so does its connection.
    let Stage { app, worker } = stage;
    let engine_dir = worker.context.config.workers.engine_dir.clone();
    drop(worker);
    let end = format!("SELECT count(pg_terminate_backend(pid)) AS ended {waiting}");
    assert!(sql_query(end).get_result::<Ended>(&mut *db).await.unwrap().ended > 0);
    lock.batch_execute("ROLLBACK").await.unwrap();
    drop((lock, db));

    let mut config = app.config();
    config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
    config.workers.engine_dir = engine_dir;
    let worker =
        lumio_worker::start_with(config, app.clock.clone(), &[Daemon::ExtensionRuntime]).await.unwrap();
    let stage = Stage { app, worker };
    let path = format!("/v1/bot-commands/{id}");
    stage
        .eventually("three uses are written", async || {
            ada.person.get(&path).await.data()["use_count"] == json!(3)
        })
        .await;
}

/// An install that was killed while its event waited for the API requests no further action.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_after_a_kill_execute_no_earlier_action() {
    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;

    let (stage, proxy) = behind_a_proxy().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, counting(true)).await;
    stage.happen(&ada, "twitch:raid", json!({})).await;
    assert_eq!(stage.sent(&ada, 1).await, ["run 1"]);
    proxy.shut();
    stage.happen(&ada, "twitch:raid", json!({})).await;
    stage.eventually("the job ran again", async || stage.figure("lumio_jobs_total", RETRIED) >= 1).await;
    diesel::update(extension_installs::table.find(install.id))
        .set(extension_installs::killed_at.eq(stage.app.clock.now()))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    proxy.open();
    stage.announce(&ada).await;
    stage.done(2).await;
    assert_eq!(stage.sent_now(&ada).len(), 1);
}
