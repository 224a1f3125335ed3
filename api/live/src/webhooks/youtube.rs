//! Hub of YouTube's videos (reference/ingest.md#hub-of-youtube): WebSub with Atom feeds.

use std::collections::HashMap;

use api_core::{ApiError, Result};
use chrono::{DateTime, Utc};
use hmac::Hmac;
use live_model::inbox::{Inbound, storable};
use platforms::youtube::live::channel_of_topic;
use quick_xml::{
    events::{BytesStart, Event},
    reader::Reader,
};
use serde::Deserialize;
use serde_json::json;
use sha1::Sha1;
use sha2::Sha256;
use shared::{platform::Platform, secret::Secret};

use super::{bad_signature, check_hmac, delivery::RawDelivery};

const MAX_CHALLENGE_LENGTH: usize = 1024;
/// Largest number of entries of a delivery; the hub sends one.
const MAX_ENTRIES: usize = 50;
/// Deepest nesting of elements; a feed has four levels.
const MAX_DEPTH: usize = 16;
const MAX_ID_LENGTH: usize = 64;

/// Request of a hub to confirm a subscription (WebSub, section 5.3).
#[derive(Debug, Default, Deserialize)]
pub struct HubQuestion {
    /// `subscribe` or `unsubscribe`.
    #[serde(rename = "hub.mode")]
    pub mode: Option<String>,
    /// Address of the feed.
    #[serde(rename = "hub.topic")]
    pub topic: Option<String>,
    /// Text to return.
    #[serde(rename = "hub.challenge")]
    pub challenge: Option<String>,
}

/// Parsed request of a hub.
#[derive(Debug)]
pub(super) struct HubRequest {
    /// True for a subscription, false for its end.
    pub is_subscribe: bool,
    /// YouTube's id of the channel.
    pub channel_id: String,
    /// Text to return.
    pub challenge: String,
}

pub(super) fn read_question(question: HubQuestion) -> Result<HubRequest> {
    let HubQuestion { mode, topic, challenge } = question;
    let is_subscribe = match mode.as_deref() {
        Some("subscribe") => true,
        Some("unsubscribe") => false,
        _ => return Err(ApiError::bad_request("hub.mode must be subscribe or unsubscribe")),
    };
    let channel_id = topic.as_deref().and_then(channel_of_topic);
    let channel_id = channel_id
        .ok_or_else(|| ApiError::bad_request("hub.topic must be the feed of a YouTube channel's videos"))?;
    let challenge = challenge.filter(|text| (1..=MAX_CHALLENGE_LENGTH).contains(&text.len()));
    let challenge = challenge.ok_or_else(|| {
        ApiError::bad_request(format!("hub.challenge must have 1 to {MAX_CHALLENGE_LENGTH} characters"))
    })?;
    Ok(HubRequest { is_subscribe, channel_id, challenge })
}

/// Checks `X-Hub-Signature`: method and hex HMAC over the raw body. Google's hub signs with SHA-1.
pub(super) fn verify(delivery: &RawDelivery, secret: Option<&Secret>) -> Result<()> {
    let signature = delivery.signature_header("x-hub-signature")?;
    let Some(secret) = secret else {
        tracing::warn!("LUMIO_YOUTUBE_HUB_SECRET is not set: deliveries of the hub cannot be verified");
        return Err(bad_signature());
    };
    match signature.split_once('=') {
        Some(("sha1", digest)) => check_hmac::<Hmac<Sha1>>(secret, &delivery.body, digest),
        Some(("sha256", digest)) => check_hmac::<Hmac<Sha256>>(secret, &delivery.body, digest),
        _ => Err(bad_signature()),
    }
}

/// Videos of a verified feed. Entries of deleted videos are left out.
pub(super) fn read(delivery: &RawDelivery, now: DateTime<Utc>) -> Result<Vec<Inbound>> {
    let entries = entries(&delivery.body).map_err(|reason| ApiError::bad_request(reason.to_owned()))?;
    entries.iter().map(|entry| video(entry, now)).collect()
}

fn video(entry: &HashMap<String, String>, now: DateTime<Utc>) -> Result<Inbound> {
    let id = |name: &str| {
        entry
            .get(name)
            .filter(|id| {
                (1..=MAX_ID_LENGTH).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
            })
            .ok_or_else(|| ApiError::bad_request(format!("An entry of the feed has no {name}")))
    };
    let (video_id, channel_id) = (id("yt:videoId")?, id("yt:channelId")?);
    let updated = entry.get("updated").or_else(|| entry.get("published"));
    let updated = updated.and_then(|text| DateTime::parse_from_rfc3339(text.trim()).ok());
    let updated = updated.ok_or_else(|| ApiError::bad_request("An entry of the feed has no time"))?.to_utc();
    Ok(Inbound {
        platform: Platform::Youtube,
        delivery_id: format!("video:{video_id}:{}", updated.timestamp_millis()),
        event_type: "video".to_owned(),
        body: storable(json!({
            "channel_id": channel_id,
            "video_id": video_id,
            "title": entry.get("title"),
            "updated": updated,
        })),
        // The feed has the time of the video; the lag is measured from the delivery.
        sent_at: now,
    })
}

