//! Addition of jobs to a queue.

use std::{marker::PhantomData, sync::Arc, sync::LazyLock, time::Duration};

use redis::{RedisError, RedisResult, Script};
use serde::Serialize;

use crate::{
    Config, Connection, Error, Result,
    connection::{BATCH_SIZE, Core},
    envelope::Envelope,
    metric::Metric,
};

static ENQUEUE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/enqueue.lua")));

/// Adds jobs with payloads of type `T` to one queue. Clones are cheap.
pub struct Producer<T> {
    core: Arc<Core>,
    payload: PhantomData<fn(&T)>,
}

/// Options of a job that is added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnqueueOptions {
    key: Option<String>,
    delay: Duration,
    max_attempts: Option<u32>,
    trace: Option<String>,
}

impl EnqueueOptions {
    /// Creates the options of a job that runs as soon as a worker is free, with the queue's number of
    /// attempts and without a key.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the idempotency key. While it is remembered ([`Config::idempotency_ttl`]), no other job is added
    /// with it. 1 to 256 bytes.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// Sets the delay before the job runs, in whole milliseconds by the clock of Redis.
    #[must_use]
    pub fn delay(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Sets the place in a trace, as the value of `traceparent`, that the run of the job continues.
    #[must_use]
    pub fn trace(self, traceparent: String) -> Self {
        Self { trace: Some(traceparent), ..self }
    }

    /// Sets the number of failures that the job may have, instead of [`Config::max_attempts`]. At least 1.
    #[must_use]
    pub fn max_attempts(self, max_attempts: u32) -> Self {
        Self { max_attempts: Some(max_attempts), ..self }
    }
}

/// Job that is ready to be sent.
struct Prepared {
    id: String,
    envelope: String,
    delay: Duration,
    key: Option<String>,
}

impl<T: Serialize> Producer<T> {
    /// Creates a producer for the queue of `config`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for settings out of range.
    pub fn new(connection: &Connection, config: Config) -> Result<Self> {
        Ok(Self::with_core(Core::new(connection, config)?))
    }

    pub(crate) fn with_core(core: Arc<Core>) -> Self {
        Self { core, payload: PhantomData }
    }

    /// Adds a job. Returns `false` when another job with the same idempotency key was added before; then this
    /// one was not.
    ///
    /// # Errors
    /// - [`Error::Invalid`] and [`Error::Payload`] for an unacceptable key, number of attempts or payload,
    ///   and [`Error::Full`] for a full queue. Nothing was added.
    /// - [`Error::Redis`]: the job may or may not have been added. With an idempotency key it is safe to try
    ///   again. One further try was made already if the connection was lost.
    pub async fn enqueue(&self, job: &T, options: EnqueueOptions) -> Result<bool> {
        let added = self.send(&[self.prepare(job, options)?]).await?;
        Ok(added == [true])
    }

    /// Adds jobs in their order, in batches of 500. Returns for each the value of [`enqueue`](Self::enqueue).
    ///
    /// # Errors
    /// Those of [`enqueue`](Self::enqueue). All jobs are checked before the first is sent. After
    /// [`Error::Full`] or [`Error::Redis`] earlier batches have been added, so give keys to jobs that must
    /// not be added twice and repeat the call.
    pub async fn enqueue_bulk<'a>(
        &self,
        jobs: impl IntoIterator<Item = (&'a T, EnqueueOptions)>,
    ) -> Result<Vec<bool>>
    where
        T: 'a,
    {
        let jobs =
            jobs.into_iter().map(|(job, options)| self.prepare(job, options)).collect::<Result<Vec<_>>>()?;
        let mut added = Vec::with_capacity(jobs.len());
        for batch in jobs.chunks(BATCH_SIZE) {
            added.extend(self.send(batch).await?);
        }
        Ok(added)
    }

    fn prepare(&self, job: &T, options: EnqueueOptions) -> Result<Prepared> {
        let Config { max_payload_bytes, max_attempts, .. } = self.core.config;
        let payload = serde_json::value::to_raw_value(job).map_err(Error::Payload)?;
        if payload.get().len() > max_payload_bytes {
            let problem = format!("must have at most {max_payload_bytes} bytes, has {}", payload.get().len());
            return Err(Error::invalid("payload", problem));
        }
        let max_attempts = options.max_attempts.unwrap_or(max_attempts);
        if max_attempts == 0 {
            return Err(Error::invalid("max_attempts", "must be at least 1, is 0"));
        }
        let forgotten = options.key.clone().filter(|_| self.core.config.forgets_keys);
        let key = options.key.map(|key| self.core.keys.idempotency(&key)).transpose()?;
        let envelope =
            Envelope { key: forgotten, trace: options.trace, ..Envelope::new(payload, max_attempts) };
        Ok(Prepared { envelope: envelope.to_string(), id: envelope.id, delay: options.delay, key })
    }

    async fn send(&self, jobs: &[Prepared]) -> Result<Vec<bool>> {
        let repeatable = jobs.iter().all(|job| job.key.is_some());
        let added = match self.call(jobs).await {
            // Typical for the first command after a restart of Redis. The key makes a second try harmless.
            Err(error) if repeatable && error.is_connection_dropped() => self.call(jobs).await,
            first => first,
        };
        let added = added.map_err(|error| self.explain(error))?;
        let new = added.iter().filter(|new| **new).count();
        self.report(new, added.len() - new);
        Ok(added)
    }

    async fn call(&self, jobs: &[Prepared]) -> RedisResult<Vec<bool>> {
        let mut keys = vec![self.core.keys.stream.as_str(), self.core.keys.delayed.as_str()];
        let mut args = vec![self.core.config.max_backlog.to_string()];
        let ttl = self.core.config.idempotency_ttl.as_millis().to_string();
        for job in jobs {
            let mut key_index = 0;
            if let Some(key) = &job.key {
                keys.push(key);
                key_index = keys.len();
            }
            args.extend([job.envelope.clone(), job.id.clone(), job.delay.as_millis().to_string()]);
            args.extend([key_index.to_string(), ttl.clone()]);
        }
        self.core.connection.run(&ENQUEUE, &keys, &args).await
    }

    fn explain(&self, error: RedisError) -> Error {
        if error.code() != Some("FULL") {
            return error.into();
        }
        let Config { queue, max_backlog, .. } = &self.core.config;
        Error::Full { queue: queue.clone(), limit: *max_backlog }
    }

    fn report(&self, new: usize, duplicates: usize) {
        if new > 0 {
            self.core.report(&Metric::Enqueued { jobs: new });
        }
        if duplicates > 0 {
            self.core.report(&Metric::Duplicate { jobs: duplicates });
        }
    }
}

impl<T> Clone for Producer<T> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), payload: PhantomData }
    }
}

impl<T> std::fmt::Debug for Producer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Producer").field("queue", &self.core.config.queue).finish_non_exhaustive()
    }
}
