//! Server functions: permissions, results, and calls that never repeat (reference/extensions.md#server-functions).

use std::time::{Duration, Instant};

use diesel::{ExpressionMethods, QueryDsl};
use diesel_async::RunQueryDsl;
use extension_model::calls::{CallerOfFunction, Calls, FunctionCall, FunctionReply, Refusal};
use lumio_tests::{Answer, Caller, Socket, SocketRequest, both_refused};
use reqwest::Method;
use serde_json::{Value, json};
use shared::schema::extension_installs;
use uuid::Uuid;

use super::stage::{Installed, Module, Stage, Streamer};

const CODE: &str = "
    import { query, mutation, action, v } from '@lumio/sdk/server';
    export const greet = query({ args: { name: v.string() }, handler: async (ctx, { name }) => `Hello, ${name}` });
    export const who = query(async (ctx) => ({ ...ctx.auth, word: ctx.config.word }));
    export const count = mutation(async (ctx) => {
        const now = (await ctx.db.get('install', 'count') ?? 0) + 1;
        await ctx.db.set('install', 'count', now);
        return now;
    });
    export const total = query((ctx) => ctx.db.get('install', 'count'));
    export const settings = mutation(async () => 'changed');
    export const fail = action(async () => { throw new RangeError('x'.repeat(600)) });
    export const spin = action(() => { for (;;) {} });
    export const large = query(() => 'x'.repeat(2 * 1024 * 1024));
    export const memory = query(() => { const all = []; for (;;) all.push('y'.repeat(1 << 20) + all.length) });
    export const reach = action(async (ctx) => (await ctx.fetch('https://169.254.169.254/')).status);
    export const slow = action(async (ctx) => {
        await ctx.push('started', true);
        await new Promise((resolve) => setTimeout(resolve, 3000));
        return 'done';
    });
    export async function plain(ctx, input) { return input }
";

fn functions() -> Value {
    json!({
        "greet": { "kind": "query" },
        "who": { "kind": "query", "handler": "who" },
        "count": { "kind": "mutation", "handler": "count" },
        "total": { "kind": "query", "handler": "total" },
        "settings": { "kind": "mutation", "handler": "settings", "editor_only": true },
        "fail": { "kind": "action", "handler": "fail" },
        "spin": { "kind": "action", "handler": "spin" },
        "large": { "kind": "query", "handler": "large" },
        "memory": { "kind": "query", "handler": "memory" },
        "reach": { "kind": "action", "handler": "reach" },
        "slow": { "kind": "action", "handler": "slow" },
        "plain": { "kind": "query", "handler": "plain" },
        "missing": { "kind": "query", "handler": "nowhere" },
    })
}

pub async fn call(caller: &Caller, install: &Installed, function: &str, args: Value) -> Answer {
    let path = format!("/v1/extension-functions/{}/{function}", install.id);
    // Longer than a handler may run on a busy machine.
    let request = caller.request(Method::POST, &path).timeout(Duration::from_secs(60));
    caller.send(request.json(&json!({ "args": args }))).await
}

pub async fn call_over_graphql(caller: &Caller, install: &Installed, function: &str, args: Value) -> Answer {
    let document = "mutation($id: UUID!, $name: String!, $input: CallExtensionFunctionInput!) {
        callExtensionFunction(installId: $id, function: $name, input: $input) }";
    let variables = json!({ "id": install.id, "name": function, "input": { "args": args } });
    caller.graphql(document, variables).await
}

/// A socket that hears when `slow` has begun.
async fn listener(stage: &Stage, streamer: &Streamer, install: &Installed) -> Socket {
    let mut socket =
        SocketRequest::to(stage.app.url()).bearer(streamer.person.caller.token()).connect().await;
    socket.subscribe(&format!("ext-storage:{}", install.id)).await;
    socket
}

