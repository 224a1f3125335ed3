//! Queries over `extension_access_grants`. Each carries the extension, whose ownership was checked before.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        accounts,
        extension_access_grants::{self, dsl},
    },
};
use uuid::Uuid;

use super::ExtensionAccessGrant;

/// Bound of the list; an extension has fewer grants.
const MAX_ROWS: i64 = 1000;

/// Account, its name, maker of the grant, time of the grant.
type Row = (Uuid, String, Option<Uuid>, Timestamp);

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Vec<ExtensionAccessGrant>> {
    let rows: Vec<Row> = dsl::extension_access_grants
        .inner_join(accounts::table)
        .filter(dsl::extension_id.eq(extension))
        .order((dsl::created_at, dsl::account_id))
        .limit(MAX_ROWS)
        .select((dsl::account_id, accounts::name, dsl::granted_by, dsl::created_at))
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(grant).collect())
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    account: Uuid,
) -> Result<Option<ExtensionAccessGrant>> {
    let row: Option<Row> = dsl::extension_access_grants
        .inner_join(accounts::table)
        .filter(dsl::extension_id.eq(extension).and(dsl::account_id.eq(account)))
        .select((dsl::account_id, accounts::name, dsl::granted_by, dsl::created_at))
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(grant))
}

/// Name and owner of an account.
pub(super) async fn account(
    connection: &mut AsyncPgConnection,
    account: Uuid,
) -> Result<Option<(String, Uuid)>> {
    Ok(accounts::table
        .filter(accounts::id.eq(account))
        .select((accounts::name, accounts::owner_id))
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn count(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<i64> {
    Ok(dsl::extension_access_grants
        .filter(dsl::extension_id.eq(extension))
        .count()
        .get_result(connection)
        .await?)
}

/// Inserts a grant. Returns false when the account has access already.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    account: Uuid,
    granted_by: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let inserted = insert_into(extension_access_grants::table)
        .values((
            dsl::extension_id.eq(extension),
            dsl::account_id.eq(account),
            dsl::granted_by.eq(granted_by),
            dsl::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    Ok(inserted > 0)
}

/// Deletes a grant. Returns false when there is no such grant.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    account: Uuid,
) -> Result<bool> {
    let grant =
        dsl::extension_access_grants.filter(dsl::extension_id.eq(extension).and(dsl::account_id.eq(account)));
    Ok(diesel::delete(grant).execute(connection).await? > 0)
}

fn grant((account_id, account_name, granted_by, created_at): Row) -> ExtensionAccessGrant {
    ExtensionAccessGrant { account_id, account_name, granted_by, created_at }
}
