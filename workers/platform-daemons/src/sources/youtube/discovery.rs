//! Discovery of a channel's broadcasts on air.

use chrono::{DateTime, Duration, Utc};
use connection_model::quota::youtube::LIST_BROADCASTS;
use live_model::inbox::{Inbound, storable};
use platform_credentials::tokens::Holder;
use platforms::youtube;
use serde_json::json;
use shared::platform::Platform;

use super::{
    super::{Interruption, Reader},
    Watched, db,
    db::Broadcast,
    quota::{QuotaPacing, spend},
    status,
};

/// Maximum delay of a discovery after the begin; beyond it the event has the time of the discovery.
const MAX_DELAY: Duration = Duration::hours(12);

/// Discovers broadcasts, writes begins and ends, and returns those on air.
pub(super) async fn discover(
    reader: &Reader,
    watched: &[Watched],
) -> Result<(Vec<Broadcast>, QuotaPacing), Interruption> {
    let pacing = spend(reader, LIST_BROADCASTS).await?;
    let (client, holder) =
        (reader.context.platforms.youtube(), Holder::Channel(reader.channel.connection_id));
    let call =
        |access: platform_credentials::tokens::Access| async move { client.broadcasts(&access.token).await };
    let found = reader.context.tokens.call(holder, call).await?;
    let now = reader.context.clock.now();
    status::show(reader, &found, now).await?;
    let live: Vec<Broadcast> = found
        .into_iter()
        .filter(|broadcast| broadcast.status == youtube::BroadcastStatus::Live)
        .map(|broadcast| on_air(broadcast, watched, now))
        .collect();
    let known = |id: &str| watched.iter().find(|one| one.broadcast.broadcast_id == id);
    let changed: Vec<Broadcast> = live
        .iter()
        .filter(|one| {
            known(&one.broadcast_id).is_none_or(|old| old.broadcast.live_chat_id != one.live_chat_id)
        })
        .cloned()
        .collect();
    let is_live = |id: &str| live.iter().any(|one| one.broadcast_id == id);
    let ended: Vec<&Broadcast> =
        watched.iter().map(|one| &one.broadcast).filter(|old| !is_live(&old.broadcast_id)).collect();
    let begun = changed.iter().filter(|one| known(&one.broadcast_id).is_none());
    let deliveries: Vec<Inbound> = begun
        .map(|broadcast| inbound(reader, broadcast, "broadcast.started", beginning(broadcast, now)))
        .chain(ended.iter().map(|broadcast| inbound(reader, broadcast, "broadcast.ended", now)))
        .collect();
    if !(changed.is_empty() && ended.is_empty()) {
        let ended: Vec<String> = ended.iter().map(|broadcast| broadcast.broadcast_id.clone()).collect();
        let accepted = db::change(reader, &changed, &ended, &deliveries).await?;
        reader.count(Platform::Youtube, accepted.len(), deliveries.len() - accepted.len());
        reader.intake.enqueue(&accepted).await;
    }
    Ok((live, pacing))
}

/// Returns a broadcast as it is watched: one whose chat is known continues at its position.
fn on_air(broadcast: youtube::Broadcast, watched: &[Watched], now: DateTime<Utc>) -> Broadcast {
    let known = watched
        .iter()
        .map(|one| &one.broadcast)
        .find(|known| known.broadcast_id == broadcast.id && known.live_chat_id == broadcast.live_chat_id);
    known.cloned().unwrap_or_else(|| Broadcast {
        broadcast_id: broadcast.id,
        live_chat_id: broadcast.live_chat_id,
        title: broadcast.title,
        started_at: broadcast.started_at.unwrap_or(now),
        found_at: now,
        page_token: None,
    })
}

fn beginning(broadcast: &Broadcast, now: DateTime<Utc>) -> DateTime<Utc> {
    if now - broadcast.started_at < MAX_DELAY { broadcast.started_at.min(now) } else { now }
}

fn inbound(reader: &Reader, broadcast: &Broadcast, event_type: &str, sent_at: DateTime<Utc>) -> Inbound {
    let body = storable(json!({
        "channel_id": reader.channel.channel_id,
        "channel_name": reader.channel.name,
        "broadcast_id": broadcast.broadcast_id,
        "live_chat_id": broadcast.live_chat_id,
        "title": broadcast.title,
        "started_at": broadcast.started_at,
    }));
    Inbound {
        platform: Platform::Youtube,
        delivery_id: format!("{event_type}:{}", broadcast.broadcast_id),
        event_type: event_type.to_owned(),
        body,
        sent_at,
    }
}
