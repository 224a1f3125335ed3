//! Since when a queue has open jobs.

use chrono::{DateTime, Utc};

use crate::{
    Connection, Result,
    envelope::{ENVELOPE_FIELD, Envelope, Fields, field, time},
};

/// Most jobs whose time is looked at.
const MOST: usize = 200;

/// Since when the oldest job that has neither succeeded nor gone to the dead letters is in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oldest {
    /// There is no job.
    None,
    /// When it was added, by the clock of its producer.
    AddedAt(DateTime<Utc>),
    /// There are more jobs than are looked at.
    Unknown,
}

impl Connection {
    /// Since when the queue of this name has open jobs: ready, running and delayed ones, at one moment.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for a name that no queue can have, [`crate::Error::Redis`].
    pub async fn oldest(&self, queue: &str) -> Result<Oldest> {
        let keys = self.keys(queue)?;
        let mut both = redis::pipe();
        // A job that is tried again moves from one to the other.
        both.atomic();
        both.cmd("XRANGE").arg(&keys.stream).arg("-").arg("+").arg("COUNT").arg(MOST + 1);
        both.cmd("ZRANGE").arg(&keys.delayed).arg(0).arg(MOST);
        let (entries, delayed): (Vec<(String, Fields)>, Vec<String>) =
            both.query_async(&mut self.shared()).await?;
        if entries.len().max(delayed.len()) > MOST {
            return Ok(Oldest::Unknown);
        }
        let ready = entries.iter().filter_map(|(_, fields)| field(fields, ENVELOPE_FIELD));
        // What is no job goes to the dead letters as soon as a worker meets it.
        let jobs = ready.chain(delayed).filter_map(|text| Envelope::parse(&text).ok());
        let oldest = jobs.map(|job| time(job.enqueued_at)).min();
        Ok(oldest.map_or(Oldest::None, Oldest::AddedAt))
    }
}
