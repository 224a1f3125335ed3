use std::time::Duration;

use sandbox::{Engine, EngineConfig, FailureCode, Invocation, Limits};
use serde_json::json;

use crate::support::{TestHost, assert_code, call, call_within, compile, result_of, success, until_it_waits};

#[tokio::test]
async fn isolation_hides_globals_of_another_tenant() {
    let leaving = "export function run() {
        globalThis.leak = 'secret of A';
        Object.prototype.poison = 'A';
        Array.prototype.push = () => 'A';
        return 'left';
    }";
    assert_eq!(result_of(leaving).await, "left");

    let looking = "export const run = () => [typeof globalThis.leak, typeof ({}).poison, [].push(1)]";
    for _ in 0..8 {
        assert_eq!(result_of(looking).await, json!(["undefined", "undefined", 1]));
    }
}

#[tokio::test]
async fn isolation_separates_concurrent_invocations() {
    let handler = compile(
        "export async function run(ctx, input) {
           globalThis.mine = input.n;
           await ctx.fetch('https://api.example/slow');
           await new Promise((resolve) => setTimeout(resolve, 1));
           return globalThis.mine;
         }",
    )
    .await;

    let calls = (0..40).map(|n| {
        let call = Invocation { input: json!({ "n": n }), ..call() };
        handler.invoke(call, TestHost::new())
    });
    let results: Vec<_> = futures::future::join_all(calls).await.into_iter().map(success).collect();

    assert_eq!(results, (0..40).map(|n| json!(n)).collect::<Vec<_>>());
}

#[tokio::test]
async fn isolation_discards_an_instance_that_was_stopped() {
    let handler = compile(
        "let stopped = false;
         export function run(ctx, input) { if (input.spin) { stopped = true; for (;;) {} } return stopped }",
    )
    .await;
    let limits = Limits { cpu: Duration::from_millis(50), ..Limits::default() };
    let spin = Invocation { input: json!({ "spin": true }), limits, ..call() };
    let calm = Invocation { input: json!({ "spin": false }), ..call() };

    assert_code(handler.invoke(spin, TestHost::new()).await, FailureCode::Timeout);

    assert_eq!(success(handler.invoke(calm, TestHost::new()).await), false);
}

#[tokio::test]
async fn isolation_frees_the_instance_of_a_dropped_invocation() {
    let handler = compile("export const run = (ctx) => ctx.fetch('https://api.example/never')").await;

    // More than the pool's number of permits.
    for _ in 0..300 {
        let host = TestHost::new();
        let mut invocation = Box::pin(handler.invoke(call(), host.clone()));
        until_it_waits(invocation.as_mut(), &host).await;
    }

    assert_eq!(result_of("export const run = () => 'free'").await, "free");
}

#[expect(clippy::unwrap_used, reason = "test code: a failed expectation is its result")]
fn small_engine(max_instances: u32) -> Engine {
    let dir = EngineConfig::default_dir().unwrap();
    Engine::new(EngineConfig { max_instances, ..EngineConfig::new(dir) }).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn isolation_queues_invocations_above_the_number_of_instances() {
    let engine = small_engine(3);
    let handler = engine
        .compile("export const run = (ctx) => ctx.fetch('https://api.example/slow').then((r) => r.status)")
        .await
        .unwrap();

    let calls = (0..20).map(|_| {
        let handler = handler.clone();
        tokio::spawn(async move { handler.invoke(call(), TestHost::new()).await })
    });

    for call in futures::future::join_all(calls).await {
        assert_eq!(success(call.unwrap()), 200);
    }
}

#[tokio::test]
async fn isolation_reports_overload_without_a_free_instance_in_time() {
    let engine = small_engine(1);
    let handler =
        engine.compile("export const run = (ctx) => ctx.fetch('https://api.example/never')").await.unwrap();
    let short = Limits { wall: Duration::from_millis(100), ..Limits::default() };

    let host = TestHost::new();
    let mut holding = Box::pin(handler.invoke(call(), host.clone()));
    until_it_waits(holding.as_mut(), &host).await;
    let outcome = handler.invoke(call_within(short), TestHost::new()).await;

    let failure = assert_code(outcome, FailureCode::Overloaded);
    assert!(!failure.code.is_handlers_fault());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn isolation_lets_loading_move_between_threads() {
    let engine = small_engine(1);

    let loaded = tokio::spawn(async move {
        engine.compile("export const run = () => 1").await.map(|handler| handler.size_bytes())
    });

    assert!(loaded.await.unwrap().is_ok_and(|bytes| bytes > 0));
}
