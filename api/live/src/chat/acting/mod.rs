//! Channel and identity of an action in a chat (reference/chat.md#acting-identity).

mod db;
mod live_chat;
mod obstacle;
mod spending;

use api_core::{ApiError, Cx, Result, access::SystemReason};
use chrono::{DateTime, Utc};
use connection_model::quota::youtube::CHANGE_CHAT;
use platform_access::PlatformAccess as _;
use platform_credentials::tokens::{Access, Holder, Unavailable};
use platforms::{ChatCredentials, PlatformError, SendAs};
use shared::{id::UserId, platform::Platform};
use uuid::Uuid;

pub(crate) use obstacle::Obstacle;

use db::{Channel, Identity};
use spending::Application;

/// Acting identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// The person, through the login that is assigned to them, else the channel.
    User(Option<UserId>),
    /// The account's bot, else the deployment's, else the channel, else the application of Lumio in it.
    Bot,
    /// The channel.
    Channel,
}

/// Channel with the credentials to act in it.
pub(crate) struct Acting {
    account: Uuid,
    /// Platform of the channel.
    pub platform: Platform,
    /// The platform's id of the channel.
    pub channel_id: String,
    /// Time since when it belongs to the account; `None` when no other channel was connected before.
    pub channel_since: Option<DateTime<Utc>>,
    /// The platform's id of the acting user; the channel's own for an application.
    pub actor_id: String,
    /// Token and form of the sender.
    pub credentials: ChatCredentials,
    connection_id: Uuid,
    /// Applications that issued the tokens of the acting identity and of the channel.
    application: Application,
    channel_application: Application,
    /// Owner of the token; `None` for a token of the application.
    owner: Option<(Holder, Access)>,
}

/// Finds the account's channel on a platform, or without a platform its only one, and the acting identity.
///
/// # Errors
/// An error when the database fails.
pub(crate) async fn acting(
    cx: &Cx,
    account: Uuid,
    platform: Option<Platform>,
    who: As,
) -> Result<Result<Acting, Obstacle>> {
    let mut connection = cx.state().system(SystemReason::ChannelCall).db().await?;
    let (channel, bots) = match choose(db::channels(&mut connection, account).await?, platform) {
        Ok(chosen) => chosen,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    let platform: Platform = channel.platform.parse().map_err(ApiError::internal)?;
    if who == As::Bot && channel.is_without_bot {
        return Ok(Err(Obstacle::BotDisabled { platform }));
    }
    let identities = match who {
        As::User(Some(user)) => db::login(&mut connection, account, user, platform).await?,
        As::Bot => bots,
        As::User(None) | As::Channel => Vec::new(),
    };
    drop(connection);
    if matches!(who, As::User(_)) && identities.iter().any(|identity| identity.reconnect_required) {
        return Ok(Err(Obstacle::LoginReconnectRequired { platform }));
    }
    for identity in identities {
        match with_token(cx, account, platform, &channel, identity).await? {
            // A bot that cannot act is replaced by the next one. A person is never replaced.
            Err(Obstacle::NotConnected { .. } | Obstacle::ReconnectRequired { .. }) if who == As::Bot => {}
            other => return Ok(other),
        }
    }
    as_channel(cx, account, platform, channel, who).await
}

/// The account's channel on a platform with its own identity.
///
/// # Errors
/// 409 when it is not connected or must be connected again; 500 when the database fails.
pub(crate) async fn own_channel(cx: &Cx, account: Uuid, platform: Platform) -> Result<Acting> {
    acting(cx, account, Some(platform), As::Channel).await?.map_err(Obstacle::into_error)
}

async fn as_channel(
    cx: &Cx,
    account: Uuid,
    platform: Platform,
    channel: Channel,
    who: As,
) -> Result<Result<Acting, Obstacle>> {
    if channel.reconnect_required {
        return Ok(Err(Obstacle::ReconnectRequired { platform }));
    }
    if channel.has_token {
        let itself = Identity::channel(&channel);
        return with_token(cx, account, platform, &channel, itself).await;
    }
    if who != As::Bot {
        return Ok(Err(Obstacle::NotConnected { platform: Some(platform) }));
    }
    Ok(match cx.state().platforms().app_token(platform).await {
        Ok(access_token) => Ok(Acting {
            account,
            platform,
            credentials: ChatCredentials { send_as: SendAs::Bot, access_token, client_id: None },
            connection_id: channel.id,
            application: Application::default(),
            channel_application: Application::of_channel(&channel),
            actor_id: channel.platform_channel_id.clone(),
            channel_id: channel.platform_channel_id,
            channel_since: channel.since,
            owner: None,
        }),
        // The account has nothing to renew.
        Err(PlatformError::Unauthorized) => Err(Obstacle::ApplicationRefused),
        Err(error) => Err(Obstacle::Platform(error)),
    })
}

async fn with_token(
    cx: &Cx,
    account: Uuid,
    platform: Platform,
    channel: &Channel,
    identity: Identity,
) -> Result<Result<Acting, Obstacle>> {
    let holder = identity.holder();
    Ok(match cx.state().tokens().access(holder).await {
        Ok(access) => Ok(Acting {
            account,
            platform,
            channel_id: channel.platform_channel_id.clone(),
            channel_since: channel.since,
            actor_id: identity.platform_id,
            credentials: of_a_user(&access),
            connection_id: channel.id,
            application: Application { client_id: access.client_id.clone(), is_own: identity.has_own_app },
            channel_application: Application::of_channel(channel),
            owner: Some((holder, access)),
        }),
        Err(unavailable) => Err(without_token(platform, holder, unavailable)?),
    })
}

impl Acting {
    /// Makes a call that changes something. A call whose token the platform refuses is repeated once with a
    /// new one (reference/connections.md#refresh).
    ///
    /// # Errors
    /// An error when the database fails.
    pub async fn call<T, F>(
        &mut self,
        cx: &Cx,
        call: impl FnMut(ChatCredentials) -> F,
    ) -> Result<Result<T, Obstacle>>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        self.call_for(cx, CHANGE_CHAT, call).await
    }

    /// Like [`Acting::call`], for a number of units of YouTube's quota.
    ///
    /// # Errors
    /// An error when the database fails.
    pub async fn call_for<T, F>(
        &mut self,
        cx: &Cx,
        units: i64,
        call: impl FnMut(ChatCredentials) -> F,
    ) -> Result<Result<T, Obstacle>>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        if let Err(obstacle) = self.spend(cx, &self.application, units).await? {
            return Ok(Err(obstacle));
        }
        cx.begin_effect();
        let answer = self.attempt(cx, units, call).await;
        let is_refused = match &answer {
            Ok(Ok(_)) => false,
            Ok(Err(obstacle)) => obstacle.is_without_effect(),
            // The database fails after the platform has refused the first token.
            Err(_) => true,
        };
        if is_refused {
            cx.undo_effect();
        }
        answer
    }

    async fn attempt<T, F>(
        &mut self,
        cx: &Cx,
        units: i64,
        mut call: impl FnMut(ChatCredentials) -> F,
    ) -> Result<Result<T, Obstacle>>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        let mut answer = call(self.credentials.clone()).await;
        if matches!(answer, Err(PlatformError::Unauthorized)) {
            if let Err(obstacle) = self.renew(cx).await? {
                return Ok(Err(obstacle));
            }
            if let Err(obstacle) = self.spend(cx, &self.application, units).await? {
                return Ok(Err(obstacle));
            }
            answer = call(self.credentials.clone()).await;
        }
        Ok(match answer {
            Err(PlatformError::Unauthorized) => Err(self.refused_again(cx).await),
            other => other.map_err(Obstacle::Platform),
        })
    }

    /// Replaces a token that the platform refused.
    async fn renew(&mut self, cx: &Cx) -> Result<Result<(), Obstacle>> {
        let Some((holder, refused)) = &self.owner else {
            return Ok(self.renew_application(cx).await);
        };
        Ok(match cx.state().tokens().replace(*holder, refused).await {
            Ok(access) => {
                self.credentials = of_a_user(&access);
                self.owner = Some((*holder, access));
                Ok(())
            }
            Err(unavailable) => Err(without_token(self.platform, *holder, unavailable)?),
        })
    }

    async fn renew_application(&mut self, cx: &Cx) -> Result<(), Obstacle> {
        self.forget(cx).await;
        match cx.state().platforms().app_token(self.platform).await {
            Ok(token) => {
                self.credentials.access_token = token;
                Ok(())
            }
            Err(error) => {
                tracing::warn!(platform = %self.platform, %error, "a token of the application cannot be obtained");
                Err(Obstacle::ApplicationRefused)
            }
        }
    }

    /// Obstacle of a token that was just issued: the grant is valid, the platform is inconsistent.
    async fn refused_again(&self, cx: &Cx) -> Obstacle {
        if self.owner.is_some() {
            return Obstacle::TokenRefused;
        }
        self.forget(cx).await;
        Obstacle::ApplicationRefused
    }

    async fn forget(&self, cx: &Cx) {
        cx.state().platforms().forget_app_token(self.platform, &self.credentials.access_token).await;
    }
}

