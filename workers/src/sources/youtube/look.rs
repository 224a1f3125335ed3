//! Which broadcasts of a channel are on air.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use shared::{
    connections::quota::youtube::LIST_BROADCASTS,
    ingest::inbox::{Inbound, storable},
    platforms::{Platform, youtube},
    tokens::Holder,
};

use super::{
    super::{Interruption, Reader},
    Watched, db,
    db::Broadcast,
    quota::{Thrift, spend},
    status,
};

/// A beginning that was found later than this is told with the time at which it was found.
const MAX_DELAY: Duration = Duration::hours(12);

/// Looks, tells what began and what ended, and answers what is on air.
pub(super) async fn look(
    reader: &Reader,
    watched: &[Watched],
) -> Result<(Vec<Broadcast>, Thrift), Interruption> {
    let thrift = spend(reader, LIST_BROADCASTS).await?;
    let (client, holder) =
        (reader.context.platforms.youtube(), Holder::Channel(reader.channel.connection_id));
    let call = |access: shared::tokens::Access| async move { client.broadcasts(&access.token).await };
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
    let told: Vec<Inbound> = begun
        .map(|broadcast| told(reader, broadcast, "broadcast.started", beginning(broadcast, now)))
        .chain(ended.iter().map(|broadcast| told(reader, broadcast, "broadcast.ended", now)))
        .collect();
    if !(changed.is_empty() && ended.is_empty()) {
        let ended: Vec<String> = ended.iter().map(|broadcast| broadcast.broadcast_id.clone()).collect();
        let accepted = db::change(reader, &changed, &ended, &told).await?;
        reader.count(Platform::Youtube, accepted.len(), told.len() - accepted.len());
        reader.intake.hand_on(&accepted).await;
    }
    Ok((live, thrift))
}

/// A broadcast as it is watched: one whose chat is known goes on where it was.
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

fn told(reader: &Reader, broadcast: &Broadcast, event_type: &str, sent_at: DateTime<Utc>) -> Inbound {
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
