//! Webhook payloads in their documented shape.

use chrono::Duration;
use serde_json::{Value, json};

use super::number;
use crate::{User, clock, identifier};

/// An event of a channel.
#[derive(Debug, Clone)]
pub struct Event {
    pub event_type: &'static str,
    pub broadcaster_user_id: String,
    pub payload: Value,
}

impl Event {
    /// A chat line.
    #[must_use]
    pub fn chat_message(broadcaster: &User, sender: &User, text: &str) -> Self {
        let mut sender_json = user_json(sender);
        sender_json["identity"] = json!({ "username_color": "#FF5733", "badges": [] });
        Self::of_channel(
            "chat.message.sent",
            broadcaster,
            json!({
                "message_id": identifier::uuid(),
                "replies_to": null,
                "sender": sender_json,
                "content": text,
                "emotes": [],
                "created_at": clock::seconds(clock::now()),
            }),
        )
    }

    /// A new follower.
    #[must_use]
    pub fn follow(broadcaster: &User, follower: &User) -> Self {
        Self::of_channel("channel.followed", broadcaster, json!({ "follower": user_json(follower) }))
    }

    /// A first subscription.
    #[must_use]
    pub fn subscription_new(broadcaster: &User, subscriber: &User) -> Self {
        let payload = period(json!({ "subscriber": user_json(subscriber), "duration": 1 }));
        Self::of_channel("channel.subscription.new", broadcaster, payload)
    }

    /// A renewed subscription; `months` in all.
    #[must_use]
    pub fn subscription_renewal(broadcaster: &User, subscriber: &User, months: u32) -> Self {
        let payload = period(json!({ "subscriber": user_json(subscriber), "duration": months }));
        Self::of_channel("channel.subscription.renewal", broadcaster, payload)
    }

    /// Gifted subscriptions; anonymous without a gifter.
    #[must_use]
    pub fn subscription_gifts(broadcaster: &User, gifter: Option<&User>, giftees: &[User]) -> Self {
        let gifter = gifter.map_or_else(anonymous_json, user_json);
        let giftees: Vec<Value> = giftees.iter().map(user_json).collect();
        let payload = period(json!({ "gifter": gifter, "giftees": giftees }));
        Self::of_channel("channel.subscription.gifts", broadcaster, payload)
    }

    /// The stream begins or ends.
    #[must_use]
    pub fn livestream_status(broadcaster: &User, is_live: bool, title: &str) -> Self {
        let now = clock::now();
        let (started_at, ended_at) =
            if is_live { (now, None) } else { (now - Duration::hours(2), Some(now)) };
        Self::of_channel(
            "livestream.status.updated",
            broadcaster,
            json!({
                "is_live": is_live,
                "title": title,
                "started_at": clock::seconds(started_at),
                "ended_at": ended_at.map(clock::seconds),
            }),
        )
    }

    /// Title or category changed.
    #[must_use]
    pub fn livestream_metadata(broadcaster: &User, title: &str, category: &str) -> Self {
        let metadata = json!({
            "title": title,
            "language": "en",
            "has_mature_content": false,
            "category": { "id": 15, "name": category, "thumbnail": "" },
        });
        Self::of_channel("livestream.metadata.updated", broadcaster, json!({ "metadata": metadata }))
    }

    /// A ban, or a time-out of some minutes.
    #[must_use]
    pub fn moderation_banned(
        broadcaster: &User,
        moderator: &User,
        banned: &User,
        minutes: Option<u32>,
        reason: &str,
    ) -> Self {
        let now = clock::now();
        let expires_at = minutes.map(|minutes| clock::seconds(now + Duration::minutes(minutes.into())));
        Self::of_channel(
            "moderation.banned",
            broadcaster,
            json!({
                "moderator": user_json(moderator),
                "banned_user": user_json(banned),
                "metadata": { "reason": reason, "created_at": clock::seconds(now), "expires_at": expires_at },
            }),
        )
    }

    /// Kicks, the platform's currency.
    #[must_use]
    pub fn kicks_gifted(broadcaster: &User, sender: &User, amount: u32, message: &str) -> Self {
        let gift = json!({
            "amount": amount,
            "name": "Rage Quit",
            "type": "LEVEL_UP",
            "tier": "MID",
            "message": message,
            "pinned_time_seconds": 600,
        });
        let created_at = clock::seconds(clock::now());
        let payload = json!({ "sender": user_json(sender), "gift": gift, "created_at": created_at });
        Self::of_channel("kicks.gifted", broadcaster, payload)
    }

    fn of_channel(event_type: &'static str, broadcaster: &User, mut payload: Value) -> Self {
        payload["broadcaster"] = user_json(broadcaster);
        Self { event_type, broadcaster_user_id: broadcaster.id.clone(), payload }
    }
}

fn user_json(user: &User) -> Value {
    json!({
        "is_anonymous": false,
        "user_id": number(&user.id),
        "username": user.display_name,
        "is_verified": false,
        "profile_picture": user.avatar_url,
        "channel_slug": user.login,
        "identity": null,
    })
}

fn anonymous_json() -> Value {
    json!({
        "is_anonymous": true,
        "user_id": null,
        "username": null,
        "is_verified": null,
        "profile_picture": null,
        "channel_slug": null,
        "identity": null,
    })
}

/// A subscription runs for a month from now.
fn period(mut payload: Value) -> Value {
    let now = clock::now();
    payload["created_at"] = json!(clock::seconds(now));
    payload["expires_at"] = json!(clock::seconds(now + Duration::days(30)));
    payload
}
