//! Parts that every worker process shares.

use std::{ops::Deref, sync::Arc};

use foundation::{
    crypto::Keyring,
    db::Databases,
    events::EventLog,
    jobs::{Job, JobMetrics, Producers, settings},
    readiness::Readiness,
    redis::Redis,
    telemetry::Metrics,
};
use queue::StreamQueue;
use shared::{Result, clock::Clock, config::Config};

/// Shared parts of a worker process. Cheap to clone.
#[derive(Clone)]
pub struct Context(Arc<Parts>);

/// The parts of a [`Context`].
pub struct Parts {
    /// Configuration of the process.
    pub config: Config,
    /// Source of the current time.
    pub clock: Clock,
    /// Pools of both databases.
    pub databases: Databases,
    /// Pool of Redis connections.
    pub redis: Redis,
    /// Event log of the channels.
    pub events: EventLog,
    /// Producers of every queue.
    pub jobs: Producers,
    /// Connection of every queue, with the hook that counts jobs.
    pub queues: queue::Connection,
    /// Registry of the process's metrics.
    pub metrics: Metrics,
    /// Reasons why this process cannot do its work.
    pub readiness: Readiness,
    /// Keys of the secrets at rest.
    pub keyring: Keyring,
    /// HTTP client for calls to the API and to platforms.
    pub http: reqwest::Client,
}

impl Context {
    /// Opens everything that the configuration names. Databases and Redis are connected on demand: their
    /// absence fails the work, not the start. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// An unusable URL or encryption key.
    pub fn new(config: Config, clock: Clock) -> Result<Self> {
        let redis = Redis::new(&config.redis)?;
        let metrics = Metrics::new("lumio-worker", config.environment)?;
        let hook = JobMetrics::new(&metrics)?.hook();
        let queues =
            queue::Connection::open(config.redis.url.expose(), &config.redis.prefix)?.with_metrics(hook);
        let (databases, http) = (Databases::new(&config.databases), foundation::http::client()?);
        let keyring = Keyring::new(config.secrets.encryption_keys.clone())?;
        Ok(Self(Arc::new(Parts {
            databases,
            keyring,
            http,
            events: EventLog::new(redis.clone()),
            jobs: Producers::over(&queues)?,
            queues,
            redis,
            metrics,
            readiness: Readiness::default(),
            clock,
            config,
        })))
    }

    /// Returns the queue of a kind of job for a worker: `queue.worker().data(..).build(handler)`.
    ///
    /// # Errors
    /// None in practice: names and settings are constants.
    pub fn queue<J: Job>(&self) -> Result<StreamQueue<J>> {
        Ok(StreamQueue::new(&self.queues, settings(J::QUEUE))?)
    }

    /// Returns a producer of one kind of job, for jobs in bulk and on a schedule.
    ///
    /// # Errors
    /// None in practice: names and settings are constants.
    pub fn producer<J: Job>(&self) -> Result<queue::Producer<J>> {
        Ok(queue::Producer::new(&self.queues, settings(J::QUEUE))?)
    }
}

impl Deref for Context {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
