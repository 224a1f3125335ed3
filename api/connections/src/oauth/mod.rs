//! Connecting by OAuth (reference/connections.md#oauth-flow): one flow for channels, bots of accounts, bots
//! of the deployment and Discord servers. It begins at the resource that is connected, leads over the
//! platform's page and ends in one exchange, which depends on the state handle.

mod begin;
mod exchange;
pub mod graphql;
mod manual;
mod pending;
pub mod rest;
mod return_to;
mod rights;
mod store;

use api_core::{
    Input, Operation, Result,
    access::{AnyOperation, Grants, Visitor},
    validate,
};
use connection_access::{BotConnection, ChannelConnection};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject, GraphQLUnion};
use serde::{Deserialize, Serialize};
use shared::secret::Secret;
use url::Url;
use utoipa::{IntoParams, ToSchema};

use pending::ReturnChannel;

pub(crate) use begin::{Purpose, application, begin, discord_application};
pub use manual::{NewChannel, connect_manually};
pub(crate) use return_to::check as check_return_to;
pub(crate) use rights::check_own_bot;

use crate::stored_guilds::DiscordGuild;
use api_core::{ApiError, Cx};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EXCHANGE_OAUTH, &RECEIVE_OAUTH_CALLBACK];

/// Longest authorization code in characters. Codes are opaque, and those of the platforms are shorter.
const MAX_CODE_LENGTH: usize = 4096;

/// Options of an authorization.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "return_to": "http://localhost:3000/connections" }))]
pub struct AuthorizeInput {
    /// Address for the browser after the exchange: on the host of the web or admin address, or of an active
    /// OAuth client. At most 2,048 bytes.
    #[serde(default)]
    #[schema(extensions(("maxLength" = json!(return_to::MAX_BYTES))))]
    pub return_to: Option<String>,
}

/// Address for the browser.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct OauthAuthorization {
    /// Address of the platform's page.
    pub authorize_url: String,
    /// State handle that the browser brings back. It is valid once, for ten minutes.
    pub state: String,
}

/// Authorization to exchange.
#[derive(Debug, Clone, Serialize, GraphQLInputObject, Deserialize, ToSchema)]
pub struct ExchangeOauthInput {
    /// Authorization code of the platform.
    #[schema(extensions(("maxLength" = json!(MAX_CODE_LENGTH))))]
    pub code: String,
    /// State handle of the authorization.
    pub state: String,
}

/// Query that the platform adds to the callback address.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CallbackQuery {
    /// Authorization code. Absent when the person declined.
    pub code: Option<String>,
    /// State handle.
    pub state: Option<String>,
    /// Error code of the platform when there is no authorization code.
    pub error: Option<String>,
}

/// Kind of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OauthKind {
    /// Channel of an account.
    Channel,
    /// Bot of an account.
    AccountBot,
    /// Bot of the deployment.
    GlobalBot,
    /// Discord server that the deployment's bot was added to.
    DiscordGuild,
}

/// Result of an authorization.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct OauthExchange {
    /// Kind of the connection.
    pub kind: OauthKind,
    /// Slug of the platform.
    pub platform: String,
    /// Connection.
    pub connection: OauthConnection,
    /// Address where the client continues. Null when none was given or it is no longer allowed.
    pub return_to: Option<String>,
}

/// Connection that was made.
#[derive(Debug, Clone, Serialize, GraphQLUnion, ToSchema)]
#[serde(untagged)]
pub enum OauthConnection {
    /// Channel of an account.
    Channel(ChannelConnection),
    /// Bot of an account or of the deployment.
    Bot(BotConnection),
    /// Linked Discord server.
    DiscordGuild(DiscordGuild),
}

pub static EXCHANGE_OAUTH: Operation<Visitor> =
    Operation::public("exchangeOauth", Grants::Nothing).not_idempotent("its state is valid once");