/// Texts of each entry's own elements, by name.
fn entries(body: &[u8]) -> Result<Vec<HashMap<String, String>>, &'static str> {
    const NOT_A_FEED: &str = "The body is not an Atom feed";
    let mut reader = Reader::from_reader(body);
    let (mut path, mut entries, mut has_feed) = (Vec::<String>::new(), Vec::new(), false);
    let mut entry: HashMap<String, String> = HashMap::new();
    loop {
        match reader.read_event().map_err(|_malformed| NOT_A_FEED)? {
            Event::Start(element) => {
                path.push(name(&element)?);
                has_feed |= path.len() == 1 && path[0] == "feed";
                if path.len() > MAX_DEPTH {
                    return Err("The feed is nested too deeply");
                }
            }
            Event::End(_) => {
                if path.len() == 2 && path[1] == "entry" {
                    entries.push(std::mem::take(&mut entry));
                    if entries.len() > MAX_ENTRIES {
                        return Err("The feed has too many entries");
                    }
                }
                path.pop();
            }
            Event::Text(text) if path.len() == 3 && path[1] == "entry" => {
                let text = text.decode().map_err(|_foreign| NOT_A_FEED)?;
                entry.entry(path[2].clone()).or_default().push_str(&text);
            }
            // A document type may define entities without bound; a feed has none.
            Event::DocType(_) => return Err("A feed has no document type"),
            Event::Eof => break,
            _ => {}
        }
    }
    if has_feed && path.is_empty() { Ok(entries) } else { Err(NOT_A_FEED) }
}

fn name(element: &BytesStart<'_>) -> Result<String, &'static str> {
    let name = element.name();
    std::str::from_utf8(name.as_ref()).map(str::to_owned).map_err(|_foreign| "The feed is not text in UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEED: &str = r#"<?xml version='1.0' encoding='UTF-8'?>
        <feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom">
        <link rel="self" href="https://www.youtube.com/xml/feeds/videos.xml?channel_id=UC1"/>
        <title>YouTube video feed</title><updated>2026-11-21T10:00:00.5+00:00</updated>
        <entry><id>yt:video:V1</id><yt:videoId>V1</yt:videoId><yt:channelId>UC1</yt:channelId>
        <title>Going live</title><author><name>Ada</name></author>
        <published>2026-11-21T09:59:00+00:00</published><updated>2026-11-21T10:00:00.123456789+00:00</updated></entry>
        </feed>"#;

    #[test]
    fn entries_are_read_as_videos() {
        let entries = entries(FEED.as_bytes()).unwrap();
        let video = video(&entries[0], DateTime::UNIX_EPOCH).unwrap();
        assert_eq!(video.body["channel_id"], "UC1");
        assert_eq!(video.body["title"], "Going live");
        assert!(video.delivery_id.starts_with("video:V1:"), "{}", video.delivery_id);
    }

    #[test]
    fn entries_of_no_feed_are_refused() {
        let deep = "<a>".repeat(20);
        let cut = &FEED[..FEED.len() - 20];
        let typed = format!("<!DOCTYPE feed [<!ENTITY a \"b\">]>{FEED}");
        for text in ["", "{}", "<feed>", "<html></html>", cut, &deep, &typed] {
            assert!(entries(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn hub_question_must_concern_a_feed() {
        let ask = |mode: &str, topic: &str, challenge: &str| {
            let some = |text: &str| Some(text.to_owned());
            read_question(HubQuestion { mode: some(mode), topic: some(topic), challenge: some(challenge) })
        };
        let topic = "https://www.youtube.com/xml/feeds/videos.xml?channel_id=UC1";
        assert_eq!(ask("subscribe", topic, "c").unwrap().channel_id, "UC1");
        assert!(!ask("unsubscribe", topic, "c").unwrap().is_subscribe);
        for (mode, topic, challenge) in
            [("denied", topic, "c"), ("subscribe", "https://example.com", "c"), ("subscribe", topic, "")]
        {
            assert!(ask(mode, topic, challenge).is_err());
        }
        assert!(read_question(HubQuestion::default()).is_err());
    }
}
