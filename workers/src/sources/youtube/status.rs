//! What a look shows of a channel's broadcasts, for those who ask whether it is on air (C §10, channel status).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use shared::{
    Result,
    connections::status::{Seen, Standing, forget, record},
    db::schema::channel_connections,
    platforms::{
        Platform,
        youtube::{Broadcast, BroadcastStatus},
    },
};
use uuid::Uuid;

use super::super::Reader;

/// A channel is connected by its owner's accounts; the list is bounded all the same.
const MAX_ACCOUNTS: i64 = 1000;

/// Writes the broadcasts that are on air or announced, and forgets those that are over, for every account that has
/// connected the channel.
pub(super) async fn show(reader: &Reader, found: &[Broadcast], now: DateTime<Utc>) -> Result<()> {
    let mut connection = reader.context.databases.postgres.get().await?;
    let accounts: Vec<Uuid> = channel_connections::table
        .filter(
            channel_connections::platform
                .eq(Platform::Youtube.slug())
                .and(channel_connections::platform_channel_id.eq(&reader.channel.channel_id)),
        )
        .order(channel_connections::account_id)
        .limit(MAX_ACCOUNTS)
        .select(channel_connections::account_id)
        .load(&mut connection)
        .await?;
    let there: Vec<&Broadcast> =
        found.iter().filter(|broadcast| broadcast.status != BroadcastStatus::Ended).collect();
    let ids: Vec<String> = there.iter().map(|broadcast| broadcast.id.clone()).collect();
    let seen: Vec<Seen> = accounts
        .iter()
        .flat_map(|account| there.iter().map(|broadcast| seen(*account, broadcast, now)))
        .collect();
    connection
        .transaction(async |connection| {
            record(connection, Platform::Youtube, &seen).await?;
            for account in &accounts {
                forget(connection, Platform::Youtube, *account, &ids, now).await?;
            }
            Ok(())
        })
        .await
}

fn seen(account: Uuid, broadcast: &Broadcast, now: DateTime<Utc>) -> Seen {
    let standing = match broadcast.status {
        BroadcastStatus::Live => Standing::Live,
        BroadcastStatus::Upcoming => Standing::Upcoming,
        BroadcastStatus::Ended => Standing::Offline,
    };
    Seen {
        broadcast_id: Some(broadcast.id.clone()),
        stream_title: Some(broadcast.title.clone()),
        started_at: broadcast.started_at,
        scheduled_start: broadcast.scheduled_start,
        live_chat_id: broadcast.live_chat_id.clone(),
        ..Seen::new(account, standing, now)
    }
}
