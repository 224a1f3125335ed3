//! Messages of YouTube's live chats, and broadcasts that the reader found (reference/platforms.md#live-chat).

use foundation::events::{Removal, RemovalAction};
use live_model::{Badge, Fragment};
use serde_json::{Value, json};

use super::{ChatLine, Happening, Normalised, Person, PlatformEvent, Unreadable, fields::Fields};

pub(super) fn normalise(event_type: &str, body: &Value) -> Result<Option<Normalised>, Unreadable> {
    let body = Fields::of(body, "body")?;
    let channel_id = body.text("channel_id")?;
    let happenings = match event_type {
        "video" => vec![Happening::VideoPublished],
        "broadcast.started" => vec![Happening::Event(broadcast("youtube:stream_online", &body)?)],
        "broadcast.ended" => vec![Happening::Event(broadcast("youtube:stream_offline", &body)?)],
        _ => {
            let item = body.object("item")?;
            let snippet = item.object("snippet")?;
            message(event_type, &item, &snippet)?
        }
    };
    if happenings.is_empty() {
        return Ok(None);
    }
    Ok(Some(Normalised { channel_id, happenings, is_history: body.flag("is_history") }))
}

fn message(event_type: &str, item: &Fields<'_>, snippet: &Fields<'_>) -> Result<Vec<Happening>, Unreadable> {
    let line = |details: &'static str, text: &str| -> Result<Option<Happening>, Unreadable> {
        let text = snippet.object(details)?.optional_text(text);
        text.map(|text| chat_line(item, snippet, text).map(Happening::Chat)).transpose()
    };
    Ok(match event_type {
        "textMessageEvent" => line("textMessageDetails", "messageText")?.into_iter().collect(),
        "superChatEvent" => with(superchat(item, snippet)?, line("superChatDetails", "userComment")?),
        "superStickerEvent" => vec![Happening::Event(supersticker(item, snippet)?)],
        "newSponsorEvent" => vec![Happening::Event(member(item, snippet)?)],
        "memberMilestoneChatEvent" => {
            with(milestone(item, snippet)?, line("memberMilestoneChatDetails", "userComment")?)
        }
        "membershipGiftingEvent" => vec![Happening::Event(gift(item, snippet)?)],
        "giftMembershipReceivedEvent" => vec![Happening::Event(gifted_member(item, snippet)?)],
        "messageDeletedEvent" => {
            let message_id = snippet.object("messageDeletedDetails")?.text("deletedMessageId")?;
            vec![Happening::Removal(Removal::Message { message_id })]
        }
        // The remains of a deleted message.
        "tombstone" => vec![Happening::Removal(Removal::Message { message_id: item.text("id")? })],
        "userBannedEvent" => vec![Happening::Removal(ban(snippet)?)],
        // The reader finds the end of a chat; polls, sponsors-only modes and others have no type in the
        // catalogue.
        _ => Vec::new(),
    })
}

/// Adds the line that comes with an event to the chat.
fn with(event: PlatformEvent, line: Option<Happening>) -> Vec<Happening> {
    line.into_iter().chain([Happening::Event(event)]).collect()
}

fn chat_line(item: &Fields<'_>, snippet: &Fields<'_>, text: String) -> Result<ChatLine, Unreadable> {
    let author = item.object("authorDetails")?;
    let display_name = author.text("displayName")?;
    Ok(ChatLine {
        message_id: item.text("id")?,
        user_id: author.text("channelId")?,
        // Handles begin with an `@`, which is not part of the name.
        username: display_name.trim_start_matches('@').to_lowercase(),
        display_name,
        color: None,
        badges: badges(&author),
        fragments: vec![Fragment::text(text.clone())],
        text,
        emotes: Vec::new(),
        reply_to: None,
        is_action: false,
        is_from_elsewhere: false,
        sent_at: snippet.time("publishedAt"),
    })
}

