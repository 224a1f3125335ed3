//! In whose name an action is carried out: the account's channel connection, or our application in its channel
//! (C B3.5).

use api_core::{ApiError, Cx, Result};
use shared::{
    platforms::{ChatCredentials, Platform, PlatformError, SendAs},
    tokens::{Access, Holder, Unavailable},
};

use super::{
    ActionErrorCode, Refusal,
    db::{self, ChannelConnection, Install},
};

/// A channel and the right to act in it.
pub(super) struct Acting {
    pub platform: Platform,
    pub channel_id: String,
    pub credentials: ChatCredentials,
    /// Whose token it is; `None` for one of our application.
    owner: Option<(Holder, Access)>,
}

/// Finds the account's channel on a platform; without a platform, its only one.
pub(super) async fn acting(
    cx: &Cx,
    install: &Install,
    platform: Option<Platform>,
) -> Result<Result<Acting, Refusal>> {
    let mut connection = cx.state().databases.postgres.get().await?;
    let connections = db::connections(&mut connection, install.account_id).await?;
    drop(connection);
    let connection = match choose(connections, platform) {
        Ok(connection) => connection,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let platform = connection.platform.parse().map_err(api_core::ApiError::internal)?;
    let channel_id = connection.platform_channel_id;
    if connection.access_token.is_some() {
        let holder = Holder::Channel(connection.id);
        return Ok(match cx.state().tokens.access(holder).await {
            Ok(access) => {
                let (credentials, owner) = (of_the_channel(&access), Some((holder, access)));
                Ok(Acting { platform, channel_id, credentials, owner })
            }
            Err(unavailable) => Err(no_token(unavailable)?),
        });
    }
    Ok(match cx.state().platforms.app_token(platform).await {
        Ok(access_token) => {
            let credentials = ChatCredentials { send_as: SendAs::Bot, access_token, client_id: None };
            Ok(Acting { platform, channel_id, credentials, owner: None })
        }
        // There is nothing that the account could renew.
        Err(PlatformError::Unauthorized) => Err(unavailable_application()),
        Err(error) => Err(refusal(&error)),
    })
}

impl Acting {
    /// After a failed call: whether it is to be made once more, with another token because the platform did not take
    /// the first (D §2).
    ///
    /// # Errors
    /// What it means for the extension that there is no other.
    pub async fn renew(&mut self, cx: &Cx, error: &PlatformError) -> Result<Result<bool, Refusal>> {
        if *error != PlatformError::Unauthorized {
            return Ok(Ok(false));
        }
        let Some((holder, refused)) = &self.owner else {
            return Ok(Ok(self.renew_application(cx).await));
        };
        Ok(match cx.state().tokens.replace(*holder, refused).await {
            Ok(access) => {
                self.credentials = of_the_channel(&access);
                self.owner = Some((*holder, access));
                Ok(true)
            }
            Err(unavailable) => Err(no_token(unavailable)?),
        })
    }

    async fn renew_application(&mut self, cx: &Cx) -> bool {
        self.forget(cx).await;
        match cx.state().platforms.app_token(self.platform).await {
            Ok(token) => {
                self.credentials.access_token = token;
                true
            }
            Err(error) => {
                tracing::warn!(platform = %self.platform, %error, "a token of the application cannot be had");
                false
            }
        }
    }

    /// What a call that was not to be made once more, or failed again, means for the extension.
    pub async fn refusal(&self, cx: &Cx, error: &PlatformError) -> Refusal {
        if *error != PlatformError::Unauthorized {
            return refusal(error);
        }
        if self.owner.is_some() {
            // A token that was handed out a moment ago: the grant is good, the platform is not consistent.
            return Refusal::new(
                ActionErrorCode::PlatformUnavailable,
                "the platform did not accept the connection's token",
            );
        }
        self.forget(cx).await;
        unavailable_application()
    }

    async fn forget(&self, cx: &Cx) {
        cx.state().platforms.forget_app_token(self.platform, &self.credentials.access_token).await;
    }
}

fn choose(
    connections: Vec<ChannelConnection>,
    platform: Option<Platform>,
) -> Result<ChannelConnection, Refusal> {
    let with_chat = connections.iter().filter(|connection| has_chat(connection));
    let names: Vec<String> = with_chat.map(|connection| connection.platform.clone()).collect();
    let mut fitting: Vec<_> = connections
        .into_iter()
        .filter(|connection| match platform {
            Some(platform) => connection.platform == platform.slug(),
            None => has_chat(connection),
        })
        .collect();
    let connection = match (fitting.pop(), fitting.is_empty()) {
        (Some(only), true) => only,
        (Some(_), false) => {
            let message = format!("platform must be one of {}", names.join(", "));
            return Err(Refusal::new(ActionErrorCode::InvalidPayload, message));
        }
        (None, _) => {
            let place = platform.map_or_else(|| "any platform".to_owned(), |platform| platform.to_string());
            let message = format!("the account is not connected to {place}");
            return Err(Refusal::new(ActionErrorCode::NotConnected, message));
        }
    };
    if !connection.bot_enabled {
        let message = format!("the bot is switched off on {}", connection.platform);
        return Err(Refusal::new(ActionErrorCode::BotDisabled, message));
    }
    if connection.reconnect_required {
        return Err(reconnect());
    }
    Ok(connection)
}

fn has_chat(connection: &ChannelConnection) -> bool {
    connection.platform.parse::<Platform>().is_ok_and(|platform| platform.chat_message_limit().is_some())
}

fn of_the_channel(access: &Access) -> ChatCredentials {
    ChatCredentials {
        send_as: SendAs::User,
        access_token: access.token.clone(),
        client_id: access.client_id.clone(),
    }
}

/// What it means for the extension that a connection yields no token.
fn no_token(unavailable: Unavailable) -> Result<Refusal> {
    match unavailable {
        Unavailable::ReconnectRequired => Ok(reconnect()),
        Unavailable::Missing => {
            Ok(Refusal::new(ActionErrorCode::NotConnected, "the account has no connection that may do this"))
        }
        Unavailable::Postponed => Ok(Refusal::new(
            ActionErrorCode::PlatformUnavailable,
            "the connection's token cannot be refreshed at the moment",
        )),
        Unavailable::Platform(error) => Ok(refusal(&error)),
        Unavailable::Failed(error) => Err(ApiError::from(error)),
    }
}

/// What a platform's failure means for the extension. None of these texts holds a secret.
fn refusal(error: &PlatformError) -> Refusal {
    let code = match error {
        PlatformError::Unauthorized => return reconnect(),
        PlatformError::RateLimited { .. } => ActionErrorCode::RateLimited,
        PlatformError::Rejected { .. } | PlatformError::Conflict { .. } => ActionErrorCode::PlatformRejected,
        PlatformError::Transient { .. } | PlatformError::InvalidResponse { .. } => {
            ActionErrorCode::PlatformUnavailable
        }
        PlatformError::Unsupported { .. } => ActionErrorCode::NotSupported,
        // No token endpoint is asked here; what the platform says of our application concerns the operator.
        PlatformError::InvalidGrant { .. } => return reconnect(),
        PlatformError::InvalidClient { .. } => return unavailable_application(),
        PlatformError::NotConfigured { .. } => {
            // Which variable is missing concerns the operator, not the extension's developer.
            tracing::warn!(%error, "an action needs an application that is not configured");
            return Refusal::new(
                ActionErrorCode::NotConnected,
                "the account has no connection that may do this",
            );
        }
    };
    Refusal::new(code, error.to_string())
}

/// The account can do nothing about it.
fn unavailable_application() -> Refusal {
    Refusal::new(ActionErrorCode::PlatformUnavailable, "the platform did not accept the application's token")
}

fn reconnect() -> Refusal {
    Refusal::new(ActionErrorCode::ReconnectRequired, "the platform connection must be renewed by the account")
}
