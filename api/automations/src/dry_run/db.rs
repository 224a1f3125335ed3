//! Queries of dry runs. Each carries the account.

use api_core::{ApiError, Result};
use chrono::{DateTime, Utc};
use diesel::{
    Queryable, QueryableByName, Selectable,
    prelude::*,
    sql_query,
    sql_types::{Jsonb, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::AccountEvent;
use serde_json::Value;
use shared::{id::AccountId, schema::timeseries::events};
use uuid::Uuid;

/// Account and broadcast as templates read them, as in a run.
const ABOUT: &str = "SELECT
    jsonb_build_object('id', account.id, 'name', account.name, 'slug', account.slug, 'locale', settings.locale,
        'timezone', settings.timezone, 'currency', settings.currency) AS account,
    coalesce((
        SELECT jsonb_build_object('live', channel.is_online, 'platform', channel.platform,
            'title', channel.stream_title, 'category', channel.category, 'viewer_count', channel.viewer_count,
            'started_at', channel.started_at)
        FROM channel_statuses AS channel WHERE channel.account_id = $1
        ORDER BY channel.is_online DESC, channel.viewer_count DESC NULLS LAST, channel.platform
        LIMIT 1), '{\"live\": false}') AS stream
    FROM accounts AS account
    LEFT JOIN account_settings AS settings ON settings.account_id = account.id
    WHERE account.id = $1";

/// Account and broadcast.
#[derive(QueryableByName)]
pub(super) struct About {
    #[diesel(sql_type = Jsonb)]
    pub account: Value,
    #[diesel(sql_type = Jsonb)]
    pub stream: Value,
}

/// An event of the account.
#[derive(Queryable, Selectable)]
#[diesel(table_name = events)]
struct Row {
    id: Uuid,
    account_id: Uuid,
    event_type: String,
    platform: Option<String>,
    platform_user_id: Option<String>,
    username: Option<String>,
    display_name: Option<String>,
    avatar_url: Option<String>,
    amount: Option<i64>,
    currency: Option<String>,
    message: Option<String>,
    data: Value,
    is_test: bool,
    occurred_at: DateTime<Utc>,
}

/// Reads account and broadcast.
pub(super) async fn about(connection: &mut AsyncPgConnection, account: AccountId) -> Result<About> {
    Ok(sql_query(ABOUT).bind::<SqlUuid, _>(account.uuid()).get_result(connection).await?)
}

/// Finds an event of the account.
pub(super) async fn event(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<AccountEvent> {
    let row: Option<Row> = events::table
        .filter(events::account_id.eq(account.uuid()).and(events::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.map(Row::into_event).ok_or_else(|| ApiError::not_found("Event not found"))
}

impl Row {
    fn into_event(self) -> AccountEvent {
        AccountEvent {
            id: self.id,
            account_id: self.account_id,
            event_type: self.event_type,
            platform: self.platform,
            platform_user_id: self.platform_user_id,
            username: self.username,
            display_name: self.display_name,
            avatar_url: self.avatar_url,
            amount: self.amount,
            currency: self.currency,
            message: self.message,
            data: self.data,
            is_test: self.is_test,
            occurred_at: self.occurred_at,
        }
    }
}
