//! Connected channels with what the doctor compares.

use api_core::{ApiError, Result};
use chrono::{DateTime, Utc};
use connection_model::{
    applications::Pin,
    health::{Health, OfRow, of_row},
};
use diesel::{
    dsl::{IsNotNull, sql},
    expression::SqlLiteral,
    prelude::*,
    sql_types::{Nullable, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    connection::{AppKind, CredentialSource},
    id::AccountId,
    platform::Platform,
    schema::channel_connections,
};
use uuid::Uuid;

/// Upper bound of the list. An account has one channel for each platform.
const MAX_ROWS: i64 = 100;

/// Begin of the oldest broadcast that is on air; null when none is.
const LIVE_SINCE: &str = "(SELECT min(coalesce(status.started_at, status.updated_at)) FROM channel_statuses AS status
    WHERE status.account_id = channel_connections.account_id AND status.platform = channel_connections.platform
        AND status.is_online)";

type LiveSince = SqlLiteral<Nullable<Timestamptz>>;

fn live_since() -> LiveSince {
    sql(LIVE_SINCE)
}

/// Connected channel.
#[derive(Queryable, Selectable)]
#[diesel(table_name = channel_connections)]
pub(super) struct Channel {
    pub id: Uuid,
    pub account_id: AccountId,
    pub platform: String,
    pub platform_channel_id: String,
    /// Scopes that were granted when it was connected.
    pub scopes: Vec<String>,
    pub credential_source: String,
    pub credential_app: String,
    pub client_id: Option<String>,
    pub reconnect_required: bool,
    pub expires_at: Option<DateTime<Utc>>,
    pub connected_at: DateTime<Utc>,
    #[diesel(
        select_expression = channel_connections::refresh_token.is_not_null(),
        select_expression_type = IsNotNull<channel_connections::refresh_token>,
    )]
    pub has_refresh_token: bool,
    #[diesel(select_expression = of_row(), select_expression_type = OfRow)]
    pub health: Health,
    #[diesel(select_expression = live_since(), select_expression_type = LiveSince)]
    pub live_since: Option<DateTime<Utc>>,
}

/// Lists the channels of an account by platform, in one statement.
pub(super) async fn channels(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Channel>> {
    Ok(channel_connections::table
        .filter(channel_connections::account_id.eq(account))
        .order(channel_connections::platform)
        .limit(MAX_ROWS)
        .select(Channel::as_select())
        .load(connection)
        .await?)
}

impl Channel {
    /// Platform of the channel.
    ///
    /// # Errors
    /// 500 for an unknown slug.
    pub fn platform(&self) -> Result<Platform> {
        self.platform.parse().map_err(|_unknown| self.unreadable())
    }

    /// Application that the channel was connected with.
    ///
    /// # Errors
    /// 500 for an unknown source or kind.
    pub fn pin(&self) -> Result<Pin> {
        Ok(Pin {
            platform: self.platform()?,
            account: Some(self.account_id.uuid()),
            source: CredentialSource::parse(&self.credential_source).ok_or_else(|| self.unreadable())?,
            app: AppKind::parse(&self.credential_app).ok_or_else(|| self.unreadable())?,
            client_id: self.client_id.clone(),
        })
    }

    fn unreadable(&self) -> ApiError {
        ApiError::internal(format_args!(
            "channel connection {} has an unknown platform or application",
            self.id
        ))
    }
}
