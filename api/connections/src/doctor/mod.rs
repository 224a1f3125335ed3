//! Doctor of connections: tries each connected channel now and says what to do (reference/connections.md#doctor).

mod check;
mod db;
mod findings;
pub mod graphql;
mod refusals;
pub mod rest;
mod subscriptions;

use api_core::{
    ApiError, Cx, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, account_features},
    limits::{Holder, WindowLimit},
};
use futures::{StreamExt, TryStreamExt, stream};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::{catalogue::AccountPermission, connection::ConnectionKind};
use utoipa::ToSchema;
use uuid::Uuid;

pub use findings::{ConnectionFinding, ConnectionFindingCode, ConnectionFindingSeverity};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CONNECTION_DOCTOR];

/// Checks of an account in [`CHECK_SECS`].
const MAX_CHECKS: u32 = 1;
/// Window of the checks of an account, in seconds: each costs requests at the platforms.
const CHECK_SECS: i64 = 30;
/// Connections that one call checks at the same time.
const MAX_CONCURRENT: usize = 3;

api_core::limits::submit! {
    WindowLimit { name: "connection_doctor", limit: MAX_CHECKS, seconds: CHECK_SECS, holder: Holder::Account }
}

/// Diagnosis of one connected channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ConnectionDiagnosis {
    /// Slug of the platform.
    pub platform: String,
    /// Id of the channel connection.
    pub connection_id: Uuid,
    /// Severity of the worst finding.
    pub status: ConnectionDiagnosisStatus,
    /// Findings, in the order of the checks; empty when all is well.
    pub findings: Vec<ConnectionFinding>,
    /// Last event of each type, by type. Types without an event are left out.
    pub last_events: Vec<ReceivedEvent>,
    /// End of the access token. Null for one without an end, and when it is not known.
    pub token_expires_at: Option<Timestamp>,
    /// Scopes that Lumio asks for and the token lacks, sorted.
    pub scopes_missing: Vec<String>,
    /// Deliveries that were requested from the platform, by type.
    pub subscriptions: Vec<DiagnosedSubscription>,
    /// Time of this server minus that of the platform, in whole seconds. Null when the platform did not answer.
    pub clock_skew_secs: Option<i32>,
}

/// Result of a diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionDiagnosisStatus {
    /// No finding.
    Ok,
    /// The channel works, or may work again by itself; something needs attention.
    Warning,
    /// The channel does not work, or not fully. The derived code does not accept a variant `Error`.
    #[serde(rename = "error")]
    #[graphql(name = "ERROR", description = "The channel does not work, or not fully.")]
    Broken,
}

/// Last event of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ReceivedEvent {
    /// `chat:message`, `chat:delete_message`, `chat:clear_user`, `chat:clear`, or an event type such as
    /// `twitch:follower`.
    pub event_type: String,
    /// Time of the event.
    pub received_at: Timestamp,
}

/// Delivery that was requested from the platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DiagnosedSubscription {
    /// The platform's name of the type, such as `channel.follow`.
    pub event_type: String,
    /// State at the platform.
    pub status: PlatformSubscriptionStatus,
    /// Reason of the platform. Null without one.
    pub detail: Option<String>,
}

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlatformSubscriptionStatus {
    /// The platform delivers.
    Active,
    /// The platform has not confirmed it yet.
    Pending,
    /// The platform refused the request.
    Refused,
    /// It was accepted, and the platform knows it no longer.
    Lost,
    /// The platform could not be asked.
    Unknown,
}

pub static CONNECTION_DOCTOR: Operation<AccountCaller> =
    Operation::account("connectionDoctor", AccountPermission::ConnectionsRead, Grants::Nothing);

/// Tries each connected channel of the account now, and returns findings with remedies.
///
/// The token is inspected at the platform, the deliveries are compared with those that the platform knows, and its clock
/// is compared with that of this server. The calls cost no units of YouTube's quota. Channels of a platform that is
/// switched off are left out.
///
/// (reference/connections.md#doctor)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 429: the account was checked in the same 30 seconds.
#[api_core::operation]
pub async fn connection_doctor(cx: &Cx) -> Result<Vec<ConnectionDiagnosis>> {
    let caller = cx.authorize(&CONNECTION_DOCTOR).await?;
    count(cx, &caller).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut channels = db::channels(&mut *caller.db().await?, caller.account).await?;
    channels.retain(|channel| features.platform_allows(&channel.platform, ConnectionKind::Channel.as_str()));
    let checks = channels.into_iter().map(|channel| check::diagnose(cx, &caller, channel));
    stream::iter(checks).buffered(MAX_CONCURRENT).try_collect().await
}

async fn count(cx: &Cx, caller: &AccountCaller) -> Result<()> {
    let (limiter, account) = (&cx.state().limiter, caller.account.to_string());
    let verdict = limiter.count("connection_doctor", &account, MAX_CHECKS, CHECK_SECS).await;
    cx.refuse_over(&verdict).map_err(|refusal| ApiError {
        message: format!("Connections are checked at most once in {CHECK_SECS} seconds"),
        ..refusal
    })
}
