//! Trovo's chat: messages of users, and messages of the platform about their actions
//! (reference/platforms.md#trovo-chat-socket).

use chrono::DateTime;
use live_model::{Badge, Fragment};
use serde_json::{Value, json};

use super::{ChatLine, Happening, Normalised, Person, PlatformEvent, Unreadable, fields::Fields};

const TEXT: i64 = 0;
const SPELL: i64 = 5;
/// Types of magic chats: text with an effect.
const MAGIC: std::ops::RangeInclusive<i64> = 6..=9;
const SUBSCRIPTION: i64 = 5001;
const FOLLOW: i64 = 5003;
/// Type of each single gift. 5005 reports the number of gifts together and would count them twice.
const GIFT: i64 = 5006;
const RAID: i64 = 5008;
/// Type of a spell of the channel's own.
const CUSTOM_SPELL: i64 = 5009;
const STREAM: i64 = 5012;

pub(super) fn normalise(body: &Value) -> Result<Option<Normalised>, Unreadable> {
    let body = Fields::of(body, "body")?;
    let (channel_id, chat) = (body.text("channel_id")?, body.object("chat")?);
    let kind = chat.number("type").unwrap_or(-1);
    let happening = match kind {
        _ if kind == TEXT || MAGIC.contains(&kind) => Some(Happening::Chat(chat_line(&chat)?)),
        SPELL | CUSTOM_SPELL => Some(Happening::Event(spell(&chat))),
        SUBSCRIPTION => Some(Happening::Event(subscribe(&chat))),
        FOLLOW => Some(Happening::Event(follow(&chat))),
        GIFT => Some(Happening::Event(gift(&chat))),
        RAID => Some(Happening::Event(raid(&chat))),
        STREAM => stream(&chat, &channel_id).map(Happening::Event),
        // Welcomes, system and activity messages.
        _ => None,
    };
    let is_history = body.flag("is_history");
    Ok(happening.map(|happening| Normalised { is_history, ..Normalised::one(channel_id, happening) }))
}

fn chat_line(chat: &Fields<'_>) -> Result<ChatLine, Unreadable> {
    let text = chat.optional_text("content").unwrap_or_default();
    let display_name = chat.text("nick_name")?;
    Ok(ChatLine {
        message_id: chat.text("message_id")?,
        user_id: sender(chat).ok_or_else(|| chat.lacks("sender_id"))?,
        username: chat.optional_text("user_name").unwrap_or_else(|| display_name.to_lowercase()),
        display_name,
        color: None,
        badges: badges(chat),
        fragments: vec![Fragment::text(text.clone())],
        text,
        emotes: Vec::new(),
        reply_to: None,
        is_action: false,
        is_from_elsewhere: false,
        sent_at: chat.number("send_time").and_then(|secs| DateTime::from_timestamp(secs, 0)),
    })
}

/// Returns roles under the names of the other platforms; a subscriber's badge holds the level.
fn badges(chat: &Fields<'_>) -> Vec<Badge> {
    let badge = |role: &str| {
        let (id, info) = match role {
            "streamer" => ("broadcaster", None),
            "mod" | "supermod" => ("moderator", None),
            "subscriber" => ("subscriber", chat.optional_text("sub_lv")),
            other => (other, None),
        };
        Badge { id: id.to_owned(), version: String::new(), info }
    };
    let roles = chat.raw("roles").as_array().map(Vec::as_slice).unwrap_or_default();
    roles.iter().filter_map(Value::as_str).map(badge).collect()
}

fn spell(chat: &Fields<'_>) -> PlatformEvent {
    // The content is JSON in a text; newer messages have the same in `content_data`.
    let content: Value = chat
        .optional_text("content")
        .and_then(|text| serde_json::from_str(&text).ok())
        .filter(Value::is_object)
        .unwrap_or_else(|| json!({}));
    let more = chat.raw("content_data");
    let first = |names: [&str; 2]| {
        let found = [&content[names[0]], &more[names[1]]].into_iter().find(|value| !value.is_null());
        found.cloned().unwrap_or(Value::Null)
    };
    let (count, value) = (number(&first(["num", "gift_num"])), number(&first(["gift_value", "gift_price"])));
    let mut data = of_user(chat);
    data["spell_name"] = first(["gift", "gift_display_name"]);
    data["count"] = json!(count);
    data["value"] = json!(value);
    data["value_type"] = first(["value_type", "gift_value_type"]);
    event("trovo:spell", chat, data)
}

fn subscribe(chat: &Fields<'_>) -> PlatformEvent {
    let more = chat.raw("content_data");
    let mut data = of_user(chat);
    data["tier"] = json!(chat.optional_id("sub_tier"));
    data["months"] = json!(number(&more["sub_month"]).or_else(|| number(&more["month"])));
    data["message"] = json!(chat.optional_text("content"));
    event("trovo:subscribe", chat, data)
}

