//! Kinds of connections to platforms, and of the applications that they are made with.

mod modes;

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

pub use modes::{CredentialMode, CredentialModes};

use crate::{platform::Platform, secret::Secret};

/// An application registered with a platform: the deployment's or an account's own
/// (reference/connections.md#pinned-application).
#[derive(Debug, Clone)]
pub struct OAuthApp {
    /// Public name of the application.
    pub client_id: String,
    /// Its secret.
    pub client_secret: Secret,
}

/// Period in which a login that an API key linked may be confirmed (reference/users.md#unconfirmed-logins).
pub const UNCONFIRMED_LOGIN_LIFETIME: TimeDelta = TimeDelta::hours(24);

macro_rules! texts {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// Text in columns and JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Value with the given text.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

texts! {
    /// Owner of the application that a connection is made with
    /// (reference/connections.md#choice-of-the-application).
    CredentialSource {
        /// The deployment.
        System = "system",
        /// The account.
        Account = "account",
    }
}

texts! {
    /// Purpose of an application of the deployment (reference/connections.md#system-applications).
    AppKind {
        /// Connections of channels.
        Channel = "channel",
        /// Connections of bots.
        Bot = "bot",
        /// Sign-ins.
        Login = "login",
    }
}

texts! {
    /// Kind of a connection.
    ConnectionKind {
        /// A channel of an account.
        Channel = "channel",
        /// A bot of an account or of the deployment.
        Bot = "bot",
    }
}

impl ConnectionKind {
    /// Platforms whose connections of this kind are made by OAuth, in the order of lists. Spotify has no bot,
    /// and that of Discord has a static token (reference/connections.md#bot-connections).
    #[must_use]
    pub const fn platforms(self) -> &'static [Platform] {
        match self {
            Self::Channel => {
                &[Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo, Platform::Spotify]
            }
            Self::Bot => &[Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo],
        }
    }

    /// Kind of application that such a connection prefers.
    #[must_use]
    pub const fn app(self) -> AppKind {
        match self {
            Self::Channel => AppKind::Channel,
            Self::Bot => AppKind::Bot,
        }
    }
}
