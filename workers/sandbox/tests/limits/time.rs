use std::pin::pin;
use std::time::{Duration, Instant};

use futures::future::{Either, select};
use sandbox::{FailureCode, Limits};

use crate::support::{
    TestHost, assert_code, call_within, compile, compile_failure, result_of, run_with, run_within, success,
};

/// Long enough to tell a handler that was stopped from one that was not, on the busiest machine.
const STOPPED: Duration = Duration::from_secs(60);

fn wall(milliseconds: u64) -> Limits {
    Limits { wall: Duration::from_millis(milliseconds), ..Limits::default() }
}

async fn assert_stopped(source: &str) {
    let handler = compile(source).await;
    let started = Instant::now();

    let outcome = handler.invoke(call_within(wall(200)), TestHost::new()).await;

    assert!(outcome.metrics.wall >= Duration::from_millis(200));
    let failure = assert_code(outcome, FailureCode::Timeout);
    assert_eq!(failure.message, "stopped after 200 ms: the time limit");
    assert!(started.elapsed() < STOPPED, "ran for {:?}", started.elapsed());
}

#[tokio::test]
async fn wall_time_stops_an_endless_loop() {
    assert_stopped("export function run() { for (;;) {} }").await;
}

#[tokio::test]
async fn wall_time_stops_an_endless_chain_of_microtasks() {
    assert_stopped("export async function run() { for (;;) await 0 }").await;
}

#[tokio::test]
async fn wall_time_stops_a_catastrophic_regular_expression() {
    assert_stopped("export function run() { return /^(a+)+$/.test('a'.repeat(40) + 'b') }").await;
}

#[tokio::test]
async fn wall_time_stops_a_sort_inside_the_engine() {
    assert_stopped(
        "export function run() {
           const items = 'x'.repeat(400_000).split('');
           for (;;) items.sort((a, b) => 1);
         }",
    )
    .await;
}

#[tokio::test]
async fn wall_time_stops_a_search_of_a_string_of_50_megabytes() {
    assert_stopped(
        "export function run() {
           const text = 'x'.repeat(50_000_000);
           for (;;) text.indexOf('y');
         }",
    )
    .await;
}

#[tokio::test]
async fn wall_time_stops_a_handler_that_catches_everything() {
    assert_stopped(
        "export function run() { for (;;) { try { for (;;) {} } catch {} finally { continue } } }",
    )
    .await;
}

#[tokio::test]
async fn wall_time_stops_a_fetch_that_never_ends() {
    let source = "export async function run(ctx) { await ctx.fetch('https://api.example/never') }";

    let outcome = run_within(source, wall(200)).await;

    assert!(outcome.metrics.cpu < Duration::from_millis(200), "{:?}", outcome.metrics);
    assert_code(outcome, FailureCode::Timeout);
}

#[tokio::test]
async fn wall_time_stops_a_timer() {
    let source = "export const run = () => new Promise((resolve) => setTimeout(resolve, 60_000))";

    assert_code(run_within(source, wall(200)).await, FailureCode::Timeout);
}

#[tokio::test]
async fn an_endless_loop_at_load_is_stopped() {
    let failure = compile_failure("while (true) {}").await;

    assert_eq!(failure.code, FailureCode::Timeout);
}

#[tokio::test]
async fn processor_time_stops_an_endless_loop_before_the_wall_time() {
    let limits =
        Limits { wall: Duration::from_secs(100), cpu: Duration::from_millis(100), ..Limits::default() };

    let outcome = run_within("export function run() { for (;;) {} }", limits).await;

    assert!(outcome.metrics.cpu >= Duration::from_millis(100));
    let failure = assert_code(outcome, FailureCode::Timeout);
    assert_eq!(failure.message, "stopped after 100 ms of processor time: the limit");
}

#[tokio::test]
async fn each_kind_of_handler_is_stopped_after_its_time() {
    // Specification C B3.2. Longer than the time itself, so that only the limit can end it.
    let waits = "export const run = () => new Promise((resolve) => setTimeout(resolve, 300000))";
    let bot = run_within(waits, Limits::bot());
    let poll = run_within(waits, Limits::poll());
    let (bot, poll) = futures::join!(bot, poll);

    let stopped = |outcome, after: &str| {
        let failure = assert_code(outcome, FailureCode::Timeout);
        assert_eq!(failure.message, format!("stopped after {after}: the time limit"));
    };
    stopped(bot, "500 ms");
    stopped(poll, "10 s");
    assert_eq!(
        (Limits::default().wall, Limits::MAX_WALL),
        (Duration::from_secs(30), Duration::from_secs(120))
    );
    assert_eq!(Limits::default().cpu, Duration::from_secs(5));
}

#[tokio::test]
async fn waiting_costs_no_processor_time() {
    let source = "export async function run(ctx) {
        for (let i = 0; i < 5; i++) await ctx.fetch('https://api.example/slow');
        return 'done';
    }";
    let limits = Limits { cpu: Duration::from_millis(400), ..Limits::default() };

    let outcome = run_with(source, call_within(limits), TestHost::new()).await;

    assert!(outcome.metrics.wall >= Duration::from_millis(500));
    assert!(outcome.metrics.cpu < Duration::from_millis(400), "{:?}", outcome.metrics);
    assert_eq!(success(outcome), "done");
}

#[tokio::test]
async fn a_spinning_handler_does_not_starve_another_on_the_same_thread() {
    let spinner = compile("export function run() { for (;;) {} }").await;
    let quick = compile("export function run() { return 'quick' }").await;

    // Both run on this thread: whoever is started second gets a turn only if the first one is interrupted.
    let spinning = pin!(spinner.invoke(call_within(wall(3_000)), TestHost::new()));
    let quickly = pin!(quick.invoke(call_within(Limits::default()), TestHost::new()));
    match select(spinning, quickly).await {
        Either::Left((spun, _)) => panic!("the spinner ended first: {spun:?}"),
        Either::Right((outcome, spinning)) => {
            assert_eq!(success(outcome), "quick");
            assert_code(spinning.await, FailureCode::Timeout);
        }
    }
}

#[tokio::test]
async fn three_fetches_run_at_once() {
    let source = "export async function run(ctx) {
        const answers = await Promise.all([1, 2, 3].map(() => ctx.fetch('https://api.example/slow')));
        return answers.map((answer) => answer.status);
    }";

    let host = TestHost::new();

    let result = success(run_with(source, call_within(Limits::default()), host.clone()).await);

    assert_eq!(result, serde_json::json!([200, 200, 200]));
    assert_eq!(host.most_at_once(), 3);
}

#[tokio::test]
async fn timers_fire_in_order_and_can_be_cancelled() {
    let source = "export const run = () => new Promise((resolve) => {
        const fired = [];
        const cancelled = setTimeout(() => fired.push('cancelled'), 5);
        setTimeout((name) => fired.push(name), 1, 'first');
        setTimeout(() => { fired.push('last'); resolve(fired) }, 100);
        clearTimeout(cancelled);
    })";

    assert_eq!(result_of(source).await, serde_json::json!(["first", "last"]));
}

#[tokio::test]
async fn a_promise_that_nothing_can_settle_is_a_clean_error() {
    let outcome = run_within("export const run = () => new Promise(() => {})", Limits::default()).await;

    let failure = assert_code(outcome, FailureCode::HandlerError);
    assert_eq!(failure.message, "the handler's promise never settles: nothing is left that could settle it");
}
