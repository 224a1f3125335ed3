use std::pin::pin;
use std::time::{Duration, Instant};

use futures::future::{Either, select};
use sandbox::{FailureCode, Limits};

use crate::support::{
    TestHost, assert_code, call_within, compile, compile_failure, result_of, run_with, run_within, success,
};

/// Long enough to separate a stopped handler from a running one, on the busiest machine.
const STOP_TIMEOUT: Duration = Duration::from_secs(60);

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
    assert!(started.elapsed() < STOP_TIMEOUT, "ran for {:?}", started.elapsed());
}

#[tokio::test]
async fn time_limit_by_the_wall_clock_stops_an_endless_loop() {
    assert_stopped("export function run() { for (;;) {} }").await;
}

#[tokio::test]
async fn time_limit_by_the_wall_clock_stops_endless_microtasks() {
    assert_stopped("export async function run() { for (;;) await 0 }").await;
}

#[tokio::test]
async fn time_limit_by_the_wall_clock_stops_a_catastrophic_regular_expression() {
    assert_stopped("export function run() { return /^(a+)+$/.test('a'.repeat(40) + 'b') }").await;
}

#[tokio::test]
async fn time_limit_by_the_wall_clock_stops_a_sort_inside_the_engine() {
    assert_stopped(
        "export function run() {
           const items = 'x'.repeat(400_000).split('');
           for (;;) items.sort((a, b) => 1);
         }",
    )
    .await;
}

#[tokio::test]
async fn time_limit_by_the_wall_clock_stops_a_search_of_50_megabytes() {
    assert_stopped(
        "export function run() {
           const text = 'x'.repeat(50_000_000);
           for (;;) text.indexOf('y');
         }",
    )
    .await;
}

#[tokio::test]
async fn time_limit_by_the_wall_clock_stops_a_handler_that_catches_everything() {
    assert_stopped(
        "export function run() { for (;;) { try { for (;;) {} } catch {} finally { continue } } }",
    )
    .await;
}

#[tokio::test]
async fn time_limit_by_the_wall_clock_stops_a_fetch_that_never_ends() {
    let source = "export async function run(ctx) { await ctx.fetch('https://api.example/never') }";

    let outcome = run_within(source, wall(200)).await;

    assert!(outcome.metrics.cpu < Duration::from_millis(200), "{:?}", outcome.metrics);
    assert_code(outcome, FailureCode::Timeout);
}

#[tokio::test]
async fn time_limit_by_the_wall_clock_stops_a_timer() {
    let source = "export const run = () => new Promise((resolve) => setTimeout(resolve, 60_000))";

    assert_code(run_within(source, wall(200)).await, FailureCode::Timeout);
}

#[tokio::test]
async fn time_limit_stops_an_endless_loop_at_load() {
    let failure = compile_failure("while (true) {}").await;

    assert_eq!(failure.code, FailureCode::Timeout);
}

#[tokio::test]
async fn time_limit_by_the_processor_stops_an_endless_loop_first() {
    let limits =
        Limits { wall: Duration::from_secs(100), cpu: Duration::from_millis(100), ..Limits::default() };

    let outcome = run_within("export function run() { for (;;) {} }", limits).await;

    assert!(outcome.metrics.cpu >= Duration::from_millis(100));
    let failure = assert_code(outcome, FailureCode::Timeout);
    assert_eq!(failure.message, "stopped after 100 ms of processor time: the limit");
}

#[tokio::test]
async fn time_limit_is_that_of_the_kind_of_handler() {
    // Longer than the time itself, so that only the limit can end it (reference/handlers.md#kinds).
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
async fn time_of_waiting_costs_no_processor_time() {
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
async fn time_is_shared_with_a_spinning_handler_on_the_same_thread() {
    let spinner = compile("export function run() { for (;;) {} }").await;
    let quick = compile("export function run() { return 'quick' }").await;

    // Both run on this thread: the second one runs only if the first one is interrupted.
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
async fn time_of_three_fetches_is_concurrent() {
    let source = "export async function run(ctx) {
        const answers = await Promise.all([1, 2, 3].map(() => ctx.fetch('https://api.example/slow')));
        return answers.map((answer) => answer.status);
    }";

    let host = TestHost::new();

    let result = success(run_with(source, call_within(Limits::default()), host.clone()).await);

    assert_eq!(result, serde_json::json!([200, 200, 200]));
    assert_eq!(host.max_concurrent(), 3);
}

#[tokio::test]
async fn time_orders_timers_and_can_be_cancelled() {
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
async fn time_is_not_waited_for_a_promise_that_never_settles() {
    let outcome = run_within("export const run = () => new Promise(() => {})", Limits::default()).await;

    let failure = assert_code(outcome, FailureCode::HandlerError);
    assert_eq!(failure.message, "the handler's promise never settles: nothing is left that could settle it");
}
