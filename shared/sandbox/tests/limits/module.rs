use sandbox::{ExportType, FailureCode, FunctionKind, Invocation};
use serde_json::json;

use crate::support::{
    TestHost, assert_code, call, compile, compile_failure, engine, failure, result_of, run, run_with, success,
};

#[tokio::test]
async fn module_syntax_error_names_its_place() {
    let failure = compile_failure("export function run() {\n  return (;\n}").await;

    assert_eq!((failure.code, failure.name.as_str()), (FailureCode::SyntaxError, "SyntaxError"));
    assert_eq!(failure.stack.as_deref(), Some("at server.js:2:11"));
}

#[tokio::test]
async fn module_check_finds_syntax_errors_and_runs_nothing() {
    let names = engine().check("while (true) {} export const run = 1; export default 2").await.unwrap();
    assert_eq!(names, ["default", "run"]);

    let failure = engine().check("export function {").await.unwrap_err();

    assert_eq!(failure.code, FailureCode::SyntaxError);
}

#[tokio::test]
async fn module_check_lists_every_form_of_export() {
    let source = "import { query, v } from '@lumio/sdk/server';
        export { query as ask } from '@lumio/sdk/server';
        export * as sdk from '@lumio/sdk/server';
        export const { a, b: [c] } = undefined;
        function d() {} export { d, d as 'with space' };
        export class E { static { throw new Error('runs') } }
        export async function* f() {}
        await new Promise(() => {});";
    let names = engine().check(source).await.unwrap();
    assert_eq!(names, ["E", "a", "ask", "c", "d", "f", "sdk", "with space"]);
    assert_eq!(engine().check("").await.unwrap(), Vec::<String>::new());
    let all = engine().check("export * from '@lumio/sdk/server'").await.unwrap();
    assert!(all.contains(&"query".to_owned()) && !all.contains(&"default".to_owned()), "{all:?}");
    for source in
        ["import { nothing } from '@lumio/sdk/server'", "export { nothing } from '@lumio/sdk/server'"]
    {
        assert_eq!(engine().check(source).await.unwrap_err().code, FailureCode::SyntaxError, "{source}");
    }
    for own in ["server.js", "lumio:stop", "lumio:linker"] {
        let failure = engine().check(&format!("import * as x from '{own}'")).await.unwrap_err();
        assert!(failure.message.starts_with("cannot import"), "{own}: {}", failure.message);
    }
}

#[tokio::test]
async fn module_check_of_many_exports_stays_within_its_limits() {
    let names: Vec<String> = (0..20_000).map(|n| format!("e{n}")).collect();
    let listed = engine().check(&format!("export let {};", names.join(","))).await;
    // Either all exports, or the time limit of a check.
    match listed {
        Ok(listed) => assert_eq!(listed.len(), names.len()),
        Err(failure) => assert_eq!(failure.code, FailureCode::Timeout),
    }
    let long: Vec<String> = (0..300).map(|n| format!("{}{n}", "x".repeat(4000))).collect();
    let failure = engine().check(&format!("export let {};", long.join(","))).await.unwrap_err();
    assert_eq!(failure.code, FailureCode::ResponseTooLarge);
}

#[tokio::test]
async fn module_stacks_show_only_the_frames_of_the_handler() {
    let source = "
        const frames = (error) => error.stack;
        export const run = async (ctx) => {
            const seen = [frames(new Error('own'))];
            const tried = async (work) => { try { await work() } catch (error) { seen.push(frames(error)) } };
            await tried(() => setTimeout(1));
            await tried(() => ctx.db.get('global'));
            await tried(() => ctx.cache.set('k', () => {}));
            await tried(() => ctx.actions.run('chat:send', {}));
            await tried(() => ctx.fetch('https://elsewhere.example/'));
            await tried(() => ctx.defer(1));
            return seen;
        }";
    let seen = result_of(source).await;
    for stack in seen.as_array().unwrap() {
        let stack = stack.as_str().unwrap();
        assert!(!stack.contains("lumio:"), "{stack}");
    }
    assert!(seen[0].as_str().unwrap().contains("at run (server.js:"), "{seen}");
}

#[tokio::test]
async fn module_above_five_mebibytes_is_refused() {
    let failure = compile_failure(&format!("/*{}*/", "x".repeat(5 << 20))).await;

    assert_eq!(failure.code, FailureCode::SyntaxError);
    assert_eq!(failure.message, "the module is 5242884 bytes long; the limit is 5242880");
}

