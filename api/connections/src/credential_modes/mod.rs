//! Whose application new connections are made with (specification A §2.8, rule 3).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature},
    connections::{ConnectionKind, CredentialSource, applications},
};
use utoipa::ToSchema;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&PLATFORM_CREDENTIAL_MODES];

/// What is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CredentialKind {
    Channel,
    Bot,
}

impl CredentialKind {
    /// The text in columns and on REST.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Bot => "bot",
        }
    }

    /// The kind that a text names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Channel, Self::Bot].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Whose application is meant to be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CredentialMode {
    /// The deployment's.
    System,
    /// The account's own.
    Account,
}

/// What a deployment intends for a platform and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PlatformCredentialMode {
    pub platform: String,
    pub kind: CredentialKind,
    /// The intent: `system` without an application of the deployment becomes `account` when somebody connects.
    pub mode: CredentialMode,
    /// Whether the deployment has an application for it.
    pub system_configured: bool,
}

/// Whose application new connections are made with.
pub static PLATFORM_CREDENTIAL_MODES: Operation<AccountCaller> =
    Operation::account("platformCredentialModes", AccountPermission::ConnectionsRead, Grants::Nothing)
        .feature(Feature::Connections);

/// Tells whose application new connections are made with, one row for each platform and kind that is connected by
/// OAuth.
///
/// # Errors
/// As the rule.
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