fn badges(author: &Fields<'_>) -> Vec<Badge> {
    let roles = [
        ("isChatOwner", "broadcaster"),
        ("isChatModerator", "moderator"),
        ("isChatSponsor", "member"),
        ("isVerified", "verified"),
    ];
    let held = roles.into_iter().filter(|(flag, _)| author.flag(flag));
    held.map(|(_, id)| Badge { id: id.to_owned(), version: String::new(), info: None }).collect()
}

fn superchat(item: &Fields<'_>, snippet: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let details = snippet.object("superChatDetails")?;
    let mut data = paid(item, &details);
    data["message"] = json!(details.optional_text("userComment"));
    Ok(event("youtube:superchat", item, data))
}

fn supersticker(item: &Fields<'_>, snippet: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let details = snippet.object("superStickerDetails")?;
    let sticker = details.optional_object("superStickerMetadata");
    let mut data = paid(item, &details);
    data["sticker_id"] = json!(sticker.and_then(|sticker| sticker.optional_text("stickerId")));
    data["sticker_text"] = json!(sticker.and_then(|sticker| sticker.optional_text("altText")));
    Ok(event("youtube:supersticker", item, data))
}

/// Reads a payment. Google writes 64-bit numbers as texts.
fn paid(item: &Fields<'_>, details: &Fields<'_>) -> Value {
    let author = author(item);
    json!({
        "user_name": author.as_ref().and_then(|author| author.display_name.as_ref()),
        "user_id": author.as_ref().map(|author| &author.id),
        "amount_micros": details.long("amountMicros"),
        "currency": details.optional_text("currency"),
        "amount_display": details.optional_text("amountDisplayString"),
        "tier": details.number("tier"),
    })
}

fn member(item: &Fields<'_>, snippet: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let details = snippet.object("newSponsorDetails")?;
    Ok(membership(item, &details, details.flag("isUpgrade"), None, false))
}

fn gifted_member(item: &Fields<'_>, snippet: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let details = snippet.object("giftMembershipReceivedDetails")?;
    Ok(membership(item, &details, false, details.optional_text("gifterChannelId"), true))
}

fn membership(
    item: &Fields<'_>,
    details: &Fields<'_>,
    is_upgrade: bool,
    gifter_user_id: Option<String>,
    is_gift: bool,
) -> PlatformEvent {
    let author = author(item);
    let data = json!({
        "user_name": author.as_ref().and_then(|author| author.display_name.as_ref()),
        "user_id": author.as_ref().map(|author| &author.id),
        "level_name": details.optional_text("memberLevelName"),
        "is_upgrade": is_upgrade,
        "is_gift": is_gift,
        "gifter_user_id": gifter_user_id,
    });
    event("youtube:member", item, data)
}

fn milestone(item: &Fields<'_>, snippet: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let (details, author) = (snippet.object("memberMilestoneChatDetails")?, author(item));
    let data = json!({
        "user_name": author.as_ref().and_then(|author| author.display_name.as_ref()),
        "user_id": author.as_ref().map(|author| &author.id),
        "level_name": details.optional_text("memberLevelName"),
        "months": details.number("memberMonth"),
        "message": details.optional_text("userComment"),
    });
    Ok(event("youtube:member_milestone", item, data))
}

fn gift(item: &Fields<'_>, snippet: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let (details, author) = (snippet.object("membershipGiftingDetails")?, author(item));
    let data = json!({
        "gifter_name": author.as_ref().and_then(|author| author.display_name.as_ref()),
        "gifter_user_id": author.as_ref().map(|author| &author.id),
        "count": details.number("giftMembershipsCount"),
        "level_name": details.optional_text("giftMembershipsLevelName"),
    });
    Ok(event("youtube:member_gift", item, data))
}

fn ban(snippet: &Fields<'_>) -> Result<Removal, Unreadable> {
    let details = snippet.object("userBannedDetails")?;
    let is_permanent = details.optional_text("banType").as_deref() != Some("temporary");
    let duration = details.long("banDurationSeconds").and_then(|secs| u32::try_from(secs).ok());
    Ok(Removal::User {
        platform_user_id: details.object("bannedUserDetails")?.text("channelId")?,
        action: if is_permanent { RemovalAction::Ban } else { RemovalAction::Timeout },
        duration_secs: duration.filter(|_| !is_permanent),
        moderator_platform_user_id: snippet.optional_text("authorChannelId"),
        moderator_user_id: None,
    })
}

