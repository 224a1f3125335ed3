//! Channels that have a source (reference/realtime.md#channels).

use std::fmt;

use uuid::Uuid;

use super::ChannelKind;

/// Channel of one account, install or person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// `chat:{account_id}`
    Chat(Uuid),
    /// `events:{account_id}`
    Events(Uuid),
    /// `ext-storage:{install_id}`
    ExtStorage(Uuid),
    /// `extensions:{account_id}`
    Extensions(Uuid),
    /// `account:{account_id}`
    Account(Uuid),
    /// `user:{user_id}`
    User(Uuid),
    /// `sounds:{account_id}`
    Sounds(Uuid),
    /// `spotify:{account_id}`
    Spotify(Uuid),
    /// `obs:{account_id}`
    Obs(Uuid),
    /// `automations:{account_id}`
    Automations(Uuid),
    /// `overlay:{key}`
    Overlay(OverlayKey),
    /// `overlay-editor:{overlay_id}`
    OverlayEditor(Uuid),
    /// `widget:{widget_id}`
    Widget(Uuid),
}

/// Key of an overlay: twelve characters of the URL-safe alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OverlayKey([u8; 12]);

impl OverlayKey {
    /// Key with the given text; `None` for a text that is no key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 12] = text.as_bytes().try_into().ok()?;
        let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        bytes.iter().all(is_safe).then_some(Self(bytes))
    }

    /// Text of the key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only ASCII passes `parse`.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Channel {
    /// Channel with the given name; `None` when the prefix is unknown or the id is malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, id) = text.split_once(':')?;
        if prefix == "overlay" {
            return OverlayKey::parse(id).map(Self::Overlay);
        }
        // Only the canonical spelling counts, so that one channel has one name.
        let id = Uuid::try_parse(id).ok().filter(|parsed| parsed.to_string() == id)?;
        match prefix {
            "chat" => Some(Self::Chat(id)),
            "events" => Some(Self::Events(id)),
            "ext-storage" => Some(Self::ExtStorage(id)),
            "extensions" => Some(Self::Extensions(id)),
            "account" => Some(Self::Account(id)),
            "user" => Some(Self::User(id)),
            "sounds" => Some(Self::Sounds(id)),
            "spotify" => Some(Self::Spotify(id)),
            "obs" => Some(Self::Obs(id)),
            "automations" => Some(Self::Automations(id)),
            "overlay-editor" => Some(Self::OverlayEditor(id)),
            "widget" => Some(Self::Widget(id)),
            _ => None,
        }
    }
}

impl Channel {
    /// Kind of the channel.
    #[must_use]
    pub const fn kind(self) -> ChannelKind {
        match self {
            Self::Chat(_) => ChannelKind::Chat,
            Self::Events(_) => ChannelKind::Events,
            Self::ExtStorage(_) => ChannelKind::ExtStorage,
            Self::Extensions(_) => ChannelKind::Extensions,
            Self::Account(_) => ChannelKind::Account,
            Self::User(_) => ChannelKind::User,
            Self::Sounds(_) => ChannelKind::Sounds,
            Self::Spotify(_) => ChannelKind::Spotify,
            Self::Obs(_) => ChannelKind::Obs,
            Self::Automations(_) => ChannelKind::Automations,
            Self::Overlay(_) => ChannelKind::Overlay,
            Self::OverlayEditor(_) => ChannelKind::OverlayEditor,
            Self::Widget(_) => ChannelKind::Widget,
        }
    }

    /// Account of the channel, when its name contains it.
    #[must_use]
    pub const fn account(self) -> Option<Uuid> {
        match self {
            Self::Chat(id)
            | Self::Events(id)
            | Self::Extensions(id)
            | Self::Account(id)
            | Self::Sounds(id)
            | Self::Spotify(id)
            | Self::Obs(id)
            | Self::Automations(id) => Some(id),
            Self::ExtStorage(_)
            | Self::User(_)
            | Self::Overlay(_)
            | Self::OverlayEditor(_)
            | Self::Widget(_) => None,
        }
    }
}

impl Channel {
    /// Account or install of the channel.
    #[must_use]
    pub const fn resource(self) -> Option<Uuid> {
        match self {
            Self::ExtStorage(install) => Some(install),
            _ => self.account(),
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chat(id) => write!(f, "chat:{id}"),
            Self::Events(id) => write!(f, "events:{id}"),
            Self::ExtStorage(id) => write!(f, "ext-storage:{id}"),
            Self::Extensions(id) => write!(f, "extensions:{id}"),
            Self::Account(id) => write!(f, "account:{id}"),
            Self::User(id) => write!(f, "user:{id}"),
            Self::Sounds(id) => write!(f, "sounds:{id}"),
            Self::Spotify(id) => write!(f, "spotify:{id}"),
            Self::Obs(id) => write!(f, "obs:{id}"),
            Self::Automations(id) => write!(f, "automations:{id}"),
            Self::Overlay(key) => write!(f, "overlay:{}", key.as_str()),
            Self::OverlayEditor(id) => write!(f, "overlay-editor:{id}"),
            Self::Widget(id) => write!(f, "widget:{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channel_parses_its_own_name_and_no_other_spelling() {
        let id = Uuid::now_v7();
        for channel in [
            Channel::Chat(id),
            Channel::Events(id),
            Channel::ExtStorage(id),
            Channel::Extensions(id),
            Channel::Account(id),
            Channel::User(id),
            Channel::Sounds(id),
            Channel::Spotify(id),
            Channel::Obs(id),
            Channel::Automations(id),
            Channel::Overlay(OverlayKey::parse("aZ09-_aZ09-_").unwrap()),
            Channel::OverlayEditor(id),
            Channel::Widget(id),
        ] {
            assert_eq!(Channel::parse(&channel.to_string()), Some(channel));
        }
        let braced = format!("chat:{{{id}}}");
        let upper = format!("chat:{}", id.to_string().to_uppercase());
        for wrong in [
            "",
            "chat",
            "chat:",
            "chat:1",
            "music:00000000-0000-0000-0000-000000000000",
            &braced,
            &upper,
            "overlay:short",
            "overlay:aZ09-_aZ09-_a",
            "overlay:aZ09-_aZ09+_",
            "overlay:ääääää",
            "overlay-editor:aZ09-_aZ09-_",
        ] {
            assert_eq!(Channel::parse(wrong), None, "{wrong}");
        }
    }
}
