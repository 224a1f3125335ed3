//! Which platforms may be used (A §4.7, C §12.1).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, Visitor, account_features, global_features},
};
use juniper::GraphQLEnum;
use serde::Deserialize;
use shared::{catalogue::AccountPermission, platforms::Platform};
use utoipa::{IntoParams, ToSchema};

/// What a platform is to be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionType {
    Login,
    Channel,
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

/// The query of the enabled providers.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProvidersQuery {
    #[param(inline)]
    pub connection_type: ConnectionType,
}

/// The platforms that may be used: to sign in with for everybody, to connect for whoever may read connections.
pub static ENABLED_PROVIDERS: Operation<Visitor> = Operation::public("enabledProviders", Grants::Nothing);

/// Lists the slugs of the platforms that are switched on for a use, in the order of lists.
///
/// # Errors
/// 400 for an unknown use; except for signing in, 401 without a credential and 403 without `connections:read`.
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
