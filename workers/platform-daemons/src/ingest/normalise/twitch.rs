//! Twitch's EventSub notifications (reference/platforms.md#eventsub).

use chrono::{DateTime, Utc};
use foundation::events::{Removal, RemovalAction};
use serde_json::{Value, json};

use super::{
    Happening, Normalised, PlatformEvent, Unreadable,
    fields::Fields,
    naming,
    twitch_chat::chat_line,
    twitch_events::{BROADCASTER, platform_event, user},
    twitch_votes::vote,
};

/// Reads a notification. `sent_at` is the time of the delivery: a cleared chat has none of its own.
pub(super) fn normalise(
    event_type: &str,
    body: &Value,
    sent_at: DateTime<Utc>,
) -> Result<Option<Normalised>, Unreadable> {
    if event_type == "revocation" {
        return revocation(Fields::of(&body["subscription"], "subscription")?);
    }
    let event = Fields::of(&body["event"], "event")?;
    // Only arriving raids are reported; the channel that starts one knows.
    let channel = if event_type == "channel.raid" { "to_broadcaster_user_id" } else { BROADCASTER };
    let happenings = match event_type {
        "channel.chat.message" => vec![Happening::Chat(chat_line(&event)?)],
        "channel.chat.message_delete" => {
            vec![Happening::Removal(Removal::Message { message_id: event.text("message_id")? })]
        }
        "channel.chat.clear_user_messages" => vec![Happening::Removal(Removal::User {
            platform_user_id: event.text("target_user_id")?,
            action: RemovalAction::Clear,
            duration_secs: None,
            moderator_platform_user_id: None,
            moderator_user_id: None,
        })],
        "channel.chat.clear" => vec![Happening::Removal(Removal::Chat { at: sent_at })],
        "channel.ban" => ban(&event, &body["event"])?,
        _ => match platform_event(event_type, &event)? {
            Some(platform_event) => {
                let platform_event = named(event_type, &body["event"], platform_event);
                let vote = vote(event_type, &event)?.map(Happening::Vote);
                std::iter::once(Happening::Event(platform_event)).chain(vote).collect()
            }
            None => return Ok(None),
        },
    };
    Ok(Some(Normalised { channel_id: event.text(channel)?, happenings, is_history: false }))
}

/// Names an event. Most notifications hold an id or a time. Cheers and gifts hold neither, and an equal one
/// may follow immediately: each delivery is one event.
fn named(event_type: &str, payload: &Value, event: PlatformEvent) -> PlatformEvent {
    match event_type {
        "channel.cheer" | "channel.subscription.gift" => event,
        _ if is_dated(payload) => naming::by_content(event_type, payload, event),
        _ => naming::for_a_moment(event_type, payload, event),
    }
}

/// True when the payload holds an id or a time of its own, so that it never occurs again with another
/// meaning.
fn is_dated(payload: &Value) -> bool {
    payload.as_object().into_iter().flatten().any(|(name, value)| {
        value.is_string() && (name == "id" || name == "message_id" || name.ends_with("_at"))
    })
}

/// Reads the end of a subscription: because the user revoked the grant or is gone, or for a reason that Lumio
/// can repair.
fn revocation(subscription: Fields<'_>) -> Result<Option<Normalised>, Unreadable> {
    let happening = match subscription.text("status")?.as_str() {
        "authorization_revoked" | "user_removed" => Happening::Revoked,
        // Another request does not bring it back.
        "version_removed" => return Ok(None),
        _ => Happening::Stopped { event_type: subscription.text("type")? },
    };
    let condition = subscription.object("condition")?;
    let channel =
        condition.optional_text(BROADCASTER).or_else(|| condition.optional_text("to_broadcaster_user_id"));
    Ok(channel.map(|channel_id| Normalised::one(channel_id, happening)))
}

