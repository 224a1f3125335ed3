//! Stored channel status of discovered broadcasts (reference/connections.md#channel-status).

use chrono::{DateTime, Utc};
use connection_model::status::{BroadcastState, Seen, forget, record};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use platforms::youtube::{Broadcast, BroadcastStatus};
use shared::{Result, platform::Platform, schema::channel_connections};
use uuid::Uuid;

use super::super::Reader;

/// Maximum number of accounts: only its owner's accounts connect a channel; the list is bounded all the same.
const MAX_ACCOUNTS: i64 = 1000;

/// Writes the broadcasts that are on air or announced, and deletes those that are over, for every account
/// that has connected the channel.
pub(super) async fn show(reader: &Reader, found: &[Broadcast], now: DateTime<Utc>) -> Result<()> {
    let mut connection = reader.context.databases.postgres.get().await?;
    let accounts: Vec<Uuid> = channel_connections::table
        .filter(
            channel_connections::platform
                .eq(Platform::Youtube.slug())
                .and(channel_connections::platform_channel_id.eq(&reader.channel.channel_id))
                // An imported connection counts from its next sign-in.
                .and(channel_connections::connected_at.gt(DateTime::<Utc>::UNIX_EPOCH)),
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
    let state = match broadcast.status {
        BroadcastStatus::Live => BroadcastState::Live,
        BroadcastStatus::Upcoming => BroadcastState::Upcoming,
        BroadcastStatus::Ended => BroadcastState::Offline,
    };
    Seen {
        broadcast_id: Some(broadcast.id.clone()),
        stream_title: Some(broadcast.title.clone()),
        started_at: broadcast.started_at,
        scheduled_start: broadcast.scheduled_start,
        live_chat_id: broadcast.live_chat_id.clone(),
        ..Seen::new(account, state, now)
    }
}
