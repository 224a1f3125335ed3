//! Catalogue of the types with the keys of their payloads.

use super::{AmountOf, CurrencyOf, EventType, Key, KeyKind, KeyKind as K};

const fn key(name: &'static str, kind: KeyKind) -> Key {
    Key { name, kind }
}

const fn of(name: &'static str, keys: &'static [Key]) -> EventType {
    EventType { name, keys, person: None, amount: None, currency: CurrencyOf::None, message: None }
}

impl EventType {
    const fn by(mut self, id: &'static str, name: &'static str) -> Self {
        self.person = Some((id, name));
        self
    }

    const fn by_user(self) -> Self {
        self.by("user_id", "user_name")
    }

    const fn amount(mut self, key: &'static str) -> Self {
        self.amount = Some(AmountOf::Key(key));
        self
    }

    const fn micros(mut self, key: &'static str) -> Self {
        self.amount = Some(AmountOf::Micros(key));
        self
    }

    const fn counted_in(mut self, currency: CurrencyOf) -> Self {
        self.currency = currency;
        self
    }

    const fn says(mut self, key: &'static str) -> Self {
        self.message = Some(key);
        self
    }
}

const FOLLOWER: &[Key] =
    &[key("user_name", K::UserName), key("user_id", K::UserId), key("followed_at", K::Time)];
const SUBSCRIBE: &[Key] = &[
    key("user_name", K::UserName),
    key("user_id", K::UserId),
    key("tier", K::Tier),
    key("months", K::Count),
    key("message", K::Message),
];
const GIFT_SUB: &[Key] = &[
    key("gifter_name", K::UserName),
    key("gifter_user_id", K::UserId),
    key("recipient_name", K::UserName),
    key("recipient_user_id", K::UserId),
    key("tier", K::Tier),
];
const RAID: &[Key] = &[
    key("from_broadcaster_name", K::UserName),
    key("from_broadcaster_id", K::UserId),
    key("viewer_count", K::Count),
];
const STREAM_ONLINE: &[Key] =
    &[key("broadcaster_name", K::UserName), key("broadcaster_id", K::UserId), key("started_at", K::Time)];
const STREAM_OFFLINE: &[Key] = &[key("broadcaster_name", K::UserName), key("broadcaster_id", K::UserId)];
const BROADCAST: &[Key] = &[
    key("broadcaster_name", K::UserName),
    key("broadcaster_id", K::UserId),
    key("broadcast_id", K::Id),
    key("title", K::Text),
    key("started_at", K::Time),
];
const POLL: &[Key] = &[
    key("poll_id", K::Id),
    key("title", K::Text),
    key("choices", K::List),
    key("status", K::Status),
    key("winning_choice_id", K::Id),
];
const PREDICTION: &[Key] = &[
    key("prediction_id", K::Id),
    key("title", K::Text),
    key("outcomes", K::List),
    key("winning_outcome_id", K::Id),
    key("status", K::Status),
];
const GOAL: &[Key] = &[
    key("goal_id", K::Id),
    key("type", K::Text),
    key("description", K::Text),
    key("current_amount", K::Count),
    key("target_amount", K::Count),
    key("is_achieved", K::Flag),
];
const BAN: &[Key] = &[
    key("user_name", K::UserName),
    key("user_id", K::UserId),
    key("reason", K::Text),
    key("moderator_name", K::UserName),
];
const PAID: &[Key] = &[
    key("user_name", K::UserName),
    key("user_id", K::UserId),
    key("amount", K::Money),
    key("currency", K::Currency),
    key("message", K::Message),
];

const fn gift(name: &'static str, keys: &'static [Key]) -> EventType {
    of(name, keys).by("gifter_user_id", "gifter_name")
}

const fn raid(name: &'static str) -> EventType {
    of(name, RAID).by("from_broadcaster_id", "from_broadcaster_name").amount("viewer_count")
}

const fn subscribe(name: &'static str) -> EventType {
    of(name, SUBSCRIBE).by_user().says("message")
}

const fn paid(name: &'static str, keys: &'static [Key]) -> EventType {
    of(name, keys).by_user().amount("amount").counted_in(CurrencyOf::Key("currency"))
}

