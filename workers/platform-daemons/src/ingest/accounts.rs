//! Accounts that have connected a channel.

use diesel::{
    QueryableByName,
    deserialize::{self, FromSql},
    pg::{Pg, PgValue},
    sql_query,
    sql_types::{Array, Bool, Nullable, Record, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::Result;
use uuid::Uuid;

/// Columns of [`Listening`].
pub(super) type Columns = (SqlUuid, Bool, Nullable<Bool>, Nullable<Bool>);

/// Account that has connected a channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listening {
    pub account_id: Uuid,
    pub bot_enabled: bool,
    /// Null for an account that never changed its settings.
    store_chat: Option<bool>,
    store_user_profiles: Option<bool>,
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Array<Record<Columns>>)]
    listening: Vec<Listening>,
}

impl Listening {
    /// True when chat messages are stored for the account; they are shown live in any case
    /// (reference/accounts.md#privacy-settings).
    pub fn stores_chat(&self) -> bool {
        self.store_chat.unwrap_or(true)
    }

    /// True when data about chatters is stored for the account (reference/accounts.md#privacy-settings).
    pub fn stores_users(&self) -> bool {
        self.store_user_profiles.unwrap_or(true)
    }
}

impl FromSql<Record<Columns>, Pg> for Listening {
    fn from_sql(row: PgValue<'_>) -> deserialize::Result<Self> {
        let (account_id, bot_enabled, store_chat, store_user_profiles) =
            FromSql::<Record<Columns>, Pg>::from_sql(row)?;
        Ok(Self { account_id, bot_enabled, store_chat, store_user_profiles })
    }
}

/// Returns the SQL expression for the accounts that have connected a channel, as an array of [`Columns`].
/// Only its owner's accounts connect a channel; the list is bounded all the same. An account that was imported and whose
/// owner has not signed in since has not proved that the channel is its own (reference/archives.md#import).
pub(super) fn listening_to(platform: &str, channel_id: &str) -> String {
    format!(
        "ARRAY(SELECT (c.account_id, c.bot_enabled, s.store_chat, s.store_user_profiles)
            FROM channel_connections AS c LEFT JOIN account_settings AS s ON s.account_id = c.account_id
            WHERE c.platform = {platform} AND c.platform_channel_id = {channel_id} AND c.connected_at > 'epoch'
            ORDER BY c.account_id LIMIT 1000)"
    )
}

/// Returns the accounts that have connected a channel.
pub(super) async fn listening(
    connection: &mut AsyncPgConnection,
    platform: &str,
    channel_id: &str,
) -> Result<Vec<Listening>> {
    let found: Found = sql_query(format!("SELECT {} AS listening", listening_to("$1", "$2")))
        .bind::<Text, _>(platform)
        .bind::<Text, _>(channel_id)
        .prepared()
        .get_result(connection)
        .await?;
    Ok(found.listening)
}
