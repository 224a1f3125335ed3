//! Import of an account (reference/archives.md#import).

mod archive;
mod chain;
mod completion;
mod index;
mod inspection;
mod limits;
mod lines;
mod objects;
#[cfg(test)]
mod packed;
mod people;
mod reader;
mod records;
mod rows;
mod source;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use account_model::accounts::erase_rows;
use audit_chain::ChainKeys;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use shared::secret::Secret;
use uuid::Uuid;

use crate::{
    Error, Result,
    export::Stores,
    manifest::Manifest,
    tables::{Home, tables},
};
pub use chain::VerifiedChain;
pub use inspection::inspect;
pub use limits::Limits;
use reader::Reader;
use rows::Loader;

/// Settings of the transaction. The trigger of the audit log runs with each statement, so that a long log does not wait
/// for the commit.
const SETTINGS: [&str; 3] = [
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL statement_timeout = '120s'",
    "SET CONSTRAINTS audit_log_chain IMMEDIATE",
];

/// Choices of the operator.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Slug of the plan that the account gets.
    pub plan: &'a str,
    /// Person who owns the account here, in place of the archived owner.
    pub owner: Option<Uuid>,
    /// Private key that opens the secrets; `None` leaves them out.
    pub private_key: Option<&'a Secret>,
    /// Keys of this deployment, whose checkpoints of the audit log are trusted.
    pub chain_keys: &'a ChainKeys,
    /// Time of the import.
    pub now: DateTime<Utc>,
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// The account.
    pub account_id: Uuid,
    /// Its name.
    pub name: String,
    /// Slug of its plan here.
    pub plan: String,
    /// People who were made as placeholders.
    pub placeholders: u64,
    /// Written rows, by table.
    pub rows: BTreeMap<String, u64>,
    /// Rows that were skipped, by table: they name something that does not exist here, give rights to people who existed
    /// before, or are older than the plan keeps them.
    pub skipped: BTreeMap<String, u64>,
    /// Stored objects.
    pub objects: u64,
    /// Secrets that were opened and sealed again.
    pub secrets: u64,
    /// Chain of the audit log, which was verified.
    pub audit: VerifiedChain,
}

/// Imports an archive. Everything or nothing is written: rows of the main database in one transaction, and what the
/// other stores have got is removed again after a failure.
///
/// # Errors
/// A file that is no archive or was changed, an account that exists already, content that does not fit this
/// deployment, an audit log whose chain is not intact, or a store that fails.
pub async fn import(stores: Stores<'_>, file: &Path, options: Options<'_>) -> Result<Imported> {
    let reader = Reader::open(file).await?;
    let account = reader.manifest().account_id;
    let mut connection = stores.postgres.get().await?;
    let has_begun = AtomicBool::new(false);
    let imported = connection
        .transaction(async |connection| {
            let chat_days = begin(connection, account, options).await?;
            has_begun.store(true, Ordering::Relaxed);
            write(connection, stores, &reader, (options, chat_days)).await
        })
        .await;
    drop(connection);
    // Also after a commit that failed.
    if imported.is_err()
        && has_begun.into_inner()
        && let Err(error) = erase_uncommitted(stores, account).await
    {
        tracing::error!(%error, %account, "rows over time of a failed import are left to the next import");
    }
    imported
}

/// Erases rows over time of a failed import. The lock excludes other imports. An account that exists is one whose commit
/// has arrived although its answer has not, or one of another import.
async fn erase_uncommitted(stores: Stores<'_>, account: Uuid) -> Result<()> {
    let mut connection = stores.postgres.get().await?;
    connection
        .transaction(async |connection| {
            lock(connection, account).await?;
            if !exists(connection, account).await? {
                erase_rows(stores.timescaledb, account).await?;
            }
            Ok::<_, Error>(())
        })
        .await
}

/// Locks the id of the account until the end of the transaction.
async fn lock(connection: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("import:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

async fn exists(connection: &mut AsyncPgConnection, account: Uuid) -> Result<bool> {
    let exists = sql_query("SELECT EXISTS (SELECT FROM accounts WHERE id = $1) AS found");
    Ok(exists.bind::<SqlUuid, _>(account).get_result::<Found>(connection).await?.found)
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    found: bool,
}

#[derive(QueryableByName)]
struct Plan {
    #[diesel(sql_type = BigInt)]
    chat_days: i64,
}

/// Locks the id of the account, and checks what the import depends on. Returns the days that the plan keeps chat.
async fn begin(connection: &mut AsyncPgConnection, account: Uuid, options: Options<'_>) -> Result<i64> {
    for setting in SETTINGS {
        sql_query(setting).execute(connection).await?;
    }
    lock(connection, account).await?;
    if exists(connection, account).await? {
        return Err(Error::Refused(format!("The account {account} exists already")));
    }
    // Its entries and links would follow those that are here, and its erasure may still be running.
    let is_logged = sql_query(
        "SELECT EXISTS (SELECT FROM audit_log WHERE account_id = $1)
             OR EXISTS (SELECT FROM audit_chains WHERE account_id = $1) AS found",
    );
    if is_logged.bind::<SqlUuid, _>(account).get_result::<Found>(connection).await?.found {
        return Err(Error::Refused(format!(
            "The account {account} was dissolved here, and its audit log is still kept"
        )));
    }
    let plan = sql_query("SELECT chat_retention_days AS chat_days FROM plans WHERE slug = $1");
    let plan: Option<Plan> = plan.bind::<Text, _>(options.plan).get_result(connection).await.optional()?;
    let plan = plan.ok_or_else(|| Error::Refused(format!("There is no plan `{}`", options.plan)))?;
    if let Some(owner) = options.owner {
        let person = sql_query("SELECT EXISTS (SELECT FROM users WHERE id = $1) AS found");
        if !person.bind::<SqlUuid, _>(owner).get_result::<Found>(connection).await?.found {
            return Err(Error::Refused(format!("There is no person {owner}")));
        }
    }
    Ok(plan.chat_days)
}

async fn write(
    connection: &mut AsyncPgConnection,
    stores: Stores<'_>,
    reader: &Reader,
    (options, chat_days): (Options<'_>, i64),
) -> Result<Imported> {
    let Manifest { account_id, account_name, .. } = reader.manifest().clone();
    // Rows that a killed import has left.
    erase_rows(stores.timescaledb, account_id).await?;
    let objects = objects::write(stores, reader, options.now).await?;
    let placeholders = people::write(connection, reader, options.owner).await?;
    chain::begin(connection, account_id).await?;
    let mut loader = Loader::new(account_id, options.plan, chat_days);
    for table in tables().filter(|table| table.home == Home::Primary) {
        let Some(rows) = table.exported_rows().filter(|rows| !rows.is_credential) else { continue };
        loader.write_table(connection, reader, table, rows).await?;
    }
    let audit = chain::verify(connection, account_id, options.chain_keys, options.now).await?;
    for table in tables().filter(|table| table.home == Home::TimeSeries) {
        let Some(rows) = table.exported_rows() else { continue };
        let mut timeseries = stores.timescaledb.get().await?;
        loader.write_table(&mut timeseries, reader, table, rows).await?;
    }
    let secrets = match options.private_key {
        Some(key) => records::write(connection, stores.keyring, reader, &mut loader, key).await?,
        None => 0,
    };
    completion::complete(connection, stores.keyring, reader.manifest(), options.now).await?;
    let (rows, skipped) = loader.counts();
    Ok(Imported {
        account_id,
        name: account_name,
        plan: options.plan.to_owned(),
        placeholders,
        rows,
        skipped,
        objects,
        secrets,
        audit,
    })
}