/// Reads a ban: an event, and a removal of the user's messages.
fn ban(event: &Fields<'_>, payload: &Value) -> Result<Vec<Happening>, Unreadable> {
    let is_permanent = event.flag("is_permanent");
    let duration =
        event.time("ends_at").zip(event.time("banned_at")).map(|(end, start)| (end - start).num_seconds());
    let removal = Removal::User {
        platform_user_id: event.text("user_id")?,
        action: if is_permanent { RemovalAction::Ban } else { RemovalAction::Timeout },
        duration_secs: duration.filter(|_| !is_permanent).and_then(|secs| u32::try_from(secs).ok()),
        moderator_platform_user_id: event.optional_text("moderator_user_id"),
        moderator_user_id: None,
    };
    let data = json!({
        "user_name": event.raw("user_name"),
        "user_id": event.raw("user_id"),
        "reason": event.optional_text("reason"),
        "moderator_name": event.raw("moderator_user_name"),
    });
    let banned = PlatformEvent {
        user: user(event),
        message: event.optional_text("reason"),
        ..PlatformEvent::new("twitch:ban", data)
    };
    Ok(vec![Happening::Removal(removal), Happening::Event(named("channel.ban", payload, banned))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(event_type: &str, event: Value) -> Normalised {
        let body = json!({ "subscription": { "type": event_type, "status": "enabled" }, "event": event });
        normalise(event_type, &body, DateTime::UNIX_EPOCH).unwrap().unwrap()
    }

    fn event(event_type: &str, event: Value) -> PlatformEvent {
        let normalised = read(event_type, event);
        assert_eq!(normalised.channel_id, "1337");
        match normalised.happenings.into_iter().next() {
            Some(Happening::Event(event)) => event,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn twitch_follow_names_the_follower() {
        let follow = event(
            "channel.follow",
            json!({
                "user_id": "1234", "user_login": "cool_user", "user_name": "Cool_User",
                "broadcaster_user_id": "1337", "broadcaster_user_login": "cooler_user",
                "broadcaster_user_name": "Cooler_User", "followed_at": "2020-07-15T18:16:11.17106713Z",
            }),
        );
        assert_eq!(follow.event_type, "twitch:follower");
        assert_eq!(
            follow.data,
            json!({
                "user_name": "Cool_User", "user_id": "1234", "followed_at": "2020-07-15T18:16:11.171Z",
            })
        );
        let user = follow.user.unwrap();
        assert_eq!((user.id.as_str(), user.username.as_deref()), ("1234", Some("cool_user")));
    }

    #[test]
    fn twitch_raid_belongs_to_the_raided_channel() {
        let raid = event(
            "channel.raid",
            json!({
                "from_broadcaster_user_id": "1234", "from_broadcaster_user_login": "cool_user",
                "from_broadcaster_user_name": "Cool_User", "to_broadcaster_user_id": "1337",
                "to_broadcaster_user_login": "cooler_user", "to_broadcaster_user_name": "Cooler_User", "viewers": 9001,
            }),
        );
        assert_eq!(
            raid.data,
            json!({
                "from_broadcaster_name": "Cool_User", "from_broadcaster_id": "1234", "viewer_count": 9001,
            })
        );
        assert_eq!(raid.amount, Some(9001));
    }

    #[test]
    fn twitch_values_of_another_type_are_null() {
        let kind = "channel.hype_train.progress";
        let train = json!({
            "broadcaster_user_id": "1337", "level": "2", "total": 30, "progress": -3, "goal": 1.5, "id": "h",
        });
        let body = json!({ "subscription": { "type": kind, "status": "enabled" }, "event": train });
        let read = crate::ingest::normalise::normalise(
            shared::platform::Platform::Twitch,
            kind,
            &body,
            DateTime::UNIX_EPOCH,
        )
        .unwrap();
        let [Happening::Event(event)] = &read.unwrap().happenings[..] else { panic!("one event") };
        assert_eq!(event.data, json!({ "level": null, "total": 30, "progress": null, "goal": null }));
    }

    #[test]
    fn twitch_anonymous_cheer_has_no_user() {
        let cheer = event(
            "channel.cheer",
            json!({
                "is_anonymous": true, "user_id": null, "user_login": null, "user_name": null,
                "broadcaster_user_id": "1337", "message": "pogchamp", "bits": 1000,
            }),
        );
        assert_eq!((cheer.user, cheer.amount), (None, Some(1000)));
        assert_eq!(cheer.data["user_id"], Value::Null);
        assert_eq!(cheer.data["bits"], 1000);
    }

    #[test]
    fn twitch_subscriptions_gifts_and_renewals_are_distinct() {
        let subscribe = |is_gift| {
            event(
                "channel.subscribe",
                json!({
                    "user_id": "1234", "user_login": "cool_user", "user_name": "Cool_User",
                    "broadcaster_user_id": "1337", "tier": "1000", "is_gift": is_gift,
                }),
            )
        };
        assert_eq!(subscribe(false).event_type, "twitch:subscribe");
        let gift = event(
            "channel.chat.notification",
            json!({
                "broadcaster_user_id": "1337", "chatter_user_id": "77", "chatter_user_login": "giver",
                "chatter_user_name": "Giver", "chatter_is_anonymous": false, "message_id": "n1",
                "notice_type": "sub_gift",
                "sub_gift": {
                    "duration_months": 1, "cumulative_total": 5, "recipient_user_id": "1234",
                    "recipient_user_login": "cool_user", "recipient_user_name": "Cool_User", "sub_tier": "1000",
                },
            }),
        );
        assert_eq!(gift.event_type, "twitch:gift_sub");
        assert_eq!(
            gift.data,
            json!({
                "gifter_name": "Giver", "gifter_user_id": "77", "recipient_name": "Cool_User",
                "recipient_user_id": "1234", "tier": "1000",
            })
        );
        assert_eq!((gift.amount, gift.user.unwrap().id.as_str()), (Some(1), "77"));
        let resub = event(
            "channel.subscription.message",
            json!({
                "user_id": "1234", "user_name": "Cool_User", "broadcaster_user_id": "1337", "tier": "2000",
                "message": { "text": "Love the stream!", "emotes": [] }, "cumulative_months": 15, "streak_months": 1,
            }),
        );
        assert_eq!((resub.event_type, &resub.data["months"]), ("twitch:resub", &json!(15)));
        assert_eq!(resub.message.as_deref(), Some("Love the stream!"));
    }

    #[test]
    fn twitch_event_of_two_sessions_has_one_source_id_and_cheers_have_none() {
        let follow = |second: u8| {
            let payload = json!({ "user_id": "1234", "broadcaster_user_id": "1337",
                "followed_at": format!("2020-07-15T18:16:{second}Z") });
            event("channel.follow", payload).source_id.unwrap()
        };
        assert_eq!(follow(11), follow(11));
        assert_ne!(follow(11), follow(12));
        let unnamed = |event_type: &str| {
            let payload =
                json!({ "user_id": "1234", "broadcaster_user_id": "1337", "tier": "1000", "bits": 1 });
            let event = event(event_type, payload);
            assert_eq!(event.source_id, None);
            event.duplicate_key
        };
        assert_eq!(unnamed("channel.subscribe"), unnamed("channel.subscribe"));
        assert_ne!(unnamed("channel.subscribe"), unnamed("channel.update"));
        assert_eq!(unnamed("channel.cheer"), None);
    }

    #[test]
    fn twitch_stream_start_has_the_id_of_the_stream() {
        let online = event(
            "stream.online",
            json!({
                "id": "9001", "broadcaster_user_id": "1337", "broadcaster_user_name": "Cooler_User",
                "type": "live", "started_at": "2020-10-11T10:11:12.123Z",
            }),
        );
        assert_eq!(
            (online.source_id.as_deref(), online.stream_event()),
            (Some("stream:9001"), Some("stream:online"))
        );
        assert_eq!(online.data["started_at"], "2020-10-11T10:11:12.123Z");
        let offline =
            event("stream.offline", json!({ "broadcaster_user_id": "1337", "broadcaster_user_name": "C" }));
        assert_eq!(offline.stream_event(), Some("stream:offline"));
    }

    #[test]
    fn twitch_timeout_is_an_event_and_a_removal() {
        let banned = read(
            "channel.ban",
            json!({
                "user_id": "1234", "user_login": "cool_user", "user_name": "Cool_User", "broadcaster_user_id": "1337",
                "moderator_user_id": "1339", "moderator_user_name": "Mod_User", "reason": "Offensive language",
                "banned_at": "2020-07-15T18:15:11Z", "ends_at": "2020-07-15T18:16:11Z", "is_permanent": false,
            }),
        );
        assert_eq!(
            banned.happenings[0],
            Happening::Removal(Removal::User {
                platform_user_id: "1234".into(),
                action: RemovalAction::Timeout,
                duration_secs: Some(60),
                moderator_platform_user_id: Some("1339".into()),
                moderator_user_id: None,
            })
        );
        assert!(matches!(&banned.happenings[1], Happening::Event(event) if event.event_type == "twitch:ban"));
    }

    #[test]
    fn twitch_redemption_has_one_source_id_a_status() {
        let delivered = |stage: &str, status: &str| {
            event(
                &format!("channel.channel_points_custom_reward_redemption.{stage}"),
                json!({
                    "id": "r1", "broadcaster_user_id": "1337", "user_id": "9001", "user_name": "Cooler_User",
                    "user_input": "pogchamp", "status": status,
                    "reward": { "id": "92af", "title": "title", "cost": 100, "prompt": "reward prompt" },
                }),
            )
        };
        let (new, done) = (delivered("add", "unfulfilled"), delivered("update", "fulfilled"));
        assert_ne!(new.source_id, done.source_id);
        assert_eq!((&new.data["reward_cost"], &done.data["reward_cost"]), (&json!(100), &json!(100)));
        // Only a new redemption runs the action of its reward.
        assert_eq!((new.redemption_id.as_deref(), done.redemption_id), (Some("r1"), None));
    }

    #[test]
    fn twitch_revocation_by_the_user_names_the_channel_and_others_are_repaired() {
        let revoked = |status: &str| {
            let subscription = json!({ "status": status, "type": "channel.follow", "condition": { "broadcaster_user_id": "1337" } });
            normalise("revocation", &json!({ "subscription": subscription }), DateTime::UNIX_EPOCH).unwrap()
        };
        assert_eq!(
            revoked("authorization_revoked"),
            Some(Normalised::one("1337".into(), Happening::Revoked))
        );
        let stopped = Happening::Stopped { event_type: "channel.follow".into() };
        assert_eq!(revoked("notification_failures_exceeded"), Some(Normalised::one("1337".into(), stopped)));
        assert_eq!(revoked("version_removed"), None);
    }

    #[test]
    fn twitch_ignores_unknown_events_and_names_malformed_fields() {
        let body = json!({ "subscription": {}, "event": { "broadcaster_user_id": "1" } });
        assert_eq!(normalise("channel.vip.add", &body, DateTime::UNIX_EPOCH), Ok(None));
        assert_eq!(
            normalise("channel.raid", &body, DateTime::UNIX_EPOCH).unwrap_err().to_string(),
            "event has no from_broadcaster_user_name"
        );
        assert_eq!(
            normalise("channel.follow", &json!({}), DateTime::UNIX_EPOCH).unwrap_err().to_string(),
            "event is not an object"
        );
    }
}