/// Makes the connection that a state handle stands for, with the platform's authorization code.
///
/// The handle is the credential. It is valid once, for ten minutes, on its platform. When a person is signed
/// in, it must be the person who began. The right to connect is checked again. A former connection on the
/// same platform is replaced in the same row (reference/connections.md#reconnecting).
///
/// # Errors
/// 400 `Invalid or expired state`; 400 when the platform does not accept the code; 403 when the person or key
/// that began has lost the right, or the platform was switched off; 409 `CREDENTIAL_DECRYPTION_FAILED` when
/// the application's secret can no longer be decrypted.
#[api_core::operation]
pub async fn exchange_oauth(
    cx: &Cx,
    platform: &str,
    input: Input<ExchangeOauthInput>,
) -> Result<OauthExchange> {
    let visitor = cx.authorize(&EXCHANGE_OAUTH).await?;
    let input = input?;
    let code = Secret::new(validate::text("code", &input.code, 1, MAX_CODE_LENGTH)?);
    let mut pending = pending::redeem(cx, platform, &input.state, ReturnChannel::Client).await?;
    // It was allowed at the beginning. A client follows it, so that it must be allowed still.
    let return_to = return_to::still_allowed(cx, &visitor, pending.return_to.as_deref()).await?;
    pending.return_to = return_to.map(String::from);
    exchange::exchange(cx, &visitor, pending, &code).await
}

pub static RECEIVE_OAUTH_CALLBACK: Operation<Visitor> =
    Operation::public("receiveOauthCallback", Grants::Nothing).rest_only();

/// Receives the browser from the platform's page and redirects it (303).
///
/// It exchanges the code as `exchangeOauth` does. It must be the browser that began, which has a cookie of
/// the authorization, or a browser in which the person who began is signed in. The target is `return_to`,
/// else the web address, with `connected` or `connection_error` in the query.
///
/// # Errors
/// 400 `Invalid or expired state`: without a valid state there is no target.
#[api_core::operation]
pub async fn receive_oauth_callback(cx: &Cx, platform: &str, query: Input<CallbackQuery>) -> Result<Url> {
    let visitor = cx.authorize(&RECEIVE_OAUTH_CALLBACK).await?;
    let query = query?;
    let handle = query.state.as_deref().unwrap_or_default();
    let pending = pending::redeem(cx, platform, handle, ReturnChannel::Browser).await?;
    // It was allowed at the beginning. Unless it is allowed still, the browser goes to the web address.
    let target = return_to::still_allowed(cx, &visitor, pending.return_to.as_deref()).await?;
    let target = target.unwrap_or_else(|| cx.state().config.http.web_url.clone());
    let (slug, kind) = (pending.platform.slug(), pending.kind);
    let exchanged = match code_of(query) {
        Ok(code) => {
            exchange::exchange(cx, &visitor, pending, &code).await.map_err(|error| error.code.as_str())
        }
        Err(reason) => Err(reason),
    };
    Ok(match exchanged {
        Ok(_) => return_to::with(target, &[("connected", slug), ("kind", kind.as_str())]),
        Err(reason) => {
            let reason = reason.to_lowercase();
            return_to::with(
                target,
                &[("connection_error", &reason), ("platform", slug), ("kind", kind.as_str())],
            )
        }
    })
}

impl OauthKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::AccountBot => "account_bot",
            Self::GlobalBot => "global_bot",
            Self::DiscordGuild => "discord_guild",
        }
    }
}

/// Returns the code, or the reason why there is none.
fn code_of(query: CallbackQuery) -> Result<Secret, &'static str> {
    match query.code {
        Some(code) if query.error.is_none() && (1..=MAX_CODE_LENGTH).contains(&code.len()) => {
            Ok(Secret::new(code))
        }
        _ if query.error.as_deref() == Some("access_denied") => Err("access_denied"),
        _ => Err("no_code"),
    }
}

fn invalid_state() -> ApiError {
    ApiError::bad_request("Invalid or expired state")
}

fn not_configured() -> ApiError {
    ApiError::bad_request("App credentials not configured")
}
