//! Catalogue of the channels and of the events on each (reference/realtime.md#channels). The gates and the
//! published description of the protocol read it, and a test compares both with the sources.

mod automations;
mod lists;

use shared::catalogue::{AccountPermission, Feature};

use automations::AUTOMATIONS;
use lists::{
    ACCOUNT, CHAT, EVENTS, EXT_STORAGE, EXTENSIONS, OBS, OVERLAY, OVERLAY_EDITOR, RELAYED_TO_OVERLAYS,
    RELAYED_TO_WIDGETS, SOUNDS, SPOTIFY, USER, WIDGET,
};

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
    /// Music of an account.
    Spotify,
    /// OBS of an account.
    Obs,
    /// Automations of an account.
    Automations,
    /// Page of an overlay.
    Overlay,
    /// Editors of an overlay.
    OverlayEditor,
    /// Page of a widget.
    Widget,
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
    /// True or false.
    Flag,
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
    pub const ALL: [Self; 13] = [
        Self::Events,
        Self::Chat,
        Self::ExtStorage,
        Self::Extensions,
        Self::Account,
        Self::User,
        Self::Sounds,
        Self::Spotify,
        Self::Obs,
        Self::Automations,
        Self::Overlay,
        Self::OverlayEditor,
        Self::Widget,
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
            Self::Spotify => "spotify",
            Self::Obs => "obs",
            Self::Automations => "automations",
            Self::Overlay => "overlay",
            Self::OverlayEditor => "overlay-editor",
            Self::Widget => "widget",
        }
    }

    /// Kind of object that the id behind the prefix names.
    #[must_use]
    pub const fn id_of(self) -> &'static str {
        match self {
            Self::Chat
            | Self::Events
            | Self::Extensions
            | Self::Account
            | Self::Sounds
            | Self::Spotify
            | Self::Obs
            | Self::Automations => "account_id",
            Self::ExtStorage => "install_id",
            Self::User => "user_id",
            Self::Overlay => "key",
            Self::OverlayEditor => "overlay_id",
            Self::Widget => "widget_id",
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
            Self::Chat | Self::Events | Self::Extensions | Self::Spotify | Self::Obs | Self::Automations => {
                "whoever holds the permission in the account, and system keys"
            }
            Self::ExtStorage => {
                "the extension token of the install, whoever holds the permission in its account, and system keys"
            }
            Self::Account => "any session or key of a member, keys of the account, and system keys",
            Self::User => "sessions of the person, and system keys",
            Self::Sounds => "any session or key of a member, popouts, keys of the account, and system keys",
            Self::Overlay => "the token of the overlay and its shares",
            Self::OverlayEditor => "whoever holds the permission in the account and reaches the overlay",
            Self::Widget => {
                "the token of the widget, and whoever holds the permission in the account and reaches the widget"
            }
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
            Self::Spotify => Some(AccountPermission::SpotifyRead),
            Self::Obs => Some(AccountPermission::ObsRead),
            Self::Automations => Some(AccountPermission::AutomationsRead),
            Self::OverlayEditor => Some(AccountPermission::OverlaysRead),
            Self::Widget => Some(AccountPermission::WidgetsRead),
            Self::Account | Self::User | Self::Sounds | Self::Overlay => None,
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
            Self::Spotify => Some(Feature::Music),
            Self::Obs => Some(Feature::ObsRemote),
            Self::Automations => Some(Feature::Automations),
            Self::Overlay | Self::OverlayEditor => Some(Feature::Overlays),
            Self::Widget => Some(Feature::Widgets),
            Self::Account | Self::User => None,
        }
    }

    /// Event types that clients may publish with a `broadcast` frame (reference/realtime.md#client-frames).
    #[must_use]
    pub const fn client_events(self) -> &'static [&'static str] {
        match self {
            Self::OverlayEditor => &["presence:cursor", "presence:selection"],
            _ => &[],
        }
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
            Self::Spotify => SPOTIFY,
            Self::Obs => OBS,
            Self::Automations => AUTOMATIONS,
            Self::Overlay => OVERLAY,
            Self::OverlayEditor => OVERLAY_EDITOR,
            Self::Widget => WIDGET,
        }
    }
}

impl ChannelKind {
    /// Events of other channels of the account that listeners get here, where a layer uses them
    /// (reference/realtime.md#surfaces).
    #[must_use]
    pub const fn relayed(self) -> &'static [&'static str] {
        match self {
            Self::Overlay => RELAYED_TO_OVERLAYS,
            Self::Widget => RELAYED_TO_WIDGETS,
            _ => &[],
        }
    }
}

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
