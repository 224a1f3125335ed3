//! The jobs of the tests, their handler, and workers that run it.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use apalis::prelude::{AbortError, Attempt, BoxDynError, Data, MonitorError, RetryAfterError, WorkerContext};
use queue::{Backoff, Config, Connection, EnqueueOptions, Metric, Producer, Stats, StreamQueue};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{journal::Journal, server::shared_url};

/// Only a hang lasts as long.
const DEADLINE: Duration = Duration::from_secs(90);

/// Payload of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Work {
    /// Number of the job.
    pub job: u64,
    /// Behaviour of its handler.
    pub does: Does,
}

/// Behaviour of a handler.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Does {
    /// Sleeps, then has its effect.
    Sleep { ms: u64 },
    /// Returns an error.
    Fail,
    /// Sleeps, then fails in the worker of this name and has its effect in any other.
    FailIn { worker: String, ms: u64 },
    /// Returns an error that forbids another attempt.
    Abort,
    /// The first attempt requests the next one after this time, which has its effect.
    AskForDelay { ms: u64 },
    /// Panics.
    Panic,
    /// Ends its process on the spot.
    KillProcess,
    /// Blocks its thread until [`RELEASE`].
    Block,
    /// Waits until there is a file of this name.
    AwaitFile { path: PathBuf },
    /// Pauses its worker.
    Pause,
}

/// Releases handlers that block their threads.
pub static RELEASE: AtomicBool = AtomicBool::new(false);

/// State of a handler.
#[derive(Clone)]
pub struct Context {
    /// Journal of its actions.
    pub journal: Journal,
    /// Name of the worker.
    pub worker: String,
}

/// Handler of all jobs.
pub async fn handle(
    work: Work,
    attempt: Attempt,
    context: Data<Context>,
    worker: WorkerContext,
) -> Result<(), BoxDynError> {
    let Work { job, does } = work;
    context.journal.started(job, attempt.current());
    let mut unfinished = Unfinished { journal: &context.journal, job, finished: false };
    let result = match does {
        Does::Pause => worker.pause().map_err(Into::into),
        does => act(does, attempt.current(), &context.worker).await,
    };
    unfinished.finished = true;
    if result.is_ok() {
        context.journal.effect(job);
    }
    result
}

async fn act(does: Does, attempt: usize, worker: &str) -> Result<(), BoxDynError> {
    let sleep = |ms| tokio::time::sleep(Duration::from_millis(ms));
    match does {
        Does::Sleep { ms: 0 } => {}
        Does::Sleep { ms } => sleep(ms).await,
        Does::Fail => return Err("asked to fail".into()),
        Does::FailIn { worker: failing, ms } => {
            sleep(ms).await;
            if failing == worker {
                return Err("asked to fail here".into());
            }
        }
        Does::Abort => return Err(AbortError::new("asked to abort").into()),
        Does::AskForDelay { ms } if attempt == 1 => {
            return Err(RetryAfterError::new("asked to wait", Duration::from_millis(ms)).into());
        }
        Does::AskForDelay { .. } => {}
        Does::Panic => panic!("asked to panic"),
        Does::KillProcess => std::process::abort(),
        Does::Block => {
            while !RELEASE.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        Does::AwaitFile { path } => {
            while !path.exists() {
                sleep(5).await;
            }
        }
        Does::Pause => return Err("the handler does this itself".into()),
    }
    Ok(())
}

/// Records that a handler was dropped before its end.
struct Unfinished<'a> {
    journal: &'a Journal,
    job: u64,
    finished: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.finished && !std::thread::panicking() {
            self.journal.dropped(self.job);
        }
    }
}

