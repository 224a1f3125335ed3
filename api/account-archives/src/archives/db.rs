//! Queries over `account_archives`. All but the one of signed addresses carry the account.

use api_core::{
    ApiError, Result, Timestamp,
    http::{Caching, StoredFile},
};
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{exists, select},
    insert_into,
    prelude::*,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::{
        account_archives::{self, dsl},
        accounts, audit_log, memberships,
    },
};
use uuid::Uuid;

/// Archives of one list. Rows end after seven days, so an account has fewer.
const MAX_ROWS: i64 = 100;
/// States in which an archive counts.
const COUNTED: [&str; 3] = ["queued", "running", "ready"];

#[derive(Queryable, Selectable)]
#[diesel(table_name = account_archives)]
pub(super) struct Row {
    pub id: Uuid,
    pub account_id: Uuid,
    pub requested_by: Option<Uuid>,
    pub status: String,
    pub secrets_key: Option<String>,
    pub size_bytes: Option<i64>,
    pub sha256: Option<String>,
    pub error: Option<String>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
}

/// A row to write.
#[derive(Insertable)]
#[diesel(table_name = account_archives)]
pub(super) struct NewArchive<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub requested_by: UserId,
    pub secrets_key: Option<&'a str>,
    pub created_at: DateTime<Utc>,
}

/// Account of that id, which the person owns.
///
/// # Errors
/// 404 when the person is not a member; 403 when another person is the owner.
pub(super) async fn owned(
    connection: &mut AsyncPgConnection,
    named: Uuid,
    user: UserId,
) -> Result<AccountId> {
    let found: Option<(AccountId, bool)> = memberships::table
        .inner_join(accounts::table)
        .filter(memberships::account_id.eq(named))
        .filter(memberships::user_id.eq(user))
        .select((memberships::account_id, accounts::owner_id.eq(memberships::user_id)))
        .first(connection)
        .await
        .optional()?;
    match found {
        Some((account, true)) => Ok(account),
        Some((_, false)) => Err(ApiError::forbidden("Only the account owner can export the account")),
        None => Err(ApiError::not_found("Account not found")),
    }
}

/// Locks the account until the transaction ends, so that two requests do not begin two exports.
pub(super) async fn lock(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    accounts::table
        .find(account)
        .select(accounts::id)
        .for_no_key_update()
        .first::<AccountId>(connection)
        .await?;
    Ok(())
}

/// True while an archive of the account is requested or made.
pub(super) async fn is_exporting(connection: &mut AsyncPgConnection, account: AccountId) -> Result<bool> {
    let open =
        dsl::account_archives.filter(dsl::account_id.eq(account.uuid())).filter(dsl::finished_at.is_null());
    Ok(select(exists(open)).get_result(connection).await?)
}

/// Number of archives that count against the limit.
pub(super) async fn count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    let counted =
        dsl::account_archives.filter(dsl::account_id.eq(account.uuid())).filter(dsl::status.eq_any(COUNTED));
    Ok(counted.count().get_result(connection).await?)
}

/// Number of exports that were requested since a time and not discarded. The audit log knows those whose archives are
/// gone, too.
pub(super) async fn count_requested(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    since: DateTime<Utc>,
) -> Result<i64> {
    let requested = audit_log::table
        .filter(audit_log::account_id.eq(account.uuid()))
        .filter(audit_log::created_at.gt(since))
        .filter(audit_log::action.eq("account:export_requested"));
    let requested: i64 = requested.count().get_result(connection).await?;
    let discarded = dsl::account_archives
        .filter(dsl::account_id.eq(account.uuid()).and(dsl::created_at.gt(since)))
        .filter(dsl::status.eq("discarded"));
    let discarded: i64 = discarded.count().get_result(connection).await?;
    Ok(requested - discarded)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewArchive<'_>) -> Result<Row> {
    Ok(insert_into(dsl::account_archives)
        .values(new)
        .returning(Row::as_returning())
        .get_result(connection)
        .await?)
}

/// Archives of an account, newest first.
pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Row>> {
    Ok(dsl::account_archives
        .filter(dsl::account_id.eq(account.uuid()))
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(MAX_ROWS)
        .select(Row::as_select())
        .load(connection)
        .await?)
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    archive: Uuid,
) -> Result<Option<Row>> {
    Ok(dsl::account_archives
        .filter(dsl::account_id.eq(account.uuid()).and(dsl::id.eq(archive)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Deletes an archive. Returns the key of its object; `None` when there is no such archive.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    archive: Uuid,
) -> Result<Option<Option<String>>> {
    let own = dsl::account_archives.filter(dsl::account_id.eq(account.uuid()).and(dsl::id.eq(archive)));
    Ok(diesel::delete(own).returning(dsl::storage_key).get_result(connection).await.optional()?)
}

/// File of an archive of any account, for a signed address.
pub(super) async fn file(connection: &mut AsyncPgConnection, archive: Uuid) -> Result<Option<StoredFile>> {
    type Found = (Option<String>, Option<i64>, Option<String>);
    let found: Option<Found> = dsl::account_archives
        .filter(dsl::id.eq(archive).and(dsl::status.eq("ready")))
        .select((dsl::storage_key, dsl::size_bytes, dsl::sha256))
        .first(connection)
        .await
        .optional()?;
    let Some((Some(storage_key), Some(size_bytes), Some(content_hash))) = found else { return Ok(None) };
    Ok(Some(StoredFile {
        content_type: "application/zip".to_owned(),
        size_bytes: u64::try_from(size_bytes).unwrap_or_default(),
        content_hash,
        storage_key,
        caching: Caching::Nothing,
    }))
}
