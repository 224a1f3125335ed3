//! Whose channel it is.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    Result,
    db::schema::{account_settings, channel_connections},
};
use uuid::Uuid;

/// An account that has connected a channel.
#[derive(Debug, Clone, Copy, Queryable)]
pub(super) struct Listening {
    pub account_id: Uuid,
    pub bot_enabled: bool,
    /// Null for an account that never changed its settings.
    store_chat: Option<bool>,
    store_user_profiles: Option<bool>,
}

impl Listening {
    /// Whether chat messages are kept for the account; they are shown live in any case (C B14, Settings).
    pub fn stores_chat(&self) -> bool {
        self.store_chat.unwrap_or(true)
    }

    /// Whether what is known of chatters is kept for the account (C B14, Settings).
    pub fn stores_users(&self) -> bool {
        self.store_user_profiles.unwrap_or(true)
    }
}

/// A channel is connected by its owner's accounts; the list is bounded all the same.
const MOST: i64 = 1000;

/// The accounts that have connected a channel.
pub(super) async fn listening(
    connection: &mut AsyncPgConnection,
    platform: &str,
    channel_id: &str,
) -> Result<Vec<Listening>> {
    Ok(channel_connections::table
        .left_join(
            account_settings::table.on(account_settings::account_id.eq(channel_connections::account_id)),
        )
        .filter(
            channel_connections::platform
                .eq(platform)
                .and(channel_connections::platform_channel_id.eq(channel_id)),
        )
        .order(channel_connections::account_id)
        .limit(MOST)
        .select((
            channel_connections::account_id,
            channel_connections::bot_enabled,
            account_settings::store_chat.nullable(),
            account_settings::store_user_profiles.nullable(),
        ))
        .load(connection)
        .await?)
}
