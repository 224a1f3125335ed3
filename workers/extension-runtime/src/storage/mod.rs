//! `ctx.db`: the tables that an extension declares and its key-value storage (reference/handlers.md#storage).
//!
//! Every statement carries the extension and the install or account as predicates that no request can change.
//! A mutation is one transaction, committed or rolled back when the handler has ended; elsewhere each write
//! is a transaction of its own.

pub(crate) mod filter;
mod problem;
pub(crate) mod quota;
pub(crate) mod rows;
pub(crate) mod tables;
mod transaction;
pub(crate) mod values;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use diesel_async::{
    AnsiTransactionManager, AsyncPgConnection, SimpleAsyncConnection as _, TransactionManager,
};
use extension_model::{Table, limits::ResolvedLimits};
use foundation::db::Database;
use moka::sync::Cache;
use sandbox::{FunctionKind, HostError, HostRequest};
use serde_json::Value;
use shared::clock::Clock;
use tokio::{
    sync::{Mutex, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use uuid::Uuid;

use problem::Problem;
use quota::UsageChanges;
use transaction::Transaction;

/// Maximum number of accounts whose locks and permits are remembered.
const MAX_ACCOUNTS: u64 = 100_000;
/// Time after its last use for which an account's locks and permits are remembered.
const PERMITS_TTL: Duration = Duration::from_secs(600);
/// Divisor of the pool: one account's handlers hold at most this fraction of the connections.
const ACCOUNT_SHARE: usize = 4;
/// Maximum wait of a statement for the mutation lock, for a permit of its account, and for a row lock.
const LOCK_WAIT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeouts of a write outside of mutations. It gives up soon, because others wait for its connection.
const UNTRANSACTED_TIMEOUTS: &str = "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '5s'";

/// Storage of every extension. Cheap to clone.
#[derive(Clone)]
pub struct Storage {
    postgres: Database,
    clock: Clock,
    /// Transactions of mutations that may be open in this process: each holds a connection for as long as its
    /// handler runs.
    transactions: Arc<Semaphore>,
    /// One mutation of each account at a time, so that no account's mutations delay those of others.
    mutation_locks: Cache<Uuid, Arc<Semaphore>>,
    /// Share of the connections of each account.
    places: Cache<Uuid, Arc<Semaphore>>,
    of_account: usize,
}

/// Owner of the data that an invocation reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Extension of the install.
    pub extension_id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
    /// Install that runs.
    pub install_id: Uuid,
    /// Person of the scope `user`; null for none.
    pub viewer: Option<String>,
}

/// Storage of one invocation.
pub struct Access {
    storage: Storage,
    owner: Owner,
    tables: Arc<BTreeMap<String, Table>>,
    kind: FunctionKind,
    limits: Arc<ResolvedLimits>,
    /// Transaction of a mutation that has used the storage.
    transaction: Mutex<Option<Transaction>>,
}

impl Storage {
    /// Returns a storage that leaves a quarter of the pool's connections to everything but open mutations,
    /// and three quarters to other accounts than any one.
    pub fn new(postgres: Database, clock: Clock, pool_size: u32) -> Self {
        let pool = usize::try_from(pool_size).unwrap_or(usize::MAX);
        let by_account = || Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_idle(PERMITS_TTL).build();
        Self {
            postgres,
            clock,
            transactions: Arc::new(Semaphore::new((pool * 3 / 4).max(1))),
            mutation_locks: by_account(),
            places: by_account(),
            // A mutation holds one for as long as it runs, so that a second is needed.
            of_account: (pool / ACCOUNT_SHARE).max(2).min(pool.saturating_sub(1)).max(1),
        }
    }

    /// Returns the storage as a function of this kind reaches it, within the limits of its extension.
    pub fn access(
        &self,
        owner: Owner,
        tables: Arc<BTreeMap<String, Table>>,
        kind: FunctionKind,
        limits: Arc<ResolvedLimits>,
    ) -> Access {
        Access { storage: self.clone(), owner, tables, kind, limits, transaction: Mutex::default() }
    }

    /// Waits for the right to hold one of an account's connections.
    async fn place(&self, account_id: Uuid) -> Result<OwnedSemaphorePermit, Problem> {
        let places = self.places.get_with(account_id, || Arc::new(Semaphore::new(self.of_account)));
        acquired(places).await
    }
}

async fn acquired(semaphore: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    match timeout(LOCK_WAIT_TIMEOUT, semaphore.acquire_owned()).await {
        Ok(permit) => permit.map_err(|_closed| Problem::lost()),
        Err(_elapsed) => {
            Err(HostError::limit("ctx.db: the storage is busy with other calls of the account; try again")
                .into())
        }
    }
}

impl Access {
    /// Performs a request of a handler. The sandbox has checked the kind of function.
    ///
    /// # Errors
    /// Errors for the handler: a name that is not declared, a value of the wrong type, a quota that is used
    /// up.
    pub async fn perform(&self, request: &HostRequest) -> Result<Value, HostError> {
        let result = if self.kind == FunctionKind::Mutation {
            self.in_the_transaction(request).await
        } else if is_write(request) {
            self.without_transaction(request).await
        } else {
            self.read(request).await
        };
        result.map_err(Problem::for_the_handler)
    }

    /// Commits a mutation.
    ///
    /// # Errors
    /// A failed commit: no change is stored then, unless the connection was lost at the last moment.
    pub async fn commit(&self) -> Result<(), HostError> {
        match self.transaction.lock().await.take() {
            Some(transaction) => transaction.commit().await.map_err(Problem::for_the_handler),
            None => Ok(()),
        }
    }

    /// Rolls a mutation back.
    pub async fn roll_back(&self) {
        if let Some(transaction) = self.transaction.lock().await.take() {
            transaction.roll_back().await;
        }
    }

    async fn in_the_transaction(&self, request: &HostRequest) -> Result<Value, Problem> {
        let mut open = self.transaction.lock().await;
        if open.is_none() {
            *open = Some(Transaction::begin(&self.storage, &self.owner, self.limits.clone()).await?);
        }
        let Some(transaction) = open.as_mut() else { return Err(Problem::lost()) };
        let (connection, usage) = transaction.parts()?;
        let result = self.answer(connection, request, usage, self.storage.clock.now()).await;
        transaction.note(&result);
        result
    }

    async fn without_transaction(&self, request: &HostRequest) -> Result<Value, Problem> {
        let _place = self.storage.place(self.owner.account_id).await?;
        let mut connection = self.storage.postgres.get().await?;
        AnsiTransactionManager::begin_transaction(&mut *connection).await?;
        match self.write(&mut connection, request).await {
            Ok(value) => {
                AnsiTransactionManager::commit_transaction(&mut *connection).await?;
                Ok(value)
            }
            Err(problem) => {
                AnsiTransactionManager::rollback_transaction(&mut *connection).await?;
                Err(problem)
            }
        }
    }

    async fn write(
        &self,
        connection: &mut AsyncPgConnection,
        request: &HostRequest,
    ) -> Result<Value, Problem> {
        connection.batch_execute(UNTRANSACTED_TIMEOUTS).await?;
        let mut usage = UsageChanges::new(self.limits.clone());
        let value = self.answer(connection, request, &mut usage, self.storage.clock.now()).await?;
        usage.apply(connection).await?;
        Ok(value)
    }

    async fn read(&self, request: &HostRequest) -> Result<Value, Problem> {
        let _place = self.storage.place(self.owner.account_id).await?;
        let mut connection = self.storage.postgres.get().await?;
        let (mut unchanged, now) = (UsageChanges::new(self.limits.clone()), self.storage.clock.now());
        self.answer(&mut connection, request, &mut unchanged, now).await
    }

    async fn answer(
        &self,
        connection: &mut AsyncPgConnection,
        request: &HostRequest,
        usage: &mut UsageChanges,
        now: DateTime<Utc>,
    ) -> Result<Value, Problem> {
        let (owner, tables) = (&self.owner, &*self.tables);
        match request {
            HostRequest::QueryRows(query) => rows::query(connection, owner, tables, query).await,
            HostRequest::GetRow(get) => rows::get(connection, owner, tables, get).await,
            HostRequest::InsertRow(insert) => {
                rows::insert(connection, owner, tables, insert, usage, now).await
            }
            HostRequest::PatchRow(patch) => rows::patch(connection, owner, tables, patch, usage, now).await,
            HostRequest::DeleteRow(delete) => rows::delete(connection, owner, tables, delete, usage).await,
            HostRequest::GetValue(at) => values::get(connection, owner, at).await,
            HostRequest::SetValue(set) => values::set(connection, owner, set, usage, now).await,
            HostRequest::DeleteValue(at) => values::delete(connection, owner, at, usage).await,
            HostRequest::ListValues(list) => values::list(connection, owner, list).await,
            _ => Err(HostError::internal("this is no request of the storage").into()),
        }
    }
}

const fn is_write(request: &HostRequest) -> bool {
    matches!(
        request,
        HostRequest::InsertRow(_)
            | HostRequest::PatchRow(_)
            | HostRequest::DeleteRow(_)
            | HostRequest::SetValue(_)
            | HostRequest::DeleteValue(_)
    )
}
