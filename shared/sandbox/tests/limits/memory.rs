use sandbox::{FailureCode, Limits, LogLevel};

use crate::support::{
    TestHost, assert_code, call, compile_failure, result_of, run, run_with, run_within, success,
};

const MIB: usize = 1024 * 1024;

async fn assert_out_of_memory(source: &str) {
    let outcome = run(source).await;

    assert!(outcome.metrics.memory_bytes <= 64 * MIB, "{:?}", outcome.metrics);
    let failure = assert_code(outcome, FailureCode::MemoryLimit);
    assert_eq!(failure.message, "out of memory: the limit is 64 MiB");
}

#[tokio::test]
async fn memory_limit_stops_growing_arrays() {
    assert_out_of_memory(
        "export function run() { const a = []; for (;;) a.push(new Array(1000).fill(a.length)) }",
    )
    .await;
}

#[tokio::test]
async fn memory_limit_stops_growing_strings() {
    assert_out_of_memory("export function run() { const a = []; for (;;) a.push('x'.repeat(1 << 20)) }")
        .await;
}

#[tokio::test]
async fn memory_limit_stops_typed_arrays() {
    assert_out_of_memory("export function run() { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) }")
        .await;
}

#[tokio::test]
async fn memory_limit_stops_a_split_of_a_string_of_50_megabytes() {
    assert_out_of_memory("export function run() { return 'x'.repeat(50_000_000).split('').sort().length }")
        .await;
}

#[tokio::test]
async fn memory_limit_is_an_error_that_code_can_catch_and_still_ends_the_invocation() {
    let source = "export function run() {
        try {
          const a = [];
          for (;;) a.push(new Uint8Array(1 << 20));
        } catch (error) {
          console.log(`caught ${error.message}`);
        }
        return 'survived';
    }";
    let host = TestHost::new();

    let outcome = run_with(source, call(), host.clone()).await;

    assert_eq!(host.messages(LogLevel::Info), ["caught out of memory"]);
    assert_code(outcome, FailureCode::MemoryLimit);
}

#[tokio::test]
async fn memory_limit_can_be_lower() {
    let limits = Limits { memory_bytes: 8 * MIB, ..Limits::default() };
    let source = "export function run() { return new Uint8Array(10 << 20).length }";

    let outcome = run_within(source, limits).await;
    let failure = assert_code(outcome, FailureCode::MemoryLimit);

    assert_eq!(failure.message, "out of memory: the limit is 8 MiB");
    assert_eq!(success(run(source).await), 10 * MIB);
}

#[tokio::test]
async fn memory_limit_holds_at_load() {
    let failure = compile_failure("const a = []; for (;;) a.push(new Uint8Array(1 << 20));").await;

    assert_eq!(failure.code, FailureCode::MemoryLimit);
}

#[tokio::test]
async fn memory_limit_of_module_state_is_16_mebibytes() {
    let failure = compile_failure("export const kept = new Uint8Array(20 << 20).fill(1);").await;

    assert_eq!(failure.code, FailureCode::MemoryLimit);
    assert!(failure.message.contains("the limit is 16777216"), "{}", failure.message);
}

#[tokio::test]
async fn memory_of_cyclic_garbage_is_collected_within_an_invocation() {
    let source = "export function run() {
        for (let i = 0; i < 200; i++) { const a = { big: new Uint8Array(1 << 20) }; a.self = a }
        return 'collected';
    }";

    assert_eq!(result_of(source).await, "collected");
}

#[tokio::test]
async fn memory_limit_of_recursion_is_a_range_error() {
    let failure = assert_code(
        run("function deeper(n) { return 1 + deeper(n + 1) } export const run = () => deeper(0)").await,
        FailureCode::HandlerError,
    );

    assert_eq!(failure.name, "RangeError");
    assert_eq!(failure.message, "Maximum call stack size exceeded");
}

#[tokio::test]
async fn memory_limit_of_recursion_through_builtins_can_be_caught() {
    let source = "function deeper(n) { return [1, 2].map(() => deeper(n + 1)) }
        export function run() { try { deeper(0) } catch (error) { return error.name } }";

    assert_eq!(result_of(source).await, "RangeError");
}

#[tokio::test]
async fn memory_exhausted_by_nested_brackets_crashes_one_instance_only() {
    let source = "export function run() { return JSON.parse('['.repeat(200_000)) }";

    let failure = assert_code(run(source).await, FailureCode::Crashed);

    assert_eq!(failure.message, "stack exhausted: the code nests too deeply");
    assert_eq!(result_of("export const run = () => 'fine'").await, "fine");
}
