//! In which channel something is done, and in whose name (specification A §2.8, C B3.5, B13).

mod db;
mod obstacle;

use api_core::{ApiError, Cx, Result};
use shared::{
    connections::quota,
    id::UserId,
    platforms::{ChatCredentials, Platform, PlatformError, SendAs, youtube::BroadcastStatus},
    tokens::{Access, Holder, Unavailable},
};
use uuid::Uuid;

pub(crate) use obstacle::Obstacle;

use db::{Channel, Identity};

/// What a call costs on YouTube: inserting and deleting, listing (D §3).
const WRITE_UNITS: i64 = 50;
const READ_UNITS: i64 = 1;

/// In whose name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// Of the person, through the sign-in that is assigned to them, else of the channel.
    User(Option<UserId>),
    /// Of the account's bot, else of the deployment's, else of the channel, else of our application in it.
    Bot,
    /// As `Bot`, to delete a message. Where that call names only the message and no channel (YouTube, Kick), a bot that
    /// many accounts share could delete in another's chat, so that it stays out.
    BotDeleting,
    /// Of the channel.
    Channel,
}

impl As {
    const fn is_bot(self) -> bool {
        matches!(self, Self::Bot | Self::BotDeleting)
    }

    /// Whether the deployment's bot may act.
    const fn may_be_shared(self, platform: Platform) -> bool {
        match self {
            Self::Bot => true,
            Self::BotDeleting => !matches!(platform, Platform::Youtube | Platform::Kick),
            Self::User(_) | Self::Channel => false,
        }
    }
}

/// A channel and the right to act in it.
pub(crate) struct Acting {
    pub platform: Platform,
    /// The platform's id of the channel.
    pub channel_id: String,
    /// The platform's id of whoever acts; the channel's own when our application does.
    pub actor_id: String,
    pub credentials: ChatCredentials,
    connection_id: Uuid,
    /// Whose token it is; `None` for one of our application.
    owner: Option<(Holder, Access)>,
}

