use std::collections::BTreeSet;

use sandbox::{
    CacheIncrement, FailureCode, FunctionKind, GetRow, HostRequest, InsertRow, Invocation, ListValues, Push,
    QueryRows, RunAction, SetValue, ValueAt, ValueScope, context_members,
};
use serde_json::{Value, json};

use crate::support::{TestHost, assert_code, call, compile, run_with, success};

fn of(kind: FunctionKind) -> Invocation {
    Invocation { kind, ..call() }
}

#[tokio::test]
async fn context_calls_reach_the_host_unchanged() {
    let source = "export async function run({ db, cache, push, actions }) {
        await db.query('scores', { filter: { n: 1 }, orderBy: 'n', orderDir: 'desc', limit: 5, offset: 2 });
        await db.get('scores', { filter: { n: 1 } });
        await db.insert('scores', { n: 1 });
        await db.get('install', 'a', 'b', 7);
        await db.set('user', 'a', { x: 1 });
        await db.delete('global', 'a');
        await db.list('install');
        await cache.incr('c', 2, 60);
        await push('t', null);
        await actions.run('chat:send');
    }";
    let host = TestHost::new();
    success(run_with(source, call(), host.clone()).await);
    let at = |scope, key: &str| ValueAt { scope, key: key.to_owned() };
    let name = "chat:send".to_owned();
    let expected = [
        HostRequest::QueryRows(QueryRows {
            table: "scores".into(),
            filter: Some(json!({ "n": 1 })),
            order_by: Some("n".into()),
            order_dir: Some("desc".into()),
            limit: Some(json!(5)),
            offset: Some(json!(2)),
        }),
        HostRequest::GetRow(GetRow { table: "scores".into(), filter: Some(json!({ "n": 1 })) }),
        HostRequest::InsertRow(InsertRow { table: "scores".into(), row: json!({ "n": 1 }) }),
        HostRequest::GetValue(at(ValueScope::Install, "a:b:7")),
        HostRequest::SetValue(SetValue {
            scope: ValueScope::User,
            key: "a".into(),
            value: json!({ "x": 1 }),
        }),
        HostRequest::DeleteValue(at(ValueScope::Global, "a")),
        HostRequest::ListValues(ListValues { scope: ValueScope::Install, prefix: String::new() }),
        HostRequest::CacheIncrement(CacheIncrement {
            key: "c".into(),
            by: Some(json!(2)),
            ttl_secs: Some(json!(60)),
        }),
        HostRequest::Push(Push { topic: "t".into(), payload: Value::Null }),
        HostRequest::RunAction(RunAction { action: name, payload: json!({}) }),
    ];
    assert_eq!(host.performed(), expected);
}

#[tokio::test]
async fn context_members_are_those_that_handlers_have() {
    let source = "export const run = (ctx) => Object.entries(ctx).flatMap(([name, member]) => {
        if (name === 'auth' || name === 'config' || name === 'user') return [];
        if (name === 'log' || typeof member === 'function') return [name];
        return Object.keys(member).map((part) => `${name}.${part}`);
    });";
    for kind in [FunctionKind::Query, FunctionKind::Mutation, FunctionKind::Action] {
        let found = success(run_with(source, of(kind), TestHost::new()).await);
        let found: BTreeSet<String> = serde_json::from_value(found).unwrap();
        let members = context_members().into_iter().filter(|member| member.kinds.contains(&kind));
        let declared: BTreeSet<String> = members.map(|member| member.name.to_owned()).collect();
        assert_eq!(declared.difference(&found).next(), None, "{kind:?}: declared and not there");
        if kind == FunctionKind::Action {
            assert_eq!(declared, found);
        }
    }
}

