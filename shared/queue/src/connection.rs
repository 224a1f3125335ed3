//! The connection to Redis that producers, workers and operators share.

use std::{fmt, sync::Arc, time::Duration};

use redis::{
    AsyncConnectionConfig, Client, FromRedisValue, RedisResult, Script, ToRedisArgs,
    aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection},
};

use crate::{
    Config, Error, Result,
    keys::{Keys, check_prefix},
    metric::{Metric, MetricHook, ignore_metrics},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The client's default of 500 ms is too short for a busy server, and a command whose reply came too late
/// may have taken effect.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Most jobs or entries that one command or script call works on. Redis serves nobody else meanwhile.
pub(crate) const BATCH: usize = 500;

/// A connection to the Redis that holds the queues. Clones are cheap and share it.
///
/// It connects when it is first used and again whenever it was lost, so processes may start before Redis.
#[derive(Clone)]
pub struct Connection {
    client: Client,
    shared: ConnectionManager,
    prefix: Arc<str>,
    hook: MetricHook,
}

impl Connection {
    /// A connection to the Redis at `url`, for queues whose keys begin with `prefix` (may be empty). Every
    /// installation or test that shares a Redis with others takes its own prefix. To be called inside a
    /// Tokio runtime.
    ///
    /// # Errors
    /// When the URL cannot be read, the prefix has other characters than `A-Z a-z 0-9 _ - . :`, or there is
    /// no runtime. Whether Redis answers is not looked at.
    pub fn open(url: &str, prefix: &str) -> Result<Self> {
        check_prefix(prefix)?;
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Error::invalid("caller", "must run inside a Tokio runtime"));
        }
        let client = Client::open(url)?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            // Callers get the error at once and decide for themselves; the next command connects again.
            .set_number_of_retries(0);
        let shared = ConnectionManager::new_lazy_with_config(client.clone(), config)?;
        Ok(Self { client, shared, prefix: prefix.into(), hook: ignore_metrics() })
    }

    /// The same connection with a hook for metrics of all its queues.
    #[must_use]
    pub fn with_metrics(self, hook: MetricHook) -> Self {
        Self { hook, ..self }
    }

    pub(crate) fn keys(&self, queue: &str) -> Result<Keys> {
        Keys::new(&self.prefix, queue)
    }

    pub(crate) fn shared(&self) -> ConnectionManager {
        self.shared.clone()
    }

    /// A connection of its own for reads that wait: on the shared one, everything else would wait with them.
    pub(crate) async fn blocking(&self, longest_wait: Duration) -> RedisResult<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(longest_wait + Duration::from_secs(3)));
        self.client.get_multiplexed_async_connection_with_config(&config).await
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

/// Shows neither address nor password.
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

/// What every part of one queue needs.
#[derive(Debug)]
pub(crate) struct Core {
    pub config: Config,
    pub keys: Keys,
    pub connection: Connection,
}

impl Core {
    pub fn new(connection: &Connection, config: Config) -> Result<Arc<Self>> {
        config.check()?;
        let keys = connection.keys(&config.queue)?;
        Ok(Arc::new(Self { config, keys, connection: connection.clone() }))
    }

    pub fn report(&self, metric: &Metric<'_>) {
        self.connection.report(&self.config.queue, metric);
    }

    /// Reports that Redis has failed a background task, which will try again.
    pub fn redis_failed(&self, task: &'static str, error: &redis::RedisError) {
        tracing::warn!(queue = self.config.queue, task, %error, "redis failed, trying again");
        self.report(&Metric::RedisFailed { task, error });
    }
}