async fn installed(stage: &Stage, streamer: &Streamer) -> Installed {
    stage.install(streamer, Module::with_functions(functions(), CODE)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_extension_function_returns_the_result_on_both_protocols() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let answer = call(&ada.person, &install, "greet", json!({ "name": "Ada" })).await;
    assert_eq!(answer.expect(200)["data"], "Hello, Ada");
    let answer = call_over_graphql(&ada.person, &install, "greet", json!({ "name": "Bob" })).await;
    assert_eq!(answer.field("callExtensionFunction"), "Hello, Bob");

    let seen = call(&ada.person, &install, "who", json!({})).await;
    assert_eq!(
        *seen.data(),
        json!({
            "userId": ada.person.user_id, "accountId": ada.person.account_id, "role": "owner",
            "surface": "editor", "platformUserId": null, "platformUserName": null,
            "installId": install.id, "word": "default word",
        })
    );
    assert_eq!(call(&ada.person, &install, "plain", json!({ "a": [1] })).await.data(), &json!({ "a": [1] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_extension_function_needs_the_permission_of_the_functions_kind() {
    let stage = Stage::start().await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let install = installed(&stage, &ada).await;
    let account = ada.person.account_id;
    let reader = stage.app.service_key(account, &["extension-data:read"]).await;
    let editor = stage.app.service_key(account, &["extension-data:edit"]).await;
    let neither = stage.app.service_key(account, &["extension-store:read"]).await;

    assert_eq!(call(&reader, &install, "greet", json!({ "name": "r" })).await.data(), "Hello, r");
    assert_eq!(call(&editor, &install, "count", json!({})).await.data(), 1);
    for (caller, function, permission) in [
        (&reader, "count", "extension-data:edit"),
        (&editor, "greet", "extension-data:read"),
        (&neither, "greet", "extension-data:read or extension-data:edit"),
    ] {
        both_refused(
            &call(caller, &install, function, json!({})).await,
            &call_over_graphql(caller, &install, function, json!({})).await,
            403,
            "FORBIDDEN",
            &format!("Missing permission: {permission}"),
        );
    }
    let both = stage.app.service_key(account, &["extension-data:read", "extension-data:edit"]).await;
    both_refused(
        &call(&both, &install, "settings", json!({})).await,
        &call_over_graphql(&both, &install, "settings", json!({})).await,
        403,
        "FORBIDDEN",
        "This function can be called from the editor only",
    );
    assert_eq!(call(&ada.person, &install, "settings", json!({})).await.data(), "changed");
    both_refused(
        &call(&bob.person, &install, "greet", json!({ "name": "b" })).await,
        &call_over_graphql(&bob.person, &install, "greet", json!({ "name": "b" })).await,
        404,
        "NOT_FOUND",
        "Extension install not found",
    );
    both_refused(
        &call(&ada.person, &install, "nothing", json!({})).await,
        &call_over_graphql(&ada.person, &install, "nothing", json!({})).await,
        404,
        "NOT_FOUND",
        "Extension function not found",
    );
    assert_eq!(stage.app.anonymous().post("/v1/extension-functions/x/y", json!({})).await.status, 401);
    stage.app.switch("feature:extensions", false).await;
    call(&ada.person, &install, "greet", json!({ "name": "x" })).await.refused_with("FEATURE_DISABLED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_extension_function_reports_each_kind_of_failure() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let owner = &ada.person;
    both_refused(
        &call(owner, &install, "greet", json!({ "name": 7 })).await,
        &call_over_graphql(owner, &install, "greet", json!({ "name": 7 })).await,
        400,
        "VALIDATION_ERROR",
        "args.name: expected string, got number",
    );
    call(owner, &install, "greet", json!([1])).await.refused("VALIDATION_ERROR", "args must be an object");
    call(owner, &install, "greet", json!({ "name": "a", "more": 1 }))
        .await
        .refused("VALIDATION_ERROR", "args.more: is not an argument of this handler");
    let thrown = call(owner, &install, "fail", json!({})).await;
    assert_eq!(thrown.status, 400);
    thrown.refused("BAD_REQUEST", &"x".repeat(500));
    assert!(thrown.body["details"].is_null());

    for (function, code) in [
        ("spin", "TIMEOUT"),
        ("large", "RESPONSE_TOO_LARGE"),
        ("memory", "MEMORY_LIMIT"),
        ("reach", "EGRESS_DENIED"),
        ("missing", "UNKNOWN_HANDLER"),
    ] {
        let answer = call(owner, &install, function, json!({})).await;
        assert_eq!((answer.status, &answer.body["details"]["code"]), (400, &json!(code)), "{}", answer.text);
        answer.refused_with("BAD_REQUEST");
    }
    // Recorded as runtime errors, except mistakes of the caller.
    let errors = stage.errors(&install, 6).await;
    let kinds: Vec<&str> = errors.iter().map(|(kind, _)| kind.as_str()).collect();
    for kind in ["RangeError", "TIMEOUT", "RESPONSE_TOO_LARGE", "MEMORY_LIMIT"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }

    let off = json!({ "enabled": false });
    owner.patch(&format!("/v1/extension-installs/{}", install.id), off).await.expect(200);
    both_refused(
        &call(owner, &install, "greet", json!({ "name": "a" })).await,
        &call_over_graphql(owner, &install, "greet", json!({ "name": "a" })).await,
        409,
        "CONFLICT",
        "The extension install is switched off",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_extension_function_limits_calls_of_each_account() {
    let stage = Stage::start_with(|config| config.workers.runtime_invocations_per_minute = 20).await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let module = Module::with_functions(functions(), CODE);
    let extension = stage.publish(&module).await;
    let of_ada = stage.install_published(&ada, extension, &[]).await;
    let of_bob = stage.install_published(&bob, extension, &[]).await;
    stage.app.begin_a_window(60);
    for _ in 0..20 {
        call(&ada.person, &of_ada, "plain", json!({})).await.data();
    }
    let refused = call(&ada.person, &of_ada, "plain", json!({})).await;
    assert_eq!(refused.status, 429);
    refused.refused("RATE_LIMIT_EXCEEDED", "At most 20 invocations of an extension in a minute");
    call(&bob.person, &of_bob, "plain", json!({})).await.data();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_extension_function_withdraws_a_call_without_a_runtime() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let Stage { app, worker } = stage;
    worker.stop().await.unwrap();
    let calls = Calls::new(app.state.redis.clone());
    // Its heartbeat expires by itself.
    tokio::time::sleep(Duration::from_secs(7)).await;
    let begun = Instant::now();
    let answer = call(&ada.person, &install, "count", json!({})).await;
    assert_eq!((answer.status, &answer.body["details"]["code"]), (500, &json!("RUNTIME_UNAVAILABLE")));
    // The function itself may take thirty seconds; its caller does not wait as long.
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
    assert_eq!(calls.take(Uuid::now_v7(), 10).await.unwrap(), [], "nothing is left that could run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_extension_function_reports_a_lost_runtime_and_never_repeats() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let Stage { app, worker } = stage;
    worker.stop().await.unwrap();
    let calls = Calls::new(app.state.redis.clone());
    // A runtime that takes the call and dies.
    let lost = Uuid::now_v7();
    calls.announce_presence(lost).await.unwrap();
    let taker = tokio::spawn({
        let calls = calls.clone();
        async move {
            loop {
                let taken = calls.take(lost, 1).await.unwrap();
                if !taken.is_empty() {
                    return taken;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
    let answer = call(&ada.person, &install, "count", json!({})).await;
    assert_eq!((answer.status, &answer.body["details"]["code"]), (500, &json!("OUTCOME_UNKNOWN")));
    assert_eq!(taker.await.unwrap().len(), 1);
    assert_eq!(calls.take(Uuid::now_v7(), 10).await.unwrap(), [], "the call is not offered again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_are_taken_once_by_many_runtimes() {
    let stage = Stage::start().await;
    let calls = Calls::new(stage.app.state.redis.clone());
    let Stage { app, worker } = stage;
    worker.stop().await.unwrap();
    for _ in 0..50 {
        let call = offered(&app.clock.now());
        assert!(calls.offer(&call).await.unwrap());
    }
    let takers = (0..8).map(|_| {
        let calls = calls.clone();
        tokio::spawn(async move {
            let mut taken = Vec::new();
            for _ in 0..20 {
                taken.extend(calls.take(Uuid::now_v7(), 3).await.unwrap().into_iter().map(|call| call.id));
            }
            taken
        })
    });
    let mut taken: Vec<Uuid> =
        futures::future::join_all(takers).await.into_iter().flat_map(Result::unwrap).collect();
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), 50);
}

fn offered(now: &chrono::DateTime<chrono::Utc>) -> FunctionCall {
    FunctionCall {
        id: Uuid::now_v7(),
        account_id: Uuid::now_v7(),
        install_id: Uuid::now_v7(),
        extension_id: Uuid::now_v7(),
        revision: *now,
        function: "f".to_owned(),
        node: None,
        args: json!({}),
        caller: CallerOfFunction { user_id: None, role: "owner".into(), surface: "editor".into() },
        expires_at: *now + chrono::Duration::seconds(10),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_do_not_start_after_their_caller_gave_up() {
    let stage = Stage::start().await;
    let calls = Calls::new(stage.app.state.redis.clone());
    let late = FunctionCall { expires_at: stage.app.clock.now(), ..offered(&stage.app.clock.now()) };
    calls.offer(&late).await.unwrap();
    let mut reply = None;
    stage
        .eventually("the call is answered", async || {
            reply = calls.reply(late.id).await.unwrap();
            reply.is_some()
        })
        .await;
    assert!(matches!(reply, Some(FunctionReply::Refused { reason: Refusal::Expired, .. })), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_in_progress_finish_when_a_runtime_stops() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let mut socket = listener(&stage, &ada, &install).await;
    let asked = tokio::spawn({
        let caller = ada.person.caller.clone();
        async move { call(&caller, &install, "slow", json!({})).await }
    });
    assert_eq!(socket.frame().await["data"]["topic"], "started");
    stage.worker.stop().await.unwrap();
    assert_eq!(asked.await.unwrap().data(), "done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_of_a_new_version_serve_the_next_call_only() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let mut socket = listener(&stage, &ada, &install).await;
    let running = tokio::spawn({
        let caller = ada.person.caller.clone();
        async move { call(&caller, &install, "slow", json!({})).await }
    });
    assert_eq!(socket.frame().await["data"]["topic"], "started");
    stage
        .new_version(&install, "export const plain = () => 'newer'; export const slow = () => 'newer'")
        .await;
    assert_eq!(call(&ada.person, &install, "plain", json!({})).await.data(), "newer");
    assert_eq!(running.await.unwrap().data(), "done", "begun with the old one, ended with it");
    let version: Uuid = extension_installs::table
        .filter(extension_installs::id.eq(install.id))
        .select(extension_installs::version_id)
        .first(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(version.get_version_num(), 7);
}
