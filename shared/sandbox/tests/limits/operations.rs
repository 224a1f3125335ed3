use sandbox::{FailureCode, FunctionKind, Invocation, Limits, LogLevel, Redirect};
use serde_json::json;

use crate::support::{TestHost, assert_code, call, call_within, compile, result_of, run, run_with, success};

#[tokio::test]
async fn operations_reject_the_eleventh_fetch() {
    let source = "export async function run(ctx) {
        const answers = [];
        for (let i = 0; i < 11; i++) {
          answers.push(await ctx.fetch('https://api.example/').then((r) => r.status, (e) => `${e.name}: ${e.message}`));
        }
        return answers;
    }";
    let host = TestHost::new();

    let outcome = run_with(source, call(), host.clone()).await;

    assert_eq!(outcome.metrics.fetches, 10);
    let mut expected = vec![json!(200); 10];
    expected.push(json!("LimitError: ctx.fetch: the limit of 10 calls per invocation is used up"));
    assert_eq!(success(outcome), json!(expected));
    assert_eq!(host.requests().len(), 10);
}

#[tokio::test]
async fn operations_reject_a_forbidden_address_with_the_reason() {
    let caught = "export const run = (ctx) =>
        ctx.fetch('http://169.254.169.254/').catch((error) => `${error.name}: ${error.message}`)";

    assert_eq!(result_of(caught).await, "EgressError: http://169.254.169.254/ is not on the allow-list");
}

#[tokio::test]
async fn operations_report_an_uncaught_forbidden_address_as_egress_denied() {
    let source = "export async function run(ctx) {\n  await ctx.fetch('http://169.254.169.254/')\n}";

    let failure = assert_code(run(source).await, FailureCode::EgressDenied);

    assert_eq!(failure.name, "EgressError");
    assert_eq!(failure.stack.as_deref(), Some("at run (server.js:2:13)"));
}

#[tokio::test]
async fn operations_do_not_let_a_handler_forge_egress_denied() {
    let source = "export function run() {
        const error = new Error('made up');
        error.name = 'EgressError';
        error.code = 'EGRESS_DENIED';
        throw error;
    }";

    assert_code(run(source).await, FailureCode::HandlerError);
}

#[tokio::test]
async fn operations_report_a_failed_fetch_as_a_network_error() {
    let source =
        "export const run = (ctx) => ctx.fetch('https://api.example/broken').catch((error) => error.name)";

    assert_eq!(result_of(source).await, "NetworkError");
}

#[tokio::test]
async fn operations_fetch_passes_the_request_and_the_response() {
    let source = "export async function run(ctx, input) {
        const response = await ctx.fetch('https://api.example/x', {
          method: 'post', headers: { 'X-One': 1 }, body: 'héllo', redirect: 'manual',
        });
        return {
          ok: response.ok,
          url: response.url,
          type: response.headers.get('content-type'),
          pairs: [...response.headers],
          json: await response.json(),
          text: await response.text(),
          bytes: (await response.arrayBuffer()).byteLength,
        };
    }";
    let host = TestHost::answering("\u{feff}{\"n\":1}");

    let result = success(run_with(source, call(), host.clone()).await);

    assert_eq!(
        result,
        json!({
            "ok": true,
            "url": "https://api.example/x",
            "type": "application/json",
            "pairs": [["content-type", "application/json"]],
            "json": { "n": 1 },
            "text": "{\"n\":1}",
            "bytes": 10,
        })
    );
    let request = &host.requests()[0];
    assert_eq!(request.method, "POST");
    assert_eq!(request.headers, [("x-one".to_owned(), "1".to_owned())]);
    assert_eq!(request.redirect, Redirect::Manual);
    assert_eq!(request.body.as_deref(), Some("héllo".as_bytes()));
}

#[tokio::test]
async fn operations_fetch_keeps_binary_bodies_unchanged() {
    let source = "export async function run(ctx) {
        const response = await ctx.fetch('https://api.example/x', { method: 'PUT', body: new Uint8Array([0, 255, 128]).subarray(1) });
        return [...await response.bytes()];
    }";
    let host = TestHost::answering([0, 159, 146, 150]);

    assert_eq!(success(run_with(source, call(), host.clone()).await), json!([0, 159, 146, 150]));
    assert_eq!(host.requests()[0].body.as_deref(), Some([255, 128].as_slice()));
}

#[tokio::test]
async fn operations_fetch_reads_a_response_of_four_megabytes() {
    let source =
        "export const run = async (ctx) => (await (await ctx.fetch('https://api.example/x')).text()).length";
    let host = TestHost::answering("x".repeat(4 << 20));

    assert_eq!(success(run_with(source, call(), host).await), 4 << 20);
}

#[tokio::test]
async fn operations_reject_a_request_above_the_argument_limit() {
    let source = "export const run = (ctx) =>
        ctx.fetch('https://api.example/x', { method: 'POST', body: 'x'.repeat(2 << 20) }).catch((error) => error.name)";
    let host = TestHost::new();

    assert_eq!(success(run_with(source, call(), host.clone()).await), "LimitError");
    assert!(host.requests().is_empty());
}

#[tokio::test]
async fn operations_reject_the_thirty_third_outstanding_one() {
    let source = "export async function run() {
        const refused = [];
        for (let i = 0; i < 40; i++) {
          try { setTimeout(() => {}, 1) } catch (error) { refused.push(`${i} ${error.name}: ${error.message}`) }
        }
        await new Promise((resolve) => resolve());
        return [refused.length, refused[0]];
    }";

    assert_eq!(
        result_of(source).await,
        json!([
            8,
            "32 LimitError: setTimeout: 32 operations are under way, which is the limit; await some first"
        ])
    );
}

