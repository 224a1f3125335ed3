//! Owner of the application for new connections (reference/connections.md#credential-modes).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use connection_model::applications;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature},
    connection::{ConnectionKind, CredentialSource},
};
use utoipa::ToSchema;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&PLATFORM_CREDENTIAL_MODES];

/// Kind of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CredentialKind {
    /// Channel of an account.
    Channel,
    /// Bot.
    Bot,
}

impl CredentialKind {
    /// Text in columns and over REST.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Bot => "bot",
        }
    }

    /// Returns the kind of a text; `None` for an unknown one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Channel, Self::Bot].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Intended owner of the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CredentialMode {
    /// Application of the deployment.
    System,
    /// Application of the account.
    Account,
}

/// Credential mode of a platform and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PlatformCredentialMode {
    /// Slug of the platform.
    pub platform: String,
    /// Kind of the connection.
    pub kind: CredentialKind,
    /// Intended owner. `system` without an application of the deployment uses the account's application.
    pub mode: CredentialMode,
    /// True when the deployment has an application that serves the kind.
    pub system_configured: bool,
}

pub static PLATFORM_CREDENTIAL_MODES: Operation<AccountCaller> =
    Operation::account("platformCredentialModes", AccountPermission::ConnectionsRead, Grants::Nothing)
        .feature(Feature::Connections);

/// Lists the credential modes: whether new connections use the deployment's or the account's application.
///
/// There is one row for each platform and kind that is connected by OAuth. A mode affects new connections
/// only.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn platform_credential_modes(cx: &Cx) -> Result<Vec<PlatformCredentialMode>> {
    let caller = cx.authorize(&PLATFORM_CREDENTIAL_MODES).await?;
    let config = &cx.state().config;
    let is_configured = applications::configured(&mut *caller.db().await?, &config.platforms).await?;
    let modes = config.connections.modes.all().iter().map(|mode| PlatformCredentialMode {
        platform: mode.platform.slug().to_owned(),
        kind: match mode.kind {
            ConnectionKind::Channel => CredentialKind::Channel,
            ConnectionKind::Bot => CredentialKind::Bot,
        },
        mode: match mode.mode {
            CredentialSource::System => CredentialMode::System,
            CredentialSource::Account => CredentialMode::Account,
        },
        system_configured: is_configured(mode.kind, mode.platform),
    });
    Ok(modes.collect())
}
