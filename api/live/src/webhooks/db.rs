//! Whether a delivery is of anybody's interest.

use api_core::Result;
use diesel::{dsl::exists, prelude::*, select};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{db::schema::channel_connections, platforms::Platform};

/// Whether an account has connected a channel.
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