/// Settings of a test's queue that tests change; child processes get the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settings {
    /// Jobs that a worker holds.
    pub concurrency: usize,
    /// Lease in milliseconds.
    pub lease_ms: u64,
    /// Timeout of a handler in milliseconds.
    pub timeout_ms: u64,
    /// Failures before a job becomes a dead letter.
    pub max_attempts: u32,
    /// Losses before a job becomes a dead letter.
    pub max_lost: u32,
    /// Highest number of jobs.
    pub max_backlog: u64,
    /// Lifetime of idempotency keys in milliseconds.
    pub idempotency_ttl_ms: u64,
    /// Time of a stopping worker to report outcomes, in milliseconds.
    pub settle_timeout_ms: u64,
    /// Time of handlers of a stopping worker, in milliseconds; `None` means until they end.
    pub drain_ms: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            concurrency: 10,
            lease_ms: 30_000,
            timeout_ms: 60_000,
            max_attempts: 5,
            max_lost: 5,
            max_backlog: 1_000_000,
            idempotency_ttl_ms: 600_000,
            settle_timeout_ms: 10_000,
            drain_ms: None,
        }
    }
}

impl Settings {
    /// The settings as a configuration of the queue.
    pub fn config(&self) -> Config {
        Config {
            concurrency: self.concurrency,
            lease: Duration::from_millis(self.lease_ms),
            timeout: Duration::from_millis(self.timeout_ms),
            max_attempts: self.max_attempts,
            max_lost: self.max_lost,
            max_backlog: self.max_backlog,
            idempotency_ttl: Duration::from_millis(self.idempotency_ttl_ms),
            settle_timeout: Duration::from_millis(self.settle_timeout_ms),
            drain: self.drain_ms.map(Duration::from_millis),
            backoff: Backoff { initial: Duration::from_millis(20), max: Duration::from_millis(100) },
            block: Duration::from_millis(300),
            ..Config::new("test")
        }
    }
}

/// A queue of a test with its clients, journal and metrics.
pub struct TestQueue {
    /// URL of Redis.
    pub url: String,
    /// Prefix of its keys.
    pub prefix: String,
    /// Settings of the queue.
    pub settings: Settings,
    /// Connection to Redis.
    pub connection: Connection,
    /// The queue.
    pub queue: StreamQueue<Work>,
    /// Producer of the queue.
    pub producer: Producer<Work>,
    /// Journal of the handlers.
    pub journal: Journal,
    /// Counts of the metrics.
    pub metrics: Metrics,
}

impl TestQueue {
    /// Uses the Redis that tests share.
    pub fn new(settings: Settings) -> Self {
        Self::on(&shared_url(), settings)
    }

    /// Uses the Redis at `url`.
    pub fn on(url: &str, settings: Settings) -> Self {
        let (prefix, metrics) = (format!("test-{}", uuid::Uuid::now_v7().simple()), Metrics::default());
        let connection = Connection::open(url, &prefix).unwrap().with_metrics(metrics.hook());
        let queue = StreamQueue::new(&connection, settings.config()).unwrap();
        let producer = Producer::new(&connection, settings.config()).unwrap();
        Self {
            url: url.to_owned(),
            prefix,
            settings,
            connection,
            queue,
            producer,
            journal: Journal::new(),
            metrics,
        }
    }

    /// Adds one job of each number.
    pub async fn add(&self, jobs: impl IntoIterator<Item = u64>, does: Does) {
        let jobs: Vec<Work> = jobs.into_iter().map(|job| Work { job, does: does.clone() }).collect();
        let added = jobs.iter().map(|work| (work, EnqueueOptions::new()));
        assert!(self.producer.enqueue_bulk(added).await.unwrap().iter().all(|new| *new));
    }

    /// Starts a worker in this process.
    pub fn worker(&self) -> LocalWorker {
        LocalWorker::start(&self.queue, &self.journal)
    }

    /// Numbers of jobs in the queue.
    pub async fn stats(&self) -> Stats {
        self.connection.stats("test").await.unwrap()
    }

    /// Waits until no job is left outside of the dead letters.
    pub async fn drained(&self) {
        let empty = async || {
            matches!(self.connection.stats("test").await, Ok(Stats { ready: 0, running: 0, delayed: 0, .. }))
        };
        eventually("the queue is empty", empty).await;
    }

    /// Errors of the dead letters, sorted.
    pub async fn dead_errors(&self) -> Vec<String> {
        let letters = self.connection.dead_letters("test", 1_000).await.unwrap();
        let mut errors: Vec<String> = letters.into_iter().map(|letter| letter.error).collect();
        errors.sort();
        errors
    }