/// Finds the account's channel on a platform, or without a platform its only one, and who acts in it.
///
/// # Errors
/// When the database fails.
pub(crate) async fn acting(
    cx: &Cx,
    account: Uuid,
    platform: Option<Platform>,
    who: As,
) -> Result<Result<Acting, Obstacle>> {
    let mut connection = cx.state().databases.postgres.get().await?;
    let channel = match choose(db::channels(&mut connection, account).await?, platform) {
        Ok(channel) => channel,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    let platform: Platform = channel.platform.parse().map_err(ApiError::internal)?;
    if who.is_bot() && channel.is_without_bot {
        return Ok(Err(Obstacle::BotDisabled { platform }));
    }
    let identities = match who {
        As::User(Some(user)) => db::login(&mut connection, account, user, platform).await?,
        As::Bot | As::BotDeleting => {
            db::bots(&mut connection, account, platform, who.may_be_shared(platform)).await?
        }
        As::User(None) | As::Channel => Vec::new(),
    };
    drop(connection);
    if matches!(who, As::User(_)) && identities.iter().any(|identity| identity.reconnect_required) {
        return Ok(Err(Obstacle::LoginReconnectRequired { platform }));
    }
    for identity in identities {
        match with_token(cx, platform, &channel, identity).await? {
            // A bot that cannot act any more leaves it to the next one; a person does not become somebody else.
            Err(Obstacle::NotConnected { .. } | Obstacle::ReconnectRequired { .. }) if who.is_bot() => {}
            other => return Ok(other),
        }
    }
    as_channel(cx, platform, channel, who).await
}

async fn as_channel(
    cx: &Cx,
    platform: Platform,
    channel: Channel,
    who: As,
) -> Result<Result<Acting, Obstacle>> {
    if channel.reconnect_required {
        return Ok(Err(Obstacle::ReconnectRequired { platform }));
    }
    if channel.has_token {
        let itself = Identity::channel(&channel);
        return with_token(cx, platform, &channel, itself).await;
    }
    if !who.may_be_shared(platform) {
        return Ok(Err(Obstacle::NotConnected { platform: Some(platform) }));
    }
    Ok(match cx.state().platforms.app_token(platform).await {
        Ok(access_token) => Ok(Acting {
            platform,
            credentials: ChatCredentials { send_as: SendAs::Bot, access_token, client_id: None },
            connection_id: channel.id,
            actor_id: channel.platform_channel_id.clone(),
            channel_id: channel.platform_channel_id,
            owner: None,
        }),
        // There is nothing that the account could renew.
        Err(PlatformError::Unauthorized) => Err(Obstacle::ApplicationRefused),
        Err(error) => Err(Obstacle::Platform(error)),
    })
}

async fn with_token(
    cx: &Cx,
    platform: Platform,
    channel: &Channel,
    identity: Identity,
) -> Result<Result<Acting, Obstacle>> {
    let holder = identity.holder();
    Ok(match cx.state().tokens.access(holder).await {
        Ok(access) => Ok(Acting {
            platform,
            channel_id: channel.platform_channel_id.clone(),
            actor_id: identity.platform_id,
            credentials: of_a_user(&access),
            connection_id: channel.id,
            owner: Some((holder, access)),
        }),
        Err(unavailable) => Err(without_token(platform, holder, unavailable)?),
    })
}

impl Acting {
    /// Makes a call; one whose token the platform does not take is made once more with another (D §2).
    ///
    /// # Errors
    /// When the database fails.
    pub async fn call<T, F>(
        &mut self,
        cx: &Cx,
        mut call: impl FnMut(ChatCredentials) -> F,
    ) -> Result<Result<T, Obstacle>>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        self.count(cx, WRITE_UNITS).await?;
        let mut answer = call(self.credentials.clone()).await;
        if matches!(answer, Err(PlatformError::Unauthorized)) {
            if let Err(obstacle) = self.renew(cx).await? {
                return Ok(Err(obstacle));
            }
            self.count(cx, WRITE_UNITS).await?;
            answer = call(self.credentials.clone()).await;
        }
        Ok(match answer {
            Err(PlatformError::Unauthorized) => Err(self.refused_again(cx).await),
            other => other.map_err(Obstacle::Platform),
        })
    }

    /// Counts what a call costs of the application's daily quota, which only YouTube has (D §3). What people ask for is
    /// never refused for it: the readers of chats leave room.
    async fn count(&self, cx: &Cx, units: i64) -> Result<()> {
        let Some(client_id) = self.credentials.client_id.as_deref() else { return Ok(()) };
        if self.platform != Platform::Youtube {
            return Ok(());
        }
        let now = cx.state().clock.now();
        let mut connection = cx.state().databases.postgres.get().await?;
        quota::reserve(&mut connection, self.platform, client_id, units, i64::from(i32::MAX), now).await?;
        Ok(())
    }

    /// Another token in place of one that the platform did not take.
    async fn renew(&mut self, cx: &Cx) -> Result<Result<(), Obstacle>> {
        let Some((holder, refused)) = &self.owner else {
            return Ok(self.renew_application(cx).await);
        };
        Ok(match cx.state().tokens.replace(*holder, refused).await {
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
        match cx.state().platforms.app_token(self.platform).await {
            Ok(token) => {
                self.credentials.access_token = token;
                Ok(())
            }
            Err(error) => {
                tracing::warn!(platform = %self.platform, %error, "a token of the application cannot be had");
                Err(Obstacle::ApplicationRefused)
            }
        }
    }

    /// A token that was handed out a moment ago: the grant is good, the platform is not consistent.
    async fn refused_again(&self, cx: &Cx) -> Obstacle {
        if self.owner.is_some() {
            return Obstacle::TokenRefused;
        }
        self.forget(cx).await;
        Obstacle::ApplicationRefused
    }

    async fn forget(&self, cx: &Cx) {
        cx.state().platforms.forget_app_token(self.platform, &self.credentials.access_token).await;
    }

    /// What the platform's chat calls name: the channel, and on YouTube the chat of the active broadcast.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn chat_id(&self, cx: &Cx, given: Option<&str>) -> Result<Result<String, Obstacle>> {
        if self.platform != Platform::Youtube {
            return Ok(Ok(self.channel_id.clone()));
        }
        if let Some(given) = given {
            return Ok(Ok(given.to_owned()));
        }
        let now = cx.state().clock.now();
        let mut connection = cx.state().databases.postgres.get().await?;
        let known = db::live_chat(&mut connection, self.connection_id, now).await?;
        drop(connection);
        if let Some(known) = known {
            return Ok(Ok(known));
        }
        self.ask_for_live_chat(cx).await
    }

    /// Asks in the name of the channel, whoever acts in it.
    async fn ask_for_live_chat(&self, cx: &Cx) -> Result<Result<String, Obstacle>> {
        self.count(cx, READ_UNITS).await?;
        let (youtube, holder) = (cx.state().platforms.youtube(), Holder::Channel(self.connection_id));
        let asked =
            cx.state().tokens.call(holder, |access| async move { youtube.broadcasts(&access.token).await });
        Ok(match asked.await {
            Ok(broadcasts) => {
                let live = broadcasts.into_iter().filter(|found| found.status == BroadcastStatus::Live);
                live.filter_map(|found| found.live_chat_id).next().ok_or(Obstacle::NotLive)
            }
            Err(unavailable) => Err(without_token(self.platform, holder, unavailable)?),
        })
    }
}

fn choose(channels: Vec<Channel>, platform: Option<Platform>) -> Result<Channel, Obstacle> {
    let with_chat = channels.iter().filter(|channel| channel.has_chat());
    let names: Vec<String> = with_chat.map(|channel| channel.platform.clone()).collect();
    let mut fitting: Vec<_> = channels
        .into_iter()
        .filter(|channel| match platform {
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

/// On every platform the token of a user says who acts; only an application is told apart in the call.
fn of_a_user(access: &Access) -> ChatCredentials {
    ChatCredentials {
        send_as: SendAs::User,
        access_token: access.token.clone(),
        client_id: access.client_id.clone(),
    }
}

/// What it means that a connection yields no token.
fn without_token(platform: Platform, holder: Holder, unavailable: Unavailable) -> Result<Obstacle> {
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
