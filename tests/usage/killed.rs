//! `kill -9` of the processes that count, and of the daemon that moves the counts (reference/usage.md#counting).

use std::{collections::BTreeMap, time::Duration};

use futures::future::join_all;
use lumio_tests::{Caller, Program, TestApp, eventually, is_slow, world::connect};
use platforms_stand_in::{Failure, Platform};
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tokio::{sync::Notify, task::JoinSet};
use uuid::Uuid;

use super::{
    host::Host,
    stage::{Installed, Stage, call, install, key_id, recount, rows, runtime_variables},
};

/// Requests, messages or runs that are in progress at the same time.
const CALLERS: usize = 4;
/// Time for which the platform does not answer, longer than a process lives.
const UNANSWERED: Duration = Duration::from_secs(30);
/// Time that a run takes at least.
const RUN: Duration = Duration::from_millis(50);

/// Numbers of requests.
#[derive(Default)]
struct Requests {
    answered: i64,
    sent: i64,
}

/// A stage whose owner has a channel, without a pace.
async fn sending_stage() -> Stage {
    let stage = Stage::of(TestApp::builder().with("LUMIO_RATE_CHAT_SEND", 1_000_000).start().await).await;
    connect(&stage.app, stage.owner.account_id, Platform::Twitch, "streamer").await;
    stage
}

/// Number of messages that the platform has accepted.
fn accepted(app: &TestApp) -> i64 {
    number(app.platforms.sent_messages(Platform::Twitch).len())
}

fn number(length: usize) -> i64 {
    i64::try_from(length).expect("a small number")
}

fn reading(caller: &Caller) -> RequestBuilder {
    caller.request(Method::GET, "/v1/usage/budgets")
}

fn sending(caller: &Caller) -> RequestBuilder {
    let message = json!({ "platform": "twitch", "message": "a line" });
    caller.request(Method::POST, "/v1/chat/send").json(&message)
}

/// Calls a process until it is gone.
async fn call_until_gone(
    caller: &Caller,
    request: fn(&Caller) -> RequestBuilder,
    first: &Notify,
) -> Requests {
    let mut made = Requests::default();
    loop {
        made.sent += 1;
        match request(caller).send().await {
            Ok(response) => {
                assert_eq!(response.status(), 200);
                if response.bytes().await.is_err() {
                    return made;
                }
                made.answered += 1;
                first.notify_one();
            }
            Err(_gone) => return made,
        }
    }
}

/// One API process that is killed while it answers. Returns the requests that read, and those that send a message.
async fn kill_an_api(app: &TestApp, key: &Caller) -> (Requests, Requests) {
    let (mut process, url) = app.second_process().await;
    let caller = key.at(&url);
    // A new process answers its first request late on a loaded machine.
    let first = Notify::new();
    let calling = |request: fn(&Caller) -> RequestBuilder| {
        join_all((0..CALLERS).map(|_| call_until_gone(&caller, request, &first)))
    };
    let killing = async {
        first.notified().await;
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..300))).await;
        process.kill();
    };
    let (reads, sends, ()) = tokio::join!(calling(reading), calling(sending), killing);
    (sum(reads), sum(sends))
}

