//! `kill -9` of one of two processes that visit channels. Nothing ends the claims of the dead but time; a directory that
//! is read by one process after another is in `public_stats::crawler::killed`.

use std::{collections::HashMap, time::Duration};

use chrono::{DateTime, Utc};
use lumio_tests::{Program, TestApp, is_slow};
use platforms_stand_in::{Failure, Platform};
use serde_json::Value;

use super::{
    eventually,
    streams::{execute, number, rows},
};

const CHANNELS: usize = 20_000;
/// Number of channels of a call.
const BATCH: usize = 100;
/// Duration of a call while processes are killed, far below that of a claim: one copy has no time to visit all.
const CALL_DURATION: Duration = Duration::from_secs(3);
/// Claims that have not ended.
const CLAIMS: &str = "crawler_channels WHERE lease_until > now()";

/// Process with the name that it has in claims.
struct Crawler {
    program: Program,
    owner: String,
}

/// Claim of a process that was killed.
struct Orphan {
    channel: String,
    killed_at: DateTime<Utc>,
    lease_until: DateTime<Utc>,
}

/// Channels of Twitch on the watch list.
struct Scene {
    app: TestApp,
    watched: usize,
    /// Names of all copies so far.
    owners: Vec<String>,
}

impl Scene {
    async fn start() -> Self {
        let app = TestApp::start().await;
        app.switch("system:crawler", true).await;
        // No channel is in the scope. The interval does not end in the test, unless an hour does.
        let scope =
            "UPDATE crawler_scope SET platforms = '{twitch}', languages = '{xx}', interval_secs = 3600";
        execute(&app.databases.postgres, scope).await;
        app.platforms.seed_directory(Platform::Twitch, CHANNELS, CHANNELS);
        Self { app, watched: 0, owners: Vec::new() }
    }

    async fn number(&self, rows_of: &str) -> usize {
        usize::try_from(number(&self.app.databases.postgres, rows_of).await).expect("a number")
    }

    /// Keeps several calls' worth of channels due, and the calls slow.
    async fn supply(&mut self) {
        if !self.app.platforms.has_planned_failure() {
            self.app.platforms.fail_next_at(Platform::Twitch, "helix/streams", Failure::Slow(CALL_DURATION));
        }
        let taken = self.number("crawler_channels WHERE visited_at IS NOT NULL OR lease_until > now()").await;
        if self.watched >= taken + 3 * BATCH {
            return;
        }
        let first = self.watched;
        self.watched += BATCH;
        assert!(self.watched <= CHANNELS, "too many visits were not met");
        let entries = format!(
            "INSERT INTO crawler_watchlist (id, platform, channel, platform_channel_id)
             SELECT gen_random_uuid(), 'twitch', 'channel' || n, (10000000 + n)::text
             FROM generate_series({first}, {}) AS n",
            self.watched - 1
        );
        execute(&self.app.databases.postgres, &entries).await;
    }

    /// Starts a copy and waits for its first claim.
    async fn copy(&mut self) -> Crawler {
        let program = Program::start("lumio-worker", &["crawler"], &self.app.variables());
        let mut owner = None;
        eventually("it claims channels", async || {
            self.supply().await;
            let sql = format!("SELECT DISTINCT to_jsonb(lease_owner) AS row FROM {CLAIMS}");
            let found = rows(&self.app.databases.postgres, &sql).await;
            let mut names = found.iter().filter_map(Value::as_str).map(str::to_owned);
            owner = names.find(|name| !self.owners.contains(name));
            owner.is_some()
        })
        .await;
        let owner = owner.expect("a name");
        self.owners.push(owner.clone());
        Crawler { program, owner }
    }

    /// Kills a copy that holds claims, at a random time of its call. Returns those that it leaves.
    async fn kill(&mut self, copy: &mut Crawler) -> Vec<Orphan> {
        let own = format!("{CLAIMS} AND lease_owner = '{}'", copy.owner);
        eventually("it holds claims", async || {
            self.supply().await;
            self.number(&own).await > 0
        })
        .await;
        tokio::time::sleep(CALL_DURATION.mul_f64(rand::random_range(0.0..0.9))).await;
        copy.program.kill();
        let killed_at = self.app.clock.now();
        let sql = format!("SELECT jsonb_build_array(platform_channel_id, lease_until) AS row FROM {own}");
        let left = rows(&self.app.databases.postgres, &sql).await;
        left.iter()
            .map(|row| Orphan { channel: text(&row[0]), killed_at, lease_until: time(&row[1]) })
            .collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().and_then(|text| text.parse().ok()).expect("a time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crawler_copies_that_are_killed_leave_channels_that_are_visited_once_their_claims_end() {
    let kills = if is_slow() { 12 } else { 4 };
    let mut scene = Scene::start().await;
    let mut copies = [scene.copy().await, scene.copy().await];
    let (mut orphans, mut inside, mut all) = (Vec::new(), 0, 0);
    while inside < kills {
        assert!(all < 5 * kills, "only {inside} of {all} kills met a visit");
        let copy = &mut copies[all % 2];
        let left = scene.kill(copy).await;
        inside += usize::from(!left.is_empty());
        all += 1;
        orphans.extend(left);
        *copy = scene.copy().await;
    }
    let visited = "crawler_channels WHERE visited_at IS NOT NULL";
    let ended = eventually("every channel is visited", async || scene.number(visited).await == scene.watched);
    let ended = ended.await;
    for Crawler { program, .. } in &mut copies {
        program.terminate();
        assert!(program.ended().await.success());
    }

    let primary = &scene.app.databases.postgres;
    let sql = "SELECT jsonb_build_array(platform_channel_id, visited_at) AS row FROM crawler_channels";
    let visits: HashMap<String, DateTime<Utc>> =
        rows(primary, sql).await.iter().map(|row| (text(&row[0]), time(&row[1]))).collect();
    for Orphan { channel, killed_at, lease_until } in &orphans {
        let at = visits[channel];
        assert!(
            at < *killed_at || at >= *lease_until,
            "{channel}: visited at {at}, claimed until {lease_until}"
        );
    }
    let sql = "SELECT jsonb_build_array(platform_channel_id, count(*)) AS row FROM channel_samples
        WHERE viewer_count IS NOT NULL GROUP BY platform_channel_id";
    let samples = rows(&scene.app.databases.timescaledb, sql).await;
    assert_eq!(samples.len(), scene.watched, "every channel is sampled");
    let slots = "(SELECT DISTINCT at FROM channel_samples WHERE viewer_count IS NOT NULL) AS slots";
    let slots = number(&scene.app.databases.timescaledb, slots).await;
    assert!(slots <= 2, "two when an hour ended");
    for sample in &samples {
        let channel = text(&sample[0]);
        assert!(sample[1].as_i64().is_some_and(|samples| samples <= slots), "{channel} once in a slot");
        let interrupted = orphans.iter().filter(|orphan| orphan.channel == channel).count();
        let requests = scene.app.platforms.visits_to(Platform::Twitch, &channel);
        let allowed = u64::try_from(slots).expect("a number") + u64::try_from(interrupted).expect("a number");
        assert!((1..=allowed).contains(&requests), "{channel}: {requests} visits, {interrupted} interrupted");
    }
    let doubled = format!("public_streams WHERE viewed_secs > {}", 3_600 * slots);
    assert_eq!((number(primary, &doubled).await, scene.number("public_streams").await), (0, scene.watched));
    eprintln!("{all} kills, {inside} inside a visit, all visited {ended:?} after the last");
    scene.app.stop().await;
}
