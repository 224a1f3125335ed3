//! Interface that all platform clients share.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{OAuthClient, PlatformError, ProfileAccess, ProfileQuery, Result, TokenInspection, UserProfile};
use shared::secret::Secret;
use shared::{
    engagement::{
        NamedChannel, NewPoll, NewPrediction, NewReward, PlatformPoll, PlatformPrediction, PollEnd,
        PredictionChange, Redemption, RedemptionEnd, RewardChange,
    },
    platform::Platform,
};

/// A platform as the rest of Lumio sees it.
#[async_trait]
pub trait PlatformClient: OAuthClient {
    /// Platform of the client.
    fn platform(&self) -> Platform;

    /// Checks that a provider token belongs to `provider_user_id` and was issued to the application
    /// `client_id` (reference/credentials.md#provider-proof).
    ///
    /// # Errors
    /// `Unauthorized` for an invalid token; `Rejected` for another user or another application; `Unsupported`
    /// for a platform that is no login provider.
    async fn verify_login(
        &self,
        _client_id: &str,
        _provider_user_id: &str,
        _access_token: &Secret,
    ) -> Result<VerifiedIdentity> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "login" })
    }

    /// Inspects a user's token with one call that costs no quota. `client_id` is the application that it was issued to;
    /// `None` for the configured one.
    ///
    /// # Errors
    /// `Unauthorized` for a dead token, else any [`PlatformError`].
    async fn inspect_token(
        &self,
        _client_id: Option<&str>,
        _access_token: &Secret,
    ) -> Result<TokenInspection> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "token inspection" })
    }

    /// Sends one chat message. A message that the platform accepted but did not deliver is `Rejected`.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there is no chat.
    async fn send_chat(&self, _credentials: &ChatCredentials, _message: &ChatMessage) -> Result<SentMessage> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "chat" })
    }

    /// Removes one message from the chat.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio does not offer it
    /// (reference/platforms.md#not-offered).
    async fn delete_message(
        &self,
        _credentials: &ChatCredentials,
        _channel: &ModeratedChannel,
        _message_id: &str,
    ) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "delete" })
    }

    /// Bans a user, or times the user out when the ban has a duration.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio does not offer it
    /// (reference/platforms.md#not-offered).
    async fn ban_user(
        &self,
        _credentials: &ChatCredentials,
        _channel: &ModeratedChannel,
        ban: &Ban,
    ) -> Result<Banned> {
        let action = if ban.duration.is_some() { "timeout" } else { "ban" };
        Err(PlatformError::Unsupported { platform: self.platform(), action })
    }

    /// Profile of a user, alone and in a channel; `None` when the platform has no user of that id.
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

    /// Sets the title of a channel's stream.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio does not offer it
    /// (reference/platforms.md#titles-and-clips).
    async fn set_title(&self, _credentials: &ChatCredentials, _channel_id: &str, _title: &str) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "stream title" })
    }

    /// Makes a clip of what a channel has just streamed.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio does not offer it
    /// (reference/platforms.md#titles-and-clips).
    async fn create_clip(&self, _credentials: &ChatCredentials, _channel_id: &str) -> Result<Clip> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "clip" })
    }

    /// Channel with the given name; `None` when there is no such channel.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where no operation takes the name of a channel.
    async fn find_channel(
        &self,
        _credentials: &ChatCredentials,
        _name: &str,
    ) -> Result<Option<NamedChannel>> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "raid" })
    }

    /// Starts a raid from one channel to another, both by their ids on the platform.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no raids.
    async fn start_raid(&self, _credentials: &ChatCredentials, _from: &str, _to: &str) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "raid" })
    }

    /// Cancels a raid that has not left yet.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no raids.
    async fn cancel_raid(&self, _credentials: &ChatCredentials, _channel_id: &str) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "raid" })
    }

    /// Starts a poll.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where there are no polls.
    async fn create_poll(&self, _credentials: &ChatCredentials, _poll: &NewPoll) -> Result<PlatformPoll> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "poll" })
    }

    /// Ends a poll before its scheduled end.
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

    /// Starts a prediction.
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

    /// Creates a reward and returns its id.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio creates no rewards.
    async fn create_reward(&self, _credentials: &ChatCredentials, _reward: &NewReward) -> Result<String> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "reward" })
    }

    /// Changes a reward that the same application created.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio creates no rewards.
    async fn update_reward(
        &self,
        _credentials: &ChatCredentials,
        _channel_id: &str,
        _reward_id: &str,
        _change: &RewardChange,
    ) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "reward" })
    }

    /// Deletes a reward that the same application created. A reward that is gone already is no error.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio creates no rewards.
    async fn delete_reward(
        &self,
        _credentials: &ChatCredentials,
        _channel_id: &str,
        _reward_id: &str,
    ) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "reward" })
    }

    /// Ends an open redemption of a reward that the same application created.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where Lumio creates no rewards.
    async fn update_redemption(
        &self,
        _credentials: &ChatCredentials,
        _redemption: &Redemption,
        _end: RedemptionEnd,
    ) -> Result<()> {
        Err(PlatformError::Unsupported { platform: self.platform(), action: "reward" })
    }
}

