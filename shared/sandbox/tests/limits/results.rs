use sandbox::{FailureCode, Limits};
use serde_json::json;

use crate::support::{assert_code, result_of, run, run_within, success};

#[tokio::test]
async fn results_above_one_mebibyte_are_too_large() {
    // The quotes count.
    let at_the_limit = format!("export const run = () => 'x'.repeat({})", (1 << 20) - 2);
    let above = format!("export const run = () => 'x'.repeat({})", (1 << 20) - 1);

    success(run(&at_the_limit).await);
    let failure = assert_code(run(&above).await, FailureCode::ResponseTooLarge);

    assert_eq!(failure.message, "the result is 1048577 bytes of JSON; the limit is 1048576");
}

#[tokio::test]
async fn results_never_exceed_ten_mebibytes() {
    let limits = Limits { reply_bytes: 100 << 20, ..Limits::default() };

    success(run_within("export const run = () => 'x'.repeat(9 << 20)", limits.clone()).await);

    assert_code(
        run_within("export const run = () => 'x'.repeat(11 << 20)", limits).await,
        FailureCode::ResponseTooLarge,
    );
}

#[tokio::test]
async fn results_are_json() {
    assert_eq!(
        result_of(
            "export const run = async () => ({ a: [1, 2.5, null], date: new Date(0), gone: undefined })"
        )
        .await,
        json!({ "a": [1, 2.5, null], "date": "1970-01-01T00:00:00.000Z" })
    );
    assert_eq!(result_of("export const run = () => {}").await, json!(null));
    assert_eq!(result_of("export const run = () => '\\ud800 é'").await, json!("\u{fffd} é"));
}

#[tokio::test]
async fn results_that_are_no_json_are_the_handlers_error() {
    for (source, name) in [
        ("export const run = () => 1n", "TypeError"),
        ("export function run() { const a = {}; a.a = a; return a }", "TypeError"),
        (
            "export function run() { let a = []; for (let i = 0; i < 500; i++) a = [a]; return a }",
            "TypeError",
        ),
    ] {
        let failure = assert_code(run(source).await, FailureCode::HandlerError);
        assert_eq!(failure.name, name, "{source}");
    }
}

#[tokio::test]
async fn results_of_a_throw_in_async_code_give_name_message_and_stack() {
    let source = "function inner() {\n  throw new TypeError('bad thing');\n}\nexport async function run() {\n  await 0;\n  inner();\n}";

    let failure = assert_code(run(source).await, FailureCode::HandlerError);

    assert_eq!((failure.name.as_str(), failure.message.as_str()), ("TypeError", "bad thing"));
    assert_eq!(failure.stack.as_deref(), Some("at inner (server.js:2:13)\nat run (server.js:6:3)"));
}

#[tokio::test]
async fn results_of_any_thrown_value_are_errors() {
    for (thrown, message) in [
        ("{ a: 1 }", "{\"a\":1}"),
        ("'text'", "text"),
        ("null", "null"),
        ("undefined", "undefined"),
        ("Symbol('s')", "Symbol(s)"),
        ("{ toJSON() { throw 1 }, toString() { throw 2 } }", "[value that cannot be displayed]"),
    ] {
        let failure = assert_code(
            run(&format!("export function run() {{ throw {thrown} }}")).await,
            FailureCode::HandlerError,
        );
        assert_eq!(failure.message, message, "{thrown}");
    }
}

#[tokio::test]
async fn results_bound_stacks_and_messages() {
    let source = "export function run() {
        const error = new Error('m'.repeat(1e6));
        error.stack = '    at x (server.js:1:1)\\n'.repeat(1e5);
        throw error;
    }";

    let failure = assert_code(run(source).await, FailureCode::HandlerError);

    assert_eq!(failure.message.len(), 4096);
    assert!(failure.stack.is_some_and(|stack| stack.len() <= 8192));
}
