//! Whose channel it is.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{Result, db::schema::channel_connections};
use uuid::Uuid;

/// An account that has connected a channel.
#[derive(Debug, Clone, Copy, Queryable)]
pub(super) struct Listening {
    pub account_id: Uuid,
    pub bot_enabled: bool,
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
        .filter(
            channel_connections::platform
                .eq(platform)
                .and(channel_connections::platform_channel_id.eq(channel_id)),
        )
        .order(channel_connections::account_id)
        .limit(MOST)
        .select((channel_connections::account_id, channel_connections::bot_enabled))
        .load(connection)
        .await?)
}

/// Flags an account's connection, because the platform has ended it.
pub(super) async fn flag_for_reconnect(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    platform: &str,
) -> Result<()> {
    let own = channel_connections::table.filter(
        channel_connections::account_id.eq(account_id).and(channel_connections::platform.eq(platform)),
    );
    diesel::update(own).set(channel_connections::reconnect_required.eq(true)).execute(connection).await?;
    Ok(())
}
