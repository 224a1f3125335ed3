//! `ctx.db`: the tables that an extension declares and its key-value storage (specification C B3.3, B8; B §8).
//!
//! Every statement carries the extension and the install or account as predicates that no request can change. A
//! mutation is one transaction, which is kept or undone when the handler has ended; everywhere else each write is a
//! transaction of its own.

mod filter;
mod problem;
mod quota;
mod rows;
mod tables;
mod transaction;
mod values;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use diesel_async::{
    AnsiTransactionManager, AsyncPgConnection, SimpleAsyncConnection as _, TransactionManager,
};
use moka::sync::Cache;
use sandbox::{FunctionKind, HostError, HostRequest};
use serde_json::Value;
use shared::{clock::Clock, db::Database, extensions::Table};
use tokio::{
    sync::{Mutex, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use uuid::Uuid;

use problem::Problem;
use quota::UsageChanges;
use transaction::Transaction;

/// Accounts whose turns and places are remembered, and for how long after the last.
const MAX_ACCOUNTS: u64 = 100_000;
const TURNS_RETENTION: Duration = Duration::from_secs(600);
/// One account's handlers hold at most one connection in this many.
const ACCOUNT_SHARE: usize = 4;
/// How long a statement waits for its turn, for a place of its account and for a connection's lock.
const TURN: Duration = Duration::from_secs(5);
/// A write that is no mutation's gives up soon: others wait for its connection.
const LOCK_TIMEOUT_AT_ONCE: &str = "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '5s'";

/// The storage of every extension. Cheap to clone.
#[derive(Clone)]
pub struct Storage {
    postgres: Database,
    clock: Clock,
    /// Transactions of mutations that may be open at once in this process: each holds a connection for as long as its
    /// handler runs.
    transactions: Arc<Semaphore>,
    /// Of each account one at a time, so that no account's mutations keep those of others waiting.
    turns: Cache<Uuid, Arc<Semaphore>>,
    /// Of each account a share of the connections, whatever its handlers do.
    places: Cache<Uuid, Arc<Semaphore>>,
    of_account: usize,
}

/// Whose data an invocation reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub extension_id: Uuid,
    pub account_id: Uuid,
    pub install_id: Uuid,
    /// The person of the scope `user`, if there is one.
    pub viewer: Option<String>,
}

/// What one invocation reaches of the storage.
pub struct Access {
    storage: Storage,
    owner: Owner,
    tables: Arc<BTreeMap<String, Table>>,
    kind: FunctionKind,
    /// Of a mutation that has touched the storage.
    transaction: Mutex<Option<Transaction>>,
}

impl Storage {
    /// Storage that leaves a quarter of the connections of the pool to everything but open mutations, and three
    /// quarters to other accounts than any one.
    pub fn new(postgres: Database, clock: Clock, pool_size: u32) -> Self {
        let pool = usize::try_from(pool_size).unwrap_or(usize::MAX);
        let by_account = || Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_idle(TURNS_RETENTION).build();
        Self {
            postgres,
            clock,
            transactions: Arc::new(Semaphore::new((pool * 3 / 4).max(1))),
            turns: by_account(),
            places: by_account(),
            // A mutation holds one for as long as it runs, so that a second is needed.
            of_account: (pool / ACCOUNT_SHARE).max(2).min(pool.saturating_sub(1)).max(1),
        }
    }

    /// The storage as a function of this kind reaches it.
    pub fn access(&self, owner: Owner, tables: Arc<BTreeMap<String, Table>>, kind: FunctionKind) -> Access {
        Access { storage: self.clone(), owner, tables, kind, transaction: Mutex::default() }
    }

    /// The right to hold one of an account's connections.
    async fn place(&self, account_id: Uuid) -> Result<OwnedSemaphorePermit, Problem> {
        let places = self.places.get_with(account_id, || Arc::new(Semaphore::new(self.of_account)));
        acquired(places).await
    }
}

async fn acquired(semaphore: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    match timeout(TURN, semaphore.acquire_owned()).await {
        Ok(permit) => permit.map_err(|_closed| Problem::lost()),
        Err(_elapsed) => {
            Err(HostError::limit("ctx.db: the storage is busy with other calls of the account; try again")
                .into())
        }
    }
}

impl Access {
    /// Does what a handler asks for. The sandbox has checked that the kind of function may.
    ///
    /// # Errors
    /// What the handler reads: a name that is not declared, a value of the wrong type, a quota that is used up.
    pub async fn perform(&self, request: &HostRequest) -> Result<Value, HostError> {
        let result = if self.kind == FunctionKind::Mutation {
            self.in_the_transaction(request).await
        } else if is_write(request) {
            self.at_once(request).await
        } else {
            self.read(request).await
        };
        result.map_err(Problem::for_the_handler)
    }

    /// Keeps what a mutation did.
    ///
    /// # Errors
    /// When it could not be kept; nothing of it is then, unless the connection was lost at the last moment.
    pub async fn commit(&self) -> Result<(), HostError> {
        match self.transaction.lock().await.take() {
            Some(transaction) => transaction.commit().await.map_err(Problem::for_the_handler),
            None => Ok(()),
        }
    }

    /// Undoes what a mutation did.
    pub async fn roll_back(&self) {
        if let Some(transaction) = self.transaction.lock().await.take() {
            transaction.roll_back().await;
        }
    }

    async fn in_the_transaction(&self, request: &HostRequest) -> Result<Value, Problem> {
        let mut open = self.transaction.lock().await;
        if open.is_none() {
            *open = Some(Transaction::begin(&self.storage, &self.owner).await?);
        }
        let Some(transaction) = open.as_mut() else { return Err(Problem::lost()) };
        let (connection, usage) = transaction.parts()?;
        let result = self.answer(connection, request, usage, self.storage.clock.now()).await;
        transaction.note(&result);
        result
    }

    async fn at_once(&self, request: &HostRequest) -> Result<Value, Problem> {
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
        connection.batch_execute(LOCK_TIMEOUT_AT_ONCE).await?;
        let mut usage = UsageChanges::default();
        let value = self.answer(connection, request, &mut usage, self.storage.clock.now()).await?;
        usage.apply(connection).await?;
        Ok(value)
    }

    async fn read(&self, request: &HostRequest) -> Result<Value, Problem> {
        let _place = self.storage.place(self.owner.account_id).await?;
        let mut connection = self.storage.postgres.get().await?;
        let (mut unchanged, now) = (UsageChanges::default(), self.storage.clock.now());
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
