//! Functions and storage of an extension over the socket's `call` frame (reference/realtime.md#calls).

use lumio_tests::{Socket, SocketRequest};
use serde_json::{Value, json};

use super::stage::{Installed, Module, Stage, Streamer};

const CODE: &str = "
    import { query, mutation, action } from '@lumio/sdk/server';
    export const who = query(async (ctx, args) => ({ surface: ctx.auth.surface, role: ctx.auth.role, args }));
    export const change = mutation(async (ctx) => { await ctx.push('changed', 1); return 'changed' });
    export const editor = query(() => 'edited');
    export const fail = action(() => { throw new Error('no luck') });
    export const slow = query(() => new Promise((resolve) => setTimeout(() => resolve('slow'), 800)));
";

async fn installed(stage: &Stage, streamer: &Streamer) -> Installed {
    let functions = json!({
        "who": { "kind": "query", "handler": "who" }, "change": { "kind": "mutation", "handler": "change" },
        "editor": { "kind": "query", "handler": "editor", "editor_only": true },
        "fail": { "kind": "action", "handler": "fail" }, "slow": { "kind": "query", "handler": "slow" },
    });
    stage.install(streamer, Module::with_functions(functions, CODE)).await
}

async fn page(stage: &Stage, streamer: &Streamer, install: &Installed, surface: &str) -> Socket {
    let path = format!("/v1/extension-installs/{}/token", install.id);
    let answer = streamer.person.post(&path, json!({ "surface": surface })).await;
    SocketRequest::to(stage.app.url()).query(answer.data()["token"].as_str().unwrap()).connect().await
}

fn call(install: &Installed, function: &str, args: &Value, request_id: u32) -> Value {
    let channel = format!("ext-storage:{}", install.id);
    json!({ "type": "call", "channel": channel, "function": function, "args": args, "request_id": request_id })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sockets_call_functions_with_the_surface_of_the_token() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let mut interactive = page(&stage, &ada, &install, "interactive").await;
    let answer = interactive.ask(call(&install, "who", &json!({ "a": 1 }), 1)).await;
    let data = json!({ "surface": "interactive", "role": "owner", "args": { "a": 1 } });
    assert_eq!(answer, json!({ "type": "result", "request_id": 1, "data": data }));
    let refused = interactive.ask(call(&install, "editor", &json!({}), 2)).await;
    assert_eq!((&refused["code"], &refused["request_id"]), (&json!("FORBIDDEN"), &json!(2)), "{refused}");
    assert_eq!(refused["message"], "This function can be called from the editor only");
    let mut editor = page(&stage, &ada, &install, "editor").await;
    assert_eq!(editor.ask(call(&install, "editor", &json!({}), 3)).await["data"], "edited");
    let failed = editor.ask(call(&install, "fail", &json!({}), 4)).await;
    assert_eq!((&failed["code"], &failed["message"]), (&json!("INVALID_MESSAGE"), &json!("no luck")));
    assert_eq!(failed["channel"], format!("ext-storage:{}", install.id));
    // A slow call delays nothing else.
    editor.send(call(&install, "slow", &json!({}), 5)).await;
    assert_eq!(editor.ask(json!({ "type": "ping", "ts": 9 })).await["type"], "pong");
    assert_eq!(editor.frame().await["data"], "slow");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sockets_set_storage_and_publish_it_to_subscribers() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let channel = format!("ext-storage:{}", install.id);
    let (mut writer, mut listener) =
        (page(&stage, &ada, &install, "interactive").await, page(&stage, &ada, &install, "layer").await);
    listener.subscribe(&channel).await;
    let set = json!({ "type": "call", "channel": channel, "storage_set": { "n": 1 }, "request_id": "s" });
    let stored = json!({ "value": { "n": 1 }, "version": 1 });
    assert_eq!(writer.ask(set).await, json!({ "type": "result", "request_id": "s", "data": stored }));
    let event = listener.frame().await;
    assert_eq!((&event["event_type"], &event["data"]), (&json!("storage:updated"), &stored));
    writer.ask(call(&install, "change", &json!({}), 1)).await;
    let event = listener.frame().await;
    assert_eq!((&event["event_type"], &event["data"]["topic"]), (&json!("ext:push"), &json!("changed")));
    let path = format!("/v1/extension-installs/{}/storage", install.id);
    assert_eq!(ada.person.get(&path).await.data(), &stored);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sockets_apply_the_rules_of_the_routes_to_calls() {
    let stage = Stage::start().await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let install = installed(&stage, &ada).await;
    let other = installed(&stage, &ada).await;
    let socket = async |token: &str| SocketRequest::to(stage.app.url()).bearer(token).connect().await;
    let mut of_page = page(&stage, &ada, &install, "interactive").await;
    assert_eq!(of_page.error_of(call(&other, "who", &json!({}), 1)).await, "UNAUTHORIZED");
    let mut of_bob = socket(bob.person.token()).await;
    assert_eq!(of_bob.error_of(call(&install, "who", &json!({}), 1)).await, "UNAUTHORIZED");
    let reader = stage.app.service_key(ada.person.account_id, &["extension-data:read"]).await;
    let mut reader = socket(reader.token()).await;
    assert_eq!(reader.ask(call(&install, "who", &json!({}), 1)).await["data"]["surface"], "interactive");
    assert_eq!(reader.error_of(call(&install, "change", &json!({}), 2)).await, "FORBIDDEN");
    let set = json!({ "type": "call", "channel": format!("ext-storage:{}", install.id), "storage_set": {}, "request_id": 3 });
    assert_eq!(reader.error_of(set).await, "FORBIDDEN");
    // A page may do what its person may do, and a viewer may not change data.
    let viewer =
        stage.app.member_with(ada.person.account_id, &["extension-store:read", "extension-data:read"]).await;
    let path = format!("/v1/extension-installs/{}/token", install.id);
    let token = viewer.post(&path, json!({ "surface": "interactive" })).await;
    let mut viewer = socket(token.data()["token"].as_str().unwrap()).await;
    assert_eq!(viewer.ask(call(&install, "who", &json!({}), 1)).await["data"]["role"], "viewer");
    assert_eq!(viewer.error_of(call(&install, "change", &json!({}), 2)).await, "FORBIDDEN");
    assert_eq!(viewer.error_of(call(&install, "nothing", &json!({}), 3)).await, "INVALID_MESSAGE");
    let chat = json!({ "type": "call", "channel": format!("chat:{}", ada.person.account_id), "function": "f", "request_id": 4 });
    assert_eq!(viewer.error_of(chat).await, "FORBIDDEN");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sockets_refuse_the_seventeenth_concurrent_call() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = installed(&stage, &ada).await;
    let mut socket = page(&stage, &ada, &install, "editor").await;
    for request in 0..17 {
        socket.send(call(&install, "slow", &json!({}), request)).await;
    }
    let refused = socket.frame().await;
    assert_eq!(
        (&refused["code"], &refused["request_id"]),
        (&json!("RATE_LIMIT_EXCEEDED"), &json!(16)),
        "{refused}"
    );
    for _ in 0..16 {
        let answer = socket.frame().await;
        assert!(answer["type"] == "result" || answer["code"] == "RATE_LIMIT_EXCEEDED", "{answer}");
    }
}
