//! Platforms as operators run them: switches, applications, and what is connected (specification C §7.3).

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
    platforms::{Platform, UnknownPlatform},
};
use utoipa::ToSchema;

use crate::platforms::{AdminPlatform, PlatformSwitchesInput, switches};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ADMIN_PROVIDERS, &ADMIN_UPDATE_PROVIDER];

/// A platform that people sign in with or connect.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminProvider {
    pub platform: String,
    pub enabled: bool,
    /// Signing in with it; null where nobody can.
    pub login: Option<bool>,
    /// Connecting a channel; null where there are none.
    pub channel: Option<bool>,
    /// Running a bot; null where there are none.
    pub bot: Option<bool>,
    /// Whether the deployment has an application there, of whatever kind.
    pub credentials_configured: bool,
    pub channel_connections: i32,
    pub login_connections: i32,
    /// Bots of accounts.
    pub bot_connections: i32,
    pub global_bot_status: GlobalBotStatus,
}

/// The state of the deployment's own bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GlobalBotStatus {
    NotConnected,
    Connected,
    ReconnectRequired,
}

/// Every provider.
pub static ADMIN_PROVIDERS: Operation<Admin> =
    Operation::admin("adminProviders", AdminPermission::ProvidersRead, Grants::Nothing);

/// Lists every provider.
///
/// # Errors
/// As the rule.
pub async fn admin_providers(cx: &Cx) -> Result<Vec<AdminProvider>> {
    let admin = cx.authorize(&ADMIN_PROVIDERS).await?;
    let mut connection = admin.db().await?;
    let platforms = switches::all(&mut connection).await?;
    cards(cx, &mut connection, platforms).await
}

/// Turns switches of a provider.
pub static ADMIN_UPDATE_PROVIDER: Operation<Admin> =
    Operation::admin("adminUpdateProvider", AdminPermission::ProvidersEdit, Grants::SignIn);

/// Turns switches of a provider: the same that `adminUpdatePlatform` turns.
///
/// # Errors
/// As the rule; 400 for an unknown platform, or a switch that the platform does not have.
pub async fn admin_update_provider(
    cx: &Cx,
    platform: Input<String>,
    input: Input<PlatformSwitchesInput>,
) -> Result<AdminProvider> {
    let admin = cx.authorize(&ADMIN_UPDATE_PROVIDER).await?;
    let platform: Platform =
        platform?.parse().map_err(|unknown: UnknownPlatform| ApiError::invalid(unknown.to_string()))?;
    let turn = switches::Turn::checked(platform.slug(), input?)?;
    let mut connection = admin.db().await?;
    let turned = switches::turn(cx, &mut connection, &turn).await?;
    let card = cards(cx, &mut connection, vec![turned]).await?.pop();
    card.ok_or_else(|| ApiError::internal("a provider has no card"))
}

/// The providers among these platforms, in the order of lists.
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
