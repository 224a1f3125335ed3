//! `kill -9` of runtime processes that handle a line (reference/handlers.md#repeated-jobs).

use std::time::{Duration, Instant};

use foundation::jobs::{Job, RunTriggers};
use lumio_tests::{Program, is_slow};
use serde_json::json;

use super::stage::{Module, Stage};

/// A line is answered for 30 s, also on a machine where processes start slowly.
const DEADLINE: Duration = Duration::from_secs(90);

async fn queued(stage: &Stage) -> queue::Stats {
    let config = &stage.app.state.config.redis;
    let queues = queue::Connection::open(config.url.expose(), &config.prefix).expect("a Redis address");
    queues.stats(RunTriggers::QUEUE).await.expect("Redis answers")
}

async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < DEADLINE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Longest time until another runtime takes a line over (reference/handlers.md#late-messages).
const TAKE_OVER_TIMEOUT: Duration = Duration::from_secs(5);
/// Time that the handler takes, and its answer on the way.
const HANDLER_DURATION: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_of_a_runtime_leave_each_line_answered_once() {
    let kills = if is_slow() { 10 } else { 3 };
    let stage = Stage::start_without_runtime().await;
    let ada = stage.streamer().await;
    // Long enough for a kill during the run.
    let code = "export const run = async (ctx, input) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        return { action: 'send_message', message: `answer to ${input.message.text}` };
    }";
    let keyword = json!({ "keywords": [{ "value": "word", "handler": "run" }] });
    let module = Module::of(keyword, code);
    let extension = stage.publish(&module).await;
    stage.add_install(&ada, extension, &module.permissions).await;

    let mut variables = stage.app.variables();
    let engine = sandbox::EngineConfig::default_dir().expect("LUMIO_ENGINE_DIR or a target folder");
    let key = stage.app.system_key().await.token().to_owned();
    variables.insert("LUMIO_SYSTEM_KEY".to_owned(), key);
    variables.insert("LUMIO_API_URL".to_owned(), stage.app.url());
    variables.insert("LUMIO_ENGINE_DIR".to_owned(), engine.display().to_string());
    let start = || Program::start("lumio-worker", &["extension-runtime"], &variables);

    let mut runtime = start();
    let answers = |stage: &Stage| stage.sent_now(&ada).len();
    let mut delays = Vec::new();
    for line in 0..kills {
        stage.say(&ada, &format!("word {line}")).await;
        eventually("the line is in hand", async || queued(&stage).await.running > 0).await;
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..300))).await;
        runtime.kill();
        let killed = Instant::now();
        runtime = start();
        eventually("the line is answered", async || answers(&stage) > line).await;
        delays.push(killed.elapsed());
        eprintln!("line {line} was answered {:?} after the kill", killed.elapsed());
    }
    // The fastest one: a busy machine delays single ones, and a longer lease would delay all.
    let fastest = delays.iter().min().expect("a kill");
    assert!(*fastest < TAKE_OVER_TIMEOUT + HANDLER_DURATION, "{delays:?}");
    eventually("every job is done", async || {
        let queued = queued(&stage).await;
        (queued.ready, queued.running, queued.delayed, queued.dead) == (0, 0, 0, 0)
    })
    .await;
    runtime.terminate();
    assert!(runtime.ended().await.success());
    let mut sent: Vec<String> = stage.sent_now(&ada).into_iter().map(|message| message.text).collect();
    sent.sort();
    let mut expected: Vec<String> = (0..kills).map(|line| format!("answer to word {line}")).collect();
    expected.sort();
    assert_eq!(sent, expected, "each line is answered once");
}
