//! Kick's webhooks (reference/platforms.md#kick-webhooks).

use foundation::events::{Removal, RemovalAction};
use live_model::{Badge, Emote, Fragment};
use serde_json::{Value, json};

use super::{ChatLine, Happening, Normalised, Person, PlatformEvent, Unreadable, fields::Fields, naming};

pub(super) fn normalise(event_type: &str, body: &Value) -> Result<Option<Normalised>, Unreadable> {
    let event = Fields::of(body, "body")?;
    let broadcaster = event.object("broadcaster")?;
    let happenings = match event_type {
        "chat.message.sent" => vec![Happening::Chat(chat_line(&event)?)],
        "channel.followed" => vec![Happening::Event(follow(&event)?)],
        "channel.subscription.new" | "channel.subscription.renewal" => {
            vec![Happening::Event(subscribe(&event)?)]
        }
        "channel.subscription.gifts" => gifts(&event),
        "livestream.status.updated" => vec![Happening::Event(stream(&event, &broadcaster))],
        "moderation.banned" => vec![Happening::Removal(ban(&event)?)],
        // Metadata, rewards and Kicks have no type in the catalogue.
        _ => return Ok(None),
    };
    let happenings = named(event_type, body, happenings);
    Ok(Some(Normalised { channel_id: broadcaster.id("user_id")?, happenings, is_history: false }))
}

/// Names the events of a delivery with a time of its own; Kick delivers some of them again under another id.
fn named(event_type: &str, body: &Value, happenings: Vec<Happening>) -> Vec<Happening> {
    let is_dated = ["created_at", "started_at", "ended_at"].iter().any(|field| body[field].is_string());
    let name = |(index, happening)| match happening {
        Happening::Event(event) if is_dated => {
            Happening::Event(naming::by_content(&format!("{event_type}:{index}"), body, event))
        }
        other => other,
    };
    happenings.into_iter().enumerate().map(name).collect()
}

fn chat_line(event: &Fields<'_>) -> Result<ChatLine, Unreadable> {
    let sender = event.object("sender")?;
    let identity = sender.optional_object("identity");
    let text = event.optional_text("content").unwrap_or_default();
    let (fragments, emotes) = split_emotes(&text);
    let display_name = sender.text("username")?;
    Ok(ChatLine {
        message_id: event.text("message_id")?,
        user_id: sender.id("user_id")?,
        username: sender.optional_text("channel_slug").unwrap_or_else(|| display_name.to_lowercase()),
        display_name,
        color: identity.and_then(|identity| identity.optional_text("username_color")),
        badges: identity.map(|identity| badges(&identity)).unwrap_or_default(),
        text,
        fragments,
        emotes,
        reply_to: event.optional_object("replies_to").and_then(|parent| parent.optional_text("message_id")),
        is_action: false,
        is_from_elsewhere: false,
        sent_at: event.time("created_at"),
    })
}

fn badges(identity: &Fields<'_>) -> Vec<Badge> {
    let badge = |badge: &Fields<'_>| {
        Some(Badge {
            id: badge.optional_text("type")?,
            version: badge.number("count").unwrap_or(1).to_string(),
            info: badge.optional_text("text"),
        })
    };
    identity.objects("badges").iter().filter_map(badge).collect()
}

/// Splits emotes from a text: Kick writes them as `[emote:37226:KEKW]`.
fn split_emotes(text: &str) -> (Vec<Fragment>, Vec<Emote>) {
    let (mut fragments, mut emotes) = (Vec::new(), Vec::<Emote>::new());
    let mut plain_from = 0;
    let mut search_from = 0;
    while let Some(found) = text[search_from..].find("[emote:") {
        let start = search_from + found;
        match emote_at(&text[start..]) {
            Some((marker, emote)) => {
                if plain_from < start {
                    fragments.push(Fragment::text(&text[plain_from..start]));
                }
                fragments.push(Fragment::emote(marker, &emote.id));
                if !emotes.iter().any(|known| known.id == emote.id) {
                    emotes.push(emote);
                }
                plain_from = start + marker.len();
                search_from = plain_from;
            }
            None => search_from = start + 1,
        }
    }
    if plain_from < text.len() {
        fragments.push(Fragment::text(&text[plain_from..]));
    }
    (fragments, emotes)
}

/// Returns the marker that a text begins with.
fn emote_at(text: &str) -> Option<(&str, Emote)> {
    let end = text.find(']')?;
    let (id, name) = text[..end].strip_prefix("[emote:")?.split_once(':')?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    is_id.then(|| (&text[..=end], Emote { id: id.to_owned(), name: name.to_owned() }))
}

