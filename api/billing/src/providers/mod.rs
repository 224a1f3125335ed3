//! Providers, as staff sees them: switches, applications and connections of each platform
//! (reference/features.md#providers).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, AnyOperation, Grants},
};
use diesel_async::AsyncPgConnection;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::{
    catalogue::AdminPermission,
    platform::{Platform, UnknownPlatform},
};
use utoipa::ToSchema;

use crate::platforms::{AdminPlatform, PlatformSwitchesInput, switches};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ADMIN_PROVIDERS, &ADMIN_UPDATE_PROVIDER];

/// A platform for sign-in or connections.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminProvider {
    /// Slug of the platform.
    pub platform: String,
    /// Switch of the platform.
    pub enabled: bool,
    /// Switch of sign-in; null when the platform has none.
    pub login: Option<bool>,
    /// Switch of channel connections; null when the platform has none.
    pub channel: Option<bool>,
    /// Switch of bots; null when the platform has none.
    pub bot: Option<bool>,
    /// True when the deployment has an application of any kind at the platform.
    pub credentials_configured: bool,
    /// Number of channel connections.
    pub channel_connections: i32,
    /// Number of login connections.
    pub login_connections: i32,
    /// Number of bots of accounts.
    pub bot_connections: i32,
    /// Status of the deployment's own bot.
    pub global_bot_status: GlobalBotStatus,
}

/// Status of the deployment's own bot on a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GlobalBotStatus {
    /// No bot is connected.
    NotConnected,
    /// The bot is connected.
    Connected,
    /// The platform no longer accepts the bot's token.
    ReconnectRequired,
}

pub static ADMIN_PROVIDERS: Operation<Admin> =
    Operation::admin("adminProviders", AdminPermission::ProvidersRead, Grants::Nothing);

/// Lists the providers with switches, applications and counts of connections.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn admin_providers(cx: &Cx) -> Result<Vec<AdminProvider>> {
    let admin = cx.authorize(&ADMIN_PROVIDERS).await?;
    let mut connection = admin.db().await?;
    let platforms = switches::all(&mut connection).await?;
    cards(cx, &mut connection, platforms).await
}

pub static ADMIN_UPDATE_PROVIDER: Operation<Admin> =
    Operation::admin("adminUpdateProvider", AdminPermission::ProvidersEdit, Grants::SignIn);

/// Sets switches of a provider.
///
/// The switches are those that `adminUpdatePlatform` sets. Absent ones stay as they are. Existing connections
/// keep working.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the platform is unknown, or does not have a switch that is set.
#[api_core::operation]
pub async fn admin_update_provider(
    cx: &Cx,
    platform: Input<String>,
    input: Input<PlatformSwitchesInput>,
) -> Result<AdminProvider> {
    let admin = cx.authorize(&ADMIN_UPDATE_PROVIDER).await?;
    let platform: Platform =
        platform?.parse().map_err(|unknown: UnknownPlatform| ApiError::invalid(unknown.to_string()))?;
    let change = switches::SwitchChange::checked(platform.slug(), input?)?;
    let mut connection = admin.db().await?;
    let changed = switches::set(cx, &mut connection, &change).await?;
    let card = cards(cx, &mut connection, vec![changed]).await?.pop();
    card.ok_or_else(|| ApiError::internal("a provider has no card"))
}

/// Providers among these platforms, in the order of lists.
async fn cards(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    platforms: Vec<AdminPlatform>,
) -> Result<Vec<AdminProvider>> {
    let found = db::found(connection).await?;
    let card = |platform: Platform| {
        let switches = platforms.iter().find(|switches| switches.platform == platform.slug())?;
        let configured = cx.state().config.platforms.get(platform);
        let is_configured = configured.client_id.is_some() && configured.client_secret.is_some();
        let count = |what: db::What| found.count(what, platform);
        Some(AdminProvider {
            platform: platform.slug().to_owned(),
            enabled: switches.enabled,
            login: switches.login,
            channel: switches.channel,
            bot: switches.bot,
            credentials_configured: is_configured || count(db::What::Application) > 0,
            channel_connections: count(db::What::Channel),
            login_connections: count(db::What::Login),
            bot_connections: count(db::What::Bot),
            global_bot_status: if count(db::What::HealthyGlobalBot) > 0 {
                GlobalBotStatus::Connected
            } else if count(db::What::FlaggedGlobalBot) > 0 {
                GlobalBotStatus::ReconnectRequired
            } else {
                GlobalBotStatus::NotConnected
            },
        })
    };
    Ok(Platform::ALL.into_iter().filter_map(card).collect())
}
