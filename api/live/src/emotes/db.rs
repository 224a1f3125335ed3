//! Queries over an account's channels and servers.

use api_core::{Result, access::Authenticated};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::{
    platform::Platform,
    schema::{channel_connections, discord_guilds},
};

/// True when the caller's account has connected the channel, or linked the server.
pub(super) async fn is_own(caller: &Authenticated, platform: Platform, id: &str) -> Result<bool> {
    use diesel::{dsl::exists, select};
    let Some(account) = caller.account else { return Ok(false) };
    let mut connection = caller.db().await?;
    if platform == Platform::Discord {
        use discord_guilds::dsl;
        let linked = dsl::discord_guilds.filter(dsl::account_id.eq(account).and(dsl::guild_id.eq(id)));
        return Ok(select(exists(linked)).get_result(&mut *connection).await?);
    }
    use channel_connections::dsl;
    let connected = dsl::channel_connections
        .filter(dsl::account_id.eq(account).and(dsl::platform.eq(platform.slug())))
        .filter(dsl::platform_channel_id.eq(id));
    Ok(select(exists(connected)).get_result(&mut *connection).await?)
}
