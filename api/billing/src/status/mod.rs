//! Billing status of an account: plan, limits, subscription (reference/billing.md#limits).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use account_model::limits::{self, EffectiveLimit};
use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    limits::effective_limits,
};
use diesel_async::AsyncPgConnection;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{catalogue::AccountPermission, id::AccountId};
use utoipa::ToSchema;

use crate::plans::{BillingPlan, billing_plan};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&BILLING_STATUS, &PLAN_LIMITS];

/// Plan, limits and subscription of an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct BillingStatus {
    /// Plan of the account, also when it is not public.
    pub plan: BillingPlan,
    /// Effective limits of the account.
    pub limits: Vec<PlanLimit>,
    /// Status of the subscription.
    pub status: SubscriptionStatus,
    /// Time of the next renewal; null when the subscription does not renew.
    pub renews_at: Option<Timestamp>,
}

/// A limit of an account and its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct PlanLimit {
    /// Kind of limit.
    pub key: PlanLimitKey,
    /// Effective value. 2147483647 means unlimited for numbers and days, not for bytes.
    pub limit: Int64,
    /// Present use; null for the size of an upload and the days that chat is kept.
    pub used: Option<Int64>,
    /// Source of the value.
    pub source: PlanLimitSource,
}

/// Kind of limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanLimitKey {
    /// Number of overlays.
    MaxOverlays,
    /// Bytes of uploads, sounds and extension uploads together.
    MaxStorageBytes,
    /// Bytes of one upload.
    MaxUploadSizeBytes,
    /// Number of integrations.
    MaxIntegrations,
    /// Days that chat is kept.
    ChatRetentionDays,
}

/// Source of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanLimitSource {
    /// Plan of the account.
    Plan,
    /// Value that staff set for the account.
    Override,
}

/// Status of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionStatus {
    /// The account never had a subscription.
    None,
    /// The subscription is paid.
    Active,
    /// A payment is overdue.
    PastDue,
    /// The subscription has ended.
    Cancelled,
}

pub static BILLING_STATUS: Operation<AccountCaller> =
    Operation::account("billingStatus", AccountPermission::PlanRead, Grants::Nothing).polled();

/// Returns the plan, limits and subscription of the account.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn billing_status(cx: &Cx) -> Result<BillingStatus> {
    let caller = cx.authorize(&BILLING_STATUS).await?;
    of_account(&mut *caller.db().await?, caller.account).await
}

pub static PLAN_LIMITS: Operation<AccountCaller> =
    Operation::account("planLimits", AccountPermission::PlanRead, Grants::Nothing).polled();

/// Lists the limits of the account and how much of each is used.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn plan_limits(cx: &Cx) -> Result<Vec<PlanLimit>> {
    let caller = cx.authorize(&PLAN_LIMITS).await?;
    limits_of(&mut *caller.db().await?, caller.account).await
}

/// Billing status of an account.
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

    /// Text of the status in JSON, and in the column of a subscription.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Cancelled => "cancelled",
        }
    }

    /// Status of a stored text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::STORED.into_iter().find(|status| status.as_str() == text)
    }
}
