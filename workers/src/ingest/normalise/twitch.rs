//! EventSub notifications.

use serde_json::{Value, json};
use shared::ingest::{Removal, RemovalAction};

use super::{
    Happening, Normalised, Person, PlatformEvent, Unreadable, fields::Fields, twitch_chat::chat_line,
};

/// Where the channel's id stands in most events.
const BROADCASTER: &str = "broadcaster_user_id";

pub(super) fn normalise(event_type: &str, body: &Value) -> Result<Option<Normalised>, Unreadable> {
    if event_type == "revocation" {
        return revocation(Fields::of(&body["subscription"], "subscription")?);
    }
    let event = Fields::of(&body["event"], "event")?;
    // Only raids that arrive are told; who starts one knows.
    let channel = if event_type == "channel.raid" { "to_broadcaster_user_id" } else { BROADCASTER };
    let happenings = match event_type {
        "channel.chat.message" => vec![Happening::Chat(chat_line(&event)?)],
        "channel.chat.message_delete" => {
            vec![Happening::Removal(Removal::Message { message_id: event.text("message_id")? })]
        }
        "channel.ban" => ban(&event)?,
        _ => match platform_event(event_type, &event)? {
            Some(platform_event) => vec![Happening::Event(platform_event)],
            None => return Ok(None),
        },
    };
    Ok(Some(Normalised { channel_id: event.text(channel)?, happenings }))
}

/// A subscription that ended because the user took back the grant or is gone; other reasons are ours to repair.
fn revocation(subscription: Fields<'_>) -> Result<Option<Normalised>, Unreadable> {
    let status = subscription.text("status")?;
    if !matches!(status.as_str(), "authorization_revoked" | "user_removed") {
        return Ok(None);
    }
    let condition = subscription.object("condition")?;
    let channel =
        condition.optional_text(BROADCASTER).or_else(|| condition.optional_text("to_broadcaster_user_id"));
    Ok(channel.map(|channel_id| Normalised::one(channel_id, Happening::Revoked)))
}

