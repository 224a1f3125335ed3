//! Operator functions, independent of payloads: counting the jobs of a queue, and reading and requeuing dead
//! letters.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use redis::Script;
use serde::Serialize;

use crate::{
    Connection, Error, Result,
    envelope::{ENVELOPE_FIELD, ERROR_FIELD, Envelope, Fields, added_at, field, time},
    keys::GROUP,
    promoter::WORKER_TTL,
};

static STATS: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/stats.lua")));
static REQUEUE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/requeue.lua")));

/// Highest number of dead letters that are returned at once.
const MAX_DEAD_LETTERS: usize = 1_000;

/// Numbers of jobs in a queue, counted at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Jobs that wait for a worker.
    pub ready: u64,
    /// Jobs that a worker holds.
    pub running: u64,
    /// Jobs that are not due: delayed ones, and failed ones before their next attempt.
    pub delayed: u64,
    /// Dead letters.
    pub dead: u64,
    /// Workers with a sign of life within half a minute.
    pub workers: u64,
}

/// Job that will not run again by itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeadLetter {
    /// Entry id among the dead letters, for [`Connection::requeue`].
    pub entry: String,
    /// Time at which it became a dead letter.
    pub died_at: DateTime<Utc>,
    /// Reason: the last error, or the problem with the entry.
    pub error: String,
    /// The job; `None` when its envelope is damaged.
    pub job: Option<DeadJob>,
    /// Stored text: the envelope, or the damaged text.
    pub stored: String,
}

/// Job of a dead letter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeadJob {
    /// Id of the job, as in log lines.
    pub id: String,
    /// Number of failures.
    pub attempts: u32,
    /// Number of allowed failures.
    pub max_attempts: u32,
    /// Time at which it was added.
    pub enqueued_at: DateTime<Utc>,
    /// Payload as JSON.
    pub payload: String,
}

impl Connection {
    /// Numbers of jobs in the queue of this name. All are 0 for a queue that was never used.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid name, [`Error::Redis`].
    pub async fn stats(&self, queue: &str) -> Result<Stats> {
        let keys = self.keys(queue)?;
        let args = [GROUP, &WORKER_TTL.as_millis().to_string()];
        let [ready, running, delayed, dead, workers] = self
            .run::<[u64; 5]>(&STATS, &[&keys.stream, &keys.delayed, &keys.dead, &keys.workers], &args)
            .await?;
        Ok(Stats { ready, running, delayed, dead, workers })
    }

    /// Newest dead letters of the queue of this name, newest first, at most 1,000.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid name, [`Error::Redis`].
    pub async fn dead_letters(&self, queue: &str, count: usize) -> Result<Vec<DeadLetter>> {
        let keys = self.keys(queue)?;
        let mut range = redis::cmd("XREVRANGE");
        range.arg(&keys.dead).arg("+").arg("-").arg("COUNT").arg(count.min(MAX_DEAD_LETTERS));
        let rows: Vec<(String, Fields)> = range.query_async(&mut self.shared()).await?;
        Ok(rows.into_iter().map(|(entry, fields)| DeadLetter::new(entry, &fields)).collect())
    }

    /// Turns a dead letter of the queue of this name into a job again, as if it had never failed. Returns
    /// `false` when there is no such dead letter (any more).
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid name or an `entry` that has not the form `1-0`,
    /// [`Error::Unreadable`] when the dead letter is not readable as a job, [`Error::Redis`].
    pub async fn requeue(&self, queue: &str, entry: &str) -> Result<bool> {
        let keys = self.keys(queue)?;
        check_entry(entry)?;
        let mut range = redis::cmd("XRANGE");
        range.arg(&keys.dead).arg(entry).arg(entry);
        let rows: Vec<(String, Fields)> = range.query_async(&mut self.shared()).await?;
        let Some((_, fields)) = rows.first() else { return Ok(false) };
        let stored = field(fields, ENVELOPE_FIELD).unwrap_or_default();
        let Ok(envelope) = Envelope::parse(&stored) else {
            return Err(Error::Unreadable { queue: queue.to_owned(), entry: entry.to_owned() });
        };
        let args = [entry, &envelope.renewed().to_string()];
        Ok(self.run(&REQUEUE, &[&keys.stream, &keys.dead], &args).await?)
    }
}

impl DeadLetter {
    fn new(entry: String, fields: &Fields) -> Self {
        let stored = field(fields, ENVELOPE_FIELD).unwrap_or_default();
        Self {
            died_at: time(added_at(&entry)),
            error: field(fields, ERROR_FIELD).unwrap_or_default(),
            job: Envelope::parse(&stored).ok().map(DeadJob::from),
            entry,
            stored,
        }
    }
}

impl From<Envelope> for DeadJob {
    fn from(envelope: Envelope) -> Self {
        Self {
            attempts: envelope.failed_attempts,
            max_attempts: envelope.max_attempts,
            enqueued_at: time(envelope.enqueued_at),
            payload: envelope.payload.get().to_owned(),
            id: envelope.id,
        }
    }
}

fn check_entry(entry: &str) -> Result<()> {
    let number =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && part.len() <= 20;
    match entry.split_once('-') {
        Some((ms, sequence)) if number(ms) && number(sequence) => Ok(()),
        _ => Err(Error::invalid("entry", format!("must be an entry id like 1700000000000-0, is {entry:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_entry_accepts_entry_ids_only() {
        assert!(check_entry("1700000000000-0").is_ok());
        for entry in ["", "-", "1", "1-", "-1", "a-0", "1-0-0", "+", &"1".repeat(99)] {
            let error = check_entry(entry).unwrap_err().to_string();
            assert!(error.starts_with("invalid entry: must be an entry id like"), "{error}");
        }
    }

    #[test]
    fn dead_letter_that_is_damaged_is_still_shown() {
        let fields = vec![(b"j".to_vec(), b"not json".to_vec()), (b"e".to_vec(), b"undecodable".to_vec())];
        let letter = DeadLetter::new("1700000000000-0".into(), &fields);
        assert_eq!((letter.job, letter.stored.as_str()), (None, "not json"));
        assert_eq!(letter.error, "undecodable");
        assert_eq!(letter.died_at.timestamp(), 1_700_000_000);
    }
}
