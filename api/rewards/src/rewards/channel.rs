//! The account's channel on a platform, in which rewards are created and changed
//! (reference/rewards.md#rewards-at-twitch).

use api_core::{ApiError, Code, Cx, Result};
use platform_access::PlatformAccess as _;
use platform_credentials::tokens::{Access, Holder, Unavailable};
use platforms::{ChatCredentials, PlatformClient, PlatformError, SendAs};
use shared::{
    engagement::{NewReward, RewardChange},
    platform::Platform,
};
use uuid::Uuid;

use super::fields::Draft;

/// Connected channel.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    /// Id of the connection.
    pub id: Uuid,
    /// Platform of the channel.
    pub platform: Platform,
    /// The platform's id of the channel.
    pub channel_id: String,
}

impl Channel {
    /// Creates a reward and returns the platform's id.
    ///
    /// # Errors
    /// The refusal of the platform.
    pub async fn create(&self, cx: &Cx, draft: &Draft) -> Result<String> {
        let reward = &NewReward {
            channel_id: self.channel_id.clone(),
            title: draft.title.clone(),
            cost: draft.cost,
            is_enabled: true,
        };
        let client = self.client(cx);
        self.call(cx, |credentials| async move { client.create_reward(&credentials, reward).await }).await
    }

    /// Changes a reward that [`Channel::create`] created.
    ///
    /// # Errors
    /// The refusal of the platform.
    pub async fn update(&self, cx: &Cx, reward_id: &str, change: &RewardChange) -> Result<()> {
        let (client, channel_id) = (self.client(cx), self.channel_id.as_str());
        self.call(cx, |credentials| async move {
            client.update_reward(&credentials, channel_id, reward_id, change).await
        })
        .await
    }

    /// Deletes a reward that [`Channel::create`] created.
    ///
    /// # Errors
    /// The refusal of the platform.
    pub async fn delete(&self, cx: &Cx, reward_id: &str) -> Result<()> {
        let (client, channel_id) = (self.client(cx), self.channel_id.as_str());
        self.call(
            cx,
            |credentials| async move { client.delete_reward(&credentials, channel_id, reward_id).await },
        )
        .await
    }

    /// Deletes a reward that was created and could not be stored.
    pub async fn undo(&self, cx: &Cx, reward_id: &str) {
        if let Err(error) = self.delete(cx, reward_id).await {
            tracing::warn!(connection_id = %self.id, reward_id, %error, "a reward stays at its platform without a row");
        }
    }

    fn client<'a>(&self, cx: &'a Cx) -> &'a dyn PlatformClient {
        cx.state().platforms().client(self.platform)
    }

    async fn call<T, F>(&self, cx: &Cx, mut call: impl FnMut(ChatCredentials) -> F) -> Result<T>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        cx.begin_effect();
        let answer =
            cx.state().tokens().call(Holder::Channel(self.id), |access| call(credentials(access))).await;
        let answer = answer.map_err(|unavailable| refusal(self.platform, unavailable));
        cx.undo_effect_if_refused(&answer);
        answer
    }
}

fn credentials(access: Access) -> ChatCredentials {
    ChatCredentials { send_as: SendAs::User, access_token: access.token, client_id: access.client_id }
}

/// Refusal of an account without a channel on the platform.
pub(super) fn not_connected(platform: Platform) -> ApiError {
    ApiError::conflict(format!("The account is not connected to {platform}"))
}

fn refusal(platform: Platform, unavailable: Unavailable) -> ApiError {
    match unavailable {
        Unavailable::Missing => not_connected(platform),
        Unavailable::ReconnectRequired => {
            ApiError::conflict(format!("The {platform} channel must be connected again"))
        }
        Unavailable::Failed(error) => error.into(),
        Unavailable::Platform(
            error @ (PlatformError::Rejected { .. } | PlatformError::Unsupported { .. }),
        ) => ApiError::bad_request(error.to_string()),
        Unavailable::Platform(error @ PlatformError::Forbidden { .. }) => {
            ApiError::forbidden(error.to_string())
        }
        Unavailable::Platform(error @ PlatformError::Conflict { .. }) => {
            ApiError::conflict(error.to_string())
        }
        Unavailable::Platform(PlatformError::RateLimited { retry_after }) => {
            let error = ApiError::new(Code::RateLimitExceeded, "Rate limit exceeded");
            match retry_after {
                Some(wait) => error.with_retry_after(wait.as_secs().max(1)),
                None => error,
            }
        }
        other => ApiError::internal(format_args!("a platform could not be called: {other}")),
    }
}
