//! Connecting by OAuth (specification A §2.8, §4.7; C §10): one way for channels, accounts' bots, the deployment's bots
//! and Discord servers. It begins where the thing to connect is, leads over the platform's page and ends in one
//! exchange, which dispatches on what the state handle says.

mod begin;
mod by_hand;
mod exchange;
pub mod graphql;
mod pending;
pub mod rest;
mod return_to;
mod rights;
mod store;

use api_core::{
    Input, Operation, Result,
    access::{AnyOperation, Grants, Visitor},
    connections::{BotConnection, ChannelConnection},
    validate,
};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject, GraphQLUnion};
use serde::{Deserialize, Serialize};
use shared::secret::Secret;
use url::Url;
use utoipa::{IntoParams, ToSchema};

use pending::Way;

pub(crate) use begin::{Purpose, application, begin, discord_application};
pub use by_hand::{NewChannel, connect_by_hand};
pub(crate) use return_to::{MAX_BYTES as MAX_RETURN_TO_BYTES, check as check_return_to};
pub(crate) use rights::check_own_bot;

use crate::discord_guilds::DiscordGuild;
use api_core::{ApiError, Cx};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EXCHANGE_OAUTH, &RECEIVE_OAUTH_CALLBACK];

/// Authorization codes are opaque; none is longer than this.
const MAX_CODE_LENGTH: usize = 4096;

/// Where to send the browser.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct OauthAuthorization {
    /// The platform's page.
    pub authorize_url: String,
    /// The handle that the browser brings back: good once, for ten minutes.
    pub state: String,
}

/// What is to be connected.
#[derive(Debug, Clone, Serialize, GraphQLInputObject, Deserialize, ToSchema)]
pub struct ExchangeOauthInput {
    /// What the platform gave the browser.
    #[schema(extensions(("maxLength" = json!(MAX_CODE_LENGTH))))]
    pub code: String,
    /// The handle of [`OauthAuthorization`].
    pub state: String,
}

/// What the browser brings back from the platform.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CallbackQuery {
    /// What the platform gave the browser; absent when the person declined.
    pub code: Option<String>,
    /// The handle.
    pub state: Option<String>,
    /// The platform's word for why there is no code.
    pub error: Option<String>,
}

/// What was connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OauthKind {
    Channel,
    /// The account's own bot.
    AccountBot,
    /// The deployment's bot.
    GlobalBot,
    /// A Discord server with our bot in it.
    DiscordGuild,
}

/// What came of an authorization.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct OauthExchange {
    pub kind: OauthKind,
    pub platform: String,
    pub connection: OauthConnection,
    /// Where the client wanted to go on, if it said so.
    pub return_to: Option<String>,
}

/// The connection that was made.
#[derive(Debug, Clone, Serialize, GraphQLUnion, ToSchema)]
#[serde(untagged)]
pub enum OauthConnection {
    Channel(ChannelConnection),
    Bot(BotConnection),
    DiscordGuild(DiscordGuild),
}

/// Exchanges what a platform gave the browser.
pub static EXCHANGE_OAUTH: Operation<Visitor> = Operation::public("exchangeOauth", Grants::Nothing);

/// Makes the connection that a state handle stands for out of the platform's code. The handle is the credential: it
/// works once, for ten minutes, on its platform, and when somebody is signed in only for the person who began.
///
/// # Errors
/// 400 `Invalid or expired state`; 400 when the platform does not take the code; 403 when whoever began has lost the
/// right meanwhile or the platform was switched off; 409 `CREDENTIAL_DECRYPTION_FAILED` when the application's secret
/// can no longer be read.
pub async fn exchange_oauth(
    cx: &Cx,
    platform: &str,
    input: Input<ExchangeOauthInput>,
) -> Result<OauthExchange> {
    let visitor = cx.authorize(&EXCHANGE_OAUTH).await?;
    let input = input?;
    let code = Secret::new(validate::text("code", &input.code, 1, MAX_CODE_LENGTH)?);
    let mut pending = pending::redeem(cx, platform, &input.state, Way::Client).await?;
    // Allowed when it was asked for; a client follows it, so it has to be allowed still.
    let return_to = return_to::still_allowed(cx, pending.return_to.as_deref()).await?;
    pending.return_to = return_to.map(String::from);
    exchange::exchange(cx, &visitor, pending, &code).await
}

/// The address that platforms send browsers back to.
pub static RECEIVE_OAUTH_CALLBACK: Operation<Visitor> =
    Operation::public("receiveOauthCallback", Grants::Nothing).rest_only();

/// Does what [`exchange_oauth`] does for a browser that comes straight from the platform, and tells where to send it:
/// to where the client wanted to go on, else to the dashboard, with `connected` or `connection_error` in the query. It
/// has to be the browser that began: the answer to whoever began set a cookie there.
///
/// # Errors
/// 400 `Invalid or expired state`: without a state of its own nothing tells where the browser is to go.
pub async fn receive_oauth_callback(cx: &Cx, platform: &str, query: Input<CallbackQuery>) -> Result<Url> {
    let visitor = cx.authorize(&RECEIVE_OAUTH_CALLBACK).await?;
    let query = query?;
    let handle = query.state.as_deref().unwrap_or_default();
    let pending = pending::redeem(cx, platform, handle, Way::Browser).await?;
    // Allowed when it was asked for; whether it still is decides where the browser goes.
    let target = return_to::still_allowed(cx, pending.return_to.as_deref()).await?;
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

/// The code, or why there is none.
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
