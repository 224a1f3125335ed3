//! Progress of a job's handlers, kept while the job may have to run again
//! (reference/handlers.md#repeated-jobs).
//!
//! A job that fails because the API is away runs again, for minutes. Finished handlers do not run again with
//! it, and the requested actions of one are executed without running it a second time. While Redis is away
//! only this memory is lost: handlers run again, and their actions are still executed once.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use foundation::redis::Redis;
use redis::AsyncCommands;
use sandbox::bot_result::BotAction;
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;
use uuid::Uuid;

/// Lifetime of the records, in seconds. Longer than a job is retried.
const TTL_SECS: i64 = 3600;
/// Maximum wait for a record, which must not delay a chat line.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

/// Progress of an invocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum InvocationProgress {
    /// The handler ran; its actions are not executed yet.
    Ran { actions: Vec<BotAction> },
    /// Nothing is left to do. `wanted` is true when an action was requested.
    Done { wanted: bool },
}

/// Records of every job. Cheap to clone.
#[derive(Clone)]
pub struct ProgressStore {
    redis: Redis,
}

/// Records of one run of a job.
pub struct JobProgress {
    redis: Redis,
    key: String,
    /// Records of earlier runs, read on first use.
    earlier: OnceCell<HashMap<String, InvocationProgress>>,
    /// True for a job with one invocation, which ends with it and needs no record.
    is_sole: bool,
    is_written: AtomicBool,
}

impl ProgressStore {
    /// Returns the records in a Redis.
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// Returns the records of a job with this number of invocations.
    pub fn of(&self, account_id: Uuid, event_id: Uuid, invocations: usize) -> JobProgress {
        JobProgress {
            redis: self.redis.clone(),
            key: self.redis.key(format_args!("runtime_done:{account_id}:{event_id}")),
            earlier: OnceCell::new(),
            is_sole: invocations <= 1,
            is_written: AtomicBool::new(false),
        }
    }
}

impl JobProgress {
    /// Returns the progress of an invocation in earlier runs of the job.
    pub async fn of(&self, invocation_id: &str) -> Option<InvocationProgress> {
        let earlier =
            self.earlier.get_or_init(async || self.within_time(self.read()).await.unwrap_or_default());
        earlier.await.get(invocation_id).cloned()
    }

    /// Records that nothing is left to do.
    pub async fn done(&self, invocation_id: &str, wanted: bool) {
        if !self.is_sole {
            self.write(invocation_id, &InvocationProgress::Done { wanted }).await;
        }
    }

    /// Records the requested actions of a handler, because they cannot be executed now.
    pub async fn ran(&self, invocation_id: &str, actions: Vec<BotAction>) {
        self.write(invocation_id, &InvocationProgress::Ran { actions }).await;
    }

    /// Deletes all records: the job is done.
    pub async fn forget(self) {
        let is_known = self.earlier.get().is_some_and(|earlier| !earlier.is_empty());
        if is_known || self.is_written.load(Ordering::Relaxed) {
            self.within_time(async {
                let mut connection = self.redis.get().await?;
                Ok(connection.unlink::<_, ()>(&self.key).await?)
            })
            .await;
        }
    }

    async fn read(&self) -> shared::Result<HashMap<String, InvocationProgress>> {
        let mut connection = self.redis.get().await?;
        let texts: HashMap<String, String> = connection.hgetall(&self.key).await?;
        Ok(texts
            .into_iter()
            .filter_map(|(invocation_id, text)| Some((invocation_id, serde_json::from_str(&text).ok()?)))
            .collect())
    }

    async fn write(&self, invocation_id: &str, note: &InvocationProgress) {
        self.is_written.store(true, Ordering::Relaxed);
        self.within_time(async {
            let text = serde_json::to_string(note)?;
            let mut connection = self.redis.get().await?;
            redis::pipe()
                .hset(&self.key, invocation_id, text)
                .ignore()
                .expire(&self.key, TTL_SECS)
                .ignore()
                .query_async::<()>(&mut *connection)
                .await?;
            Ok(())
        })
        .await;
    }

    /// Runs a command; `None` when Redis fails or is slow.
    async fn within_time<T>(&self, work: impl Future<Output = shared::Result<T>>) -> Option<T> {
        match tokio::time::timeout(REDIS_TIMEOUT, work).await {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the progress of a job cannot be accessed");
                None
            }
            Err(_elapsed) => {
                tracing::debug!("the progress of a job cannot be accessed: Redis is slow");
                None
            }
        }
    }
}
