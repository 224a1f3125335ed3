//! Measures the job queue: jobs per second from a backlog, and the time from adding a job to its start.
//!
//! ```text
//! throughput [--redis URL] [--jobs 200000] [--concurrency 50] [--paced 1000] [--rate 200]
//! ```
//!
//! Without `--redis` it uses `REDIS_URL`, or `redis://127.0.0.1`. Keys are removed afterwards. It prints one
//! line of JSON, times in microseconds. Build it in release.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use apalis::prelude::{BoxDynError, Data};
use queue::{Config, Connection, EnqueueOptions, Producer, StreamQueue};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Jobs of one call. Real producers make smaller calls, which cost more.
const BULK: u64 = 1_000;
/// Time without progress after which a run has failed.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Serialize, Deserialize)]
struct Noop {
    /// Microseconds since the start of the measurement.
    added: u64,
}

struct Options {
    redis: String,
    jobs: u64,
    concurrency: usize,
    paced: u64,
    rate: u64,
}

#[tokio::main]
async fn main() -> Result<(), BoxDynError> {
    let options = Options::from_arguments()?;
    let prefix = format!("throughput-{}", std::process::id());
    let connection = Connection::open(&options.redis, &prefix)?;
    let backlog = drain_backlog(&connection, &options).await;
    let pickup = pace(&connection, &options).await;
    remove_keys(&options.redis, &prefix).await?;
    println!("{}", json!({ "backlog": backlog?, "pickup": pickup? }));
    Ok(())
}

/// Adds all jobs, then lets one worker run them.
async fn drain_backlog(connection: &Connection, options: &Options) -> Result<Value, BoxDynError> {
    let config = Config { concurrency: options.concurrency, ..Config::new("backlog") };
    let config = Config { max_backlog: config.max_backlog.max(options.jobs), ..config };
    let producer = Producer::new(connection, config.clone())?;
    let began = Instant::now();
    for first in (0..options.jobs).step_by(BULK as usize) {
        let jobs: Vec<Noop> = (first..options.jobs.min(first + BULK)).map(|added| Noop { added }).collect();
        producer.enqueue_bulk(jobs.iter().map(|job| (job, EnqueueOptions::new()))).await?;
    }
    let adding = began.elapsed();

    let done = Arc::new(AtomicU64::new(0));
    let handler = |_: Noop, done: Data<Arc<AtomicU64>>| {
        done.fetch_add(1, Ordering::Relaxed);
        std::future::ready(())
    };
    let queue = StreamQueue::<Noop>::new(connection, config)?;
    let began = Instant::now();
    let worker = tokio::spawn(queue.worker().data(done.clone()).build(handler).run());
    reached(&done, options.jobs).await?;
    let running = began.elapsed();
    worker.abort();
    Ok(json!({
        "jobs": options.jobs,
        "concurrency": options.concurrency,
        "added_per_second": per_second(options.jobs, adding),
        "done_per_second": per_second(options.jobs, running),
    }))
}

/// Adds jobs one by one at a steady rate while a worker waits for them.
async fn pace(connection: &Connection, options: &Options) -> Result<Value, BoxDynError> {
    let config = Config { concurrency: options.concurrency, ..Config::new("paced") };
    let producer = Producer::new(connection, config.clone())?;
    let (began, waits) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
    let (done, seen) = (Arc::new(AtomicU64::new(0)), waits.clone());
    let handler = move |job: Noop, done: Data<Arc<AtomicU64>>| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(micros(began).saturating_sub(job.added));
        done.fetch_add(1, Ordering::Relaxed);
        std::future::ready(())
    };
    let queue = StreamQueue::<Noop>::new(connection, config)?;
    let worker = tokio::spawn(queue.worker().data(done.clone()).build(handler).run());
    // The first jobs only warm up connections and scripts.
    let warm_up = options.paced / 10;
    let mut tick = tokio::time::interval(Duration::from_secs(1) / u32::try_from(options.rate)?);
    for _ in 0..warm_up + options.paced {
        tick.tick().await;
        producer.enqueue(&Noop { added: micros(began) }, EnqueueOptions::new()).await?;
    }
    reached(&done, warm_up + options.paced).await?;
    worker.abort();
    let mut waits = waits.lock().unwrap_or_else(PoisonError::into_inner).split_off(usize::try_from(warm_up)?);
    waits.sort_unstable();
    let percentile = |percent: usize| waits.get((waits.len() * percent / 100).min(waits.len() - 1));
    Ok(json!({
        "jobs": waits.len(),
        "per_second": options.rate,
        "p50_us": percentile(50),
        "p99_us": percentile(99),
        "max_us": waits.last(),
    }))
}

async fn reached(done: &AtomicU64, jobs: u64) -> Result<(), BoxDynError> {
    let (mut seen, mut progress) = (0, Instant::now());
    while seen < jobs {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let now = done.load(Ordering::Relaxed);
        if now > seen {
            (seen, progress) = (now, Instant::now());
        } else if progress.elapsed() > STALL_TIMEOUT {
            return Err(format!("stalled after {seen} of {jobs} jobs").into());
        }
    }
    Ok(())
}

async fn remove_keys(url: &str, prefix: &str) -> Result<(), BoxDynError> {
    let mut redis = redis::Client::open(url)?.get_multiplexed_async_connection().await?;
    let queues = ["backlog", "paced"].map(|queue| format!("{{{prefix}:{queue}}}"));
    let keys =
        queues.iter().flat_map(|tag| ["s", "delayed", "dead", "workers"].map(|key| format!("{tag}:{key}")));
    redis::cmd("UNLINK").arg(keys.collect::<Vec<_>>()).query_async::<()>(&mut redis).await?;
    Ok(())
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn per_second(jobs: u64, took: Duration) -> u64 {
    (jobs as f64 / took.as_secs_f64()) as u64
}

impl Options {
    fn from_arguments() -> Result<Self, BoxDynError> {
        let redis = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1".into());
        let mut options = Self { redis, jobs: 200_000, concurrency: 50, paced: 1_000, rate: 200 };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--redis" => options.redis = value,
                "--jobs" => options.jobs = number(&name, &value)?,
                "--concurrency" => options.concurrency = usize::try_from(number(&name, &value)?)?,
                "--paced" => options.paced = number(&name, &value)?,
                "--rate" => options.rate = number(&name, &value)?,
                _ => return Err(format!("unknown option {name}").into()),
            }
        }
        Ok(options)
    }
}

fn number(name: &str, value: &str) -> Result<u64, BoxDynError> {
    match value.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err(format!("{name} must be a number from 1, is {value}").into()),
    }
}
