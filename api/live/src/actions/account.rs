//! In whose name an action is carried out: the account's channel connection, or our application in its channel
//! (C B3.5).

use api_core::{Cx, Result};
use shared::{
    crypto::{Place, row},
    platforms::{ChatCredentials, Platform, PlatformError, SendAs},
    secret::Secret,
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
    match credentials(cx, platform, &connection).await? {
        Ok(credentials) => {
            Ok(Ok(Acting { platform, channel_id: connection.platform_channel_id, credentials }))
        }
        // Only a token of our application is asked for here: there is nothing that the account could renew.
        Err(PlatformError::Unauthorized) => Ok(Err(unavailable_application())),
        Err(error) => Ok(Err(refusal(&error))),
    }
}

impl Acting {
    /// After a failed call: whether it is to be made once more, with another token of our application because the
    /// platform did not take the first (D §2).
    pub async fn renew(&mut self, cx: &Cx, error: &PlatformError) -> bool {
        if !self.is_refused_application(error) {
            return false;
        }
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
        if !self.is_refused_application(error) {
            return refusal(error);
        }
        self.forget(cx).await;
        unavailable_application()
    }

    fn is_refused_application(&self, error: &PlatformError) -> bool {
        *error == PlatformError::Unauthorized && self.credentials.send_as == SendAs::Bot
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

async fn credentials(
    cx: &Cx,
    platform: Platform,
    connection: &ChannelConnection,
) -> Result<Result<ChatCredentials, PlatformError>> {
    if let Some(sealed) = &connection.access_token {
        let access_token = open(cx, connection, sealed)?;
        return Ok(Ok(ChatCredentials { send_as: SendAs::User, access_token, client_id: None }));
    }
    let token = cx.state().platforms.app_token(platform).await;
    Ok(token.map(|access_token| ChatCredentials { send_as: SendAs::Bot, access_token, client_id: None }))
}

fn open(cx: &Cx, connection: &ChannelConnection, sealed: &[u8]) -> Result<Secret> {
    let row = row(connection.id);
    let place = Place { table: "channel_connections", column: "access_token", row: &row };
    Ok(cx.state().keyring.open(place, sealed)?)
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