/// Reads a broadcast that the reader of the channel found.
fn broadcast(event_type: &'static str, body: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let id = body.text("broadcast_id")?;
    let data = json!({
        "broadcaster_name": body.optional_text("channel_name"),
        "broadcaster_id": body.optional_text("channel_id"),
        "broadcast_id": id,
        "title": body.optional_text("title"),
        "started_at": body.moment("started_at"),
    });
    Ok(PlatformEvent {
        source_id: Some(format!("{event_type}:{id}")),
        ..PlatformEvent::new(event_type, data)
    })
}

/// Returns an event of the chat: named by the message, with the amount of the catalogue.
fn event(event_type: &'static str, item: &Fields<'_>, data: Value) -> PlatformEvent {
    PlatformEvent {
        source_id: item.optional_text("id").map(|id| format!("message:{id}")),
        user: author(item),
        ..PlatformEvent::counted(event_type, data)
    }
}

fn author(item: &Fields<'_>) -> Option<Person> {
    let author = item.optional_object("authorDetails")?;
    let display_name = author.optional_text("displayName");
    Some(Person {
        id: author.optional_text("channelId")?,
        username: display_name.as_ref().map(|name| name.trim_start_matches('@').to_lowercase()),
        display_name,
        avatar_url: author.optional_text("profileImageUrl"),
    })
}

#[cfg(test)]
mod tests {
    use live_model::EventType;

    use super::*;

    fn read(kind: &str, details: &'static str, value: Value) -> Vec<Happening> {
        let mut item = json!({
            "id": "LCC.1",
            "snippet": {
                "type": kind, "liveChatId": "chat", "authorChannelId": "UCviewer",
                "publishedAt": "2026-11-21T10:00:00.123456Z", "displayMessage": "shown",
            },
            "authorDetails": {
                "channelId": "UCviewer", "displayName": "@Viewer", "profileImageUrl": "https://example.com/p.png",
                "isVerified": false, "isChatOwner": false, "isChatSponsor": true, "isChatModerator": true,
            },
        });
        item["snippet"][details] = value;
        let body = json!({ "channel_id": "UCchannel", "item": item });
        let normalised = normalise(kind, &body).unwrap().unwrap();
        assert_eq!(normalised.channel_id, "UCchannel");
        normalised.happenings
    }

    fn event_of(happenings: &[Happening]) -> &PlatformEvent {
        let Some(Happening::Event(event)) = happenings.last() else { panic!("{happenings:?}") };
        let keys: Vec<&str> =
            EventType::find(event.event_type).unwrap().keys.iter().map(|key| key.name).collect();
        let mut names: Vec<&str> = event.data.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        let mut expected = keys;
        expected.sort_unstable();
        assert_eq!(names, expected, "{}", event.event_type);
        event
    }

    #[test]
    fn youtube_message_has_author_roles_and_time() {
        let happenings = read("textMessageEvent", "textMessageDetails", json!({ "messageText": "hello" }));
        let [Happening::Chat(line)] = &happenings[..] else { panic!("{happenings:?}") };
        assert_eq!((line.message_id.as_str(), line.user_id.as_str()), ("LCC.1", "UCviewer"));
        assert_eq!((line.username.as_str(), line.display_name.as_str()), ("viewer", "@Viewer"));
        let badges: Vec<&str> = line.badges.iter().map(|badge| badge.id.as_str()).collect();
        assert_eq!((badges.as_slice(), line.text.as_str()), (&["moderator", "member"][..], "hello"));
        assert_eq!(line.sent_at.unwrap().timestamp_subsec_micros(), 123_000);
    }

