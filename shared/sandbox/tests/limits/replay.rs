use std::sync::Arc;

use sandbox::{FixedClock, Invocation};
use serde_json::json;

use crate::support::{TestHost, call, compile, success};

const SOURCE: &str = "const loaded = [Date.now(), Math.random()];
    export const run = () => ({ now: new Date().toISOString(), random: [Math.random(), Math.random()], loaded })";

#[tokio::test]
async fn replay_is_decided_by_clock_and_seed() {
    let handler = compile(SOURCE).await;
    let at = |micros, seed| Invocation { clock: Arc::new(FixedClock(micros)), seed, ..call() };

    let first = success(handler.invoke(at(1_700_000_000_123_000, 7), TestHost::new()).await);
    let again = success(handler.invoke(at(1_700_000_000_123_000, 7), TestHost::new()).await);
    let other = success(handler.invoke(at(1_700_000_000_123_000, 8), TestHost::new()).await);

    assert_eq!(first["now"], "2023-11-14T22:13:20.123Z");
    assert_eq!(first, again);
    assert_ne!(first["random"], other["random"]);
    assert_ne!(first["random"][0], first["random"][1]);
}

#[tokio::test]
async fn replay_of_loading_is_deterministic() {
    let (one, two) = (compile(SOURCE).await, compile(SOURCE).await);

    let one = success(one.invoke(call(), TestHost::new()).await);
    let two = success(two.invoke(call(), TestHost::new()).await);

    assert_eq!(one, two);
    assert_eq!(one["loaded"][0], json!(0));
}

#[tokio::test]
async fn replay_seeds_differ_between_invocations_by_default() {
    let handler = compile("export const run = () => Math.random()").await;

    let one = success(handler.invoke(Invocation::new("run", json!(null)), TestHost::new()).await);
    let two = success(handler.invoke(Invocation::new("run", json!(null)), TestHost::new()).await);

    assert_ne!(one, two);
}
