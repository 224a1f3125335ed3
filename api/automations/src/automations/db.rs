//! Queries over `automations`. Each carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{id::AccountId, schema::automations};
use uuid::Uuid;

use crate::stored::Row;

/// Maximum number of automations that are listed.
const MAX_LISTED: i64 = 1000;

#[derive(Insertable)]
#[diesel(table_name = automations)]
pub(super) struct NewAutomation<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub name: &'a str,
    pub description: Option<&'a str>,
    pub created_by: Option<Uuid>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// New values of columns. Absent fields stay; an inner `None` is null.
#[derive(Debug, Default, AsChangeset)]
#[diesel(table_name = automations)]
pub(super) struct Changes {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    pub enabled: Option<bool>,
    pub next_run_at: Option<Option<DateTime<Utc>>>,
}

/// Lists the automations of an account, oldest first.
pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Row>> {
    Ok(automations::table
        .filter(automations::account_id.eq(account))
        .order((automations::created_at, automations::id))
        .limit(MAX_LISTED)
        .select(Row::as_select())
        .load(connection)
        .await?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    automation: &NewAutomation<'_>,
) -> Result<Row> {
    Ok(insert_into(automations::table)
        .values(automation)
        .returning(Row::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn change(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<Row> {
    let own = automations::table.filter(automations::account_id.eq(account).and(automations::id.eq(id)));
    Ok(update(own)
        .set((changes, automations::updated_at.eq(now)))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<()> {
    let own = automations::table.filter(automations::account_id.eq(account).and(automations::id.eq(id)));
    diesel::delete(own).execute(connection).await?;
    Ok(())
}
