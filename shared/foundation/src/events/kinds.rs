//! Catalogue of the channels and of the events on each (reference/realtime.md#channels). The gates and the
//! published description of the protocol read it, and a test compares both with the sources.

use shared::catalogue::{AccountPermission, Feature};

/// Kind of a channel. Its channels are named `{prefix}:{id}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Chat of an account.
    Chat,
    /// Events of an account.
    Events,
    /// Extensions of an account.
    Extensions,
    /// Shared storage of an install.
    ExtStorage,
    /// Changes of an account.
    Account,
    /// Changes of a person.
    User,
    /// Sounds of an account.
    Sounds,
}

/// Content of `data` of an event on a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload {
    /// Resource of the API, by the name of its schema.
    Resource(&'static str),
    /// Object with these keys.
    Keys(&'static [(&'static str, Shape)]),
}

/// Content of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// A UUID.
    Id,
    /// A whole number.
    Number,
    /// A number that may have a fraction.
    Fraction,
    /// A time in RFC 3339.
    Time,
    /// Any JSON.
    Any,
    /// The shape, or null.
    Nullable(&'static Shape),
}

/// Type of events on a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelEvent {
    /// Name as `area:verb`.
    pub name: &'static str,
    /// Occasion of the event, for the published description.
    pub summary: &'static str,
    /// Content of `data`.
    pub payload: Payload,
}

impl ChannelKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Events,
        Self::Chat,
        Self::ExtStorage,
        Self::Extensions,
        Self::Account,
        Self::User,
        Self::Sounds,
    ];

    /// Part of a channel's name before the colon.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Events => "events",
            Self::Extensions => "extensions",
            Self::ExtStorage => "ext-storage",
            Self::Account => "account",
            Self::User => "user",
            Self::Sounds => "sounds",
        }
    }

    /// Kind of object that the id behind the prefix names.
    #[must_use]
    pub const fn id_of(self) -> &'static str {
        match self {
            Self::Chat | Self::Events | Self::Extensions | Self::Account | Self::Sounds => "account_id",
            Self::ExtStorage => "install_id",
            Self::User => "user_id",
        }
    }

    /// Kind with the given prefix.
    #[must_use]
    pub fn parse(prefix: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.prefix() == prefix)
    }

    /// Rule for listeners, in words.
    #[must_use]
    pub const fn gate(self) -> &'static str {
        match self {
            Self::Chat | Self::Events | Self::Extensions => {
                "whoever holds the permission in the account, and system keys"
            }
            Self::ExtStorage => {
                "the extension token of the install, whoever holds the permission in its account, and system keys"
            }
            Self::Account => "any session or key of a member, keys of the account, and system keys",
            Self::User => "sessions of the person, and system keys",
            Self::Sounds => "any session or key of a member, popouts, keys of the account, and system keys",
        }
    }

    /// Permission that the gate requires.
    #[must_use]
    pub const fn permission(self) -> Option<AccountPermission> {
        match self {
            Self::Chat => Some(AccountPermission::ChatRead),
            Self::Events => Some(AccountPermission::EventsRead),
            Self::Extensions => Some(AccountPermission::ExtensionStoreRead),
            Self::ExtStorage => Some(AccountPermission::ExtensionDataRead),
            Self::Account | Self::User | Self::Sounds => None,
        }
    }

    /// Feature that the channel is part of.
    #[must_use]
    pub const fn feature(self) -> Option<Feature> {
        match self {
            Self::Chat => Some(Feature::Multichat),
            Self::Events => Some(Feature::Events),
            Self::Extensions | Self::ExtStorage => Some(Feature::Extensions),
            Self::Sounds => Some(Feature::Sounds),
            Self::Account | Self::User => None,
        }
    }

    /// Event types that clients may publish with a `broadcast` frame. None of these channels has any
    /// (reference/realtime.md#client-frames).
    #[must_use]
    pub const fn client_events(self) -> &'static [&'static str] {
        &[]
    }

    /// Events that are published on the channel.
    #[must_use]
    pub const fn events(self) -> &'static [ChannelEvent] {
        match self {
            Self::Chat => CHAT,
            Self::Events => EVENTS,
            Self::Extensions => EXTENSIONS,
            Self::ExtStorage => EXT_STORAGE,
            Self::Account => ACCOUNT,
            Self::User => USER,
            Self::Sounds => SOUNDS,
        }
    }
}

const fn resource(name: &'static str, summary: &'static str, schema: &'static str) -> ChannelEvent {
    ChannelEvent { name, summary, payload: Payload::Resource(schema) }
}

const fn keys(
    name: &'static str,
    summary: &'static str,
    keys: &'static [(&'static str, Shape)],
) -> ChannelEvent {
    ChannelEvent { name, summary, payload: Payload::Keys(keys) }
}

use Shape::{Any, Fraction, Id, Nullable, Number, Text, Time};

const MAYBE_TEXT: Shape = Nullable(&Text);
const MAYBE_ID: Shape = Nullable(&Id);
const MAYBE_NUMBER: Shape = Nullable(&Number);
const MAYBE_TIME: Shape = Nullable(&Time);
const MAYBE_ANY: Shape = Nullable(&Any);