fn follow(event: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let follower = event.object("follower")?;
    let data = json!({
        "user_name": follower.raw("username"),
        "user_id": follower.optional_id("user_id"),
        "followed_at": event.moment("created_at"),
    });
    Ok(PlatformEvent { user: person(&follower), ..PlatformEvent::new("kick:follower", data) })
}

fn subscribe(event: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let subscriber = event.object("subscriber")?;
    let data = json!({
        "user_name": subscriber.raw("username"),
        "user_id": subscriber.optional_id("user_id"),
        "tier": null,
        "months": event.raw("duration"),
        "message": null,
    });
    Ok(PlatformEvent { user: person(&subscriber), ..PlatformEvent::new("kick:subscribe", data) })
}

/// Returns one event for each recipient of a subscription.
fn gifts(event: &Fields<'_>) -> Vec<Happening> {
    let gifter = event.optional_object("gifter").as_ref().and_then(person);
    let gift = |recipient: &Fields<'_>| {
        let data = json!({
            "gifter_name": gifter.as_ref().map(|gifter| &gifter.display_name),
            "gifter_user_id": gifter.as_ref().map(|gifter| &gifter.id),
            "recipient_name": recipient.raw("username"),
            "recipient_user_id": recipient.optional_id("user_id"),
            "tier": null,
        });
        let gift = PlatformEvent::new("kick:gift_sub", data);
        Happening::Event(PlatformEvent { user: gifter.clone(), amount: Some(1), ..gift })
    };
    event.objects("giftees").iter().map(gift).collect()
}

fn stream(event: &Fields<'_>, broadcaster: &Fields<'_>) -> PlatformEvent {
    let mut data = json!({
        "broadcaster_name": broadcaster.raw("username"),
        "broadcaster_id": broadcaster.optional_id("user_id"),
    });
    if !event.flag("is_live") {
        return PlatformEvent::new("kick:stream_offline", data);
    }
    data["started_at"] = event.moment("started_at");
    PlatformEvent::new("kick:stream_online", data)
}

fn ban(event: &Fields<'_>) -> Result<Removal, Unreadable> {
    let times = event
        .optional_object("metadata")
        .map(|metadata| (metadata.time("created_at"), metadata.time("expires_at")));
    let expires_at = times.and_then(|(_, expires_at)| expires_at);
    let duration = times.and_then(|(start, end)| Some((end? - start?).num_seconds()));
    Ok(Removal::User {
        platform_user_id: event.object("banned_user")?.id("user_id")?,
        action: if expires_at.is_some() { RemovalAction::Timeout } else { RemovalAction::Ban },
        duration_secs: duration.and_then(|secs| u32::try_from(secs).ok()),
        moderator_platform_user_id: event
            .optional_object("moderator")
            .and_then(|moderator| moderator.optional_id("user_id")),
        moderator_user_id: None,
    })
}

