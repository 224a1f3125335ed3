//! EventSub events in their documented shape.

use serde_json::{Value, json};

use crate::{User, clock, identifier};

/// An event, before it is wrapped for a subscription.
#[derive(Debug, Clone)]
pub struct Event {
    pub subscription_type: &'static str,
    pub version: &'static str,
    /// Every key that a subscription's condition may name for this event.
    pub condition: Value,
    pub event: Value,
}

impl Event {
    /// A chat line.
    #[must_use]
    pub fn chat_message(broadcaster: &User, chatter: &User, text: &str) -> Self {
        let badges = if chatter.id == broadcaster.id {
            json!([{ "set_id": "broadcaster", "id": "1", "info": "" }])
        } else {
            json!([])
        };
        let mut event = of_user("chatter_user", chatter);
        merge(&mut event, of_user("broadcaster_user", broadcaster));
        merge(
            &mut event,
            json!({
                "message_id": identifier::uuid(),
                "message": {
                    "text": text,
                    "fragments": [
                        { "type": "text", "text": text, "cheermote": null, "emote": null, "mention": null }
                    ],
                },
                "color": "#00FF7F",
                "badges": badges,
                "message_type": "text",
                "cheer": null,
                "reply": null,
                "channel_points_custom_reward_id": null,
                "channel_points_animation_id": null,
                "source_broadcaster_user_id": null,
                "source_broadcaster_user_login": null,
                "source_broadcaster_user_name": null,
                "source_message_id": null,
                "source_badges": null,
                "is_source_only": null,
            }),
        );
        Self::of_channel("channel.chat.message", "1", broadcaster, event)
    }

    /// A new follower.
    #[must_use]
    pub fn follow(broadcaster: &User, follower: &User) -> Self {
        let mut event = of_user("user", follower);
        merge(&mut event, of_user("broadcaster_user", broadcaster));
        event["followed_at"] = json!(clock::nanoseconds(clock::now()));
        Self::of_channel("channel.follow", "2", broadcaster, event)
    }

    /// A raid from one channel to another.
    #[must_use]
    pub fn raid(from: &User, to: &User, viewers: u32) -> Self {
        let mut event = of_user("from_broadcaster_user", from);
        merge(&mut event, of_user("to_broadcaster_user", to));
        event["viewers"] = json!(viewers);
        let condition = json!({ "from_broadcaster_user_id": from.id, "to_broadcaster_user_id": to.id });
        Self { subscription_type: "channel.raid", version: "1", condition, event }
    }

    /// A new subscription; `tier` is 1000, 2000 or 3000.
    #[must_use]
    pub fn subscribe(broadcaster: &User, subscriber: &User, tier: u32, is_gift: bool) -> Self {
        let mut event = of_user("user", subscriber);
        merge(&mut event, of_user("broadcaster_user", broadcaster));
        merge(&mut event, json!({ "tier": tier.to_string(), "is_gift": is_gift }));
        Self::of_channel("channel.subscribe", "1", broadcaster, event)
    }

    /// Bits; anonymous without a user.
    #[must_use]
    pub fn cheer(broadcaster: &User, user: Option<&User>, bits: u32, message: &str) -> Self {
        let mut event = json!({
            "is_anonymous": user.is_none(),
            "user_id": user.map(|user| &user.id),
            "user_login": user.map(|user| &user.login),
            "user_name": user.map(|user| &user.display_name),
            "message": message,
            "bits": bits,
        });
        merge(&mut event, of_user("broadcaster_user", broadcaster));
        Self::of_channel("channel.cheer", "1", broadcaster, event)
    }

    /// The stream begins.
    #[must_use]
    pub fn stream_online(broadcaster: &User) -> Self {
        let mut event = of_user("broadcaster_user", broadcaster);
        merge(
            &mut event,
            json!({
                "id": (rand::random::<u32>()).to_string(),
                "type": "live",
                "started_at": clock::seconds(clock::now()),
            }),
        );
        Self::of_channel("stream.online", "1", broadcaster, event)
    }

    /// The stream ends.
    #[must_use]
    pub fn stream_offline(broadcaster: &User) -> Self {
        Self::of_channel("stream.offline", "1", broadcaster, of_user("broadcaster_user", broadcaster))
    }

    fn of_channel(
        subscription_type: &'static str,
        version: &'static str,
        broadcaster: &User,
        event: Value,
    ) -> Self {
        let condition = json!({ "broadcaster_user_id": broadcaster.id });
        Self { subscription_type, version, condition, event }
    }
}

/// The three fields that Twitch names a user by.
fn of_user(prefix: &str, user: &User) -> Value {
    let mut fields = serde_json::Map::new();
    fields.insert(format!("{prefix}_id"), json!(user.id));
    fields.insert(format!("{prefix}_login"), json!(user.login));
    fields.insert(format!("{prefix}_name"), json!(user.display_name));
    Value::Object(fields)
}

fn merge(into: &mut Value, fields: Value) {
    if let (Value::Object(into), Value::Object(fields)) = (into, fields) {
        into.extend(fields);
    }
}