#[tokio::test]
async fn module_imports_other_than_the_sdk_are_refused() {
    for source in ["import fs from 'fs'", "import './other.js'", "export * from 'node:os'"] {
        let failure = compile_failure(source).await;
        assert_eq!(failure.code, FailureCode::SyntaxError, "{source}");
        assert!(
            failure.message.ends_with("handlers can import \"@lumio/sdk/server\" only"),
            "{}",
            failure.message
        );
    }
    let failure = compile_failure("import { nothing } from '@lumio/sdk/server'").await;
    assert_eq!(failure.code, FailureCode::SyntaxError);
}

#[tokio::test]
async fn module_dynamic_imports_are_refused() {
    let source = "export const run = () => import('@lumio/sdk/server').catch((error) => `${error.name}: ${error.message}`)";

    assert_eq!(result_of(source).await, "TypeError: dynamic import is not available in handlers");
    assert_eq!(compile_failure("await import('x')").await.code, FailureCode::HandlerError);
}

#[tokio::test]
async fn module_throw_at_load_is_reported_as_its_error() {
    let failure = compile_failure("const x = null;\nx.y;").await;

    assert_eq!((failure.code, failure.name.as_str()), (FailureCode::HandlerError, "TypeError"));
    assert!(failure.stack.is_some_and(|stack| stack.contains("server.js:2")));
}

#[tokio::test]
async fn module_top_level_await_that_never_settles_is_an_error() {
    let failure = compile_failure("await new Promise(() => {})").await;

    assert_eq!(failure.message, "a top-level await never settles: nothing is left that could settle it");
}

#[tokio::test]
async fn module_exports_are_listed_with_their_types() {
    let handler = compile(
        "import { query, mutation, action, v } from '@lumio/sdk/server';
         export async function plain() {}
         export const read = query({ args: {}, handler: () => 1 });
         export const write = mutation(() => 2);
         export const reach = action({ handler: () => 3 });
         export const version = '1';",
    )
    .await;

    let exports: Vec<_> = handler.exports().iter().map(|e| (e.name.as_str(), e.export_type)).collect();

    assert_eq!(
        exports,
        [
            ("plain", ExportType::Function),
            ("reach", ExportType::Action),
            ("read", ExportType::Query),
            ("version", ExportType::Value),
            ("write", ExportType::Mutation),
        ]
    );
    assert!(
        handler.has_handler("plain") && !handler.has_handler("version") && !handler.has_handler("absent")
    );
}

#[tokio::test]
async fn module_handlers_can_be_called_only_when_exported() {
    let handler = compile(
        "export const text = 'x'; function hidden() {} export const q = { kind: 'query', handler() {} }",
    )
    .await;

    for (name, message) in [
        ("hidden", "the module has no export \"hidden\""),
        ("toString", "the module has no export \"toString\""),
        ("text", "export \"text\" is neither a function nor a query, mutation or action"),
        ("q", "export \"q\" is of kind query, not action"),
    ] {
        let outcome =
            handler.invoke(Invocation { handler: name.to_owned(), ..call() }, TestHost::new()).await;
        assert_eq!(assert_code(outcome, FailureCode::UnknownHandler).message, message);
    }
}

#[tokio::test]
async fn module_handlers_get_ctx_and_input() {
    let mut call = call();
    call.context.auth = json!({ "accountId": "a1", "role": "owner" });
    call.context.config = json!({ "greeting": "Hello" });
    call.context.user = Some(json!({ "displayName": "Ada" }));
    call.input = json!({ "args": ["x"] });
    let source = "export async function run(ctx, input) {
        return `${ctx.config.greeting} ${ctx.user.displayName} ${ctx.auth.role} ${input.args[0]}`;
    }";

    assert_eq!(success(run_with(source, call, TestHost::new()).await), "Hello Ada owner x");
    assert_eq!(result_of("export const run = (ctx) => 'user' in ctx").await, false);
}