fn sum(requests: Vec<Requests>) -> Requests {
    requests.into_iter().fold(Requests::default(), |sum, made| Requests {
        answered: sum.answered + made.answered,
        sent: sum.sent + made.sent,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_processes_leave_the_usage_of_a_recount() {
    let kills = if is_slow() { 100 } else { 8 };
    let stage = sending_stage().await;
    let (app, account) = (&stage.app, stage.owner.account_id);
    let key = app.service_key(account, &["plan:read", "chat:write"]).await;
    let id = key_id(app, "account_service_keys").await;
    let start = || Program::start("lumio-worker", &["usage"], &app.variables());
    let (mut all, mut messages) = (Vec::new(), 0);
    let mut daemon = start();
    for kill in 0..kills {
        if kill % 2 == 0 {
            let (reads, sends) = kill_an_api(app, &key).await;
            messages += sends.sent;
            all.extend([reads, sends]);
        } else {
            tokio::time::sleep(Duration::from_millis(rand::random_range(0..300))).await;
            daemon.kill();
            daemon = start();
        }
    }
    daemon.kill();
    // What the last daemon left is moved, and everything that waits.
    stage.settle().await;
    let (Requests { answered, sent }, accepted) = (sum(all), accepted(app));
    let counted = stage.sums(account, "key", id).await;
    eprintln!("{kills} kills: {answered} requests answered, {} counted, {sent} sent", counted.requests);
    eprintln!("{accepted} messages accepted, {} counted, {messages} requested", counted.messages);
    assert!(answered > 0 && (answered..=sent).contains(&counted.requests), "{answered} {counted:?} {sent}");
    // Messages in progress at a kill may count, and none that was accepted is missing.
    assert!(
        accepted > 0 && (accepted..=messages).contains(&counted.messages),
        "{accepted} {counted:?} {messages}"
    );
    assert_eq!(stage.sums(account, "account", account).await, counted);
    let (hours, batches) = recount(app).await;
    assert_eq!(hours, batches, "each batch is added once");
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_processes_leave_the_messages_of_a_recount() {
    let kills = if is_slow() { 100 } else { 4 };
    let stage = sending_stage().await;
    let (app, account) = (&stage.app, stage.owner.account_id);
    let key = app.service_key(account, &["chat:write"]).await;
    let id = key_id(app, "account_service_keys").await;
    for kill in 1..=kills {
        let (mut process, url) = app.second_process().await;
        for _ in 0..CALLERS {
            app.platforms.fail_next_at(Platform::Twitch, "chat/messages", Failure::Late(UNANSWERED));
        }
        let caller = key.at(&url);
        let sending = join_all((0..CALLERS).map(|_| sending(&caller).send()));
        // Between the acceptance of every message and its answer.
        let killing = async {
            eventually("every message is accepted", async || accepted(app) == kill * number(CALLERS)).await;
            process.kill();
        };
        tokio::join!(sending, killing);
    }
    stage.settle().await;
    let accepted = accepted(app);
    assert_eq!(accepted, kills * number(CALLERS));
    for (kind, subject) in [("key", id), ("account", account)] {
        assert_eq!(stage.sums(account, kind, subject).await.messages, accepted, "{kind}");
    }
    let (hours, batches) = recount(app).await;
    assert_eq!(hours, batches);
    stage.stop().await;
}

/// Sums of the stored bytes of an extension: as measured, and of its values.
async fn stored_bytes(app: &TestApp, extension: Uuid) -> (i64, i64) {
    let of = async |sql: &str| {
        let found =
            rows(app, &format!("SELECT to_jsonb(coalesce(sum(bytes), 0)::bigint) AS row FROM {sql}")).await;
        found[0].as_i64().expect("a number")
    };
    let measured = format!("usage_storage WHERE subject_kind = 'extension' AND subject_id = '{extension}'");
    let stored = format!("extension_values WHERE extension_id = '{extension}'");
    (of(&measured).await, of(&stored).await)
}

/// Code with a run that ends, runs that do not, and one that writes until it is killed.
fn code(host: &str) -> String {
    format!(
        "export async function ping() {{ return true }}
        export async function work(ctx, input) {{
            await ctx.fetch('http://{host}/');
            await ctx.db.set('install', `work ${{input.kill}}`, 'x'.repeat(input.kill));
            await new Promise((resolve) => setTimeout(resolve, {run}));
            return true;
        }}
        export async function hold(ctx) {{ await ctx.fetch('http://{host}/held') }}
        export async function write(ctx) {{
            for (let n = 0; n < 900; n++) await ctx.db.set('install', `write ${{n % 10}}`, 'x'.repeat(n));
        }}",
        run = RUN.as_millis()
    )
}

/// Runs some work, then kills the runtime while the host answers none of the requests of its runs.
async fn kill_a_runtime(
    stage: &Stage,
    host: &Host,
    installed: Installed,
    variables: &BTreeMap<String, String>,
    kill: usize,
) {
    let mut runtime = Program::start("lumio-worker", &["extension-runtime"], variables);
    eventually("the runtime takes calls", async || {
        call(&stage.owner, &installed, "ping", json!({})).await.status == 200
    })
    .await;
    assert_eq!(call(&stage.owner, &installed, "work", json!({ "kill": kill })).await.data(), true);
    let before = host.received();
    let mut cut_off = JoinSet::new();
    for function in std::iter::repeat_n("hold", CALLERS).chain(["write"]) {
        let caller = stage.owner.caller.clone();
        cut_off.spawn(async move { call(&caller, &installed, function, json!({})).await });
    }
    eventually("the requests are sent", async || host.received() == before + CALLERS).await;
    tokio::time::sleep(Duration::from_millis(rand::random_range(0..100))).await;
    runtime.kill();
    // Nothing will answer them.
    cut_off.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_runtimes_leave_the_usage_of_a_recount() {
    let kills = if is_slow() { 100 } else { 3 };
    let host = Host::start().await;
    let builder = host.builder().with("LUMIO_RUNTIME_INVOCATIONS_PER_MINUTE", 100_000);
    let mut stage = Stage::of(builder.start().await).await;
    let account = stage.owner.account_id;
    let action = |name: &str| json!({ "kind": "action", "handler": name });
    let functions = json!({
        "ping": action("ping"), "work": action("work"), "hold": action("hold"), "write": action("write"),
    });
    let installed = install(&stage.app, account, &functions, &json!({}), &code(&host.address)).await;
    let variables = runtime_variables(&stage.app).await;
    for kill in 1..=kills {
        kill_a_runtime(&stage, &host, installed, &variables, kill).await;
        // A session ends after 15 minutes.
        stage.owner = stage.app.session(stage.owner.user_id, account).await;
    }
    stage.measure().await;
    let counted = stage.sums(account, "extension", installed.extension_id).await;
    assert_eq!(host.received(), kills * (CALLERS + 1));
    assert_eq!(counted.fetches, number(host.received()), "a fetch counts before it is sent");
    let worked = i64::try_from(RUN.as_micros()).unwrap() * number(kills);
    assert!(counted.handler_us >= worked, "runs that have ended count: {counted:?} {worked}");
    let (measured, stored) = stored_bytes(&stage.app, installed.extension_id).await;
    assert_eq!((measured, measured > 0), (stored, true));
    let (hours, batches) = recount(&stage.app).await;
    assert_eq!(hours, batches);
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
    let variables = runtime_variables(&stage.app).await;
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
