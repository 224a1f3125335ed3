//! `kill -9` of the processes that count, and of the daemon that moves the counts (reference/usage.md#counting).

use std::{collections::BTreeMap, time::Duration};

use futures::future::join_all;
use lumio_tests::{Caller, Program, TestApp, eventually, is_slow};
use serde_json::json;
use tokio::sync::Notify;

use super::{
    host::Host,
    stage::{Stage, call, install, key_id, recount, runtime_variables},
};

/// Requests that run at the same time.
const CALLERS: usize = 4;

/// Calls a process until it is gone. Returns the numbers of requests that were answered and sent.
async fn call_until_gone(caller: &Caller, first: &Notify) -> (i64, i64) {
    let (mut answered, mut sent) = (0, 0);
    loop {
        sent += 1;
        let request = caller.request(reqwest::Method::GET, "/v1/usage/budgets");
        match request.send().await {
            Ok(response) => {
                assert_eq!(response.status(), 200);
                if response.bytes().await.is_err() {
                    return (answered, sent);
                }
                answered += 1;
                first.notify_one();
            }
            Err(_gone) => return (answered, sent),
        }
    }
}

/// One API process that is killed while it answers.
async fn kill_an_api(app: &TestApp, key: &Caller) -> (i64, i64) {
    let (mut process, url) = app.second_process().await;
    let caller = key.at(&url);
    // A new process answers its first request late on a loaded machine.
    let first = Notify::new();
    let calling = join_all((0..CALLERS).map(|_| call_until_gone(&caller, &first)));
    let killing = async {
        first.notified().await;
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..300))).await;
        process.kill();
    };
    let (counts, ()) = tokio::join!(calling, killing);
    counts.into_iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_processes_leave_the_usage_of_a_recount() {
    let kills = if is_slow() { 100 } else { 8 };
    let stage = Stage::new().await;
    let (app, account) = (&stage.app, stage.owner.account_id);
    let key = app.service_key(account, &["plan:read"]).await;
    let id = key_id(app, "account_service_keys").await;
    let start = || Program::start("lumio-worker", &["usage"], &app.variables());
    let (mut answered, mut sent) = (0, 0);
    let mut daemon = start();
    for kill in 0..kills {
        if kill % 2 == 0 {
            let counts = kill_an_api(app, &key).await;
            answered += counts.0;
            sent += counts.1;
        } else {
            tokio::time::sleep(Duration::from_millis(rand::random_range(0..300))).await;
            daemon.kill();
            daemon = start();
        }
    }
    daemon.kill();
    // What the last daemon left is moved, and everything that waits.
    stage.settle().await;
    let counted = stage.sums(account, "key", id).await.requests;
    eprintln!("{kills} kills: {answered} requests answered, {counted} counted, {sent} sent");
    assert!(answered > 0 && (answered..=sent).contains(&counted), "{answered} {counted} {sent}");
    assert_eq!(stage.sums(account, "account", account).await.requests, counted);
    let (hours, batches) = recount(app).await;
    assert_eq!(hours, batches, "each batch is added once");
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_runs_count_until_their_last_heartbeat() {
    let host = Host::start().await;
    let stage = Stage::of(host.app().await).await;
    let account = stage.owner.account_id;
    let code = format!(
        "export async function ping() {{ return true }}
        export async function hang(ctx) {{
            await ctx.fetch('http://{}/');
            await new Promise((resolve) => setTimeout(resolve, 25000));
        }}",
        host.address
    );
    let functions = json!({
        "ping": { "kind": "action", "handler": "ping" }, "hang": { "kind": "action", "handler": "hang" },
    });
    let installed = install(&stage.app, account, &functions, &json!({}), &code).await;
    let variables: BTreeMap<String, String> = runtime_variables(&stage.app).await;
    let mut runtime = Program::start("lumio-worker", &["extension-runtime"], &variables);
    eventually("the runtime takes calls", async || {
        call(&stage.owner, &installed, "ping", json!({})).await.status == 200
    })
    .await;
    let caller = stage.owner.caller.clone();
    let calling = tokio::spawn(async move { call(&caller, &installed, "hang", json!({})).await.status });
    eventually("the run has begun", async || host.received() > 0).await;
    let began = std::time::Instant::now();
    let of_extension = async || {
        stage.settle().await;
        stage.sums(account, "extension", installed.extension_id).await
    };
    // The fetch was stored before its result was returned; the first heartbeat comes a second after the begin.
    eventually("a heartbeat is counted", async || of_extension().await.handler_us >= 1_000_000).await;
    let before = of_extension().await;
    assert_eq!(before.fetches, 1);
    runtime.kill();
    let lived = i64::try_from(began.elapsed().as_micros()).unwrap();
    let after = of_extension().await;
    // What it did before the host answered is not part of `lived`.
    assert!(
        (before.handler_us..=lived + 10_000_000).contains(&after.handler_us),
        "{before:?} {after:?} {lived}"
    );
    // The time after the last heartbeat is not counted.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(of_extension().await, after);
    assert_eq!(calling.await.expect("an answer"), 500);
    let (hours, batches) = recount(&stage.app).await;
    assert_eq!(hours, batches);
    stage.stop().await;
}
