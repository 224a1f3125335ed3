//! Where an account stands: its plan, its limits, its subscription (specification C §8.2).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    limits::effective_limits,
};
use diesel_async::AsyncPgConnection;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::AccountPermission,
    id::AccountId,
    limits::{self, EffectiveLimit},
};
use utoipa::ToSchema;

use crate::plans::{BillingPlan, billing_plan};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&BILLING_STATUS, &PLAN_LIMITS];

/// Where an account stands.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct BillingStatus {
    /// The plan that the account is on, also one that is not on offer.
    pub plan: BillingPlan,
    pub limits: Vec<PlanLimit>,
    pub status: SubscriptionStatus,
    /// Null when nothing renews.
    pub renews_at: Option<Timestamp>,
}

/// A limit of an account and how much of it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct PlanLimit {
    pub key: PlanLimitKey,
    /// Of numbers and days 2147483647 is unlimited.
    pub limit: Int64,
    /// Null where nothing is used up: the size of one upload, the days that chat is kept.
    pub used: Option<Int64>,
    pub source: PlanLimitSource,
}

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanLimitKey {
    MaxOverlays,
    /// Bytes of uploads, sounds and extension uploads together.
    MaxStorageBytes,
    MaxUploadSizeBytes,
    MaxIntegrations,
    ChatRetentionDays,
}

/// Where a limit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanLimitSource {
    Plan,
    /// Set for the account by an operator.
    Override,
}

/// The state of what is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionStatus {
    /// There never was a subscription.
    None,
    Active,
    PastDue,
    Cancelled,
}

/// Where the account stands.
pub static BILLING_STATUS: Operation<AccountCaller> =
    Operation::account("billingStatus", AccountPermission::PlanRead, Grants::Nothing);

/// Reads the account's plan, its limits and its subscription.
///
/// # Errors
/// As the rule.
pub async fn billing_status(cx: &Cx) -> Result<BillingStatus> {
    let caller = cx.authorize(&BILLING_STATUS).await?;
    of_account(&mut *caller.db().await?, caller.account).await
}

/// The account's limits.
pub static PLAN_LIMITS: Operation<AccountCaller> =
    Operation::account("planLimits", AccountPermission::PlanRead, Grants::Nothing);

/// Lists the account's limits and how much of each is used.
///
/// # Errors
/// As the rule.
pub async fn plan_limits(cx: &Cx) -> Result<Vec<PlanLimit>> {
    let caller = cx.authorize(&PLAN_LIMITS).await?;
    limits_of(&mut *caller.db().await?, caller.account).await
}

/// Where an account stands.
pub(crate) async fn of_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<BillingStatus> {
    let (plan, subscription) = db::plan_and_subscription(connection, account).await?;
    let limits = limits_of(connection, account).await?;
    let (status, renews_at) = match subscription {
        Some((status, renews_at)) => (status, renews_at),
        None => (SubscriptionStatus::None, None),
    };
    Ok(BillingStatus { plan: billing_plan(connection, plan).await?, limits, status, renews_at })
}

async fn limits_of(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<PlanLimit>> {
    use PlanLimitKey as K;
    let limits = effective_limits(connection, account).await?;
    let used = limits::usage(connection, account).await?;
    Ok(vec![
        PlanLimit::new(K::MaxOverlays, limits.max_overlays, Some(used.overlays)),
        PlanLimit::new(K::MaxStorageBytes, limits.max_storage_bytes, Some(used.storage_bytes)),
        PlanLimit::new(K::MaxUploadSizeBytes, limits.max_upload_size_bytes, None),
        PlanLimit::new(K::MaxIntegrations, limits.max_integrations, Some(used.integrations)),
        PlanLimit::new(K::ChatRetentionDays, limits.chat_retention_days, None),
    ])
}

impl PlanLimit {
    fn new(key: PlanLimitKey, limit: EffectiveLimit, used: Option<i64>) -> Self {
        let source = match limit.source {
            limits::LimitSource::Plan => PlanLimitSource::Plan,
            limits::LimitSource::Override => PlanLimitSource::Override,
        };
        Self { key, limit: Int64(limit.value), used: used.map(Int64), source }
    }
}

impl SubscriptionStatus {
    const STORED: [Self; 3] = [Self::Active, Self::PastDue, Self::Cancelled];

    /// The text in JSON, and in the column of a subscription that there is.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status that a stored text names.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::STORED.into_iter().find(|status| status.as_str() == text)
    }
}