#[tokio::test]
async fn context_of_each_kind_of_function_has_the_documented_parts() {
    let source = "export const run = async (ctx) => {
        const tried = async (work) => { try { await work(); return 'yes' } catch (error) { return error.name } };
        return {
            query: await tried(() => ctx.db.query('t')), get: await tried(() => ctx.db.get('install', 'k')),
            list: await tried(() => ctx.db.list('install', '')), insert: await tried(() => ctx.db.insert('t', {})),
            patch: await tried(() => ctx.db.patch('t', 'i', {})), remove: await tried(() => ctx.db.delete('t', 'i')),
            set: await tried(() => ctx.db.set('install', 'k', 1)), unset: await tried(() => ctx.db.delete('install', 'k')),
            cacheGet: await tried(() => ctx.cache.get('k')), cacheSet: await tried(() => ctx.cache.set('k', 1)),
            cacheDelete: await tried(() => ctx.cache.delete('k')), cacheIncr: await tried(() => ctx.cache.incr('k')),
            push: await tried(() => ctx.push('t', 1)), act: await tried(() => ctx.actions.run('chat:send', {})),
            fetch: typeof ctx.fetch, secrets: typeof ctx.secrets, defer: typeof ctx.defer, log: typeof ctx.log.info,
        };
    }";
    let read = json!({
        "query": "yes", "get": "yes", "list": "yes", "insert": "PermissionError", "patch": "PermissionError",
        "remove": "PermissionError", "set": "PermissionError", "unset": "PermissionError", "cacheGet": "yes",
        "cacheSet": "PermissionError", "cacheDelete": "PermissionError", "cacheIncr": "PermissionError",
        "push": "TypeError", "act": "TypeError", "fetch": "undefined", "secrets": "undefined", "defer": "undefined",
        "log": "function",
    });
    let mut write = read.clone();
    for name in ["insert", "patch", "remove", "set", "unset", "cacheSet", "cacheDelete", "cacheIncr", "push"]
    {
        write[name] = json!("yes");
    }
    let mut all = write.clone();
    all["act"] = json!("yes");
    for (name, kind) in [("fetch", "function"), ("secrets", "object"), ("defer", "function")] {
        all[name] = json!(kind);
    }
    for (kind, expected) in
        [(FunctionKind::Query, read), (FunctionKind::Mutation, write), (FunctionKind::Action, all)]
    {
        let seen = success(run_with(source, of(kind), TestHost::new()).await);
        assert_eq!(seen, expected, "{kind:?}");
    }
}

#[tokio::test]
async fn context_reports_invalid_arguments_as_type_errors() {
    let source = "export const run = async ({ db, cache, defer }) => {
        const said = [];
        for (const work of [
            () => db.get('install'), () => db.set('install', 'k'), () => db.set('nowhere', 'k', 1),
            () => db.set('install', 'k', undefined), () => db.get('install', {}), () => db.list('nowhere', ''),
            () => db.insert('t'), () => cache.set('k', () => {}), () => defer('x'),
        ]) {
            try { await work(); said.push('nothing') } catch (error) { said.push(`${error.name}: ${error.message}`) }
        }
        return said;
    }";
    assert_eq!(
        success(run_with(source, call(), TestHost::new()).await),
        json!([
            "TypeError: ctx.db.get: a key must follow the scope",
            "TypeError: ctx.db.set: a key must follow the scope",
            "TypeError: ctx.db.set: the scope must be one of global, install, user",
            "TypeError: ctx.db.set: the value must be JSON, not undefined",
            "TypeError: ctx.db.get: keys must be strings or numbers",
            "TypeError: ctx.db.list: the scope must be one of global, install, user",
            "TypeError: ctx.db.insert: the value must be JSON, not undefined",
            "TypeError: ctx.cache.set: the value must be JSON, not function",
            "TypeError: ctx.defer: the argument must be a function",
        ])
    );
}

#[tokio::test]
async fn context_rejects_the_thousand_and_first_request() {
    let source = "export const run = async ({ cache }) => {
        for (let i = 0; i < 1001; i++) await cache.get('k');
    }";
    let host = TestHost::new();
    let failure = assert_code(run_with(source, call(), host.clone()).await, FailureCode::HandlerError);
    assert_eq!(failure.name, "LimitError");
    assert_eq!(host.performed().len(), 1000);
}

