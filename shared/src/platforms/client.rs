//! What all platform clients have in common.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{
    NamedChannel, NewPoll, NewPrediction, OAuthClient, Platform, PlatformError, PlatformPoll,
    PlatformPrediction, PollEnd, PredictionChange, ProfileAccess, ProfileQuery, Result, UserProfile,
};
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
    ) -> Result<Banned> {
        let action = if ban.duration.is_some() { "timeout" } else { "ban" };
        Err(PlatformError::Unsupported { platform: self.platform(), action })
    }

    /// What the platform tells of a user, alone and in a channel; `None` when it knows nobody of that id.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there is no chat.
    async fn user_profile(
        &self,
        _access: &ProfileAccess<'_>,
        _query: &ProfileQuery<'_>,
    ) -> Result<Option<UserProfile>> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "user profile" })
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

    /// The channel that a name leads to; none when there is no such channel.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where nothing is done with a channel's name.
    async fn find_channel(
        &self,
        _credentials: &ChatCredentials,
        _name: &str,
    ) -> Result<Option<NamedChannel>> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "raid" })
    }

    /// Starts a raid from one channel to another, both by the platform's ids.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no raids.
    async fn start_raid(&self, _credentials: &ChatCredentials, _from: &str, _to: &str) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "raid" })
    }

    /// Calls a raid off that has not left yet.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no raids.
    async fn cancel_raid(&self, _credentials: &ChatCredentials, _channel_id: &str) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "raid" })
    }

    /// Begins a poll.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no polls.
    async fn create_poll(&self, _credentials: &ChatCredentials, _poll: &NewPoll) -> Result<PlatformPoll> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "poll" })
    }

    /// Ends a poll before its time.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no polls.
    async fn end_poll(
        &self,
        _credentials: &ChatCredentials,
        _channel_id: &str,
        _poll_id: &str,
        _end: PollEnd,
    ) -> Result<PlatformPoll> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "poll" })
    }

    /// Begins a prediction.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no predictions.
    async fn create_prediction(
        &self,
        _credentials: &ChatCredentials,
        _prediction: &NewPrediction,
    ) -> Result<PlatformPrediction> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "prediction" })
    }

    /// Locks, resolves or cancels a prediction.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no predictions.
    async fn end_prediction(
        &self,
        _credentials: &ChatCredentials,
        _channel_id: &str,
        _prediction_id: &str,
        _change: &PredictionChange,
    ) -> Result<PlatformPrediction> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "prediction" })
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
    /// The channel as the platform names it; on YouTube the live chat id.
    pub channel_id: String,
    /// The platform's id of whom the token belongs to; Twitch checks it, the others ignore it.
    pub moderator_id: String,
}

/// A ban or a time-out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban {
    /// The platform's id of the user.
    pub user_id: String,
    /// The name that the platform addresses the user by; only Trovo asks for it.
    pub username: Option<String>,
    /// `None` bans until somebody lifts it.
    pub duration: Option<Duration>,
    pub reason: Option<String>,
}

/// A ban that the platform took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Banned {
    /// The platform's id of the ban where only that lifts it (YouTube); it cannot be looked up later.
    pub ban_id: Option<String>,
}

/// A token of our application itself (`client_credentials`). It cannot be refreshed, only asked for again.
#[derive(Debug, Clone)]
pub struct AppToken {
    pub access_token: Secret,
    /// How long it lives from now.
    pub expires_in: Duration,
}
