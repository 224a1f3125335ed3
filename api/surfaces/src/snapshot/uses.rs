//! Events that the layers of a surface use: others are not sent to its pages.

/// Kinds of events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// Events of the account.
    pub events: bool,
    /// Chat.
    pub chat: bool,
    /// Music.
    pub music: bool,
}

impl Uses {
    /// Events of either.
    pub(super) const fn or(self, other: Self) -> Self {
        Self {
            events: self.events || other.events,
            chat: self.chat || other.chat,
            music: self.music || other.music,
        }
    }
}
