//! What the handlers of a job came to, kept while the job may have to run again.
//!
//! A job that fails because the API is away runs again, for minutes. Handlers that have finished do not run again with
//! it, and what one of them wanted done is carried out without asking it a second time. Redis being away costs only
//! this memory: handlers then run again, and their actions still happen once.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use redis::AsyncCommands;
use sandbox::bot_result::BotAction;
use serde::{Deserialize, Serialize};
use shared::redis::Redis;
use tokio::sync::OnceCell;
use uuid::Uuid;

/// Longer than a job is tried for.
const TTL_SECS: i64 = 3600;
/// Notes must not hold up a chat line.
const REDIS_TIMEOUT: Duration = Duration::from_millis(250);

/// How far an invocation has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Note {
    /// Its handler ran; what it wants is not carried out yet.
    Ran { actions: Vec<BotAction> },
    /// Nothing is left to do. Says whether anything was wanted.
    Done { wanted: bool },
}

/// The notes of every job. Cheap to clone.
#[derive(Clone)]
pub struct Notes {
    redis: Redis,
}

/// The notes of one run of a job.
pub struct JobNotes {
    redis: Redis,
    key: String,
    /// Of earlier runs, read when first asked for.
    earlier: OnceCell<HashMap<String, Note>>,
    /// A sole invocation ends with its job, so its end needs no note.
    is_sole: bool,
    is_written: AtomicBool,
}

impl Notes {
    pub const fn new(redis: Redis) -> Self {
        Self { redis }
    }

    /// The notes of a job that runs so many invocations.
    pub fn of(&self, account_id: Uuid, event_id: Uuid, invocations: usize) -> JobNotes {
        JobNotes {
            redis: self.redis.clone(),
            key: self.redis.key(format_args!("runtime_done:{account_id}:{event_id}")),
            earlier: OnceCell::new(),
            is_sole: invocations <= 1,
            is_written: AtomicBool::new(false),
        }
    }
}

impl JobNotes {
    /// How far an invocation came in earlier runs of the job.
    pub async fn of(&self, invocation_id: &str) -> Option<Note> {
        let earlier =
            self.earlier.get_or_init(async || self.within_time(self.read()).await.unwrap_or_default());
        earlier.await.get(invocation_id).cloned()
    }

    /// Notes that nothing is left to do.
    pub async fn done(&self, invocation_id: &str, wanted: bool) {
        if !self.is_sole {
            self.write(invocation_id, &Note::Done { wanted }).await;
        }
    }

    /// Notes what a handler wants, because it cannot be carried out now.
    pub async fn ran(&self, invocation_id: &str, actions: Vec<BotAction>) {
        self.write(invocation_id, &Note::Ran { actions }).await;
    }

    /// Forgets everything: the job is done.
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

    async fn read(&self) -> shared::Result<HashMap<String, Note>> {
        let mut connection = self.redis.get().await?;
        let texts: HashMap<String, String> = connection.hgetall(&self.key).await?;
        Ok(texts
            .into_iter()
            .filter_map(|(invocation_id, text)| Some((invocation_id, serde_json::from_str(&text).ok()?)))
            .collect())
    }

    async fn write(&self, invocation_id: &str, note: &Note) {
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

    /// `None` when Redis fails or is slow.
    async fn within_time<T>(&self, work: impl Future<Output = shared::Result<T>>) -> Option<T> {
        match tokio::time::timeout(REDIS_TIMEOUT, work).await {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                tracing::debug!(%error, "notes of a job are not at hand");
                None
            }
            Err(_elapsed) => {
                tracing::debug!("notes of a job are not at hand: Redis is slow");
                None
            }
        }
    }
}
