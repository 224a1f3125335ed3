//! Queries over `account_feature_overrides`. Each one carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::{
        account_feature_overrides::{self, dsl},
        accounts, feature_flags,
    },
};
use uuid::Uuid;

use super::AccountFeatureOverride;

/// Maximum number of listed overrides, above the number of flags.
const MAX_OVERRIDES: i64 = 1000;

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = account_feature_overrides, treat_none_as_null = true)]
pub(super) struct Override<'a> {
    pub account_id: AccountId,
    pub feature_id: Uuid,
    pub enabled: bool,
    pub reason: Option<&'a str>,
    pub set_by: UserId,
    pub created_at: DateTime<Utc>,
}

#[derive(Queryable)]
struct Row {
    account_id: Uuid,
    feature_id: Uuid,
    feature_key: String,
    label: String,
    enabled: bool,
    reason: Option<String>,
    set_by: Option<Uuid>,
    created_at: Timestamp,
}

type Columns = (
    dsl::account_id,
    dsl::feature_id,
    feature_flags::key,
    feature_flags::label,
    dsl::enabled,
    dsl::reason,
    dsl::set_by,
    dsl::created_at,
);

const COLUMNS: Columns = (
    dsl::account_id,
    dsl::feature_id,
    feature_flags::key,
    feature_flags::label,
    dsl::enabled,
    dsl::reason,
    dsl::set_by,
    dsl::created_at,
);

/// Id of the account if it exists. It cannot be deleted until the transaction ends.
pub(super) async fn lock_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Option<Uuid>> {
    let held = accounts::table.filter(accounts::id.eq(account)).select(accounts::id).for_key_share();
    Ok(held.first(connection).await.optional()?)
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<AccountFeatureOverride>> {
    let rows: Vec<Row> = account_feature_overrides::table
        .inner_join(feature_flags::table)
        .filter(dsl::account_id.eq(account))
        .order(feature_flags::key)
        .limit(MAX_OVERRIDES)
        .select(COLUMNS)
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    feature: Uuid,
) -> Result<Option<AccountFeatureOverride>> {
    let row: Option<Row> = account_feature_overrides::table
        .inner_join(feature_flags::table)
        .filter(dsl::account_id.eq(account).and(dsl::feature_id.eq(feature)))
        .select(COLUMNS)
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(Into::into))
}

/// Key and category of a flag.
pub(super) async fn flag(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<(String, String)>> {
    let flag = feature_flags::table.find(id).select((feature_flags::key, feature_flags::category));
    Ok(flag.first(connection).await.optional()?)
}

pub(super) async fn set(connection: &mut AsyncPgConnection, wanted: &Override<'_>) -> Result<()> {
    insert_into(account_feature_overrides::table)
        .values(wanted)
        .on_conflict((dsl::account_id, dsl::feature_id))
        .do_update()
        .set(wanted)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns true when the override existed.
pub(super) async fn remove(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    feature: Uuid,
) -> Result<bool> {
    let own =
        account_feature_overrides::table.filter(dsl::account_id.eq(account).and(dsl::feature_id.eq(feature)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}

impl From<Row> for AccountFeatureOverride {
    fn from(row: Row) -> Self {
        Self {
            account_id: row.account_id,
            feature_id: row.feature_id,
            feature_key: row.feature_key,
            label: row.label,
            enabled: row.enabled,
            reason: row.reason,
            set_by: row.set_by,
            created_at: row.created_at,
        }
    }
}
