//! Queries over `webhook_endpoints`. Each carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{Text, Timestamptz, Uuid as SqlUuid},
    update,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{id::AccountId, schema::webhook_endpoints};
use uuid::Uuid;

use super::MAX_ENDPOINTS;
use crate::stored::Row;

#[derive(Insertable)]
#[diesel(table_name = webhook_endpoints)]
pub(super) struct NewEndpoint<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub url: &'a str,
    pub description: Option<&'a str>,
    pub event_types: &'a [String],
    pub is_enabled: bool,
    pub secret: &'a [u8],
    pub created_by: Option<Uuid>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// New values of columns. Absent fields stay; an inner `None` is null.
#[derive(Debug, Default, AsChangeset)]
#[diesel(table_name = webhook_endpoints)]
pub(super) struct Changes<'a> {
    pub url: Option<&'a str>,
    pub description: Option<Option<&'a str>>,
    pub event_types: Option<&'a [String]>,
    pub is_enabled: Option<bool>,
    pub disabled_reason: Option<Option<&'a str>>,
}

/// Lists the endpoints of an account, oldest first.
pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Row>> {
    Ok(webhook_endpoints::table
        .filter(webhook_endpoints::account_id.eq(account))
        .order((webhook_endpoints::created_at, webhook_endpoints::id))
        .limit(MAX_ENDPOINTS)
        .select(Row::as_select())
        .load(connection)
        .await?)
}

/// Counts the endpoints of an account. Other additions of the account wait until the transaction ends.
pub(super) async fn lock_and_count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("webhook_endpoints:{account}"))
        .execute(connection)
        .await?;
    let own = webhook_endpoints::table.filter(webhook_endpoints::account_id.eq(account));
    Ok(own.count().get_result(connection).await?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, endpoint: &NewEndpoint<'_>) -> Result<Row> {
    Ok(insert_into(webhook_endpoints::table)
        .values(endpoint)
        .returning(Row::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn change(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    changes: &Changes<'_>,
    now: DateTime<Utc>,
) -> Result<Row> {
    let own = webhook_endpoints::account_id.eq(account).and(webhook_endpoints::id.eq(id));
    Ok(update(webhook_endpoints::table.filter(own))
        .set((changes, webhook_endpoints::updated_at.eq(now)))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?)
}

/// Ends the failures of a locked endpoint; the daemon takes it now when something waits.
pub(super) async fn resume(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    sql_query(
        "UPDATE webhook_endpoints AS endpoint SET failure_count = 0, failing_since = NULL, retry_at = NULL,
             due_at = CASE WHEN EXISTS (
                 SELECT FROM webhook_deliveries AS waiting
                 WHERE waiting.endpoint_id = endpoint.id AND waiting.status = 'pending') THEN $3 END
         WHERE endpoint.account_id = $1 AND endpoint.id = $2",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<SqlUuid, _>(id)
    .bind::<Timestamptz, _>(now)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<()> {
    let own = webhook_endpoints::account_id.eq(account).and(webhook_endpoints::id.eq(id));
    diesel::delete(webhook_endpoints::table.filter(own)).execute(connection).await?;
    Ok(())
}