#[tokio::test]
async fn context_returns_the_result_before_deferred_work() {
    let source = "export const run = async (ctx) => {
        ctx.defer(async () => { await ctx.db.set('install', 'order', 'deferred') });
        await ctx.db.set('install', 'order', 'first');
        return { n: 1 };
    }";
    let host = TestHost::new();
    let outcome = run_with(source, call(), host.clone()).await;
    assert_eq!(host.replies(), [json!({ "n": 1 })]);
    assert!(outcome.deferred.is_none() && host.performed().len() == 2);

    let host = TestHost::new();
    let source =
        "export const run = (ctx) => { ctx.defer(() => { throw new RangeError('late') }); return 1 }";
    let outcome = run_with(source, call(), host.clone()).await;
    assert_eq!(
        (host.replies(), outcome.deferred.map(|failure| failure.name)),
        (vec![json!(1)], Some("RangeError".into()))
    );

    // A failed handler defers nothing, and a result that is too large counts as a failure.
    let host = TestHost::new();
    let source = "export const run = (ctx) => { ctx.defer(() => {}); throw new Error('first') }";
    assert_code(run_with(source, call(), host.clone()).await, FailureCode::HandlerError);
    let source = "export const run = (ctx) => { ctx.defer(() => {}); return 'x'.repeat(2 ** 20) }";
    assert_code(run_with(source, call(), host.clone()).await, FailureCode::ResponseTooLarge);
    assert_eq!(host.replies(), Vec::<Value>::new());
}

#[tokio::test]
async fn context_delays_deferred_work_until_the_result_is_delivered() {
    let source = "export const run = (ctx) => {
        ctx.defer(() => ctx.db.set('install', 'order', 'deferred'));
        return 1;
    }";
    let host = TestHost::holding_results();
    let mut running = Box::pin(run_with(source, call(), host.clone()));
    while host.replies().is_empty() {
        assert!(futures::poll!(running.as_mut()).is_pending());
        tokio::task::yield_now().await;
    }
    for _ in 0..100 {
        assert!(futures::poll!(running.as_mut()).is_pending());
        tokio::task::yield_now().await;
    }
    assert_eq!(host.performed().len(), 0);
    host.deliver();
    assert!(running.await.deferred.is_none());
    assert_eq!(host.performed().len(), 1);
}

#[tokio::test]
async fn context_replays_a_recorded_run_without_its_host() {
    let source = "export const run = async (ctx, input) => {
        const [a, b] = await Promise.all([ctx.cache.get('a'), ctx.fetch('https://api.example/x')]);
        const refused = await ctx.fetch('https://elsewhere.example/').catch((error) => error.message);
        await new Promise((resolve) => setTimeout(resolve, 5));
        throw new Error([a, await b.text(), refused, Math.random(), Date.now(), input].join());
    }";
    let handler = compile(source).await;
    let recorded = Invocation { record: true, input: json!("in"), ..call() };
    let first = handler.invoke(recorded.clone(), TestHost::answering("body")).await;
    let (failure, recording) = (first.result.unwrap_err(), first.recording.unwrap());
    let text = serde_json::to_string(&recording).unwrap();
    let recording = serde_json::from_str(&text).unwrap();

    let host = TestHost::answering("another body");
    let again = Invocation { clock: std::sync::Arc::new(sandbox::FixedClock(0)), ..recorded };
    let outcome = handler.replay(again, recording, host.clone()).await;
    assert_eq!(outcome.result.unwrap_err(), failure);
    assert!(host.requests().is_empty() && host.performed().is_empty());
}

#[tokio::test]
async fn context_reports_a_run_that_differs_from_its_recording() {
    let source = "export const run = async (ctx, input) => {
        await ctx.cache.get('a');
        if (input) ctx.secrets.get('KEY');
        throw new Error('end');
    }";
    let handler = compile(source).await;
    let recorded = Invocation { record: true, input: json!(true), ..call() };
    let recording = handler.invoke(recorded.clone(), TestHost::new()).await.recording.unwrap();
    let other = Invocation { input: json!(false), ..recorded };
    // It makes fewer calls and ends as before.
    let outcome = handler.replay(other, recording, TestHost::new()).await;
    assert_eq!(outcome.result.unwrap_err().message, "end");

    let recorded = Invocation { record: true, input: json!(false), ..call() };
    let recording = handler.invoke(recorded.clone(), TestHost::new()).await.recording.unwrap();
    let other = Invocation { input: json!(true), ..recorded };
    let failure = handler.replay(other, recording, TestHost::new()).await.result.unwrap_err();
    assert_eq!((failure.code, failure.name.as_str()), (FailureCode::Internal, "ReplayDiverged"));
}
