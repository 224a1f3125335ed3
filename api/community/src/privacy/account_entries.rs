//! Audit entries of the accounts that an erasure concerns (reference/privacy.md#record-of-an-erasure).
//!
//! The record keeps the accounts and how many of them have their entry. Some hundred get theirs in one transaction, which
//! moves the position too, so each gets one entry whatever is killed, and two processes may write those of one record.

use api_core::{Cx, Result, access::SystemReason};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, BigInt, Integer, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::audit::{self, Actor, Entry, Scope};
use serde_json::json;
use shared::Error;
use uuid::Uuid;

use super::kind::Kind;

/// Type of the resource in the entries.
pub(super) const RESOURCE_TYPE: &str = "privacy_erasure";
/// Entries of one transaction. Its commit writes a link for each and must end within the timeout of a statement.
const ENTRY_BATCH_SIZE: i32 = 300;
/// Maximum number of transactions for one record.
const MAX_TRANSACTIONS: usize = 100_000;
/// Interrupted records that one erasure continues.
const MAX_CONTINUED: i64 = 20;

/// Record with the accounts whose turn it is.
#[derive(QueryableByName)]
struct Part {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    subject_hash: String,
    #[diesel(sql_type = Text)]
    salt: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    requested_by: Option<Uuid>,
    #[diesel(sql_type = Array<SqlUuid>)]
    accounts: Vec<Uuid>,
}

#[derive(QueryableByName)]
struct Interrupted {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

const BEGIN: &str = "UPDATE privacy_erasures SET account_ids = $2, entered_accounts = 0 WHERE id = $1";

const NEXT: &str = "
    SELECT kind, subject_hash, salt, requested_by,
        account_ids[entered_accounts + 1 : entered_accounts + $2] AS accounts
    FROM privacy_erasures WHERE id = $1 AND entered_accounts < cardinality(account_ids) FOR NO KEY UPDATE";

const MOVE: &str = "UPDATE privacy_erasures SET entered_accounts = entered_accounts + $2 WHERE id = $1";

const INTERRUPTED: &str = "
    SELECT id FROM privacy_erasures WHERE entered_accounts < cardinality(account_ids) ORDER BY started_at LIMIT $1";

/// Stores the accounts of a record, before any of them has its entry. They are sorted, as the commits lock their chains
/// (reference/audit-chain.md#links).
pub(super) async fn begin(
    connection: &mut AsyncPgConnection,
    erasure: Uuid,
    accounts: &[Uuid],
) -> Result<()> {
    let mut sorted = accounts.to_vec();
    sorted.sort_unstable();
    sql_query(BEGIN)
        .bind::<SqlUuid, _>(erasure)
        .bind::<Array<SqlUuid>, _>(sorted)
        .execute(connection)
        .await?;
    Ok(())
}

/// Writes the entries that a record lacks. Returns the number of accounts whose log refused theirs for good: such an
/// account delays the entry of no other. After an error that may pass, the next erasure continues at the same account.
/// `ip` is the address of the request that made the record.
pub(super) async fn write(cx: &Cx, erasure: Uuid, ip: Option<&str>) -> Result<usize> {
    let mut connection = cx.state().system(SystemReason::PrivacyErasure).db().await?;
    // Accounts of a transaction that failed, which are written one by one.
    let (mut alone, mut left_out) = (0, 0);
    for _ in 0..MAX_TRANSACTIONS {
        let size = if alone > 0 { 1 } else { ENTRY_BATCH_SIZE };
        match write_part(&mut connection, erasure, ip, size).await {
            Ok(0) => break,
            Ok(_) => alone = (alone - 1).max(0),
            Err(error) if size > 1 => {
                tracing::warn!(%error, %erasure, "audit entries of an erasure are written one by one");
                alone = ENTRY_BATCH_SIZE;
            }
            Err(error) if !is_permanent(&error) => return Err(error.into()),
            Err(error) => {
                tracing::error!(%error, %erasure, "the audit log of an account takes no entry of an erasure");
                forward(&mut connection, erasure, 1).await?;
                alone -= 1;
                left_out += 1;
            }
        }
    }
    Ok(left_out)
}

/// Continues the entries of erasures that were killed while they wrote them.
pub(super) async fn continue_interrupted(cx: &Cx) {
    let continued = async {
        let mut connection = cx.state().system(SystemReason::PrivacyErasure).db().await?;
        let found: Vec<Interrupted> =
            sql_query(INTERRUPTED).bind::<BigInt, _>(MAX_CONTINUED).load(&mut *connection).await?;
        drop(connection);
        for Interrupted { id } in found {
            write(cx, id, None).await?;
        }
        Ok::<_, api_core::ApiError>(())
    };
    if let Err(error) = continued.await {
        tracing::warn!(%error, "audit entries of interrupted erasures are left");
    }
}

/// True when a constraint refuses the entry. A deadlock, an elapsed timeout or a lost connection may pass.
fn is_permanent(error: &Error) -> bool {
    use diesel::result::{
        DatabaseErrorKind::{CheckViolation, ForeignKeyViolation, NotNullViolation, UniqueViolation},
        Error::DatabaseError,
    };
    let Error::Database(DatabaseError(kind, _)) = error else { return false };
    matches!(kind, CheckViolation | ForeignKeyViolation | NotNullViolation | UniqueViolation)
}

async fn write_part(
    connection: &mut AsyncPgConnection,
    erasure: Uuid,
    ip: Option<&str>,
    size: i32,
) -> Result<usize, Error> {
    connection
        .transaction(async |connection| {
            let part: Option<Part> = sql_query(NEXT)
                .bind::<SqlUuid, _>(erasure)
                .bind::<Integer, _>(size)
                .get_result(connection)
                .await
                .optional()?;
            let Some(part) = part else { return Ok(0) };
            let written = part.accounts.len();
            audit::record_each(connection, entries(erasure, ip, &part)).await?;
            forward(connection, erasure, i32::try_from(written).unwrap_or(size)).await?;
            Ok(written)
        })
        .await
}

fn entries(erasure: Uuid, ip: Option<&str>, part: &Part) -> Vec<Entry<'static>> {
    let Some(kind) = Kind::parse(&part.kind) else { return Vec::new() };
    let actor = part.requested_by.map_or(Actor::System, Actor::User);
    let of = |account: &Uuid| Entry {
        scope: Scope::Account(*account),
        actor,
        action: kind.action(),
        resource_type: RESOURCE_TYPE,
        resource_id: Some(erasure.to_string()),
        metadata: json!({ "subject_hash": part.subject_hash, "salt": part.salt }),
        ip: ip.map(str::to_owned),
    };
    part.accounts.iter().map(of).collect()
}

async fn forward(connection: &mut AsyncPgConnection, erasure: Uuid, number: i32) -> Result<(), Error> {
    sql_query(MOVE).bind::<SqlUuid, _>(erasure).bind::<Integer, _>(number).execute(connection).await?;
    Ok(())
}
