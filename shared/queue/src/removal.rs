//! Removal of jobs whose payload names a person who is to be erased, and of old dead letters.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use redis::{RedisResult, Script};
use serde_json::Value;

use crate::{
    Connection, Result,
    connection::BATCH_SIZE,
    envelope::Envelope,
    keys::{GROUP, Keys},
};

/// Finds the entries of a stream whose envelope contains a text, so that only these are transferred.
///
/// KEYS: stream. ARGV: text, position, size of the page. Returns the last position that was checked ('' =
/// none), then position and envelope of each entry that was found.
static FIND_IN_STREAM: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("lua/find_in_stream.lua")));
/// Finds the delayed jobs whose envelope contains a text.
static FIND_IN_SET: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/find_in_set.lua")));

impl Connection {
    /// Removes the jobs of the queue of this name whose payload contains `text` and for which `is_meant`
    /// returns true: ready, running, delayed and dead ones. Returns their number. A run that has started goes
    /// on, and is not tried again.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for an invalid name, [`crate::Error::Redis`].
    pub async fn remove_jobs(
        &self,
        queue: &str,
        text: &str,
        is_meant: impl Fn(&Value) -> bool + Sync,
    ) -> Result<u64> {
        let keys = self.keys(queue)?;
        let is_meant = |envelope: &str| {
            let payload = Envelope::parse(envelope).ok();
            let payload = payload.and_then(|envelope| serde_json::from_str(envelope.payload.get()).ok());
            payload.is_some_and(|payload: Value| is_meant(&payload))
        };
        let mut removed = self.remove_delayed(&keys, text, &is_meant).await?;
        // Delayed jobs become ready, and ready ones dead, so that in this order none is missed.
        for stream in [&keys.stream, &keys.dead] {
            removed += self.remove_entries(stream, text, &is_meant).await?;
        }
        Ok(removed)
    }

    /// Deletes the dead letters of the queue of this name that died before the given time. Returns their
    /// number.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for an invalid name, [`crate::Error::Redis`].
    pub async fn forget_dead_letters(&self, queue: &str, before: DateTime<Utc>) -> Result<u64> {
        let keys = self.keys(queue)?;
        let mut trim = redis::cmd("XTRIM");
        trim.arg(&keys.dead).arg("MINID").arg("=").arg(before.timestamp_millis().max(0));
        Ok(trim.query_async(&mut self.shared()).await?)
    }

    async fn remove_entries(
        &self,
        stream: &str,
        text: &str,
        is_meant: &impl Fn(&str) -> bool,
    ) -> RedisResult<u64> {
        let (mut removed, mut after) = (0, "-".to_owned());
        loop {
            let args = [text, after.as_str(), &BATCH_SIZE.to_string()];
            let found: Vec<String> = self.run(&FIND_IN_STREAM, &[stream], &args).await?;
            let Some((last, found)) = found.split_first().filter(|(last, _)| !last.is_empty()) else {
                return Ok(removed);
            };
            let (found, _) = found.as_chunks::<2>();
            let meant: Vec<&str> =
                found.iter().filter(|[_, job]| is_meant(job)).map(|[id, _]| id.as_str()).collect();
            if !meant.is_empty() {
                let mut pipeline = redis::pipe();
                pipeline.atomic();
                // Its worker settles an entry that is gone, which has no effect.
                pipeline.cmd("XACK").arg(stream).arg(GROUP).arg(&meant).ignore();
                pipeline.cmd("XDEL").arg(stream).arg(&meant);
                let (gone,): (u64,) = pipeline.query_async(&mut self.shared()).await?;
                removed += gone;
            }
            after = format!("({last}");
        }
    }

    async fn remove_delayed(
        &self,
        keys: &Keys,
        text: &str,
        is_meant: &impl Fn(&str) -> bool,
    ) -> RedisResult<u64> {
        let (mut removed, mut cursor) = (0, "0".to_owned());
        loop {
            let args = [text, cursor.as_str(), &BATCH_SIZE.to_string()];
            let found: Vec<String> = self.run(&FIND_IN_SET, &[&keys.delayed], &args).await?;
            let Some((next, found)) = found.split_first() else { return Ok(removed) };
            let meant: Vec<&String> = found.iter().filter(|job| is_meant(job)).collect();
            if !meant.is_empty() {
                let mut remove = redis::cmd("ZREM");
                remove.arg(&keys.delayed).arg(&meant);
                removed += remove.query_async::<u64>(&mut self.shared()).await?;
            }
            if next == "0" {
                return Ok(removed);
            }
            cursor.clone_from(next);
        }
    }
}
