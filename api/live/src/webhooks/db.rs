//! Queries that decide if a delivery concerns an account.

use api_core::Result;
use diesel::{dsl::exists, prelude::*, select};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{platform::Platform, schema::channel_connections};

/// True when an account has connected a channel.
pub(super) async fn is_connected(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    channel_id: &str,
) -> Result<bool> {
    let channels = channel_connections::table.filter(
        channel_connections::platform
            .eq(platform.slug())
            .and(channel_connections::platform_channel_id.eq(channel_id)),
    );
    Ok(select(exists(channels)).get_result(connection).await?)
}
