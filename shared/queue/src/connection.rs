//! Connection to Redis that producers, workers and operators share.

use std::{fmt, sync::Arc, time::Duration};

use redis::{FromRedisValue, RedisResult, Script, ToRedisArgs, aio::MultiplexedConnection};
use redis_servers::{Servers, Timeouts};

use crate::{
    Config, Error, Result,
    keys::{Keys, check_prefix},
    metric::{Metric, MetricHook, ignore_metrics},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The client's default of 500 ms is too short for a busy server, and a command whose reply came too late may
/// have taken effect.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Highest number of jobs or entries in one command or script call. Redis serves no other client meanwhile.
pub(crate) const BATCH_SIZE: usize = 500;

/// Connection to the Redis that holds the queues. Clones are cheap and share it.
///
/// It connects at its first use and again after every loss, so processes may start before Redis.
#[derive(Clone)]
pub struct Connection {
    servers: Servers,
    shared: redis_servers::Connection,
    prefix: Arc<str>,
    hook: MetricHook,
}

impl Connection {
    /// Creates a connection to the Redis or the Redis Cluster at `url` ([`Servers::open`]), for queues whose keys begin
    /// with `prefix` (may be empty).
    /// Each installation or test that shares a Redis with others needs its own prefix. Requires a Tokio
    /// runtime.
    ///
    /// # Errors
    /// A malformed URL, a prefix with other characters than `A-Z a-z 0-9 _ - . :`, or no runtime. Redis
    /// itself is not contacted.
    pub fn open(url: &str, prefix: &str) -> Result<Self> {
        check_prefix(prefix)?;
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Error::invalid("caller", "must run inside a Tokio runtime"));
        }
        let timeouts = Timeouts { connect: CONNECT_TIMEOUT, response: RESPONSE_TIMEOUT };
        let servers = Servers::open(url, timeouts)?;
        let shared = servers.connect_on_demand()?;
        Ok(Self { servers, shared, prefix: prefix.into(), hook: ignore_metrics() })
    }

    /// The same connection with a hook for metrics of all its queues.
    #[must_use]
    pub fn with_metrics(self, hook: MetricHook) -> Self {
        Self { hook, ..self }
    }

    pub(crate) fn keys(&self, queue: &str) -> Result<Keys> {
        Keys::new(&self.prefix, queue)
    }

    pub(crate) fn shared(&self) -> redis_servers::Connection {
        self.shared.clone()
    }

    /// Opens a separate connection for blocking reads of a stream. On the shared one, all other commands would wait with
    /// them.
    pub(crate) async fn blocking(
        &self,
        stream: &str,
        max_wait: Duration,
    ) -> RedisResult<MultiplexedConnection> {
        self.servers.connect_to(stream, max_wait + Duration::from_secs(3)).await
    }

    pub(crate) async fn run<R: FromRedisValue>(
        &self,
        script: &Script,
        keys: &[&str],
        args: &[impl ToRedisArgs],
    ) -> RedisResult<R> {
        run_on(&mut self.shared(), script, keys, args).await
    }

    pub(crate) fn report(&self, queue: &str, metric: &Metric<'_>) {
        (self.hook)(queue, metric);
    }
}

/// Prints neither address nor password.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

pub(crate) async fn run_on<R: FromRedisValue>(
    connection: &mut impl redis::aio::ConnectionLike,
    script: &Script,
    keys: &[&str],
    args: &[impl ToRedisArgs],
) -> RedisResult<R> {
    let mut call = script.prepare_invoke();
    for key in keys {
        call.key(*key);
    }
    for arg in args {
        call.arg(arg);
    }
    call.invoke_async(connection).await
}

/// Common state of one queue.
#[derive(Debug)]
pub(crate) struct Core {
    /// Settings of the queue.
    pub config: Config,
    /// Redis keys of the queue.
    pub keys: Keys,
    /// Connection to Redis.
    pub connection: Connection,
}

impl Core {
    /// Checks the settings and derives the keys.
    pub fn new(connection: &Connection, config: Config) -> Result<Arc<Self>> {
        config.check()?;
        let keys = connection.keys(&config.queue)?;
        Ok(Arc::new(Self { config, keys, connection: connection.clone() }))
    }

    /// Passes a metric to the hook.
    pub fn report(&self, metric: &Metric<'_>) {
        self.connection.report(&self.config.queue, metric);
    }

    /// Reports that a command of a background task has failed. The task will try again.
    pub fn redis_failed(&self, task: &'static str, error: &redis::RedisError) {
        tracing::warn!(queue = self.config.queue, task, %error, "redis failed, trying again");
        self.report(&Metric::RedisFailed { task, error });
    }
}
