//! Transaction of one mutation.
//!
//! Mutations of one extension in one account run one after the other from their first use of the storage on,
//! so that data that a handler has read is still current when it writes. A handler that waits too long for
//! that is refused.

use std::sync::Arc;

use diesel::{sql_query, sql_types::Text};
use diesel_async::{
    AnsiTransactionManager, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection, TransactionManager,
};
use extension_model::limits::ResolvedLimits;
use foundation::db::{Connection, Prepare};
use sandbox::HostError;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Owner, Storage, acquired, problem::Problem, quota::UsageChanges};

/// Timeouts of the transaction. A handler that leaves its transaction idle for ten seconds loses it.
const LIMITS: &str = "SET LOCAL lock_timeout = '5s'; SET LOCAL idle_in_transaction_session_timeout = '10s'";

pub(super) struct Transaction {
    connection: Connection<'static>,
    usage: UsageChanges,
    /// Set after a failed statement: the server accepts no more of them.
    is_broken: bool,
    _permit: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
    _mutation_permit: OwnedSemaphorePermit,
}

impl Transaction {
    /// Waits for the locks and permits of the owner, and begins a transaction.
    pub async fn begin(
        storage: &Storage,
        owner: &Owner,
        limits: Arc<ResolvedLimits>,
    ) -> Result<Self, Problem> {
        let mutation_locks =
            storage.mutation_locks.get_with(owner.account_id, || Arc::new(Semaphore::new(1)));
        // In this order: a mutation that waits for the account's lock must not hold a permit that others
        // could use.
        let mutation_permit = acquired(mutation_locks).await?;
        let place = storage.place(owner.account_id).await?;
        let permit = acquired(storage.transactions.clone()).await?;
        let mut connection = storage.postgres.get_owned().await?;
        AnsiTransactionManager::begin_transaction(&mut *connection).await?;
        let mut transaction = Self {
            connection,
            usage: UsageChanges::new(limits),
            is_broken: false,
            _permit: permit,
            _place: place,
            _mutation_permit: mutation_permit,
        };
        match transaction.lock_account(owner).await {
            Ok(()) => Ok(transaction),
            Err(error) => {
                transaction.roll_back().await;
                Err(error)
            }
        }
    }

    async fn lock_account(&mut self, owner: &Owner) -> Result<(), Problem> {
        let connection = &mut *self.connection;
        connection.batch_execute(LIMITS).await?;
        sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
            .bind::<Text, _>(format!("extension-data:{}:{}", owner.extension_id, owner.account_id))
            .prepared()
            .execute(connection)
            .await?;
        Ok(())
    }

    /// Returns the parts that statements of the transaction need.
    pub fn parts(&mut self) -> Result<(&mut AsyncPgConnection, &mut UsageChanges), Problem> {
        if self.is_broken {
            return Err(HostError::internal("ctx.db: an earlier statement of this mutation failed").into());
        }
        Ok((&mut self.connection, &mut self.usage))
    }

    /// Records the result of a statement: after a failed one the server accepts no more of them.
    pub const fn note(&mut self, result: &Result<Value, Problem>) {
        self.is_broken = matches!(result, Err(Problem::Failed(_)));
    }

    /// Commits the transaction with the changes of quotas.
    pub async fn commit(mut self) -> Result<(), Problem> {
        if self.is_broken {
            self.roll_back().await;
            return Err(HostError::internal("ctx.db: a statement of this mutation failed").into());
        }
        // Only now, so that the rows of the quotas are locked for a moment and not for a whole handler.
        if let Err(error) = self.usage.apply(&mut self.connection).await {
            self.roll_back().await;
            return Err(error);
        }
        Ok(AnsiTransactionManager::commit_transaction(&mut *self.connection).await?)
    }

    /// Rolls the transaction back.
    pub async fn roll_back(mut self) {
        if let Err(error) = AnsiTransactionManager::rollback_transaction(&mut *self.connection).await {
            // The pool drops a connection whose transaction is open, and the server rolls it back.
            tracing::debug!(%error, "a transaction could not be rolled back");
        }
    }
}
