//! Stored endpoints. Each query carries the account.

use api_core::{ApiError, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{Queryable, Selectable, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{id::AccountId, schema::webhook_endpoints};
use url::Url;
use uuid::Uuid;

/// Row of an endpoint without its secrets.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = webhook_endpoints)]
pub(crate) struct Row {
    pub id: Uuid,
    pub account_id: AccountId,
    pub url: String,
    pub description: Option<String>,
    pub event_types: Vec<String>,
    pub is_enabled: bool,
    pub disabled_reason: Option<String>,
    pub previous_secret_until: Option<Timestamp>,
    pub failing_since: Option<Timestamp>,
    pub skipped_count: i64,
    pub created_by: Option<Uuid>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Error for an endpoint that the account does not have.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Webhook endpoint not found")
}

/// Finds an endpoint of the account.
pub(crate) async fn find(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<Row> {
    webhook_endpoints::table
        .filter(webhook_endpoints::account_id.eq(account).and(webhook_endpoints::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?
        .ok_or_else(not_found)
}

/// Locks an endpoint of the account until the transaction ends. Deliveries are added, and the lease of the endpoint is
/// released, under the same lock.
pub(crate) async fn lock(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<Row> {
    webhook_endpoints::table
        .filter(webhook_endpoints::account_id.eq(account).and(webhook_endpoints::id.eq(id)))
        .select(Row::as_select())
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?
        .ok_or_else(not_found)
}

/// Lets the daemon take a locked endpoint now.
pub(crate) async fn make_due(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let own = webhook_endpoints::account_id.eq(account).and(webhook_endpoints::id.eq(id));
    update(webhook_endpoints::table.filter(own))
        .set(webhook_endpoints::due_at.eq(now))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

impl Row {
    /// Host of the address, for the audit trail: the rest of it may hold a secret of the receiver.
    pub fn host(&self) -> String {
        let host = Url::parse(&self.url).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.unwrap_or_default()
    }
}