/// Identity that a platform confirmed. Fields that the platform does not report are `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedIdentity {
    /// Platform that confirmed the identity.
    pub platform: Platform,
    /// Subject of the token: the requested id in the spelling of the platform.
    pub provider_user_id: String,
    /// Name that the platform addresses the user by.
    pub username: Option<String>,
    /// Displayed name.
    pub display_name: Option<String>,
    /// Address of the user's picture.
    pub avatar_url: Option<String>,
    /// E-mail address, only when the platform reports it as verified.
    pub email: Option<String>,
    /// Scopes of the token.
    pub scopes: Vec<String>,
    /// Remaining lifetime of the token.
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

/// Sender of a message on the platform (reference/chat.md#acting-identity).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SendAs {
    /// A person or the channel.
    User,
    /// A bot.
    Bot,
}

/// Token of a chat call.
#[derive(Debug, Clone)]
pub struct ChatCredentials {
    /// Sender. Kick and Discord distinguish user and bot in the request; the others by the token alone.
    pub send_as: SendAs,
    /// The token.
    pub access_token: Secret,
    /// Application that the token was issued to, when it is not the configured one: connections made with an
    /// account's own app credentials (reference/connections.md#pinned-application).
    pub client_id: Option<String>,
}

/// Message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Channel as the platform names it: broadcaster id on Twitch and Kick, live chat id on YouTube, channel
    /// id on Trovo and Discord.
    pub channel_id: String,
    /// Id of the sending user or bot on the platform. Twitch checks it against the token; the others ignore
    /// it.
    pub sender_id: String,
    /// At most [`Platform::chat_message_limit`] characters.
    pub text: String,
    /// Id on the platform of the message that this one replies to. YouTube and Trovo have no replies and
    /// ignore it.
    pub reply_to: Option<String>,
}

/// Message that the platform accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// Id of the message on the platform. Trovo returns none.
    pub message_id: Option<String>,
}

/// Channel of a moderation call, and its moderator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeratedChannel {
    /// Channel as the platform names it; on YouTube the live chat id.
    pub channel_id: String,
    /// Id of the token's owner on the platform. Twitch checks it; the others ignore it.
    pub moderator_id: String,
}

/// A ban or a time-out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban {
    /// Id of the user on the platform.
    pub user_id: String,
    /// Name that the platform addresses the user by. Only Trovo requires it.
    pub username: Option<String>,
    /// Length of a time-out. `None` bans until the ban is lifted.
    pub duration: Option<Duration>,
    /// Reason, for platforms that take one.
    pub reason: Option<String>,
}

/// Ban that the platform accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Banned {
    /// Id of the ban, where only that id lifts it (YouTube). It cannot be looked up later.
    pub ban_id: Option<String>,
}

/// Clip that a platform makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clip {
    /// Id of the clip on the platform.
    pub id: String,
    /// Address where its owner edits it, when the platform states one.
    pub edit_url: Option<String>,
}

/// Token of our application itself (`client_credentials`). It cannot be refreshed, only requested again.
#[derive(Debug, Clone)]
pub struct AppToken {
    /// The token.
    pub access_token: Secret,
    /// Remaining lifetime.
    pub expires_in: Duration,
}
