//! Limits that protect others from a handler (reference/handlers.md#limits-of-a-call).

use serde_json::json;

use super::stage::{Module, Stage};

fn on_event(code: &str) -> Module {
    Module::of(json!({ "events": [{ "event_type": "twitch:cheer", "handler": "run" }] }), code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_stop_an_endless_loop_and_record_its_error() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let spinner = stage.install(&ada, Module::command("spin", "export function run() { for (;;) {} }")).await;
    stage.install(&ada, Module::answering("hello", "still here")).await;

    stage.say(&ada, "!spin").await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 1).await, ["still here"]);
    let errors = stage.errors(&spinner, 1).await;
    assert_eq!((errors.len(), errors[0].0.as_str()), (1, "TIMEOUT"), "{errors:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_report_the_place_of_an_invalid_result() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export const run = async () => ({ action: 'send_message', message: 7, colour: 'red' })";
    let install = stage.install(&ada, Module::command("odd", code)).await;
    stage.say(&ada, "!odd").await;
    let (error_type, message) = stage.errors(&install, 1).await.remove(0);
    assert_eq!(error_type, "InvalidResult");
    assert!(message.starts_with("result."), "{message}");
    assert_eq!(stage.sent_now(&ada).len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_record_a_thrown_error_with_type_and_message() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export async function run() { throw new RangeError('too far') }";
    let install = stage.install(&ada, Module::command("fail", code)).await;
    stage.say(&ada, "!fail").await;
    assert_eq!(stage.errors(&install, 1).await, [("RangeError".to_owned(), "too far".to_owned())]);
    assert_eq!(stage.logs(&install, 1).await, [("error".to_owned(), "RangeError: too far".to_owned())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_report_a_module_that_does_not_load_once() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, Module::command("broken", "export const run = (")).await;
    stage.install(&ada, Module::answering("hello", "hi")).await;
    for _ in 0..3 {
        stage.say(&ada, "!broken").await;
    }
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 1).await, ["hi"]);
    stage.done(4).await;
    let errors = stage.errors(&install, 1).await;
    assert_eq!((errors.len(), errors[0].0.as_str()), (1, "SyntaxError"), "{errors:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_refuse_the_301st_invocation_of_a_minute() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, on_event("export const run = async () => null")).await;
    stage.app.begin_a_window(60);
    for n in 1..=305 {
        stage.happen(&ada, "twitch:cheer", json!({})).await;
        // Not more at once than the queue of an account holds.
        if n % 20 == 0 {
            stage
                .eventually("they have run", async || {
                    stage.figure("lumio_runtime_invocations_total", "event") >= n
                })
                .await;
        }
    }
    stage.done(305).await;
    assert_eq!(stage.invocations(&install).await, 300);
    assert_eq!(stage.figure("lumio_runtime_refusals_total", "rate_limited"), 5);
    let errors = stage.errors_now(&install).await;
    assert_eq!(errors, [("RATE_LIMITED".to_owned(), "more than 300 invocations within a minute".to_owned())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_pause_an_install_after_twenty_consecutive_failures() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install =
        stage.install(&ada, on_event("export async function run() { throw new Error('always') }")).await;
    for _ in 0..20 {
        stage.happen(&ada, "twitch:cheer", json!({})).await;
    }
    let errors = stage.errors(&install, 21).await;
    assert!(errors.iter().any(|(error_type, _)| error_type == "CIRCUIT_OPEN"), "{errors:?}");
    for _ in 0..3 {
        stage.happen(&ada, "twitch:cheer", json!({})).await;
    }
    stage.done(23).await;
    assert_eq!(stage.invocations(&install).await, 20);
    assert_eq!(stage.figure("lumio_runtime_refusals_total", "breaker_open"), 3);
    // Another install of the account still runs.
    stage.install(&ada, Module::answering("hello", "hi")).await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 1).await, ["hi"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_pause_only_for_consecutive_failures_within_five_minutes() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code =
        "export async function run(ctx, input) { if (input.event.data.fails) throw new Error('again') }";
    let install = stage.install(&ada, on_event(code)).await;
    let mut happened = 0;
    let mut happens = async |fails: bool, times: i64| {
        for _ in 0..times {
            stage.happen(&ada, "twitch:cheer", json!({ "fails": fails })).await;
        }
        happened += times;
        stage.done(happened).await;
    };
    happens(true, 19).await;
    happens(false, 1).await;
    happens(true, 19).await;
    // The others are too old for the next to be the twentieth.
    stage.app.clock.advance(chrono::Duration::minutes(5) + chrono::Duration::seconds(1));
    happens(true, 19).await;
    let errors = stage.errors(&install, 57).await;
    assert_eq!(errors.iter().filter(|(error_type, _)| error_type == "Error").count(), 57, "{errors:?}");
    happens(true, 1).await;
    let errors = stage.errors(&install, 59).await;
    assert_eq!(errors.iter().filter(|(error_type, _)| error_type == "CIRCUIT_OPEN").count(), 1, "{errors:?}");
    let key = stage.app.state.redis.key(format_args!("runtime:paused:{}", install.id));
    let mut redis = stage.app.state.redis.get().await.unwrap();
    let left: i64 = redis::cmd("TTL").arg(key).query_async(&mut *redis).await.unwrap();
    assert!((270..=300).contains(&left), "{left}");
}
