//! Time, fetches and storage of handlers (reference/usage.md#handler-time).

use chrono::TimeDelta;
use lumio_tests::{TestApp, eventually};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    host::Host,
    stage::{Installed, Stage, call, install, runtime},
};

fn functions() -> Value {
    json!({
        "wait": { "kind": "action", "handler": "wait" },
        "reach": { "kind": "action", "handler": "reach" },
        "write": { "kind": "mutation", "handler": "write" },
        "remove": { "kind": "mutation", "handler": "remove" },
    })
}

fn code(host: &str) -> String {
    format!(
        "
        export async function wait(ctx) {{
            await new Promise((resolve) => setTimeout(resolve, 50));
            return true;
        }}
        export async function reach(ctx, input) {{
            const names = [];
            for (const url of input.urls) {{
                try {{ await ctx.fetch(url.replace('HOST', '{host}')); names.push('ok') }}
                catch (error) {{ names.push(`${{error.name}}: ${{error.message}}`) }}
            }}
            return names;
        }}
        export async function write(ctx, input) {{
            try {{ await ctx.db.set('install', 'key', input.value) }} catch (error) {{ return error.message }}
            return 'written';
        }}
        export async function remove(ctx) {{ await ctx.db.delete('install', 'key'); return 'removed' }}
        "
    )
}

async fn installed(app: &TestApp, account: Uuid, host: &str) -> Installed {
    install(app, account, &functions(), &json!({}), &code(host)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_and_fetches_count_for_the_extension() {
    let host = Host::start().await;
    let stage = Stage::of(host.app().await).await;
    let account = stage.owner.account_id;
    let installed = installed(&stage.app, account, &host.address).await;
    let worker = runtime(&stage.app).await;
    for _ in 0..2 {
        assert_eq!(call(&stage.owner, &installed, "wait", json!({})).await.data(), true);
    }
    // The last one is denied after its first hop was sent: it counts.
    let urls = ["http://HOST/a", "https://unlisted.example/", "http://HOST/b", "http://HOST/away"];
    let names = call(&stage.owner, &installed, "reach", json!({ "urls": urls })).await.data().clone();
    assert_eq!((&names[0], &names[2]), (&json!("ok"), &json!("ok")));
    for denied in [&names[1], &names[3]] {
        assert!(denied.as_str().unwrap().starts_with("EgressError"), "{names}");
    }
    assert_eq!(host.received(), 3);
    // The time of a run is counted at its end, which its caller does not wait for.
    eventually("the time of the runs is counted", async || {
        stage.settle().await;
        stage.sums(account, "extension", installed.extension_id).await.handler_us >= 100_000
    })
    .await;
    let sums = stage.sums(account, "extension", installed.extension_id).await;
    assert_eq!((sums.fetches, sums.requests), (3, 0));
    let of_account = stage.sums(account, "account", account).await;
    assert_eq!((of_account.fetches, of_account.requests), (3, 3));
    worker.stop().await.unwrap();
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_fetches_and_writes_of_a_stopped_extension_are_refused() {
    let host = Host::start().await;
    let mut stage = Stage::of(host.app().await).await;
    let account = stage.owner.account_id;
    let (stopped, other) = (
        installed(&stage.app, account, &host.address).await,
        installed(&stage.app, account, &host.address).await,
    );
    let worker = runtime(&stage.app).await;
    let urls = || json!({ "urls": ["http://HOST/a"] });
    let write = json!({ "value": "x".repeat(100) });
    assert_eq!(call(&stage.owner, &stopped, "reach", urls()).await.data(), &json!(["ok"]));
    assert_eq!(call(&stage.owner, &stopped, "write", write.clone()).await.data(), "written");
    for unit in ["fetches", "stored_bytes"] {
        let id = stopped.extension_id;
        stage.budget(&json!({ "unit": unit, "period": "day", "maximum": 1, "extension_id": id })).await;
    }
    stage.measure().await;
    eventually("the runtime reads the stops", async || {
        let names = call(&stage.owner, &stopped, "reach", urls()).await.data().clone();
        names == json!(["LimitError: ctx.fetch: the budget of fetches is used up"])
    })
    .await;
    let refused = call(&stage.owner, &stopped, "write", write.clone()).await;
    assert_eq!(refused.data(), "ctx.db: the budget of stored bytes is used up");
    assert_eq!(call(&stage.owner, &other, "reach", urls()).await.data(), &json!(["ok"]));
    assert_eq!(call(&stage.owner, &other, "write", write.clone()).await.data(), "written");
    // What is removed is measured, and then there is room again.
    assert_eq!(call(&stage.owner, &stopped, "remove", json!({})).await.data(), "removed");
    stage.advance(TimeDelta::minutes(6)).await;
    stage.measure().await;
    eventually("the runtime reads the end of the stop", async || {
        call(&stage.owner, &stopped, "write", write.clone()).await.data() == "written"
    })
    .await;

    let id = stopped.extension_id;
    eventually("the time of the runs is counted", async || {
        stage.settle().await;
        stage.sums(account, "extension", id).await.handler_us >= 1_000
    })
    .await;
    let input = json!({ "unit": "handler_ms", "period": "day", "maximum": 1, "extension_id": id });
    let budget = stage.budget(&input).await;
    assert!(!budget["stopped_until"].is_null(), "{budget}");
    let mut last = Value::Null;
    eventually("the runtime stops the handlers", async || {
        let answer = call(&stage.owner, &stopped, "wait", json!({})).await;
        last = answer.body.clone();
        answer.status == 429
    })
    .await;
    let message = last["message"].as_str().expect("a message");
    assert!(message.starts_with("the budget of handler time is used up until "), "{message}");
    assert_eq!(call(&stage.owner, &other, "wait", json!({})).await.data(), true);
    worker.stop().await.unwrap();
    stage.stop().await;
}