const EVENTS: &[ChannelEvent] = &[
    resource(
        "event:new",
        "Something happened to the account: `event_type` of the resource says what.",
        "Event",
    ),
    resource("event:test", "The same for an event that was made to be looked at.", "Event"),
    keys(
        "stream:online",
        "A stream began; comes beside `event:new`.",
        &[
            ("platform", Text),
            ("broadcaster_name", MAYBE_TEXT),
            ("broadcaster_id", MAYBE_TEXT),
            ("started_at", MAYBE_TIME),
        ],
    ),
    keys(
        "stream:offline",
        "A stream ended; comes beside `event:new`.",
        &[("platform", Text), ("broadcaster_name", MAYBE_TEXT), ("broadcaster_id", MAYBE_TEXT)],
    ),
    resource("channel_status:updated", "What is known of a channel changed.", "ChannelStatus"),
];

const CHAT: &[ChannelEvent] = &[
    resource(
        "chat:message",
        "Somebody wrote. A simulated line has `is_test: true` beside its fields.",
        "ChatMessage",
    ),
    keys(
        "chat:delete_message",
        "A message was removed; `message_id` is the platform's.",
        &[("platform", Text), ("message_id", Text)],
    ),
    keys(
        "chat:clear_user",
        "Everything that somebody wrote was removed; `action` is `ban`, `timeout` or `clear`. `moderator_id` is the user \
         of Lumio who did it, where one did.",
        &[
            ("platform", Text),
            ("platform_user_id", Text),
            ("action", Text),
            ("duration_secs", MAYBE_NUMBER),
            ("moderator_id", MAYBE_ID),
            ("moderator_platform_user_id", MAYBE_TEXT),
        ],
    ),
    keys("chat:clear", "The whole chat was removed.", &[("platform", Text)]),
    keys(
        "chat:user_updated",
        "What is known of a chatter changed.",
        &[("platform", Text), ("platform_user_id", Text), ("profile", MAYBE_ANY)],
    ),
    keys("poll:updated", "A poll began, changed or ended.", &[("platform", Text), ("poll", Any)]),
    keys(
        "prediction:updated",
        "A prediction began, changed or ended.",
        &[("platform", Text), ("prediction", Any)],
    ),
    keys(
        "raid:updated",
        "A raid of the channel's began or was cancelled.",
        &[("platform", Text), ("raid", Any)],
    ),
];

const EXTENSIONS: &[ChannelEvent] = &[
    resource("install:created", "An extension was installed.", "ExtensionInstall"),
    keys(
        "install:updated",
        "An install was configured, switched or brought to another version; some sources send its id alone.",
        &[("id", Id)],
    ),
    keys("install:removed", "An extension was uninstalled.", &[("id", Id)]),
    keys(
        "install:update_available",
        "A newer version waits for the account's consent.",
        &[("id", Id), ("version", Text)],
    ),
    keys("bot_module:killed", "The triggers of an install were stopped.", &[("install_id", Id)]),
];

const EXT_STORAGE: &[ChannelEvent] = &[
    keys(
        "storage:updated",
        "The storage of the install was replaced.",
        &[("value", Any), ("version", Number)],
    ),
    keys(
        "ext:push",
        "A handler of the extension pushed something.",
        &[("topic", Text), ("payload", MAYBE_ANY)],
    ),
];

const ACCOUNT: &[ChannelEvent] = &[
    keys("features:updated", "Features of the account changed: ask for them again.", &[]),
    keys(
        "members:updated",
        "Somebody joined, left or changed roles.",
        &[("membership_id", Id), ("user_id", Id), ("change", Text)],
    ),
    keys(
        "roles:updated",
        "A role changed; without a role, what everybody in the account may do.",
        &[("role_id", MAYBE_ID)],
    ),
    keys(
        "connections:updated",
        "A connection was made, flagged, changed or ended.",
        &[("kind", Text), ("platform", Text), ("action", Text)],
    ),
    resource("settings:updated", "The settings of the account, as they are now.", "AccountSettings"),
    keys("plan:updated", "The account is on another plan.", &[("plan_id", Id), ("plan_slug", Text)]),
];

const USER: &[ChannelEvent] = &[
    resource("notification:new", "A notification arrived.", "Notification"),
    keys(
        "notification:read",
        "Notifications were read: one, or without an id all.",
        &[("id", MAYBE_ID), ("unread_count", Number)],
    ),
    keys("session:revoked", "A session of the person was revoked.", &[("session_id", Id)]),
    keys(
        "permissions:updated",
        "What the person may do changed, in an account or beyond accounts.",
        &[("account_id", MAYBE_ID)],
    ),
];

const SOUNDS: &[ChannelEvent] = &[
    keys(
        "sound:list:updated",
        "A sound was `created`, `updated` or `deleted`.",
        &[("action", Text), ("sound_id", Id)],
    ),
    keys(
        "sound:play",
        "A sound is to be played by the `target`, or by every browser source. `url` is valid for ten minutes; `volume` is \
         from 0 to 1.",
        &[("sound_id", Id), ("url", Text), ("volume", Fraction), ("target", MAYBE_ANY)],
    ),
    keys(
        "sound:stop",
        "A sound is to end in the `target`, or in every browser source.",
        &[("sound_id", Id), ("target", MAYBE_ANY)],
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn kinds_and_their_events_are_named_once() {
        let mut seen = HashSet::new();
        for kind in ChannelKind::ALL {
            assert_eq!(ChannelKind::parse(kind.prefix()), Some(kind));
            for event in kind.events() {
                assert!(seen.insert(event.name), "{} stands twice", event.name);
                assert!(event.name.contains(':') && !event.summary.is_empty());
            }
        }
        assert_eq!(ChannelKind::parse("music"), None);
    }
}