/// All types but `custom:{name}` (reference/events.md#catalogue). The keys of the other platforms follow
/// those of Twitch.
pub static EVENT_TYPES: &[EventType] = &[
    of("twitch:follower", FOLLOWER).by_user(),
    subscribe("twitch:subscribe"),
    subscribe("twitch:resub"),
    gift("twitch:gift_sub", GIFT_SUB),
    of(
        "twitch:cheer",
        &[
            key("user_name", K::UserName),
            key("user_id", K::UserId),
            key("bits", K::Count),
            key("message", K::Message),
        ],
    )
    .by_user()
    .amount("bits")
    .counted_in(CurrencyOf::Fixed("bits"))
    .says("message"),
    raid("twitch:raid"),
    of(
        "twitch:reward",
        &[
            key("user_name", K::UserName),
            key("user_id", K::UserId),
            key("reward_id", K::Id),
            key("reward_title", K::Text),
            key("reward_cost", K::Count),
            key("input", K::Message),
            key("status", K::Status),
        ],
    )
    .by_user()
    .amount("reward_cost")
    .counted_in(CurrencyOf::Fixed("points"))
    .says("input"),
    of(
        "twitch:hype_train",
        &[key("level", K::Count), key("total", K::Count), key("progress", K::Count), key("goal", K::Count)],
    ),
    of("twitch:hype_train_end", &[key("level", K::Count), key("total", K::Count)]),
    of("twitch:poll", POLL),
    of("twitch:poll_end", POLL),
    of("twitch:prediction", PREDICTION),
    of("twitch:prediction_lock", PREDICTION),
    of("twitch:prediction_end", PREDICTION),
    of("twitch:goal", GOAL),
    of("twitch:goal_end", GOAL),
    of("twitch:ad_break", &[key("duration_seconds", K::Count), key("started_at", K::Time)]),
    of("twitch:ban", BAN).by_user(),
    of("twitch:unban", BAN).by_user(),
    of("twitch:stream_online", STREAM_ONLINE),
    of("twitch:stream_offline", STREAM_OFFLINE),
    of(
        "twitch:stream_update",
        &[key("title", K::Text), key("category_name", K::Text), key("category_id", K::Id)],
    ),
    of(
        "youtube:subscriber",
        &[key("user_name", K::UserName), key("user_id", K::UserId), key("subscribed_at", K::Time)],
    )
    .by_user(),
    of(
        "youtube:member",
        &[
            key("user_name", K::UserName),
            key("user_id", K::UserId),
            key("level_name", K::Tier),
            key("is_upgrade", K::Flag),
            key("is_gift", K::Flag),
            key("gifter_user_id", K::UserId),
        ],
    )
    .by_user(),
    of(
        "youtube:member_milestone",
        &[
            key("user_name", K::UserName),
            key("user_id", K::UserId),
            key("level_name", K::Tier),
            key("months", K::Count),
            key("message", K::Message),
        ],
    )
    .by_user()
    .says("message"),
    gift(
        "youtube:member_gift",
        &[
            key("gifter_name", K::UserName),
            key("gifter_user_id", K::UserId),
            key("count", K::Count),
            key("level_name", K::Tier),
        ],
    )
    .amount("count"),
    of(
        "youtube:superchat",
        &[
            key("user_name", K::UserName),
            key("user_id", K::UserId),
            key("amount_micros", K::Count),
            key("currency", K::Currency),
            key("amount_display", K::Text),
            key("tier", K::Count),
            key("message", K::Message),
        ],
    )
    .by_user()
    .micros("amount_micros")
    .counted_in(CurrencyOf::Key("currency"))
    .says("message"),
    of(
        "youtube:supersticker",
        &[
            key("user_name", K::UserName),
            key("user_id", K::UserId),
            key("amount_micros", K::Count),
            key("currency", K::Currency),
            key("amount_display", K::Text),
            key("tier", K::Count),
            key("sticker_id", K::Id),
            key("sticker_text", K::Text),
        ],
    )
    .by_user()
    .micros("amount_micros")
    .counted_in(CurrencyOf::Key("currency")),
    of("youtube:stream_online", BROADCAST),
    of("youtube:stream_offline", BROADCAST),
    of("kick:follower", FOLLOWER).by_user(),
    subscribe("kick:subscribe"),
    gift("kick:gift_sub", GIFT_SUB),
    raid("kick:raid"),
    of("kick:stream_online", STREAM_ONLINE),
    of("kick:stream_offline", STREAM_OFFLINE),
    of("trovo:follower", FOLLOWER).by_user(),
    subscribe("trovo:subscribe"),
    gift(
        "trovo:gift_sub",
        &[
            key("gifter_name", K::UserName),
            key("gifter_user_id", K::UserId),
            key("recipient_name", K::UserName),
            key("recipient_user_id", K::UserId),
            key("tier", K::Tier),
            key("count", K::Count),
        ],
    )
    .amount("count"),
    of(
        "trovo:spell",
        &[
            key("user_name", K::UserName),
            key("user_id", K::UserId),
            key("spell_name", K::Text),
            key("count", K::Count),
            key("value", K::Count),
            key("value_type", K::Text),
        ],
    )
    .by_user()
    .amount("value"),
    raid("trovo:raid"),
    of("trovo:stream_online", STREAM_ONLINE),
    of("trovo:stream_offline", STREAM_OFFLINE),
    paid("streamelements:tip", PAID).says("message"),
    of(
        "spotify:track",
        &[
            key("track_id", K::Id),
            key("title", K::Text),
            key("artist", K::Text),
            key("album", K::Text),
            key("duration_ms", K::Count),
        ],
    ),
    paid(
        "shopify:order",
        &[
            key("order_id", K::Id),
            key("order_number", K::Count),
            key("user_name", K::UserName),
            key("user_id", K::UserId),
            key("amount", K::Money),
            key("currency", K::Currency),
            key("item_count", K::Count),
        ],
    ),
];