fn choose(
    channels: Vec<(Channel, Vec<Identity>)>,
    platform: Option<Platform>,
) -> Result<(Channel, Vec<Identity>), Obstacle> {
    let with_chat = channels.iter().filter(|(channel, _)| channel.has_chat());
    let names: Vec<String> = with_chat.map(|(channel, _)| channel.platform.clone()).collect();
    let mut fitting: Vec<_> = channels
        .into_iter()
        .filter(|(channel, _)| match platform {
            Some(platform) => channel.platform == platform.slug(),
            None => channel.has_chat(),
        })
        .collect();
    match (fitting.pop(), fitting.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(_), false) => Err(Obstacle::Ambiguous { platforms: names }),
        (None, _) => Err(Obstacle::NotConnected { platform }),
    }
}

/// Credentials with the token of a user, which identifies the sender on every platform. Only an application
/// is marked in the call.
fn of_a_user(access: &Access) -> ChatCredentials {
    ChatCredentials {
        send_as: SendAs::User,
        access_token: access.token.clone(),
        client_id: access.client_id.clone(),
    }
}

/// Obstacle of a connection without a token.
///
/// # Errors
/// An error when the database fails.
pub(crate) fn without_token(
    platform: Platform,
    holder: Holder,
    unavailable: Unavailable,
) -> Result<Obstacle> {
    match unavailable {
        Unavailable::ReconnectRequired if matches!(holder, Holder::Login(_)) => {
            Ok(Obstacle::LoginReconnectRequired { platform })
        }
        Unavailable::ReconnectRequired => Ok(Obstacle::ReconnectRequired { platform }),
        Unavailable::Missing => Ok(Obstacle::NotConnected { platform: Some(platform) }),
        Unavailable::Postponed => Ok(Obstacle::Postponed),
        Unavailable::Platform(PlatformError::Unauthorized) => Ok(Obstacle::TokenRefused),
        Unavailable::Platform(error) => Ok(Obstacle::Platform(error)),
        Unavailable::Failed(error) => Err(ApiError::from(error)),
    }
}
