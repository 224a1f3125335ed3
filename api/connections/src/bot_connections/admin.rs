//! Bots of the deployment, which serve every account without one of its own
//! (reference/connections.md#bot-connections).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, Grants, PlatformUse, global_features},
    validate,
};
use connection_access::{BotConnection, disconnect_bot as end_bot};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::GraphQLInputObject;
use platform_access::PlatformAccess as _;
use platforms::PlatformError;
use serde::Deserialize;
use serde_json::json;
use shared::{catalogue::AdminPermission, connection::ConnectionKind, platform::Platform, secret::Secret};
use utoipa::ToSchema;

use super::{db, not_found};
use crate::{
    oauth::{self, AuthorizeInput, OauthAuthorization, OauthKind, Purpose},
    platform,
};

/// Platforms on which the deployment can have a bot.
const WITH_BOTS: [Platform; 5] =
    [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo, Platform::Discord];

const MAX_APPLICATION_ID_LENGTH: usize = 20;
const MAX_TOKEN_LENGTH: usize = 512;

/// Token of Discord's bot, which is not connected by OAuth.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct SetDiscordBotTokenInput {
    /// Id of the application at Discord: 1 to 20 digits.
    #[schema(example = "1000000000000000001", extensions(("maxLength" = json!(MAX_APPLICATION_ID_LENGTH))))]
    pub application_id: String,
    /// Static token of the bot, at most 512 characters.
    #[schema(extensions(("maxLength" = json!(MAX_TOKEN_LENGTH))))]
    pub bot_token: String,
}

pub static ADMIN_BOT_CONNECTIONS: Operation<Admin> =
    Operation::admin("adminBotConnections", AdminPermission::BotConnectionsRead, Grants::Nothing);

/// Lists the bots of the deployment.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn admin_bot_connections(cx: &Cx) -> Result<Vec<BotConnection>> {
    let admin = cx.authorize(&ADMIN_BOT_CONNECTIONS).await?;
    db::of_deployment(&mut *admin.db().await?).await
}

pub static ADMIN_AUTHORIZE_BOT: Operation<Admin> =
    Operation::admin("adminAuthorizeBot", AdminPermission::BotConnectionsCreate, Grants::Nothing)
        .not_idempotent("begins a flow and changes nothing");

/// Begins to connect a bot of the deployment.
///
/// Returns the address of the platform's page and a state handle, see `exchangeOauth`. The platform shows its
/// consent page always.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform whose bots are not connected by OAuth, and for a
/// `return_to` that is not allowed; 403 when the platform is switched off; 400
/// `App credentials not configured`; 409 `CREDENTIAL_DECRYPTION_FAILED`.
#[api_core::operation]
pub async fn admin_authorize_bot(
    cx: &Cx,
    platform: &str,
    input: Input<AuthorizeInput>,
) -> Result<OauthAuthorization> {
    let admin = cx.authorize(&ADMIN_AUTHORIZE_BOT).await?;
    let platform = platform::with(ConnectionKind::Bot, platform)?;
    let kind = PlatformUse::Bot.as_str();
    if !global_features(cx.state()).await?.platform_allows(platform.slug(), kind) {
        let message = format!("Feature is disabled: platform:{platform}:{kind}");
        return Err(ApiError::new(api_core::Code::FeatureDisabled, message));
    }
    let return_to = oauth::check_return_to(cx, &admin, input?.return_to.as_deref()).await?;
    let purpose = Purpose { kind: OauthKind::GlobalBot, platform, account: None };
    let mut db = admin.db().await?;
    let application = oauth::application(cx, &mut db, ConnectionKind::Bot, purpose).await?;
    drop(db);
    oauth::begin(cx, purpose, &application, return_to).await
}

pub static ADMIN_SET_DISCORD_BOT_TOKEN: Operation<Admin> =
    Operation::admin("adminSetDiscordBotToken", AdminPermission::BotConnectionsCreate, Grants::Nothing);

/// Sets the token of the deployment's bot in Discord.
///
/// Discord is asked first which bot the token belongs to. The former token is replaced.
///
/// # Errors
/// Refusals of the access rule; 400 for a malformed id, and for a token that Discord does not accept; 500
/// when Discord does not respond.
#[api_core::operation]
pub async fn admin_set_discord_bot_token(
    cx: &Cx,
    input: Input<SetDiscordBotTokenInput>,
) -> Result<BotConnection> {
    let admin = cx.authorize(&ADMIN_SET_DISCORD_BOT_TOKEN).await?;
    let input = input?;
    let application_id = snowflake(&input.application_id)?;
    let token = Secret::new(validate::text("bot_token", &input.bot_token, 1, MAX_TOKEN_LENGTH)?);
    let bot = match cx.state().platforms().discord().bot_user(&token).await {
        Ok(bot) => bot,
        Err(PlatformError::Unauthorized | PlatformError::Rejected { .. }) => {
            return Err(ApiError::invalid("bot_token is not accepted by Discord"));
        }
        Err(error) => return Err(ApiError::internal(format_args!("the bot of Discord: {error}"))),
    };
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let stored =
                db::put_discord_bot(cx, connection, admin.user, &application_id, &token, &bot).await?;
            let metadata =
                json!({ "platform": Platform::Discord, "kind": "global_bot", "platform_id": bot.id });
            let entry =
                Entry { metadata, ..cx.audit_system("connection:connected", "bot_connection", stored.id) };
            audit::record(connection, entry).await?;
            Ok(stored)
        })
        .await
}

pub static ADMIN_DISCONNECT_BOT: Operation<Admin> =
    Operation::admin("adminDisconnectBot", AdminPermission::BotConnectionsDelete, Grants::Nothing);

/// Disconnects a bot of the deployment.
///
/// The tokens are revoked at the platform afterwards, best effort. The static token of Discord's bot is not
/// revoked (reference/connections.md#revocation).
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without bots; 404 when none is connected.
#[api_core::operation]
pub async fn admin_disconnect_bot(cx: &Cx, platform: &str) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DISCONNECT_BOT).await?;
    let platform = platform::one_of(&WITH_BOTS, platform)?;
    let mut db = admin.db().await?;
    let ended = db
        .transaction(async |connection| {
            let ended = end_bot(cx, connection, None, platform).await?.ok_or_else(not_found)?;
            let metadata = json!({ "platform": platform, "kind": "global_bot" });
            let entry =
                Entry { metadata, ..cx.audit_system("connection:disconnected", "bot_connection", ended.id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(ended)
        })
        .await;
    drop(db);
    ended?.announce(cx).await;
    Ok(())
}

fn snowflake(text: &str) -> Result<String> {
    let text = text.trim();
    let is_short = (1..=MAX_APPLICATION_ID_LENGTH).contains(&text.len());
    if is_short && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(text.to_owned());
    }
    Err(ApiError::invalid(format!("application_id must be 1 to {MAX_APPLICATION_ID_LENGTH} digits")))
}
