//! Producers of jobs (reference/jobs.md#queues).

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;
use shared::config::RedisConfig;

use super::{Job, JobMetrics, QUEUES, settings};
use crate::telemetry::Metrics;

/// Producers of all queues. Cheap to clone.
#[derive(Clone)]
pub struct Producers {
    by_queue: Arc<HashMap<&'static str, queue::Producer<Value>>>,
}

impl Producers {
    /// Creates producers of every queue over one connection, which is opened on demand.
    ///
    /// # Errors
    /// A malformed Redis URL.
    pub fn new(config: &RedisConfig) -> shared::Result<Self> {
        Self::over(&queue::Connection::open(config.url.expose(), &config.prefix)?)
    }

    /// Creates producers of every queue that count the jobs that they add.
    ///
    /// # Errors
    /// A malformed Redis URL, or metrics that are registered already.
    pub fn counted(config: &RedisConfig, metrics: &Metrics) -> shared::Result<Self> {
        let connection = queue::Connection::open(config.url.expose(), &config.prefix)?;
        Self::over(&connection.with_metrics(JobMetrics::new(metrics)?.hook()))
    }

    /// Creates producers of every queue over an existing connection, with its metric hook.
    ///
    /// # Errors
    /// None in practice: the names and settings of the queues are constants.
    pub fn over(connection: &queue::Connection) -> shared::Result<Self> {
        let mut by_queue = HashMap::new();
        for name in QUEUES {
            by_queue.insert(name, queue::Producer::new(connection, settings(name))?);
        }
        Ok(Self { by_queue: Arc::new(by_queue) })
    }

    /// Adds a job. Returns `false` when the queue still remembers a job of the same key.
    ///
    /// # Errors
    /// A failure of Redis. The call may be repeated with the same key.
    pub async fn enqueue<J: Job>(&self, job: &J, idempotency_key: &str) -> shared::Result<bool> {
        self.enqueue_payload(J::QUEUE, &serde_json::to_value(job)?, idempotency_key).await
    }

    /// Adds jobs of one kind, each with its key, in as few calls as possible. Returns the number of new jobs.
    ///
    /// # Errors
    /// A failure of Redis. The call may be repeated with the same keys.
    pub async fn enqueue_each<J: Job>(&self, jobs: &[(J, String)]) -> shared::Result<usize> {
        let payloads = jobs
            .iter()
            .map(|(job, key)| Ok((serde_json::to_value(job)?, key.as_str())))
            .collect::<shared::Result<Vec<_>>>()?;
        let keyed = payloads.iter().map(|(job, key)| (job, options(key)));
        let added = self.producer(J::QUEUE)?.enqueue_bulk(keyed).await?;
        Ok(added.into_iter().filter(|is_new| *is_new).count())
    }

    /// Adds a job whose payload is JSON already, for the outbox relay.
    ///
    /// # Errors
    /// An unknown queue or a failure of Redis.
    pub async fn enqueue_payload(
        &self,
        queue: &str,
        payload: &Value,
        idempotency_key: &str,
    ) -> shared::Result<bool> {
        Ok(self.producer(queue)?.enqueue(payload, options(idempotency_key)).await?)
    }

    fn producer(&self, queue: &str) -> shared::Result<&queue::Producer<Value>> {
        let known = self.by_queue.get(queue);
        known.ok_or_else(|| shared::Error::Internal(format!("there is no queue `{queue}`")))
    }
}

/// Options of a job with a key, in the trace of the present work.
fn options(idempotency_key: &str) -> queue::EnqueueOptions {
    let options = queue::EnqueueOptions::new().key(idempotency_key);
    match trace_context::current() {
        Some(trace) => options.trace(trace.traceparent()),
        None => options,
    }
}
