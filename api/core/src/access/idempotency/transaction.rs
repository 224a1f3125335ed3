//! Transaction around an operation: its effects and the stored answer are committed together
//! (reference/conventions.md#idempotency).

use diesel_async::{AnsiTransactionManager, AsyncPgConnection, TransactionManager};
use foundation::db::PinnedConnection;

use super::{
    answer::NewAnswer,
    db,
    entry::{Entry, Row},
    known::expired,
};
use crate::{ApiError, Result, State};

/// Begin of a transaction. A process that stops without closing its connection loses it after 30 seconds.
const BEGIN: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '30s'";

/// Transaction of a request.
pub(super) struct Transaction {
    /// Request in progress.
    pub entry: Entry,
    /// Connection that the callers of the request use.
    pub connection: PinnedConnection,
}

/// Outcome of a begin.
pub(super) enum Begun {
    /// The request is executed.
    New(PinnedConnection),
    /// The request was executed.
    Known(Row),
    /// Another request with the key runs.
    Busy,
}

/// Way in which a transaction ends.
pub(super) enum Ending {
    /// Everything is committed with the answer.
    Commit(NewAnswer),
    /// The operation refused: what it wrote nevertheless is committed with the answer.
    CommitRefusal(NewAnswer),
    /// The writes of the operation are committed, without an answer: a retry executes.
    CommitUnstored,
    /// Everything is rolled back.
    RollBack,
}

/// Begins a transaction and finds the request in it. The row is read by a statement of its own: in that of the lock
/// the row of a transaction that commits meanwhile would be unseen, and the effect would happen twice.
pub(super) async fn begin(state: &State, entry: &Entry) -> Result<Begun> {
    let pinned = state.databases.primary_pinned().await?;
    let mut connection = pinned.borrow()?;
    AnsiTransactionManager::begin_transaction_sql(&mut *connection, BEGIN).await?;
    // No request waits for the lock with a connection: repeated calls at the same time use up no pool.
    if !db::try_lock(&mut connection, entry.request).await? {
        roll_back(&mut connection).await?;
        return Ok(Begun::Busy);
    }
    let known = db::find(&mut connection, entry.request, expired(entry.started_at)).await?;
    if let Some(known) = known {
        roll_back(&mut connection).await?;
        return Ok(Begun::Known(known));
    }
    drop(connection);
    Ok(Begun::New(pinned))
}

impl Transaction {
    /// Ends the transaction. Returns true when what the operation wrote is committed.
    ///
    /// # Errors
    /// 500 when the outcome is not known, or nothing is committed although the operation succeeded.
    pub async fn end(self, ending: Ending) -> Result<bool> {
        let Self { entry, connection } = self;
        let mut connection = connection.borrow()?;
        if !is_outermost(&mut connection) {
            // A transaction that the operation left open, or a lost connection. The pool discards it.
            return match ending {
                Ending::RollBack => Ok(false),
                _ => Err(ApiError::internal("an operation left its transaction in an unknown state")),
            };
        }
        match ending {
            Ending::Commit(answer) => {
                if let Err(error) = store(&mut connection, &entry, &answer).await {
                    discard(&mut connection).await;
                    return Err(error);
                }
                commit_whole(&mut connection).await
            }
            Ending::CommitRefusal(answer) => match store(&mut connection, &entry, &answer).await {
                Ok(()) => commit_whole(&mut connection).await,
                Err(error) => {
                    // A statement outside of an inner transaction failed: the outer one can only be rolled back.
                    tracing::debug!(%error, operation = entry.rule.name, "the answer is stored by itself");
                    discard(&mut connection).await;
                    store_alone(&mut connection, &entry, &answer).await?;
                    Ok(false)
                }
            },
            Ending::CommitUnstored => commit_whole(&mut connection).await,
            Ending::RollBack => {
                discard(&mut connection).await;
                Ok(false)
            }
        }
    }
}

/// Commits what the operation wrote. Deferred constraints are checked here, so that it may fail after the operation has
/// answered: then nothing is committed, and no answer is stored.
async fn commit_whole(connection: &mut AsyncPgConnection) -> Result<bool> {
    commit(connection).await.map(|()| true)
}

/// Writes the answer.
async fn store(connection: &mut AsyncPgConnection, entry: &Entry, answer: &NewAnswer) -> Result<()> {
    if !db::insert(connection, entry, Some(answer), expired(entry.started_at)).await? {
        return Err(ApiError::internal("a request has an answer although it was locked"));
    }
    Ok(())
}

/// Writes the answer in a new transaction, unless another request with the key runs or has run meanwhile.
async fn store_alone(connection: &mut AsyncPgConnection, entry: &Entry, answer: &NewAnswer) -> Result<()> {
    AnsiTransactionManager::begin_transaction_sql(connection, BEGIN).await?;
    if db::try_lock(connection, entry.request).await? {
        db::insert(connection, entry, Some(answer), expired(entry.started_at)).await?;
    }
    commit(connection).await
}

async fn commit(connection: &mut AsyncPgConnection) -> Result<()> {
    Ok(AnsiTransactionManager::commit_transaction(connection).await?)
}

async fn roll_back(connection: &mut AsyncPgConnection) -> Result<()> {
    Ok(AnsiTransactionManager::rollback_transaction(connection).await?)
}

/// Rolls back. If that fails the pool discards the connection, and the server rolls back.
async fn discard(connection: &mut AsyncPgConnection) {
    if let Err(error) = AnsiTransactionManager::rollback_transaction(connection).await {
        tracing::debug!(%error, "a transaction of a request is rolled back by the end of its connection");
    }
}

/// True in the transaction that [`begin`] began, and in no inner one.
fn is_outermost(connection: &mut AsyncPgConnection) -> bool {
    let status = AnsiTransactionManager::transaction_manager_status_mut(connection);
    matches!(status.transaction_depth(), Ok(Some(depth)) if depth.get() == 1)
}
