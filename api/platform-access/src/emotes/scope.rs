//! Scope of emotes.

use platforms::emotes::EmotesOf;
use shared::platform::Platform;

/// Scope of emotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmoteScope {
    /// Global emotes.
    Everybody,
    /// Emotes of a channel or server.
    Channel {
        /// Platform of the channel.
        platform: Platform,
        /// Id of the channel or server.
        id: String,
    },
}

impl EmoteScope {
    /// Id of the channel or server.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Everybody => None,
            Self::Channel { id, .. } => Some(id),
        }
    }

    /// The same for a request to a provider.
    pub(super) fn borrowed(&self) -> EmotesOf<'_> {
        match self {
            Self::Everybody => EmotesOf::Everybody,
            Self::Channel { platform, id } => EmotesOf::Channel { platform: *platform, id },
        }
    }
}
