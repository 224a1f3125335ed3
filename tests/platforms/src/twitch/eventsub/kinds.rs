//! Types of subscriptions, and the requirements of each.

/// Type, version, the keys of its condition (one of them is enough for raids) and the scopes that must have been
/// granted: by the user named under the key.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) keys: &'static [&'static str],
    pub(super) scopes: &'static [(&'static str, &'static [&'static str])],
}

pub(super) const KINDS: [Kind; 31] = [
    Kind {
        name: "channel.chat.message",
        version: "1",
        keys: &["broadcaster_user_id", "user_id"],
        scopes: &[("user_id", &["user:read:chat", "user:bot"]), ("broadcaster_user_id", &["channel:bot"])],
    },
    Kind {
        name: "channel.follow",
        version: "2",
        keys: &["broadcaster_user_id", "moderator_user_id"],
        scopes: &[("moderator_user_id", &["moderator:read:followers"])],
    },
    Kind {
        name: "channel.raid",
        version: "1",
        keys: &["to_broadcaster_user_id", "from_broadcaster_user_id"],
        scopes: &[],
    },
    Kind {
        name: "channel.subscribe",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:subscriptions"])],
    },
    Kind {
        name: "channel.cheer",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["bits:read"])],
    },
    Kind {
        name: "channel.chat.notification",
        version: "1",
        keys: &["broadcaster_user_id", "user_id"],
        scopes: &[("user_id", &["user:read:chat"])],
    },
    Kind {
        name: "channel.chat.message_delete",
        version: "1",
        keys: &["broadcaster_user_id", "user_id"],
        scopes: &[("user_id", &["user:read:chat"])],
    },
    Kind {
        name: "channel.chat.clear_user_messages",
        version: "1",
        keys: &["broadcaster_user_id", "user_id"],
        scopes: &[("user_id", &["user:read:chat"])],
    },
    Kind {
        name: "channel.chat.clear",
        version: "1",
        keys: &["broadcaster_user_id", "user_id"],
        scopes: &[("user_id", &["user:read:chat"])],
    },
    Kind {
        name: "channel.subscription.message",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:subscriptions"])],
    },
    Kind {
        name: "channel.ban",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:moderate"])],
    },
    Kind {
        name: "channel.unban",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:moderate"])],
    },
    Kind {
        name: "channel.channel_points_custom_reward_redemption.add",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:redemptions"])],
    },
    Kind {
        name: "channel.channel_points_custom_reward_redemption.update",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:redemptions"])],
    },
    Kind {
        name: "channel.hype_train.begin",
        version: "2",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:hype_train"])],
    },
    Kind {
        name: "channel.hype_train.progress",
        version: "2",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:hype_train"])],
    },
    Kind {
        name: "channel.hype_train.end",
        version: "2",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:hype_train"])],
    },
    Kind {
        name: "channel.poll.begin",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:manage:polls"])],
    },
    Kind {
        name: "channel.poll.progress",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:manage:polls"])],
    },
    Kind {
        name: "channel.poll.end",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:manage:polls"])],
    },
    Kind {
        name: "channel.prediction.begin",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:manage:predictions"])],
    },
    Kind {
        name: "channel.prediction.progress",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:manage:predictions"])],
    },
    Kind {
        name: "channel.prediction.lock",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:manage:predictions"])],
    },
    Kind {
        name: "channel.prediction.end",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:manage:predictions"])],
    },
    Kind {
        name: "channel.goal.begin",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:goals"])],
    },
    Kind {
        name: "channel.goal.progress",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:goals"])],
    },
    Kind {
        name: "channel.goal.end",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:goals"])],
    },
    Kind {
        name: "channel.ad_break.begin",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:ads"])],
    },
    Kind { name: "channel.update", version: "2", keys: &["broadcaster_user_id"], scopes: &[] },
    Kind { name: "stream.online", version: "1", keys: &["broadcaster_user_id"], scopes: &[] },
    Kind { name: "stream.offline", version: "1", keys: &["broadcaster_user_id"], scopes: &[] },
];