/// A ban is an event, and it removes what the user wrote.
fn ban(event: &Fields<'_>) -> Result<Vec<Happening>, Unreadable> {
    let is_permanent = event.flag("is_permanent");
    let duration =
        event.time("ends_at").zip(event.time("banned_at")).map(|(end, start)| (end - start).num_seconds());
    let removal = Removal::User {
        platform_user_id: event.text("user_id")?,
        action: if is_permanent { RemovalAction::Ban } else { RemovalAction::Timeout },
        duration_secs: duration.filter(|_| !is_permanent).and_then(|secs| u32::try_from(secs).ok()),
        moderator_id: event.optional_text("moderator_user_id"),
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
    Ok(vec![Happening::Removal(removal), Happening::Event(banned)])
}

fn platform_event(event_type: &str, event: &Fields<'_>) -> Result<Option<PlatformEvent>, Unreadable> {
    Ok(Some(match event_type {
        "channel.follow" => follow(event),
        "channel.subscribe" => subscribe(event),
        "channel.subscription.message" => resub(event)?,
        "channel.subscription.gift" => gift(event),
        "channel.cheer" => cheer(event),
        "channel.raid" => raid(event)?,
        "channel.unban" => unban(event),
        "channel.channel_points_custom_reward_redemption.add"
        | "channel.channel_points_custom_reward_redemption.update" => reward(event)?,
        "channel.hype_train.begin" | "channel.hype_train.progress" => hype_train(event),
        "channel.hype_train.end" => PlatformEvent::new(
            "twitch:hype_train_end",
            json!({ "level": event.raw("level"), "total": event.raw("total") }),
        ),
        "channel.poll.begin" | "channel.poll.progress" => poll("twitch:poll", event),
        "channel.poll.end" => poll("twitch:poll_end", event),
        "channel.prediction.begin" | "channel.prediction.progress" => prediction("twitch:prediction", event),
        "channel.prediction.lock" => prediction("twitch:prediction_lock", event),
        "channel.prediction.end" => prediction("twitch:prediction_end", event),
        "channel.goal.begin" | "channel.goal.progress" => goal("twitch:goal", event),
        "channel.goal.end" => goal("twitch:goal_end", event),
        "channel.ad_break.begin" => PlatformEvent::new(
            "twitch:ad_break",
            json!({ "duration_seconds": event.raw("duration_seconds"), "started_at": event.raw("started_at") }),
        ),
        "stream.online" => stream_online(event)?,
        "stream.offline" => PlatformEvent::new("twitch:stream_offline", broadcaster(event)),
        "channel.update" => PlatformEvent::new(
            "twitch:stream_update",
            json!({
                "title": event.raw("title"),
                "category_name": event.raw("category_name"),
                "category_id": event.raw("category_id"),
            }),
        ),
        _ => return Ok(None),
    }))
}

fn follow(event: &Fields<'_>) -> PlatformEvent {
    let data = json!({
        "user_name": event.raw("user_name"),
        "user_id": event.raw("user_id"),
        "followed_at": event.raw("followed_at"),
    });
    PlatformEvent { user: user(event), ..PlatformEvent::new("twitch:follower", data) }
}

/// The recipient of a gift is told here and its giver by `channel.subscription.gift`: a channel subscribes to the one
/// or to the other.
fn subscribe(event: &Fields<'_>) -> PlatformEvent {
    if event.flag("is_gift") {
        let data = json!({
            "gifter_name": null,
            "gifter_user_id": null,
            "recipient_name": event.raw("user_name"),
            "recipient_user_id": event.raw("user_id"),
            "tier": event.raw("tier"),
        });
        return PlatformEvent {
            user: user(event),
            amount: Some(1),
            ..PlatformEvent::new("twitch:gift_sub", data)
        };
    }
    let data = json!({
        "user_name": event.raw("user_name"),
        "user_id": event.raw("user_id"),
        "tier": event.raw("tier"),
        "months": 1,
        "message": null,
    });
    PlatformEvent { user: user(event), ..PlatformEvent::new("twitch:subscribe", data) }
}

fn resub(event: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let message = event.object("message")?.optional_text("text");
    let data = json!({
        "user_name": event.raw("user_name"),
        "user_id": event.raw("user_id"),
        "tier": event.raw("tier"),
        "months": event.raw("cumulative_months"),
        "message": message,
    });
    Ok(PlatformEvent { user: user(event), message, ..PlatformEvent::new("twitch:resub", data) })
}

fn gift(event: &Fields<'_>) -> PlatformEvent {
    let data = json!({
        "gifter_name": event.raw("user_name"),
        "gifter_user_id": event.raw("user_id"),
        "recipient_name": null,
        "recipient_user_id": null,
        "tier": event.raw("tier"),
    });
    PlatformEvent {
        user: user(event),
        amount: event.number("total"),
        ..PlatformEvent::new("twitch:gift_sub", data)
    }
}

fn cheer(event: &Fields<'_>) -> PlatformEvent {
    let data = json!({
        "user_name": event.raw("user_name"),
        "user_id": event.raw("user_id"),
        "bits": event.raw("bits"),
        "message": event.raw("message"),
    });
    PlatformEvent {
        user: user(event),
        amount: event.number("bits"),
        currency: Some("bits".to_owned()),
        message: event.optional_text("message"),
        ..PlatformEvent::new("twitch:cheer", data)
    }
}

fn raid(event: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let data = json!({
        "from_broadcaster_name": event.text("from_broadcaster_user_name")?,
        "from_broadcaster_id": event.text("from_broadcaster_user_id")?,
        "viewer_count": event.raw("viewers"),
    });
    let raider = person(event, "from_broadcaster_user");
    Ok(PlatformEvent {
        user: raider,
        amount: event.number("viewers"),
        ..PlatformEvent::new("twitch:raid", data)
    })
}

fn unban(event: &Fields<'_>) -> PlatformEvent {
    let data = json!({
        "user_name": event.raw("user_name"),
        "user_id": event.raw("user_id"),
        "reason": null,
        "moderator_name": event.raw("moderator_user_name"),
    });
    PlatformEvent { user: user(event), ..PlatformEvent::new("twitch:unban", data) }
}

/// A redemption is told again when its status changes.
fn reward(event: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let (reward, status) = (event.object("reward")?, event.text("status")?);
    let source_id = format!("redemption:{}:{status}", event.text("id")?);
    let data = json!({
        "user_name": event.raw("user_name"),
        "user_id": event.raw("user_id"),
        "reward_id": reward.raw("id"),
        "reward_title": reward.raw("title"),
        "reward_cost": reward.raw("cost"),
        "input": event.optional_text("user_input"),
        "status": status,
    });
    Ok(PlatformEvent {
        source_id: Some(source_id),
        user: user(event),
        amount: reward.number("cost"),
        currency: Some("points".to_owned()),
        message: event.optional_text("user_input"),
        ..PlatformEvent::new("twitch:reward", data)
    })
}

fn hype_train(event: &Fields<'_>) -> PlatformEvent {
    let data = json!({
        "level": event.raw("level"),
        "total": event.raw("total"),
        "progress": event.raw("progress"),
        "goal": event.raw("goal"),
    });
    PlatformEvent::new("twitch:hype_train", data)
}

fn poll(event_type: &'static str, event: &Fields<'_>) -> PlatformEvent {
    let winner = event.objects("choices").into_iter().max_by_key(|choice| choice.number("votes"));
    let winner =
        winner.filter(|_| event_type == "twitch:poll_end").and_then(|choice| choice.optional_text("id"));
    let data = json!({
        "poll_id": event.raw("id"),
        "title": event.raw("title"),
        "choices": event.raw("choices"),
        "status": event.raw("status"),
        "winning_choice_id": winner,
    });
    PlatformEvent::new(event_type, data)
}

fn prediction(event_type: &'static str, event: &Fields<'_>) -> PlatformEvent {
    let data = json!({
        "prediction_id": event.raw("id"),
        "title": event.raw("title"),
        "outcomes": event.raw("outcomes"),
        "winning_outcome_id": event.raw("winning_outcome_id"),
        "status": event.raw("status"),
    });
    PlatformEvent::new(event_type, data)
}

fn goal(event_type: &'static str, event: &Fields<'_>) -> PlatformEvent {
    let data = json!({
        "goal_id": event.raw("id"),
        "type": event.raw("type"),
        "description": event.raw("description"),
        "current_amount": event.raw("current_amount"),
        "target_amount": event.raw("target_amount"),
        "is_achieved": event.raw("is_achieved"),
    });
    PlatformEvent::new(event_type, data)
}

fn stream_online(event: &Fields<'_>) -> Result<PlatformEvent, Unreadable> {
    let mut data = broadcaster(event);
    data["started_at"] = event.raw("started_at").clone();
    let source_id = Some(format!("stream:{}", event.text("id")?));
    Ok(PlatformEvent { source_id, ..PlatformEvent::new("twitch:stream_online", data) })
}

fn broadcaster(event: &Fields<'_>) -> Value {
    json!({
        "broadcaster_name": event.raw("broadcaster_user_name"),
        "broadcaster_id": event.raw(BROADCASTER),
    })
}

fn user(event: &Fields<'_>) -> Option<Person> {
    person(event, "user")
}

/// The three fields that Twitch names somebody by; nobody when the user is anonymous.
fn person(event: &Fields<'_>, prefix: &str) -> Option<Person> {
    Some(Person {
        id: event.optional_text(&format!("{prefix}_id"))?,
        username: event.optional_text(&format!("{prefix}_login")),
        display_name: event.optional_text(&format!("{prefix}_name")),
        avatar_url: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(event_type: &str, event: Value) -> Normalised {
        let body = json!({ "subscription": { "type": event_type, "status": "enabled" }, "event": event });
        normalise(event_type, &body).unwrap().unwrap()
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
    fn a_follow_names_the_follower() {
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
                "user_name": "Cool_User", "user_id": "1234", "followed_at": "2020-07-15T18:16:11.17106713Z",
            })
        );
        let user = follow.user.unwrap();
        assert_eq!((user.id.as_str(), user.username.as_deref()), ("1234", Some("cool_user")));
    }

    #[test]
    fn a_raid_belongs_to_the_channel_that_it_arrives_at() {
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
    fn an_anonymous_cheer_names_nobody() {
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
    fn subscriptions_gifts_and_renewals_are_told_apart() {
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
        let gift = subscribe(true);
        assert_eq!((gift.event_type, &gift.data["recipient_user_id"]), ("twitch:gift_sub", &json!("1234")));
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
    fn a_stream_that_begins_is_named_by_its_id() {
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
    fn a_time_out_is_an_event_and_a_removal() {
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
                moderator_id: Some("1339".into()),
            })
        );
        assert!(matches!(&banned.happenings[1], Happening::Event(event) if event.event_type == "twitch:ban"));
    }

    #[test]
    fn redemptions_are_told_once_for_each_status() {
        let redemption = |status: &str| {
            event(
                "channel.channel_points_custom_reward_redemption.add",
                json!({
                    "id": "r1", "broadcaster_user_id": "1337", "user_id": "9001", "user_name": "Cooler_User",
                    "user_input": "pogchamp", "status": status,
                    "reward": { "id": "92af", "title": "title", "cost": 100, "prompt": "reward prompt" },
                }),
            )
        };
        assert_ne!(redemption("unfulfilled").source_id, redemption("fulfilled").source_id);
        assert_eq!(redemption("fulfilled").data["reward_cost"], 100);
    }

    #[test]
    fn revocations_by_the_user_name_the_channel_and_others_are_ours_to_repair() {
        let revoked = |status: &str| {
            let subscription = json!({ "status": status, "condition": { "broadcaster_user_id": "1337" } });
            normalise("revocation", &json!({ "subscription": subscription })).unwrap()
        };
        assert_eq!(
            revoked("authorization_revoked"),
            Some(Normalised::one("1337".into(), Happening::Revoked))
        );
        assert_eq!(revoked("notification_failures_exceeded"), None);
    }

    #[test]
    fn what_has_no_place_in_the_catalogue_is_left_and_what_is_broken_is_named() {
        let body = json!({ "subscription": {}, "event": { "broadcaster_user_id": "1" } });
        assert_eq!(normalise("channel.vip.add", &body), Ok(None));
        assert_eq!(
            normalise("channel.raid", &body).unwrap_err().to_string(),
            "event has no from_broadcaster_user_name"
        );
        assert_eq!(
            normalise("channel.follow", &json!({})).unwrap_err().to_string(),
            "event is not an object"
        );
    }
}
