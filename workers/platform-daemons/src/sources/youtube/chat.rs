//! Pages of a chat.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use connection_model::quota::youtube::LIST_CHAT;
use live_model::inbox::{Inbound, storable};
use platform_credentials::tokens::{Access, Holder};
use platforms::youtube::live::{LiveChat, LiveChatPage};
use serde_json::{Value, json};
use shared::platform::Platform;

use super::{
    super::{Interruption, Reader},
    db,
    db::Broadcast,
    quota::{QuotaPacing, spend},
};

/// Age before the discovery of the broadcast from which a line is history and triggers nothing.
const HISTORY_AGE: TimeDelta = TimeDelta::seconds(60);
/// Maximum length of a message's id, in bytes.
const MAX_ID_LENGTH: usize = 200;
/// Pause before a fresh page after one that no longer exists.
const PAGE_GONE_DELAY: Duration = Duration::from_secs(1);

/// Result of reading a page.
pub(super) struct PageRead {
    /// Pause before the next page; `None` when the chat is over.
    pub pause: Option<Duration>,
    pub pacing: QuotaPacing,
}

/// Reads the next page of a broadcast's chat. Writes its messages together with the position of the next one.
pub(super) async fn read_page(reader: &Reader, broadcast: &mut Broadcast) -> Result<PageRead, Interruption> {
    let Some(live_chat_id) = broadcast.live_chat_id.as_deref() else {
        return Ok(PageRead { pause: None, pacing: QuotaPacing::default() });
    };
    let pacing = spend(reader, LIST_CHAT).await?;
    let (client, page_token) = (reader.context.platforms.youtube(), broadcast.page_token.as_deref());
    let holder = Holder::Channel(reader.channel.connection_id);
    let call =
        |access: Access| async move { client.live_chat_page(&access.token, live_chat_id, page_token).await };
    let pause = match reader.context.tokens.call(holder, call).await? {
        LiveChat::Over => None,
        LiveChat::PageGone => {
            db::advance_page(reader, broadcast, None, &[]).await?;
            broadcast.page_token = None;
            Some(PAGE_GONE_DELAY)
        }
        LiveChat::Page(page) => {
            let pause = (!page.is_offline).then_some(page.pause);
            store_page(reader, broadcast, page).await?;
            pause
        }
    };
    Ok(PageRead { pause, pacing })
}

async fn store_page(
    reader: &Reader,
    broadcast: &mut Broadcast,
    page: LiveChatPage,
) -> Result<(), Interruption> {
    // The first page holds earlier messages.
    let history = broadcast.page_token.is_none().then(|| broadcast.found_at - HISTORY_AGE);
    let (channel_id, now) = (reader.channel.channel_id.as_str(), reader.context.clock.now());
    let count = page.items.len();
    let deliveries: Vec<Inbound> =
        page.items.into_iter().filter_map(|item| inbound(channel_id, item, now, history)).collect();
    if deliveries.len() < count {
        let unreadable = count - deliveries.len();
        tracing::warn!(connection_id = %reader.channel.connection_id, unreadable, "messages are not readable");
    }
    // Without a next page the same one is read again: repeated messages are stored once.
    let next = page.next_page_token.or_else(|| broadcast.page_token.clone());
    let is_new_page = next != broadcast.page_token;
    if deliveries.is_empty() && !is_new_page {
        return Ok(());
    }
    let accepted = db::advance_page(reader, broadcast, next.as_deref(), &deliveries).await?;
    broadcast.page_token = next;
    reader.count(Platform::Youtube, accepted.len(), deliveries.len() - accepted.len());
    reader.intake.enqueue(&accepted).await;
    Ok(())
}

/// Returns a message as a delivery; `None` when it has neither id nor type.
fn inbound(
    channel_id: &str,
    item: Value,
    now: DateTime<Utc>,
    history: Option<DateTime<Utc>>,
) -> Option<Inbound> {
    let id = item["id"].as_str().filter(|id| (1..=MAX_ID_LENGTH).contains(&id.len()))?;
    let event_type = item["snippet"]["type"].as_str()?.to_owned();
    // The remains of a deleted message have the id of the message.
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
    fn inbound_messages_have_their_id_and_old_ones_are_history() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let item =
            |kind: &str, at: &str| json!({ "id": "m", "snippet": { "type": kind, "publishedAt": at } });
        let read = |item: Value| inbound("UC1", item, now, Some(now - HISTORY_AGE));
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
