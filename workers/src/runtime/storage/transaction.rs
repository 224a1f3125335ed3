//! The transaction of one mutation.
//!
//! Mutations of one extension in one account run one after the other from their first touch of the storage on, so
//! that what a handler reads still stands when it writes. Whoever waits too long for that is refused.

use std::sync::Arc;

use diesel::{sql_query, sql_types::Text};
use diesel_async::{
    AnsiTransactionManager, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection, TransactionManager,
};
use sandbox::HostError;
use serde_json::Value;
use shared::db::{Connection, Prepare};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Owner, Storage, acquired, problem::Problem, quota::UsageChanges};

/// A handler that does nothing with its transaction for ten seconds loses it.
const LIMITS: &str = "SET LOCAL lock_timeout = '5s'; SET LOCAL idle_in_transaction_session_timeout = '10s'";

pub(super) struct Transaction {
    connection: Connection<'static>,
    usage: UsageChanges,
    /// Set when a statement failed: the server takes no more of them.
    is_broken: bool,
    _permit: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl Transaction {
    pub async fn begin(storage: &Storage, owner: &Owner) -> Result<Self, Problem> {
        let turns = storage.turns.get_with(owner.account_id, || Arc::new(Semaphore::new(1)));
        // In this order: whoever waits for the account's turn holds no place that others could use.
        let turn = acquired(turns).await?;
        let place = storage.place(owner.account_id).await?;
        let permit = acquired(storage.transactions.clone()).await?;
        let mut connection = storage.postgres.get_owned().await?;
        AnsiTransactionManager::begin_transaction(&mut *connection).await?;
        let mut transaction = Self {
            connection,
            usage: UsageChanges::default(),
            is_broken: false,
            _permit: permit,
            _place: place,
            _turn: turn,
        };
        match transaction.take_turn(owner).await {
            Ok(()) => Ok(transaction),
            Err(error) => {
                transaction.roll_back().await;
                Err(error)
            }
        }
    }

    async fn take_turn(&mut self, owner: &Owner) -> Result<(), Problem> {
        let connection = &mut *self.connection;
        connection.batch_execute(LIMITS).await?;
        sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
            .bind::<Text, _>(format!("extension-data:{}:{}", owner.extension_id, owner.account_id))
            .prepared()
            .execute(connection)
            .await?;
        Ok(())
    }

    /// What statements of the transaction need.
    pub fn parts(&mut self) -> Result<(&mut AsyncPgConnection, &mut UsageChanges), Problem> {
        if self.is_broken {
            return Err(HostError::internal("ctx.db: an earlier statement of this mutation failed").into());
        }
        Ok((&mut self.connection, &mut self.usage))
    }

    /// Notes how a statement ended: after one that failed the server takes no more of them.
    pub const fn note(&mut self, result: &Result<Value, Problem>) {
        self.is_broken = matches!(result, Err(Problem::Failed(_)));
    }

    pub async fn commit(mut self) -> Result<(), Problem> {
        if self.is_broken {
            self.roll_back().await;
            return Err(HostError::internal("ctx.db: a statement of this mutation failed").into());
        }
        // Only now, so that the rows of the quotas are held for a moment and not for a whole handler.
        if let Err(error) = self.usage.apply(&mut self.connection).await {
            self.roll_back().await;
            return Err(error);
        }
        Ok(AnsiTransactionManager::commit_transaction(&mut *self.connection).await?)
    }

    pub async fn roll_back(mut self) {
        if let Err(error) = AnsiTransactionManager::rollback_transaction(&mut *self.connection).await {
            // The pool drops a connection whose transaction is open, and the server undoes it.
            tracing::debug!(%error, "a transaction was not undone in order");
        }
    }
}
