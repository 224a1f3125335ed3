//! Isolation of the load of one account from others, and roll-outs that lose no event (reference/handlers.md#fairness).

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    functions::call,
    stage::{Module, Stage, Streamer},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fairness_refuses_a_storm_of_one_account_and_serves_others() {
    let stage = Stage::start_with(|config| {
        config.workers.runtime_concurrency = 16;
        config.workers.runtime_invocations_per_minute = 100_000;
    })
    .await;
    let (stormy, quiet) = (stage.streamer().await, stage.streamer().await);
    let code = "
        export const quick = () => 1;
        export const sleepy = () => new Promise((resolve) => setTimeout(() => resolve(1), 2000));";
    let functions = json!({
        "quick": { "kind": "query", "handler": "quick" }, "sleepy": { "kind": "query", "handler": "sleepy" },
    });
    let module = Module::with_functions(functions, code);
    let extension = stage.publish(&module).await;
    let of_stormy = stage.install_published(&stormy, extension, &[]).await;
    let of_quiet = stage.install_published(&quiet, extension, &[]).await;
    call(&quiet.person, &of_quiet, "quick", json!({})).await.data();

    // Far more than all slots together, each for two seconds.
    let storm: Vec<_> = (0..150)
        .map(|_| {
            let caller = stormy.person.caller.clone();
            tokio::spawn(async move { call(&caller, &of_stormy, "sleepy", json!({})).await.status })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let ended = || storm.iter().filter(|call| call.is_finished()).count();
    let (mut beside, mut undisturbed) = (0, 0);
    while ended() < storm.len() {
        let before = ended();
        assert_eq!(call(&quiet.person, &of_quiet, "quick", json!({})).await.data(), 1, "none is turned away");
        beside += 1;
        undisturbed += usize::from(ended() == before);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let statuses: Vec<u16> = futures::future::join_all(storm).await.into_iter().map(Result::unwrap).collect();
    assert!(statuses.contains(&429), "what is too much is turned away: {statuses:?}");
    assert!(statuses.contains(&200), "and what is an account's share is done: {statuses:?}");
    // A call that waits for a slot of the storm ends after one of the storm's calls has.
    assert!(undisturbed >= 3, "{undisturbed} of {beside} calls beside the storm waited for none of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fairness_of_a_roll_out_loses_and_repeats_no_event() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = |version: &str| {
        format!(
            "export const run = async (ctx, {{ argsText }}) => {{
                await new Promise((resolve) => setTimeout(resolve, 30));
                return {{ action: 'send_message', message: `${{argsText}} {version}` }};
            }}"
        )
    };
    let install = stage.install(&ada, Module::command("n", &code("old"))).await;
    for n in 0..60 {
        if n == 20 {
            stage.new_version(&install, &code("new")).await;
        }
        stage.say(&ada, &format!("!n {n}")).await;
        tokio::time::sleep(Duration::from_millis(15)).await;
    }
    let sent = stage.sent(&ada, 60).await;
    let mut numbers: Vec<u32> =
        sent.iter().map(|text| text.split(' ').next().unwrap().parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..60).collect::<Vec<_>>(), "every line once");
    assert!(sent.iter().any(|text| text.ends_with("old")) && sent.iter().any(|text| text.ends_with("new")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fairness_runs_an_event_without_a_slot_later_and_once() {
    const EVENTS: i64 = 60;
    // One handler of an account at a time, and 32 that wait for it.
    let stage = Stage::start_with(|config| config.workers.runtime_concurrency = 8).await;
    let ada = stage.streamer().await;
    let bot_module = json!({ "events": [{ "event_type": "twitch:cheer", "handler": "run" }] });
    let code = "
        export const run = async (ctx) => {
            await new Promise((resolve) => setTimeout(resolve, 50));
            await ctx.cache.incr('runs');
        };
        export const runs = (ctx) => ctx.cache.get('runs');";
    let functions = json!({ "runs": { "kind": "query", "handler": "runs" } });
    let install = stage.install(&ada, Module { functions, ..Module::of(bot_module, code) }).await;
    for _ in 0..EVENTS {
        stage.happen(&ada, "twitch:cheer", json!({})).await;
    }
    stage.done(EVENTS).await;
    assert!(stage.figure("lumio_runtime_refusals_total", "overloaded") > 0, "there was not room for all");
    assert_eq!(call(&ada.person, &install, "runs", json!({})).await.data(), EVENTS);
    assert_eq!(stage.figure("lumio_runtime_invocations_total", "trigger=\"event\""), EVENTS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fairness_keeps_deferred_work_from_delaying_commands() {
    // One slot of an account for replies, and one for everything else.
    let stage = Stage::start_with(|config| config.workers.runtime_concurrency = 8).await;
    let ada = stage.streamer().await;
    let code = "export const run = (ctx) => {
        ctx.defer(async () => {
            await new Promise((resolve) => setTimeout(resolve, 3000));
            await ctx.actions.run('chat:send', { message: 'later' });
        });
        return { action: 'send_message', message: 'now' };
    }";
    stage.install(&ada, Module::command("defer", code)).await;
    stage.install(&ada, Module::answering("quick", "quick")).await;
    stage.say(&ada, "!defer").await;
    assert_eq!(stage.sent(&ada, 1).await, ["now"]);
    stage.say(&ada, "!quick").await;
    assert_eq!(stage.sent(&ada, 3).await, ["now", "quick", "later"], "in this order");
}

/// Maximum number of concurrent handlers of an account, except replies.
const SHARE: usize = 8;

/// An account with a command that awaits ten calls before its reply, and with handlers that report their start and
/// then, as `run` of this code does, compute for longer than any test beside them.
async fn with_computing_handlers(bot_module: Value, run: &str) -> (Stage, Streamer) {
    let stage = Stage::start_with(|config| config.workers.runtime_concurrency = 8 * SHARE).await;
    let ada = stage.streamer().await;
    let code = "export const run = async (ctx) => {
        for (let n = 0; n < 10; n++) await ctx.cache.incr('asked');
        return { action: 'send_message', message: 'asked' };
    };";
    stage.install(&ada, Module::command("ask", code)).await;
    let compute = "const compute = () => {
        const end = Date.now() + 8000;
        do { for (let n = 0; n < 100000; n++); } while (Date.now() < end);
    };";
    stage.install(&ada, Module::of(bot_module, &format!("{compute} {run}"))).await;
    (stage, ada)
}

/// Asserts that the command replies within its 500 ms, while all others are running.
async fn assert_command_is_answered(stage: &Stage, ada: &Streamer) {
    assert_eq!(stage.sent(ada, SHARE).await, vec!["begun"; SHARE]);
    // On a loaded machine one of them may fail.
    for _ in 0..3 {
        stage.say(ada, "!ask").await;
        tokio::time::sleep(Duration::from_millis(800)).await;
        if stage.sent_now(ada).len() > SHARE {
            break;
        }
    }
    let figures = stage.worker.context.metrics.render().unwrap();
    let ended = figures.lines().filter(|line| line.starts_with("lumio_runtime_invocations_total{"));
    let ended: u32 = ended.map(|line| line.rsplit(' ').next().unwrap().parse::<u32>().unwrap()).sum();
    assert!((1..=3).contains(&ended), "{ended} have ended, and nothing but these commands should have");
    assert_eq!(stage.sent(ada, SHARE + 1).await[SHARE], "asked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fairness_answers_a_command_in_time_beside_computing_events() {
    let bot_module = json!({ "events": [{ "event_type": "twitch:cheer", "handler": "run" }] });
    let run = "export const run = async (ctx) => {
        await ctx.actions.run('chat:send', { message: 'begun' });
        compute();
    };";
    let (stage, ada) = with_computing_handlers(bot_module, run).await;
    for _ in 0..SHARE {
        stage.happen(&ada, "twitch:cheer", json!({})).await;
    }
    assert_command_is_answered(&stage, &ada).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fairness_answers_a_command_in_time_beside_computing_deferred_work() {
    let bot_module = json!({ "commands": [{ "name": "busy", "handler": "run" }] });
    let run = "export const run = (ctx) => {
        ctx.defer(async () => compute());
        return { action: 'send_message', message: 'begun' };
    };";
    let (stage, ada) = with_computing_handlers(bot_module, run).await;
    for _ in 0..SHARE {
        stage.say(&ada, "!busy").await;
    }
    assert_command_is_answered(&stage, &ada).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fairness_ends_poison_handlers_and_jobs_and_serves_others() {
    let stage = Stage::start_with(|config| config.workers.runtime_concurrency = 16).await;
    let (stormy, quiet) = (stage.streamer().await, stage.streamer().await);
    let bot_module = json!({ "events": [
        { "event_type": "twitch:cheer", "handler": "loops" },
        { "event_type": "twitch:cheer", "handler": "grows" },
        { "event_type": "twitch:cheer", "handler": "nests" },
    ] });
    let code = "
        export const loops = () => { for (;;) {} };
        export const grows = () => { const all = []; for (;;) all.push('y'.repeat(1 << 20) + all.length) };
        export const nests = () => { const deeper = () => [deeper()]; return deeper() };";
    let poison = stage.install(&stormy, Module::of(bot_module, code)).await;
    let functions = json!({ "quick": { "kind": "query", "handler": "quick" } });
    let of_quiet =
        stage.install(&quiet, Module::with_functions(functions, "export const quick = () => 1;")).await;

    stage.happen(&stormy, "twitch:cheer", json!({})).await;
    // A job that cannot be parsed.
    let broken = foundation::events::Event {
        id: shared::id::new(),
        channel: format!("chat:{}", stormy.person.account_id),
        event_type: "chat:message".to_owned(),
        data: json!({ "text": 7 }),
        timestamp: stage.app.clock.now(),
    };
    stage.deliver(&stormy, &broken, &broken.id.to_string()).await;
    for _ in 0..30 {
        assert_eq!(call(&quiet.person, &of_quiet, "quick", json!({})).await.data(), 1);
    }
    stage
        .eventually("the broken job is among the dead letters", async || {
            stage.figure("lumio_jobs_dead_total", "queue=\"extension_triggers\"") == 1
        })
        .await;
    stage.done(1).await;
    // A handler that found no slot in time is tried again: it did not run.
    let ran = async || {
        let errors = stage.errors_now(&poison).await.into_iter().map(|(error_type, _)| error_type);
        let mut errors: Vec<String> = errors.filter(|error_type| error_type != "OVERLOADED").collect();
        errors.sort();
        errors
    };
    stage.eventually("all three have run", async || ran().await.len() >= 3).await;
    let errors = ran().await;
    assert_eq!(errors, ["MEMORY_LIMIT", "RangeError", "TIMEOUT"], "each once");
}
