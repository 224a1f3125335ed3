//! `kill -9` of worker processes that are inside a job.

use std::{collections::BTreeMap, time::Duration};

use foundation::jobs::{HandleDelivery, Job};
use futures::future::join_all;
use lumio_tests::{Program, TestApp, eventually_within, is_slow};

use super::{Channel, eventually};
use lumio_tests::world::{messages, open_deliveries, published};

/// Channels that take turns: a line waits a moment for earlier ones of its channel, which died with their worker.
const CHANNELS: usize = 10;
/// Number of lines for each worker.
const LINES: usize = 5;

/// The jobs of deliveries; those that a dead worker holds still count as running.
async fn queued(app: &TestApp) -> queue::Stats {
    let config = &app.state.config.redis;
    let queues = queue::Connection::open(config.url.expose(), &config.prefix).expect("a Redis address");
    queues.stats(HandleDelivery::QUEUE).await.expect("Redis answers")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_inside_jobs_lose_and_repeat_nothing() {
    let kills = if is_slow() { 100 } else { 25 };
    let app = TestApp::start().await;
    let channels = join_all((0..CHANNELS).map(|_| Channel::open(&app))).await;
    let variables: BTreeMap<String, String> = app.variables();
    let (mut inside, mut all) = (0, 0);
    while inside < kills {
        assert!(all < 5 * kills, "only {inside} of {all} kills met a job");
        let channel = &channels[all % CHANNELS];
        let chat = format!("chat:{}", channel.owner.account_id);
        let before = published(&app, &chat).await.len();
        let mut worker = Program::start("lumio-worker", &["ingest"], &variables);
        let lines: Vec<String> = (0..LINES).map(|line| format!("line {all}.{line}")).collect();
        let talking = join_all(lines.iter().map(|line| channel.say(&app, line)));
        let working = eventually("it works", async || published(&app, &chat).await.len() > before);
        tokio::join!(talking, working);
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..10))).await;
        worker.kill();
        all += 1;
        inside += usize::from(queued(&app).await.running > 0);
    }
    let mut survivor = Program::start("lumio-worker", &["ingest"], &variables);
    // The dead workers' leases expire first, then a line that several of them held waits for its next attempt.
    let all_handled = async || open_deliveries(&app).await == 0;
    let handled = eventually_within(Duration::from_secs(480), "every delivery is handled", all_handled).await;
    let mut stored = Vec::new();
    for channel in &channels {
        let account = channel.owner.account_id;
        let published = published(&app, &format!("chat:{account}")).await;
        eventually("every told line is stored", async || {
            messages(&app, account).await.len() >= published.len()
        })
        .await;
        let rows = messages(&app, account).await;
        assert_eq!(rows.len(), published.len(), "each line is told once and stored once");
        stored.extend(rows.iter().map(|row| row["text"].as_str().expect("a text").to_owned()));
    }
    eprintln!("{all} kills, {inside} inside a job: all handled {handled:?} after the last");
    stored.sort();
    stored.dedup();
    assert_eq!(stored.len(), all * LINES, "none is lost");
    assert_eq!(queued(&app).await.dead, 0);
    survivor.terminate();
    assert!(survivor.ended().await.success());
    app.stop().await;
}
