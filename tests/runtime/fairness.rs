//! What one account does reaches no other, and a new version of an extension loses no event (specification C B3.2, B8).

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    functions::call,
    stage::{Module, Stage, Streamer},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_one_account_is_turned_away_and_leaves_anothers_calls_alone() {
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
    // A call that has to wait for a slot of the storm ends after one of the storm's calls has.
    assert!(undisturbed >= 3, "{undisturbed} of {beside} calls beside the storm waited for none of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_version_under_way_loses_no_event_and_answers_none_twice() {
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
async fn an_event_that_finds_no_room_runs_later_and_once() {
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
async fn what_a_command_defers_keeps_no_other_command_waiting() {
    // One place of an account for answers, and one for everything else.
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

/// As many handlers as an account may have under way beside answers.
const SHARE: usize = 8;

/// An account with a command that goes on ten times before it answers, and with handlers that tell that they begin and
/// then, as `run` of this code does, compute for longer than anything that is tried beside them.
async fn beside_what_computes(bot_module: Value, run: &str) -> (Stage, Streamer) {
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

/// The command answers in its 500 ms, while all the others are under way.
async fn the_command_is_answered(stage: &Stage, ada: &Streamer) {
    assert_eq!(stage.sent(ada, SHARE).await, vec!["begun"; SHARE]);
    // On a loaded machine one of them may come to nothing.
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
async fn a_command_is_answered_in_time_while_events_of_its_account_compute() {
    let bot_module = json!({ "events": [{ "event_type": "twitch:cheer", "handler": "run" }] });
    let run = "export const run = async (ctx) => {
        await ctx.actions.run('chat:send', { message: 'begun' });
        compute();
    };";
    let (stage, ada) = beside_what_computes(bot_module, run).await;
    for _ in 0..SHARE {
        stage.happen(&ada, "twitch:cheer", json!({})).await;
    }
    the_command_is_answered(&stage, &ada).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_is_answered_in_time_while_what_others_deferred_computes() {
    let bot_module = json!({ "commands": [{ "name": "busy", "handler": "run" }] });
    let run = "export const run = (ctx) => {
        ctx.defer(async () => compute());
        return { action: 'send_message', message: 'begun' };
    };";
    let (stage, ada) = beside_what_computes(bot_module, run).await;
    for _ in 0..SHARE {
        stage.say(&ada, "!busy").await;
    }
    the_command_is_answered(&stage, &ada).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poisonous_handlers_and_jobs_end_and_others_are_served_meanwhile() {
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
    // A job that no code can read.
    let broken = shared::events::Event {
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
    // A handler that found no turn in time is tried again: it did not run.
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
