//! A page of a chat.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use shared::{
    connections::quota::youtube::LIST_CHAT,
    ingest::inbox::{Inbound, storable},
    platforms::{
        Platform,
        youtube::live::{LiveChat, LiveChatPage},
    },
    tokens::{Access, Holder},
};

use super::{
    super::{Interruption, Reader},
    db,
    db::Broadcast,
    quota::{Thrift, spend},
};

/// What was written so long before the broadcast was found is history, and nobody answers it any more.
const HISTORY: TimeDelta = TimeDelta::seconds(60);
const MAX_ID_LENGTH: usize = 200;
/// A page that is gone is followed by a fresh one, not at once.
const PAGE_GONE_DELAY: Duration = Duration::from_secs(1);

/// What came of a page.
pub(super) struct PageRead {
    /// How long to wait for the next; `None` when the chat is over.
    pub pause: Option<Duration>,
    pub thrift: Thrift,
}

/// Reads the next page of a broadcast's chat, writes what it tells together with where the next one begins.
pub(super) async fn read_page(reader: &Reader, broadcast: &mut Broadcast) -> Result<PageRead, Interruption> {
    let Some(live_chat_id) = broadcast.live_chat_id.as_deref() else {
        return Ok(PageRead { pause: None, thrift: Thrift::default() });
    };
    let thrift = spend(reader, LIST_CHAT).await?;
    let (client, page_token) = (reader.context.platforms.youtube(), broadcast.page_token.as_deref());
    let holder = Holder::Channel(reader.channel.connection_id);
    let call =
        |access: Access| async move { client.live_chat_page(&access.token, live_chat_id, page_token).await };
    let pause = match reader.context.tokens.call(holder, call).await? {
        LiveChat::Over => None,
        LiveChat::PageGone => {
            db::turn_page(reader, broadcast, None, &[]).await?;
            broadcast.page_token = None;
            Some(PAGE_GONE_DELAY)
        }
        LiveChat::Page(page) => {
            let pause = (!page.is_offline).then_some(page.pause);
            keep(reader, broadcast, page).await?;
            pause
        }
    };
    Ok(PageRead { pause, thrift })
}

async fn keep(reader: &Reader, broadcast: &mut Broadcast, page: LiveChatPage) -> Result<(), Interruption> {
    // The first page tells what was written before.
    let history = broadcast.page_token.is_none().then(|| broadcast.found_at - HISTORY);
    let (channel_id, now) = (reader.channel.channel_id.as_str(), reader.context.clock.now());
    let count = page.items.len();
    let told: Vec<Inbound> =
        page.items.into_iter().filter_map(|item| inbound(channel_id, item, now, history)).collect();
    if told.len() < count {
        let unreadable = count - told.len();
        tracing::warn!(connection_id = %reader.channel.connection_id, unreadable, "messages are not readable");
    }
    // Without a next page the same one is asked for again: what it tells twice is stored once.
    let next = page.next_page_token.or_else(|| broadcast.page_token.clone());
    let is_new_page = next != broadcast.page_token;
    if told.is_empty() && !is_new_page {
        return Ok(());
    }
    let accepted = db::turn_page(reader, broadcast, next.as_deref(), &told).await?;
    broadcast.page_token = next;
    reader.count(Platform::Youtube, accepted.len(), told.len() - accepted.len());
    reader.intake.hand_on(&accepted).await;
    Ok(())
}

/// A message as a delivery; `None` when it has neither id nor type.
fn inbound(
    channel_id: &str,
    item: Value,
    now: DateTime<Utc>,
    history: Option<DateTime<Utc>>,
) -> Option<Inbound> {
    let id = item["id"].as_str().filter(|id| (1..=MAX_ID_LENGTH).contains(&id.len()))?;
    let event_type = item["snippet"]["type"].as_str()?.to_owned();
    // What is left of a deleted message has the id of the message.
    let delivery_id = if event_type == "tombstone" { format!("tombstone:{id}") } else { id.to_owned() };
    let published = item["snippet"]["publishedAt"].as_str();
    let published = published.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    let sent_at = published.map_or(now, |at| at.to_utc());
    let is_history = history.is_some_and(|before| sent_at < before);
    let body = storable(json!({ "channel_id": channel_id, "item": item, "is_history": is_history }));
    Some(Inbound { platform: Platform::Youtube, delivery_id, event_type, body, sent_at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_named_by_their_id_and_old_ones_are_history() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let item =
            |kind: &str, at: &str| json!({ "id": "m", "snippet": { "type": kind, "publishedAt": at } });
        let read = |item: Value| inbound("UC1", item, now, Some(now - HISTORY));
        let fresh = read(item("textMessageEvent", "2023-11-14T22:13:00Z")).unwrap();
        assert_eq!((fresh.delivery_id.as_str(), &fresh.body["is_history"]), ("m", &json!(false)));
        let old = read(item("textMessageEvent", "2023-11-14T22:12:00Z")).unwrap();
        assert_eq!(old.body["is_history"], json!(true));
        assert_eq!(read(item("tombstone", "")).unwrap().delivery_id, "tombstone:m");
        for odd in
            [json!({}), json!({ "id": "m" }), json!({ "id": "", "snippet": { "type": "t" } }), json!(1)]
        {
            assert_eq!(read(odd), None);
        }
    }
}
