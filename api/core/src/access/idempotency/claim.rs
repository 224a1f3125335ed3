//! Claims of keys by operations with effects outside of the primary database: one request has the effect, and its
//! answer is stored after it (reference/conventions.md#idempotency).

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};

use super::{
    answer::NewAnswer,
    db,
    entry::{Entry, Row},
    known::{Known, expired},
    protocol::Idempotency,
};
use crate::{Result, State};

/// First and longest pause before a write is tried again, and the number of further attempts. Together they bridge a
/// restart of the database.
const MIN_WRITE_DELAY: Duration = Duration::from_millis(100);
const MAX_WRITE_DELAY: Duration = Duration::from_secs(2);
const MAX_WRITE_RETRIES: usize = 10;

/// Outcome of a claim.
pub(super) enum Claimed {
    /// The request is executed.
    Taken(Entry),
    /// The key is known.
    Known(Known),
}

/// Claims a key that no request had. The database decides between requests at the same time.
pub(super) async fn take(state: &State, entry: Entry) -> Result<Claimed> {
    let mut connection = state.databases.primary().await?;
    if db::insert(&mut connection, &entry, None, expired(entry.started_at)).await? {
        return Ok(Claimed::Taken(entry));
    }
    drop(connection);
    match find(state, &entry).await? {
        Some(found) => decide(state, entry, &found).await,
        // The other request has released the claim meanwhile.
        None => Ok(Claimed::Known(Known::Running)),
    }
}

/// Finds a request. No connection is held afterwards.
pub(super) async fn find(state: &State, entry: &Entry) -> Result<Option<Row>> {
    db::find(&mut *state.databases.primary().await?, entry.request, expired(entry.started_at)).await
}

/// Decides about a key that a request had.
pub(super) async fn decide(state: &State, entry: Entry, found: &Row) -> Result<Claimed> {
    let known = Known::of(&state.keyring, found, &entry)?;
    let is_repeatable = entry.rule.idempotency.is_some_and(Idempotency::is_repeatable);
    if !(is_repeatable && matches!(known, Known::Lost)) {
        return Ok(Claimed::Known(known));
    }
    let mut connection = state.databases.primary().await?;
    if !db::take_over(&mut connection, entry.request, found.started_at, entry.started_at).await? {
        return Ok(Claimed::Known(Known::Running));
    }
    // The effect has the id and the time of the first request, so that it happens once.
    Ok(Claimed::Taken(Entry { id: found.id, created_at: found.created_at, ..entry }))
}

/// Way in which a claim ends.
#[derive(Debug)]
pub(super) enum Ending {
    /// The answer is stored.
    Store(NewAnswer),
    /// There was no effect: a retry executes.
    Release,
    /// The effect may be incomplete, and a retry completes it.
    Reopen,
}

/// Ends a claim.
///
/// # Errors
/// The last error of the database.
pub(super) async fn end(state: &State, entry: &Entry, ending: &Ending) -> Result<()> {
    until_written(async || {
        let connection = &mut *state.databases.primary().await?;
        match ending {
            Ending::Store(answer) => db::finish(connection, entry, answer).await,
            Ending::Release => db::release(connection, entry).await,
            Ending::Reopen => db::reopen(connection, entry).await,
        }
    })
    .await
}

/// Runs a write until it succeeds. Without it the claim would count as lost later, because the database was away for a
/// moment.
async fn until_written<T, F: Future<Output = Result<T>>>(write: impl FnMut() -> F) -> Result<T> {
    let delays = ExponentialBuilder::default()
        .with_min_delay(MIN_WRITE_DELAY)
        .with_max_delay(MAX_WRITE_DELAY)
        .with_max_times(MAX_WRITE_RETRIES);
    write.retry(delays).await
}