    #[test]
    fn youtube_paid_messages_are_lines_and_events_with_their_amount() {
        let details = json!({
            "amountMicros": "5000000", "currency": "EUR", "amountDisplayString": "€5.00",
            "userComment": "great", "tier": 2,
        });
        let happenings = read("superChatEvent", "superChatDetails", details);
        assert!(matches!(&happenings[0], Happening::Chat(line) if line.text == "great"));
        let superchat = event_of(&happenings);
        assert_eq!(
            (superchat.amount, superchat.currency.as_deref(), superchat.message.as_deref()),
            (Some(500), Some("EUR"), Some("great"))
        );
        let details = json!({
            "amountMicros": "1990000", "currency": "USD", "amountDisplayString": "$1.99", "tier": 1,
            "superStickerMetadata": { "stickerId": "pear", "altText": "A pear", "language": "en" },
        });
        let happenings = read("superStickerEvent", "superStickerDetails", details);
        assert_eq!(event_of(&happenings).data["sticker_text"], "A pear");
        assert_eq!(event_of(&happenings).amount, Some(199));
    }

    #[test]
    fn youtube_memberships_gifts_and_milestones_have_the_catalogued_keys() {
        let new = read(
            "newSponsorEvent",
            "newSponsorDetails",
            json!({ "memberLevelName": "Gold", "isUpgrade": true }),
        );
        assert_eq!(event_of(&new).data["is_upgrade"], true);
        let received = read(
            "giftMembershipReceivedEvent",
            "giftMembershipReceivedDetails",
            json!({ "memberLevelName": "Gold", "gifterChannelId": "UCgifter" }),
        );
        assert_eq!(event_of(&received).data["gifter_user_id"], "UCgifter");
        let gift = read(
            "membershipGiftingEvent",
            "membershipGiftingDetails",
            json!({ "giftMembershipsCount": 5, "giftMembershipsLevelName": "Gold" }),
        );
        assert_eq!(event_of(&gift).amount, Some(5));
        let milestone = read(
            "memberMilestoneChatEvent",
            "memberMilestoneChatDetails",
            json!({ "memberLevelName": "Gold", "memberMonth": 12, "userComment": "a year" }),
        );
        assert_eq!((milestone.len(), event_of(&milestone).message.as_deref()), (2, Some("a year")));
    }

    #[test]
    fn youtube_deletions_and_bans_are_removals() {
        let deleted =
            read("messageDeletedEvent", "messageDeletedDetails", json!({ "deletedMessageId": "LCC.0" }));
        assert_eq!(deleted, [Happening::Removal(Removal::Message { message_id: "LCC.0".into() })]);
        let banned = read(
            "userBannedEvent",
            "userBannedDetails",
            json!({
                "bannedUserDetails": { "channelId": "UCbad" }, "banType": "temporary", "banDurationSeconds": "300",
            }),
        );
        assert_eq!(
            banned,
            [Happening::Removal(Removal::User {
                platform_user_id: "UCbad".into(),
                action: RemovalAction::Timeout,
                duration_secs: Some(300),
                moderator_platform_user_id: Some("UCviewer".into()),
                moderator_user_id: None,
            })]
        );
    }

    #[test]
    fn broadcast_start_and_end_have_distinct_source_ids() {
        let body = json!({
            "channel_id": "UC1", "channel_name": "Ada", "broadcast_id": "b1", "title": "t",
            "started_at": "2026-11-21T10:00:00Z",
        });
        let online = normalise("broadcast.started", &body).unwrap().unwrap().happenings;
        assert_eq!(event_of(&online).data["started_at"], "2026-11-21T10:00:00.000Z");
        let offline = normalise("broadcast.ended", &body).unwrap().unwrap().happenings;
        assert_ne!(event_of(&online).source_id, event_of(&offline).source_id);
    }

    #[test]
    fn youtube_ignores_unknown_events_and_names_malformed_fields() {
        let item = json!({ "id": "1", "snippet": { "type": "pollEvent" } });
        assert_eq!(normalise("pollEvent", &json!({ "channel_id": "UC1", "item": item })), Ok(None));
        let error = normalise("textMessageEvent", &json!({ "channel_id": "UC1", "item": item })).unwrap_err();
        assert_eq!(error.to_string(), "textMessageDetails is not an object");
    }
}