#[tokio::test]
async fn operations_that_have_ended_are_not_outstanding() {
    let limits = Limits { outstanding_operations: 2, ..Limits::default() };
    let source = "export async function run() {
        for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 0));
        return 'done';
    }";

    assert_eq!(success(run_with(source, call_within(limits), TestHost::new()).await), "done");
}

#[tokio::test]
async fn operations_drop_and_count_the_hundred_and_first_log_line() {
    let host = TestHost::new();

    let outcome = run_with(
        "export function run(ctx) { for (let i = 0; i < 130; i++) ctx.log.info(i) }",
        call(),
        host.clone(),
    )
    .await;

    assert_eq!((outcome.metrics.log_lines, outcome.metrics.log_lines_dropped), (100, 30));
    success(outcome);
    let lines = host.messages(LogLevel::Info);
    assert_eq!((lines.len(), lines.last().map(String::as_str)), (100, Some("99")));
    assert_eq!(
        host.messages(LogLevel::Warn),
        ["30 more lines were dropped: the limit is 100 per invocation"]
    );
}

#[tokio::test]
async fn operations_cut_a_log_line_at_four_kilobytes() {
    let host = TestHost::new();

    success(
        run_with("export function run(ctx) { ctx.log.warn('é'.repeat(5000)) }", call(), host.clone()).await,
    );

    assert_eq!(host.messages(LogLevel::Warn), ["é".repeat(2048)]);
}

#[tokio::test]
async fn operations_write_console_and_ctx_log_to_the_install_log() {
    let host = TestHost::new();
    let source = "export function run(ctx) {
        console.log('text', { a: 1 }, [2], undefined, null, 3n);
        console.warn(new TypeError('wrong'));
        ctx.log.error('bad');
    }";

    success(run_with(source, call(), host.clone()).await);

    assert_eq!(host.messages(LogLevel::Info), ["text {\"a\":1} [2] undefined null 3"]);
    assert!(host.messages(LogLevel::Warn)[0].starts_with("TypeError: wrong\n"), "{:?}", host.lines());
    assert_eq!(host.messages(LogLevel::Error), ["bad"]);
}

#[tokio::test]
async fn operations_log_an_unhandled_rejection() {
    let host = TestHost::new();
    let source = "export async function run() {
        Promise.reject(new Error('forgotten'));
        const handled = Promise.reject(new Error('handled'));
        await handled.catch(() => {});
    }";

    success(run_with(source, call(), host.clone()).await);

    let errors = host.messages(LogLevel::Error);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].starts_with("Unhandled rejection: Error: forgotten"), "{errors:?}");
}

#[tokio::test]
async fn operations_keep_secrets_out_of_logs_and_failures() {
    let host = TestHost::new();
    let source = "export function run(ctx) {
        const key = ctx.secrets.get('KEY');
        console.log(`the key is ${key}`);
        if (ctx.secrets.get('OTHER') !== null) throw new Error('a secret that does not exist');
        if (key !== 's3cr3t-value') throw new Error('not the secret');
        throw new Error(`failed with ${key}`);
    }";

    let failure = assert_code(run_with(source, call(), host.clone()).await, FailureCode::HandlerError);

    assert_eq!(failure.message, "failed with [secret]");
    assert_eq!(host.messages(LogLevel::Info), ["the key is [secret]"]);
    assert_eq!(host.lines().len(), 1, "what the caller is told is not logged as unhandled too");
}

#[tokio::test]
async fn operations_read_a_one_letter_secret_repeatedly_without_cost() {
    let host = TestHost::new();
    let source = "export function run(ctx) {
        for (let i = 0; i < 1000; i++) { ctx.secrets.get('SHORT'); ctx.secrets.get('KEY') }
        ctx.log.info('e'.repeat(1000));
        ctx.log.info('secret s3cr3t-value');
    }";

    success(run_with(source, call(), host.clone()).await);

    assert_eq!(host.messages(LogLevel::Info), ["e".repeat(1000), "secret [secret]".to_owned()]);
}

#[tokio::test]
async fn operations_of_queries_and_mutations_exclude_fetch_and_secrets() {
    let handler = compile("export const run = (ctx) => Object.keys(ctx)").await;

    for (kind, members) in [
        (FunctionKind::Query, json!(["auth", "config", "log", "db", "cache"])),
        (FunctionKind::Mutation, json!(["auth", "config", "log", "db", "cache", "push"])),
        (
            FunctionKind::Action,
            json!(["auth", "config", "log", "db", "cache", "push", "fetch", "secrets", "actions", "defer"]),
        ),
    ] {
        let outcome = handler.invoke(Invocation { kind, ..call() }, TestHost::new()).await;
        assert_eq!(success(outcome), members, "{kind:?}");
    }
}

#[tokio::test]
async fn operations_are_unavailable_at_the_top_level_of_a_module() {
    let source = "let refused;
        console.log('nobody hears this');
        try { setTimeout(() => {}, 1) } catch (error) { refused = error.message }
        export const run = () => refused";
    let host = TestHost::new();

    let result = success(run_with(source, call(), host.clone()).await);

    assert_eq!(result, "setTimeout is available inside handlers only, not at the top level of the module");
    assert!(host.lines().is_empty());
}
