//! What a worker process is made of.

use std::{ops::Deref, sync::Arc};

use queue::StreamQueue;
use shared::{
    Result,
    clock::Clock,
    config::Config,
    crypto::Keyring,
    db::Databases,
    events::EventLog,
    jobs::{Job, JobMetrics, Producers, settings},
    platforms::Platforms,
    readiness::Readiness,
    redis::Redis,
    telemetry::Metrics,
    tokens::Tokens,
};

/// Everything that daemons reach for. Cheap to clone.
#[derive(Clone)]
pub struct Context(Arc<Parts>);

/// The parts of a [`Context`].
pub struct Parts {
    pub config: Config,
    pub clock: Clock,
    pub databases: Databases,
    pub redis: Redis,
    pub events: EventLog,
    /// Adds jobs to any queue.
    pub jobs: Producers,
    /// The connection of every queue, with the hook that counts jobs.
    pub queues: queue::Connection,
    pub metrics: Metrics,
    /// Whether this process can work.
    pub readiness: Readiness,
    pub keyring: Keyring,
    pub platforms: Platforms,
    /// Access tokens of connections, kept fresh.
    pub tokens: Tokens,
    /// For calls to the API and to the world.
    pub http: reqwest::Client,
}

impl Context {
    /// Opens what the configuration names. Databases and Redis are connected on demand: their absence fails the work,
    /// not the start. To be called inside a tokio runtime.
    ///
    /// # Errors
    /// When a URL or an encryption key is unusable.
    pub fn new(config: Config, clock: Clock) -> Result<Self> {
        let redis = Redis::new(&config.redis)?;
        let metrics = Metrics::new("lumio-worker", config.environment)?;
        let hook = JobMetrics::new(&metrics)?.hook();
        let queues =
            queue::Connection::open(config.redis.url.expose(), &config.redis.prefix)?.with_metrics(hook);
        let (databases, http) = (Databases::new(&config.databases), shared::http::client()?);
        let keyring = Keyring::new(config.secrets.encryption_keys.clone())?;
        let platforms = Platforms::new(&config.platforms, &http);
        let database = databases.postgres.clone();
        Ok(Self(Arc::new(Parts {
            tokens: Tokens::new(&config, database, keyring.clone(), platforms.clone(), clock.clone()),
            databases,
            keyring,
            platforms,
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

    /// The queue of a kind of job, to be worked on: `queue.worker().data(..).build(handler)`.
    ///
    /// # Errors
    /// Never in practice: names and settings are constants.
    pub fn queue<J: Job>(&self) -> Result<StreamQueue<J>> {
        Ok(StreamQueue::new(&self.queues, settings(J::QUEUE))?)
    }

    /// A producer of one kind of job, for jobs in bulk and on a schedule.
    ///
    /// # Errors
    /// Never in practice: names and settings are constants.
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