#[tokio::test]
async fn module_arguments_are_validated_before_the_handler_runs() {
    let handler = compile(
        "import { query, v } from '@zaflun/lumio-sdk/server';
         export const run = query({
           args: {
             name: v.string(),
             count: v.number().optional(),
             kind: v.union(v.literal('a'), v.literal('b'), v.null()),
             tags: v.array(v.string()),
             nested: v.object({ on: v.boolean() }),
             scores: v.optional(v.record(v.number())),
             any: v.optional(v.any()),
           },
           handler: (ctx, args) => Object.keys(args).length,
         });",
    )
    .await;
    let good = json!({ "name": "n", "kind": "a", "tags": [], "nested": { "on": true } });
    let with = |field: &str, value: serde_json::Value| {
        let mut input = good.clone();
        input[field] = value;
        input
    };
    let without = |field: &str| {
        let mut input = good.clone();
        input.as_object_mut().unwrap().remove(field);
        input
    };
    let invoke = async |input| {
        let call = Invocation { kind: FunctionKind::Query, input, ..call() };
        handler.invoke(call, TestHost::new()).await
    };

    assert_eq!(success(invoke(good.clone()).await), 4);
    assert_eq!(success(invoke(with("scores", json!({ "x": 1 }))).await), 5);
    for (input, message) in [
        (without("name"), "args.name: is required"),
        (with("name", json!(1)), "args.name: expected string, got number"),
        (with("name", json!(null)), "args.name: expected string, got null"),
        (with("count", json!("1")), "args.count: expected number, got string"),
        (with("kind", json!("c")), "args.kind: expected \"a\" or \"b\" or null, got string"),
        (with("tags", json!(["x", 2])), "args.tags[1]: expected string, got number"),
        (with("tags", json!({})), "args.tags: expected array, got object"),
        (with("nested", json!({})), "args.nested.on: is required"),
        (
            with("nested", json!({ "on": true, "off": 1 })),
            "args.nested.off: is not an argument of this handler",
        ),
        (with("scores", json!({ "x": "y" })), "args.scores.x: expected number, got string"),
        (with("toString", json!(1)), "args.toString: is not an argument of this handler"),
        (json!([]), "args: expected object, got array"),
        (json!(null), "args.name: is required"),
    ] {
        let failure = failure(invoke(input).await);
        assert_eq!((failure.code, failure.message.as_str()), (FailureCode::InvalidArguments, message));
        assert!(!failure.code.is_handlers_fault());
    }
}

#[tokio::test]
async fn module_definitions_that_are_invalid_fail_at_load() {
    for (definition, message) in [
        ("query({})", "query: handler must be a function"),
        ("action({ args: { a: 1 }, handler() {} })", "action: args.a must be a validator made with v"),
        (
            "mutation({ args: v.string(), handler() {} })",
            "mutation: args must be an object of validators, not v.string()",
        ),
        ("v.array()", "v.array: the argument must be a validator made with v"),
        ("v.union()", "v.union needs at least one validator"),
        ("v.literal({})", "v.literal: the value must be a string, a number, a boolean or null"),
        (
            "defineTable({ a: v.string() }).storage('world')",
            "storage: scope must be one of instance, account",
        ),
        ("defineSchema({ t: {} })", "defineSchema: t must be made with defineTable"),
        ("queryRows('')", "queryRows: the table must be a name"),
    ] {
        let source = format!(
            "import {{ query, mutation, action, v, defineTable, defineSchema, queryRows }} from '@lumio/sdk/server';
             export const x = {definition}"
        );
        let failure = compile_failure(&source).await;
        assert_eq!((failure.name.as_str(), failure.message.as_str()), ("TypeError", message), "{definition}");
    }
}

#[tokio::test]
async fn module_declarations_are_plain_data() {
    let source = "import * as sdk from '@lumio/sdk/server';
        const { v, arg, filter } = sdk;
        const schema = sdk.defineSchema({ votes: sdk.defineTable({ n: v.number().optional() }).storage('account') });
        const rows = sdk.queryRows('votes', { filter: filter('n', '=', arg('n')), limit: 10 });
        const removed = sdk.deleteRow('votes', arg('id'), { editorOnly: true });
        export const run = () => ({ schema, rows, removed })";

    assert_eq!(
        result_of(source).await,
        json!({
            "schema": { "tables": { "votes": {
                "columns": { "n": { "type": "optional", "value": { "type": "number" } } },
                "scope": "account",
            } } },
            "rows": { "kind": "query", "editorOnly": false, "declarative": {
                "operation": "queryRows", "table": "votes", "limit": 10,
                "filter": { "column": "n", "operator": "=", "value": { "arg": "n" } },
            } },
            "removed": { "kind": "mutation", "editorOnly": true, "declarative": {
                "operation": "deleteRow", "table": "votes", "id": { "arg": "id" },
            } },
        })
    );
}

#[tokio::test]
async fn module_state_is_new_in_every_invocation() {
    let handler = compile("let calls = 0; export const run = () => ++calls").await;

    for _ in 0..3 {
        assert_eq!(success(handler.invoke(call(), TestHost::new()).await), 1);
    }
}

#[tokio::test]
async fn module_without_exports_loads_and_has_no_handler() {
    assert!(compile("").await.exports().is_empty());
    assert_code(run("").await, FailureCode::UnknownHandler);
}
