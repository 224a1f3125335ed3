//! EventSub notifications that become events, by type.

use serde_json::{Value, json};

use super::{Person, PlatformEvent, Unreadable, fields::Fields};

/// Field with the channel's id in most events.
pub(super) const BROADCASTER: &str = "broadcaster_user_id";

/// Returns the event of a notification; `None` for one without an event.
pub(super) fn platform_event(
    event_type: &str,
    event: &Fields<'_>,
) -> Result<Option<PlatformEvent>, Unreadable> {
    Ok(Some(match event_type {
        "channel.follow" => follow(event),
        // Gifted subscriptions come with the chat's notice, which names the giver.
        "channel.subscribe" if event.flag("is_gift") => return Ok(None),
        "channel.subscribe" => subscribe(event),
        "channel.chat.notification" => return notice(event),
        "channel.subscription.message" => resub(event)?,
        "channel.subscription.gift" => gift(event),
        "channel.cheer" => cheer(event),
        "channel.raid" => raid(event)?,
        "channel.unban" => unban(event),
        "channel.channel_points_custom_reward_redemption.add" => {
            PlatformEvent { redemption_id: Some(event.text("id")?), ..reward(event)? }
        }
        "channel.channel_points_custom_reward_redemption.update" => reward(event)?,
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
            json!({ "duration_seconds": event.raw("duration_seconds"), "started_at": event.moment("started_at") }),
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
        "followed_at": event.moment("followed_at"),
    });
    PlatformEvent { user: user(event), ..PlatformEvent::new("twitch:follower", data) }
}

fn subscribe(event: &Fields<'_>) -> PlatformEvent {
    let data = json!({
        "user_name": event.raw("user_name"),
        "user_id": event.raw("user_id"),
        "tier": event.raw("tier"),
        "months": 1,
        "message": null,
    });
    PlatformEvent { user: user(event), ..PlatformEvent::new("twitch:subscribe", data) }
}

/// Reads a notice of the chat. Only gifts are events: each names giver and recipient.
fn notice(event: &Fields<'_>) -> Result<Option<PlatformEvent>, Unreadable> {
    if event.text("notice_type")? != "sub_gift" {
        return Ok(None);
    }
    let gift = event.object("sub_gift")?;
    let giver = person(event, "chatter_user").filter(|_| !event.flag("chatter_is_anonymous"));
    let data = json!({
        "gifter_name": giver.as_ref().and_then(|giver| giver.display_name.as_ref()),
        "gifter_user_id": giver.as_ref().map(|giver| &giver.id),
        "recipient_name": gift.raw("recipient_user_name"),
        "recipient_user_id": gift.raw("recipient_user_id"),
        "tier": gift.raw("sub_tier"),
    });
    Ok(Some(PlatformEvent {
        source_id: Some(format!("notice:{}", event.text("message_id")?)),
        user: giver,
        amount: Some(1),
        ..PlatformEvent::new("twitch:gift_sub", data)
    }))
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

/// Reads a redemption. It is delivered again when its status changes.
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
    let winner = if event_type == "twitch:poll_end" { winning_choice(event) } else { None };
    let data = json!({
        "poll_id": event.raw("id"),
        "title": event.raw("title"),
        "choices": event.raw("choices"),
        "status": event.raw("status"),
        "winning_choice_id": winner,
    });
    PlatformEvent::new(event_type, data)
}

/// Returns the choice with the most votes; none without votes or with a tie.
fn winning_choice(event: &Fields<'_>) -> Option<String> {
    let mut choices: Vec<_> = event
        .objects("choices")
        .iter()
        .map(|choice| (choice.number("votes"), choice.optional_text("id")))
        .collect();
    choices.sort_by_key(|(votes, _)| std::cmp::Reverse(*votes));
    let top_votes = choices.first()?.0.filter(|votes| *votes > 0)?;
    let is_alone = choices.get(1).is_none_or(|(votes, _)| *votes < Some(top_votes));
    choices.into_iter().next().and_then(|(_, id)| id).filter(|_| is_alone)
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
    data["started_at"] = event.moment("started_at");
    let source_id = Some(format!("stream:{}", event.text("id")?));
    Ok(PlatformEvent { source_id, ..PlatformEvent::new("twitch:stream_online", data) })
}

fn broadcaster(event: &Fields<'_>) -> Value {
    json!({
        "broadcaster_name": event.raw("broadcaster_user_name"),
        "broadcaster_id": event.raw(BROADCASTER),
    })
}

pub(super) fn user(event: &Fields<'_>) -> Option<Person> {
    person(event, "user")
}

/// Returns the user of three fields with a prefix; none when the user is anonymous.
fn person(event: &Fields<'_>, prefix: &str) -> Option<Person> {
    Some(Person {
        id: event.optional_text(&format!("{prefix}_id"))?,
        username: event.optional_text(&format!("{prefix}_login")),
        display_name: event.optional_text(&format!("{prefix}_name")),
        avatar_url: None,
    })
}
