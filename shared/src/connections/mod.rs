//! Connections to platforms (specification A §2.8, C §10): which application they are made with, what the platform is
//! asked for, and what happens around them. The API makes and ends connections, workers follow up.

pub mod applications;
pub mod bots;
pub mod health;
mod modes;
pub mod quota;
pub mod revocations;
mod scopes;
pub mod status;

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

pub use modes::{CredentialMode, CredentialModes};
pub use scopes::{DISCORD_PERMISSIONS, discord_guild_scopes, scopes};

use crate::{
    Result,
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
    platforms::Platform,
};

/// How long a login that an API key linked may be confirmed (specification E, 1).
pub const UNCONFIRMED_LOGIN_LIFETIME: TimeDelta = TimeDelta::hours(24);

macro_rules! texts {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// The text in columns and JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The value that a text names.
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
    /// Whose application a connection is made with (A §2.8, rule 6).
    CredentialSource {
        /// The deployment's.
        System = "system",
        /// The account's own.
        Account = "account",
    }
}

texts! {
    /// What an application of the deployment is for (C §9, system connections).
    AppKind {
        Channel = "channel",
        Bot = "bot",
        Login = "login",
    }
}

texts! {
    /// What is connected.
    ConnectionKind {
        Channel = "channel",
        Bot = "bot",
    }
}

impl ConnectionKind {
    /// The platforms whose connections of this kind are made by OAuth, in the order of lists. Spotify has no bot, and
    /// the one of Discord has a static token (A §2.8, rule 3).
    #[must_use]
    pub const fn platforms(self) -> &'static [Platform] {
        match self {
            Self::Channel => {
                &[Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo, Platform::Spotify]
            }
            Self::Bot => &[Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo],
        }
    }

    /// The kind of application that such a connection asks for first.
    #[must_use]
    pub const fn app(self) -> AppKind {
        match self {
            Self::Channel => AppKind::Channel,
            Self::Bot => AppKind::Bot,
        }
    }
}

/// What became of a connection, for those who show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Update {
    Connected,
    Reconnected,
    Disconnected,
    /// Its platform no longer takes its tokens.
    Flagged,
    /// The prompt to reconnect was cleared, or the bot's switch was turned.
    Changed,
}

/// Writes `connections:updated` (C §11.5) for after the commit.
///
/// # Errors
/// When the database fails; the caller's transaction then fails with it.
pub async fn announce(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    kind: ConnectionKind,
    platform: &str,
    update: Update,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({ "kind": kind, "platform": platform, "action": update });
    let event = Event::new(Channel::Account(account), "connections:updated", data, now);
    let key = format!("connections:{}", event.id);
    outbox::add(connection, &PublishEvent { event }, &key).await
}
