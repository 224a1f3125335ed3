//! Background task of a worker that makes delayed jobs ready, reports that the worker is alive, and removes
//! dead consumers.

use std::{
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use redis::{RedisResult, Script};

use crate::{
    connection::{BATCH_SIZE, Core},
    consumer::Consumer,
    keys::GROUP,
    metric::Metric,
    pause::Pause,
};

static PROMOTE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/promote.lua")));
static HEARTBEAT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/heartbeat.lua")));
static SWEEP: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/sweep.lua")));

/// Silence after which a worker no longer counts.
pub(crate) const WORKER_TTL: Duration = Duration::from_secs(30);
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// Silence after which a consumer is removed. It is long, so that an operator can still see the jobs that it
/// held.
const CONSUMER_TTL: Duration = Duration::from_hours(1);
const SWEEP_INTERVAL: Duration = Duration::from_mins(1);

/// Every worker does this for the whole queue. The scripts keep every step from happening twice.
pub(crate) async fn promote_jobs(core: Arc<Core>, consumer: Arc<Consumer>) {
    let mut promoter =
        Promoter { next_heartbeat: Instant::now(), next_sweep: Instant::now(), core, consumer };
    let mut pause = Pause::new();
    loop {
        match promoter.round().await {
            Ok(()) => pause.reset(),
            Err(error) => {
                promoter.core.redis_failed("promoter", &error);
                pause.wait(&promoter.consumer.gone).await;
            }
        }
        tokio::time::sleep(promoter.core.config.promote_every).await;
    }
}

struct Promoter {
    core: Arc<Core>,
    consumer: Arc<Consumer>,
    next_heartbeat: Instant,
    next_sweep: Instant,
}

impl Promoter {
    async fn round(&mut self) -> RedisResult<()> {
        promote(&self.core).await?;
        if Instant::now() >= self.next_heartbeat && !self.consumer.stop.is_cancelled() {
            heartbeat(&self.core, &self.consumer).await?;
            self.next_heartbeat = Instant::now() + HEARTBEAT_INTERVAL;
        }
        if Instant::now() >= self.next_sweep {
            sweep(&self.core, "").await?;
            self.next_sweep = Instant::now() + SWEEP_INTERVAL;
        }
        Ok(())
    }
}

async fn promote(core: &Core) -> RedisResult<()> {
    let keys = [core.keys.stream.as_str(), &core.keys.delayed];
    loop {
        let jobs: usize = core.connection.run(&PROMOTE, &keys, &[BATCH_SIZE]).await?;
        if jobs > 0 {
            core.report(&Metric::Promoted { jobs });
        }
        if jobs < BATCH_SIZE {
            return Ok(());
        }
    }
}

async fn heartbeat(core: &Core, consumer: &Consumer) -> RedisResult<()> {
    let args = [consumer.name.as_str(), &WORKER_TTL.as_millis().to_string()];
    core.connection.run(&HEARTBEAT, &[&core.keys.workers], &args).await
}

/// Removes consumers that hold nothing: `leaving`, and those that were silent for long.
pub(crate) async fn sweep(core: &Core, leaving: &str) -> RedisResult<usize> {
    let args = [GROUP, leaving, &CONSUMER_TTL.as_millis().to_string()];
    core.connection.run(&SWEEP, &[&core.keys.stream, &core.keys.workers], &args).await
}