fn follow(chat: &Fields<'_>) -> PlatformEvent {
    let mut data = of_user(chat);
    let at = chat.number("send_time").and_then(|secs| DateTime::from_timestamp(secs, 0));
    data["followed_at"] = json!(at.map(shared::clock::rfc3339));
    event("trovo:follower", chat, data)
}

/// Reads a gift. The content is the recipient: id and name, or the name alone.
fn gift(chat: &Fields<'_>) -> PlatformEvent {
    let content = chat.optional_text("content").unwrap_or_default();
    let (id, name) = match content.split_once(',') {
        Some((id, name)) if id.bytes().all(|byte| byte.is_ascii_digit()) => (Some(id), name),
        _ => (None, content.as_str()),
    };
    let gifter = person(chat);
    let data = json!({
        "gifter_name": gifter.as_ref().and_then(|gifter| gifter.display_name.as_ref()),
        "gifter_user_id": gifter.as_ref().map(|gifter| &gifter.id),
        "recipient_name": Some(name).filter(|name| !name.is_empty()),
        "recipient_user_id": id,
        "tier": chat.optional_id("sub_tier"),
        "count": 1,
    });
    event("trovo:gift_sub", chat, data)
}

fn raid(chat: &Fields<'_>) -> PlatformEvent {
    let raider = person(chat);
    let more = chat.raw("content_data");
    // Older messages have the number in the sentence only.
    let stated = number(&more["raiderNum"]).or_else(|| raiders_in(&chat.optional_text("content")?));
    let data = json!({
        "from_broadcaster_name": raider.as_ref().and_then(|raider| raider.display_name.as_ref()),
        "from_broadcaster_id": raider.as_ref().map(|raider| &raider.id),
        "viewer_count": stated,
    });
    event("trovo:raid", chat, data)
}

/// Returns the number directly before the last `raider` or `raiders`: the name, which comes first, may be a
/// number too.
fn raiders_in(sentence: &str) -> Option<i64> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let is_raiders = |word: &str| {
        let word = word.trim_end_matches(|character: char| !character.is_alphanumeric());
        word.eq_ignore_ascii_case("raider") || word.eq_ignore_ascii_case("raiders")
    };
    let counted = words.windows(2).rev().find_map(|pair| match pair {
        [count, raiders] if is_raiders(raiders) => count.parse::<i64>().ok(),
        _ => None,
    });
    counted.filter(|count| *count >= 0)
}

fn stream(chat: &Fields<'_>, channel_id: &str) -> Option<PlatformEvent> {
    let content = chat.optional_text("content")?.to_lowercase();
    let is_online = content.contains("stream_on") || content.contains("\"on\"");
    let event_type = if is_online { "trovo:stream_online" } else { "trovo:stream_offline" };
    let at = chat.number("send_time").and_then(|secs| DateTime::from_timestamp(secs, 0));
    let mut data =
        json!({ "broadcaster_name": chat.optional_text("nick_name"), "broadcaster_id": channel_id });
    if is_online {
        data["started_at"] = json!(at.map(shared::clock::rfc3339));
    }
    Some(event(event_type, chat, data))
}

fn of_user(chat: &Fields<'_>) -> Value {
    let user = person(chat);
    json!({
        "user_name": user.as_ref().and_then(|user| user.display_name.as_ref()),
        "user_id": user.as_ref().map(|user| &user.id),
    })
}

fn event(event_type: &'static str, chat: &Fields<'_>, data: Value) -> PlatformEvent {
    PlatformEvent {
        source_id: chat.optional_text("message_id").map(|id| format!("message:{id}")),
        user: person(chat),
        ..PlatformEvent::counted(event_type, data)
    }
}

fn person(chat: &Fields<'_>) -> Option<Person> {
    let display_name = chat.optional_text("nick_name");
    let is_address = |url: &String| url.starts_with("http");
    Some(Person {
        id: sender(chat)?,
        username: chat.optional_text("user_name"),
        display_name,
        avatar_url: chat.optional_text("avatar").filter(is_address),
    })
}

/// Returns the id of the sender. Newer messages have `uid` too; zero means none.
fn sender(chat: &Fields<'_>) -> Option<String> {
    let id = chat.optional_id("sender_id").or_else(|| chat.optional_id("uid"))?;
    (id != "0").then_some(id)
}

/// Returns a number, also one that is written as a text.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number| *number >= 0)
}

#[cfg(test)]
mod tests {
    use live_model::EventType;

    use super::*;

