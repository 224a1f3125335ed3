//! Measures one invocation: a fresh instance, the memory of a loaded 5 KB handler, one call.
//!
//! `cargo run --release -p sandbox --example invoke_bench -- [invocations]`

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use sandbox::{
    Context, Engine, EngineConfig, FetchRequest, FetchResponse, Handler, Host, HostError, HostRequest,
    Invocation, LogLine,
};
use serde_json::{Value, json};

const HANDLER: &str = include_str!("handler.js");
const ROUNDS: usize = 5;
const LIVE_INSTANCES: usize = 200;

type AnyError = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), AnyError> {
    let invocations: usize = std::env::args().nth(1).map_or(Ok(2_000), |count| count.parse())?;
    let engine = Engine::new(EngineConfig::new(EngineConfig::default_dir()?))?;
    let handler = engine.compile(HANDLER).await?;
    println!("loaded handler: {} KiB", handler.size_bytes() / 1024);

    measure(&handler, invocations / 10).await?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(measure(&handler, invocations).await?);
    }
    rounds.sort_by(f64::total_cmp);
    println!(
        "invocation: {:.1} us (median of {ROUNDS} rounds of {invocations}; {:.1} to {:.1})",
        rounds[ROUNDS / 2],
        rounds[0],
        rounds[ROUNDS - 1]
    );
    println!("live instance: {:.0} KiB", live_kib(&handler).await?);
    Ok(())
}

/// Microseconds for one invocation.
async fn measure(handler: &Handler, invocations: usize) -> Result<f64, AnyError> {
    let host = Arc::new(SilentHost::default());
    let started = Instant::now();
    for _ in 0..invocations {
        handler.invoke(invocation("onCommand"), host.clone()).await.result?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e6 / invocations as f64)
}

/// Memory of an instance that waits for the host in the middle of a call.
async fn live_kib(handler: &Handler) -> Result<f64, AnyError> {
    let host = Arc::new(SilentHost::default());
    let before = private_kib()?;
    let mut alive = Vec::new();
    while host.waiting.load(Ordering::Relaxed) < LIVE_INSTANCES {
        let mut call = Box::pin(handler.invoke(invocation("onWait"), host.clone()));
        let waiting = host.waiting.load(Ordering::Relaxed) + 1;
        while host.waiting.load(Ordering::Relaxed) < waiting {
            assert!(futures::poll!(call.as_mut()).is_pending(), "the handler waits for its fetch");
            tokio::task::yield_now().await;
        }
        alive.push(call);
    }
    let kib = (private_kib()? - before) / LIVE_INSTANCES as f64;
    drop(alive);
    Ok(kib)
}

fn private_kib() -> Result<f64, AnyError> {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup")?;
    let dirty =
        rollup.lines().find_map(|line| line.strip_prefix("Private_Dirty:")).ok_or("no Private_Dirty")?;
    Ok(dirty.trim().trim_end_matches(" kB").parse()?)
}

fn invocation(handler: &str) -> Invocation {
    let input = json!({
        "text": "!sum 1 2 3 40 -5",
        "user": { "id": "u1", "name": "Ada", "xp": 12_345 },
        "scores": [
            { "name": "a", "score": 5 }, { "name": "b", "score": 50 }, { "name": "c", "score": 15 },
            { "name": "d", "score": 25 }, { "name": "e", "score": 1 },
        ],
    });
    let context = Context { auth: json!({ "accountId": "a1" }), config: json!({}), user: None };
    Invocation { context, ..Invocation::new(handler, input) }
}

/// Never completes a fetch; counts those that wait.
#[derive(Default)]
struct SilentHost {
    waiting: AtomicUsize,
}

#[async_trait::async_trait]
impl Host for SilentHost {
    fn log(&self, _: LogLine) {}

    fn secret(&self, _: &str) -> Option<String> {
        None
    }

    async fn perform(&self, _: HostRequest) -> Result<Value, HostError> {
        Ok(Value::Null)
    }

    fn replied(&self, _: Value) {}

    async fn fetch(&self, _: FetchRequest) -> Result<FetchResponse, HostError> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        std::future::pending().await
    }
}