    /// Runs a command on a separate connection.
    pub async fn raw<R: redis::FromRedisValue>(&self, command: &redis::Cmd) -> redis::RedisResult<R> {
        let client = redis::Client::open(self.url.as_str())?;
        command.query_async(&mut client.get_multiplexed_async_connection().await?).await
    }

    /// Name of a key of the queue.
    pub fn key(&self, name: &str) -> String {
        format!("{{{}:test}}:{name}", self.prefix)
    }
}

/// Deletes all keys of the test.
impl Drop for TestQueue {
    fn drop(&mut self) {
        let pattern = format!("{{{}:*", self.prefix);
        let Ok(client) = redis::Client::open(self.url.as_str()) else { return };
        let Ok(mut connection) = client.get_connection_with_timeout(Duration::from_secs(1)) else { return };
        let mut scan = redis::cmd("SCAN");
        scan.cursor_arg(0).arg("MATCH").arg(pattern).arg("COUNT").arg(1_000);
        let Ok(keys) = scan.iter(&mut connection) else { return };
        let keys: Vec<String> = keys.filter_map(Result::ok).collect();
        if !keys.is_empty() {
            redis::cmd("UNLINK").arg(keys).exec(&mut connection).ok();
        }
    }
}

/// A worker in this process.
pub struct LocalWorker {
    stop: CancellationToken,
    running: JoinHandle<Result<(), MonitorError>>,
}

impl LocalWorker {
    /// Starts a worker.
    pub fn start(queue: &StreamQueue<Work>, journal: &Journal) -> Self {
        Self::run(queue, journal, None)
    }

    /// With a limit on the time of handlers after the stop.
    pub fn run(queue: &StreamQueue<Work>, journal: &Journal, shutdown_timeout: Option<Duration>) -> Self {
        let context = Context { journal: journal.clone(), worker: "local".into() };
        let (queue, stop) = (queue.clone(), CancellationToken::new());
        let mut monitor =
            queue::monitor().register(move |_| queue.worker().data(context.clone()).build(handle));
        if let Some(timeout) = shutdown_timeout {
            monitor = monitor.shutdown_timeout(timeout);
        }
        let stopped = stop.clone().cancelled_owned();
        let running = tokio::spawn(monitor.run_with_signal(async move {
            stopped.await;
            Ok(())
        }));
        Self { stop, running }
    }

    /// True while it runs.
    pub fn is_running(&self) -> bool {
        !self.running.is_finished()
    }

    /// Stops it gracefully.
    pub async fn stop(self) {
        self.stop.cancel();
        let ended = tokio::time::timeout(DEADLINE, self.running).await;
        ended.expect("the worker stops").unwrap().unwrap();
    }
}

/// Counts of the metrics that the hook reported, by name.
#[derive(Clone, Default)]
pub struct Metrics(Arc<Mutex<HashMap<String, usize>>>);

impl Metrics {
    fn hook(&self) -> queue::MetricHook {
        let counts = self.0.clone();
        Arc::new(move |queue, metric| {
            assert_eq!(queue, "test");
            let (name, jobs) = name_and_jobs(metric);
            *counts.lock().unwrap().entry(name).or_default() += jobs;
        })
    }

    /// Number of reports of the metric.
    pub fn count(&self, name: &str) -> usize {
        self.0.lock().unwrap().get(name).copied().unwrap_or(0)
    }
}

fn name_and_jobs(metric: &Metric<'_>) -> (String, usize) {
    let name = format!("{metric:?}").split([' ', '{']).next().unwrap_or_default().to_owned();
    match metric {
        Metric::Enqueued { jobs }
        | Metric::Duplicate { jobs }
        | Metric::Reclaimed { jobs }
        | Metric::LeaseLost { jobs }
        | Metric::Stuck { jobs }
        | Metric::PutBack { jobs }
        | Metric::Promoted { jobs } => (name, *jobs),
        _ => (name, 1),
    }
}

/// Waits until a condition holds.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds().await {
        assert!(Instant::now() < deadline, "never came true: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
