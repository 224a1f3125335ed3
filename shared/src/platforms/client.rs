//! What all platform clients have in common.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{OAuthClient, Platform, PlatformError, Result};
use crate::secret::Secret;

/// A platform as the rest of Lumio sees it.
#[async_trait]
pub trait PlatformClient: OAuthClient {
    /// Which platform this is.
    fn platform(&self) -> Platform;

    /// Checks that a provider token belongs to `provider_user_id` and was issued to the application `client_id`
    /// (A §5.2 rule 7, C §2.2).
    ///
    /// # Errors
    /// `Unauthorized` for a token that is not valid; `Rejected` for another user or another application;
    /// `Unsupported` where nobody signs in.
    async fn verify_login(
        &self,
        _client_id: &str,
        _provider_user_id: &str,
        _access_token: &Secret,
    ) -> Result<VerifiedIdentity> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "login" })
    }

    /// Sends one chat message. A message that the platform took but did not deliver is `Rejected`.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there is no chat.
    async fn send_chat(&self, _credentials: &ChatCredentials, _message: &ChatMessage) -> Result<SentMessage> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "chat" })
    }

    /// Removes one message from the chat.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio does not offer it (B §4.7 rule 2).
    async fn delete_message(
        &self,
        _credentials: &ChatCredentials,
        _channel: &ModeratedChannel,
        _message_id: &str,
    ) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "delete" })
    }

    /// Bans a user, or times them out when the ban has a duration.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio does not offer it (B §4.7 rule 2).
    async fn ban_user(
        &self,
        _credentials: &ChatCredentials,
        _channel: &ModeratedChannel,
        ban: &Ban,
    ) -> Result<()> {
        let action = if ban.duration.is_some() { "timeout" } else { "ban" };
        Err(PlatformError::Unsupported { platform: self.platform(), action })
    }

    /// Lifts a ban or a time-out.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio does not offer it.
    async fn unban_user(
        &self,
        _credentials: &ChatCredentials,
        _channel: &ModeratedChannel,
        _user_id: &str,
    ) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "unban" })
    }
}

/// A user whom a platform vouched for. What the platform does not tell is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedIdentity {
    pub platform: Platform,
    /// The subject of the token: what was asked for, as the platform spells it.
    pub provider_user_id: String,
    pub username: Option<String>,
    pub display_name: Option<String>,
    pub avatar_url: Option<String>,
    /// Only an address that the platform calls verified.
    pub email: Option<String>,
    pub scopes: Vec<String>,
    /// How long the token lives from now.
    pub expires_in: Option<Duration>,
}

impl VerifiedIdentity {
    pub(super) fn new(platform: Platform, provider_user_id: String) -> Self {
        Self {
            platform,
            provider_user_id,
            username: None,
            display_name: None,
            avatar_url: None,
            email: None,
            scopes: Vec::new(),
            expires_in: None,
        }
    }
}

/// In whose name a message is sent (C §B13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SendAs {
    User,
    Bot,
}

/// The token that sends.
#[derive(Debug, Clone)]
pub struct ChatCredentials {
    /// Kick and Discord tell user and bot apart in the request; the others by the token alone.
    pub send_as: SendAs,
    pub access_token: Secret,
    /// The application that the token was issued to when it is not the configured one: connections made with an
    /// account's own app credentials (A §2.8 rule 6).
    pub client_id: Option<String>,
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// The channel as the platform names it: broadcaster id on Twitch and Kick, live chat id on YouTube, channel id
    /// on Trovo and Discord.
    pub channel_id: String,
    /// The platform's id of the sending user or bot; Twitch checks it against the token, the others ignore it.
    pub sender_id: String,
    /// At most [`Platform::chat_message_limit`] characters.
    pub text: String,
    /// The platform's id of the message that this answers. YouTube and Trovo have no replies and ignore it.
    pub reply_to: Option<String>,
}

/// A message that the platform took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// The platform's id of the message; Trovo gives none.
    pub message_id: Option<String>,
}

/// Where somebody moderates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeratedChannel {
    /// The channel as the platform names it.
    pub channel_id: String,
    /// The platform's id of whom the token belongs to; Twitch checks it, the others ignore it.
    pub moderator_id: String,
}

/// A ban or a time-out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban {
    /// The platform's id of the user.
    pub user_id: String,
    /// `None` bans until somebody lifts it.
    pub duration: Option<Duration>,
    pub reason: Option<String>,
}

/// A token of our application itself (`client_credentials`). It cannot be refreshed, only asked for again.
#[derive(Debug, Clone)]
pub struct AppToken {
    pub access_token: Secret,
    /// How long it lives from now.
    pub expires_in: Duration,
}