    fn read(kind: i64, content: &str, more: Value) -> Option<Happening> {
        let chat = json!({
            "type": kind, "content": content, "content_data": more, "nick_name": "Viewer", "user_name": "viewer",
            "avatar": "https://example.com/a.png", "sub_lv": "L2", "sub_tier": "1",
            "roles": ["mod", "follower", "subscriber"], "message_id": "m1", "sender_id": 42,
            "send_time": 1_700_000_000,
        });
        let body = json!({ "channel_id": "7", "chat": chat, "is_history": false });
        normalise(&body).unwrap().map(|normalised| {
            assert_eq!(normalised.channel_id, "7");
            normalised.happenings.into_iter().next().unwrap()
        })
    }

    fn event_of(kind: i64, content: &str, more: Value) -> PlatformEvent {
        let Some(Happening::Event(event)) = read(kind, content, more) else { panic!("{kind} is no event") };
        let known = EventType::find(event.event_type).unwrap();
        let keys: std::collections::BTreeSet<&str> = known.keys.iter().map(|key| key.name).collect();
        let payload = event.data.as_object().unwrap();
        assert_eq!(payload.keys().map(String::as_str).collect::<std::collections::BTreeSet<_>>(), keys);
        event
    }

    #[test]
    fn trovo_message_has_sender_roles_and_time() {
        for kind in [0, 6, 7, 8, 9] {
            let Some(Happening::Chat(line)) = read(kind, "hello", Value::Null) else { panic!("{kind}") };
            assert_eq!((line.user_id.as_str(), line.username.as_str()), ("42", "viewer"));
            let badges: Vec<&str> = line.badges.iter().map(|badge| badge.id.as_str()).collect();
            assert_eq!(badges, ["moderator", "follower", "subscriber"]);
            assert_eq!(line.badges[2].info.as_deref(), Some("L2"));
            assert_eq!(line.sent_at.unwrap().timestamp(), 1_700_000_000);
        }
    }

    #[test]
    fn trovo_activities_are_events_of_the_catalogue() {
        let spell =
            event_of(5, r#"{"gift":"Winner","num":2,"gift_value":100,"value_type":"Elixir"}"#, Value::Null);
        assert_eq!((spell.event_type, spell.amount), ("trovo:spell", Some(100)));
        assert_eq!((&spell.data["spell_name"], &spell.data["count"]), (&json!("Winner"), &json!(2)));
        let named = event_of(5009, "", json!({ "gift_display_name": "Own", "gift_num": "3" }));
        assert_eq!((&named.data["spell_name"], &named.data["count"]), (&json!("Own"), &json!(3)));
        assert_eq!(event_of(5001, "just subscribed", Value::Null).data["tier"], "1");
        assert_eq!(event_of(5003, "followed", Value::Null).data["followed_at"], "2023-11-14T22:13:20.000Z");
        let gift = event_of(5006, "99,Lucky", Value::Null);
        assert_eq!(
            (&gift.data["recipient_user_id"], &gift.data["recipient_name"]),
            (&json!("99"), &json!("Lucky"))
        );
        let raid = event_of(5008, "Viewer -3 is carrying 12 raiders", Value::Null);
        assert_eq!((raid.event_type, raid.amount), ("trovo:raid", Some(12)));
        for (sentence, raiders) in [
            ("99999 is carrying 12 raiders", Some(12)),
            ("99999 is carrying 1 raider to this channel!", Some(1)),
            ("7 raiders is carrying 12 raiders.", Some(12)),
            ("99999 is carrying raiders", None),
            ("99999 is carrying -3 raiders", None),
            ("99999", None),
        ] {
            assert_eq!(event_of(5008, sentence, Value::Null).amount, raiders, "{sentence}");
        }
        let stated = event_of(5008, "99999 is carrying 12 raiders", json!({ "raiderNum": 8 }));
        assert_eq!(stated.amount, Some(8));
        assert_eq!(event_of(5012, "stream_on", Value::Null).event_type, "trovo:stream_online");
        assert_eq!(event_of(5012, "stream_off", Value::Null).event_type, "trovo:stream_offline");
    }

    #[test]
    fn trovo_welcomes_and_unknown_types_are_ignored() {
        for kind in [5002, 5004, 5005, 5007, 5013, 1, -3, 99999] {
            assert_eq!(read(kind, "welcome", Value::Null), None, "{kind}");
        }
    }

    #[test]
    fn trovo_messages_with_malformed_content_are_read() {
        for content in ["", "{", "[]", "null", "{\"num\":-5}", "x,y,z"] {
            for kind in [5, 5001, 5006, 5008, 5009] {
                assert!(read(kind, content, json!({ "gift_num": [], "raiderNum": "many" })).is_some());
            }
        }
        assert!(normalise(&json!({ "channel_id": "7", "chat": { "type": 0 } })).is_err());
    }
}
