//! Platforms whose use is switched on (reference/connections.md#enabled-providers).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, Visitor, account_features, global_features},
};
use juniper::GraphQLEnum;
use serde::Deserialize;
use shared::{catalogue::AccountPermission, platform::Platform};
use utoipa::{IntoParams, ToSchema};

/// Use of a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionType {
    /// Signing in.
    Login,
    /// Connecting a channel.
    Channel,
    /// Connecting a bot.
    Bot,
}

impl ConnectionType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Channel => "channel",
            Self::Bot => "bot",
        }
    }
}

/// Query of the enabled platforms.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProvidersQuery {
    /// Use of the platform.
    #[param(inline)]
    pub connection_type: ConnectionType,
}

pub static ENABLED_PROVIDERS: Operation<Visitor> =
    Operation::public("enabledProviders", Grants::Nothing).polled();

/// Lists the slugs of the platforms that are switched on for a use, in the fixed order of platforms.
///
/// The use `login` is public. The uses `channel` and `bot` need `connections:read`, and follow the switches
/// of the active account.
///
/// # Errors
/// 400 for an unknown use; for `channel` and `bot`, 401 without a credential and 403 without
/// `connections:read`.
#[api_core::operation]
pub async fn enabled_providers(cx: &Cx, query: Input<ProvidersQuery>) -> Result<Vec<String>> {
    cx.authorize(&ENABLED_PROVIDERS).await?;
    let used_for = query?.connection_type;
    let features = match used_for {
        ConnectionType::Login => global_features(cx.state()).await?,
        ConnectionType::Channel | ConnectionType::Bot => {
            if cx.principal().is_anonymous() {
                return Err(ApiError::unauthorized("Authentication required"));
            }
            cx.require(AccountPermission::ConnectionsRead).await?;
            match cx.active_account().await? {
                Some(account) => account_features(cx.state(), account).await?,
                None => global_features(cx.state()).await?,
            }
        }
    };
    let slugs = Platform::ALL.into_iter().map(Platform::slug);
    let enabled = slugs.filter(|slug| features.platform_allows(slug, used_for.as_str()));
    Ok(enabled.map(str::to_owned).collect())
}