/// Returns the user; `None` for an anonymous one.
fn person(user: &Fields<'_>) -> Option<Person> {
    Some(Person {
        id: user.optional_id("user_id")?,
        username: user.optional_text("channel_slug"),
        display_name: user.optional_text("username"),
        avatar_url: user.optional_text("profile_picture"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: u64, name: &str) -> Value {
        json!({
            "is_anonymous": false, "user_id": id, "username": name, "is_verified": true,
            "profile_picture": "https://example.com/p.jpg", "channel_slug": name.to_lowercase(),
            "identity": {
                "username_color": "#FF5733",
                "badges": [
                    { "text": "Moderator", "type": "moderator" },
                    { "text": "Sub Gifter", "type": "sub_gifter", "count": 5 },
                ],
            },
        })
    }

    fn anonymous() -> Value {
        json!({
            "is_anonymous": true, "user_id": null, "username": null, "is_verified": null,
            "profile_picture": null, "channel_slug": null, "identity": null,
        })
    }

    fn read(event_type: &str, mut body: Value) -> Vec<Happening> {
        body["broadcaster"] = user(123_456_789, "Broadcaster");
        let normalised = normalise(event_type, &body).unwrap().unwrap();
        assert_eq!(normalised.channel_id, "123456789");
        normalised.happenings
    }

    fn line(content: &str) -> ChatLine {
        let happenings = read(
            "chat.message.sent",
            json!({
                "message_id": "m1", "sender": user(987_654_321, "Sender"), "content": content,
                "replies_to": { "message_id": "m0", "content": "?", "sender": user(1, "x") },
                "emotes": [{ "emote_id": "4148074", "positions": [{ "s": 6, "e": 30 }] }],
                "created_at": "2025-01-14T16:08:06Z",
            }),
        );
        match happenings.into_iter().next() {
            Some(Happening::Chat(line)) => line,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn kick_message_has_sender_badges_and_time() {
        let line = line("Hello");
        assert_eq!((line.message_id.as_str(), line.user_id.as_str()), ("m1", "987654321"));
        assert_eq!((line.username.as_str(), line.display_name.as_str()), ("sender", "Sender"));
        assert_eq!((line.color.as_deref(), line.reply_to.as_deref()), (Some("#FF5733"), Some("m0")));
        assert_eq!(
            line.badges[1],
            Badge { id: "sub_gifter".into(), version: "5".into(), info: Some("Sub Gifter".into()) }
        );
        assert_eq!(line.sent_at.unwrap().to_rfc3339(), "2025-01-14T16:08:06+00:00");
        assert_eq!(line.fragments, [Fragment::text("Hello")]);
    }

    #[test]
    fn split_emotes_separates_emotes_from_text() {
        let line = line("Hé [emote:4148074:HYPERCLAP][emote:x:no] [emote:4148074:HYPERCLAP]!");
        assert_eq!(line.emotes, [Emote { id: "4148074".into(), name: "HYPERCLAP".into() }]);
        let texts: Vec<&str> = line.fragments.iter().map(|fragment| fragment.text.as_str()).collect();
        assert_eq!(
            texts,
            ["Hé ", "[emote:4148074:HYPERCLAP]", "[emote:x:no] ", "[emote:4148074:HYPERCLAP]", "!"]
        );
        assert_eq!(texts.concat(), line.text);
    }

    #[test]
    fn split_emotes_keeps_unfinished_marks_as_text() {
        for text in ["[emote:", "[emote:1", "[emote:1]", "[emote::a]", "[emote:[emote:", ""] {
            let (fragments, emotes) = split_emotes(text);
            assert!(emotes.is_empty(), "{text}");
            assert_eq!(fragments.iter().map(|fragment| fragment.text.as_str()).collect::<String>(), text);
        }
    }

    #[test]
    fn gifts_make_one_event_a_recipient() {
        let happenings = read(
            "channel.subscription.gifts",
            json!({
                "gifter": anonymous(), "giftees": [user(1, "A"), user(2, "B")],
                "created_at": "2025-01-14T16:08:06Z", "expires_at": "2025-02-14T16:08:06Z",
            }),
        );
        let recipients: Vec<_> = happenings
            .iter()
            .map(|happening| match happening {
                Happening::Event(event) => {
                    (event.data["recipient_user_id"].clone(), event.data["gifter_name"].clone())
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(recipients, [(json!("1"), Value::Null), (json!("2"), Value::Null)]);
    }

    #[test]
    fn kick_follows_subscriptions_and_streams_have_their_types() {
        let type_of = |event_type: &str, body: Value| match read(event_type, body).into_iter().next() {
            Some(Happening::Event(event)) => event.event_type,
            other => panic!("{other:?}"),
        };
        assert_eq!(type_of("channel.followed", json!({ "follower": user(1, "A") })), "kick:follower");
        for event in ["channel.subscription.new", "channel.subscription.renewal"] {
            assert_eq!(
                type_of(event, json!({ "subscriber": user(1, "A"), "duration": 3 })),
                "kick:subscribe"
            );
        }
        let stream =
            |is_live: bool| json!({ "is_live": is_live, "title": "t", "started_at": "2025-01-01T11:00:00Z" });
        assert_eq!(type_of("livestream.status.updated", stream(true)), "kick:stream_online");
        assert_eq!(type_of("livestream.status.updated", stream(false)), "kick:stream_offline");
    }

    #[test]
    fn ban_without_an_end_is_permanent() {
        let banned = |expires_at: Value| {
            read(
                "moderation.banned",
                json!({
                    "moderator": user(7, "Mod"), "banned_user": user(8, "Bad"),
                    "metadata": { "reason": "spam", "created_at": "2025-01-14T16:08:06Z", "expires_at": expires_at },
                }),
            )
        };
        let removal = |action, duration_secs| {
            Happening::Removal(Removal::User {
                platform_user_id: "8".into(),
                action,
                duration_secs,
                moderator_platform_user_id: Some("7".into()),
                moderator_user_id: None,
            })
        };
        assert_eq!(banned(Value::Null), [removal(RemovalAction::Ban, None)]);
        assert_eq!(banned(json!("2025-01-14T16:10:06Z")), [removal(RemovalAction::Timeout, Some(120))]);
    }

    #[test]
    fn kick_events_outside_the_catalogue_are_ignored() {
        let body = json!({ "broadcaster": user(1, "A"), "metadata": { "title": "t" } });
        assert_eq!(normalise("livestream.metadata.updated", &body), Ok(None));
    }
}
