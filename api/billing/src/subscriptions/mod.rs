//! Subscriptions of all accounts, for staff (reference/billing.md#subscriptions).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::catalogue::AdminPermission;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::status::SubscriptionStatus;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ADMIN_SUBSCRIPTIONS];

/// Subscription of an account to a plan with a price.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminSubscription {
    /// Id of the subscription.
    pub id: Uuid,
    /// Id of the account.
    pub account_id: Uuid,
    /// Name of the account.
    pub account_name: String,
    /// Id of the plan.
    pub plan_id: Uuid,
    /// Slug of the plan.
    pub plan_slug: String,
    /// Name of the plan.
    pub plan_name: String,
    /// Status of the subscription.
    pub status: SubscriptionStatus,
    /// Time of the next renewal; null when the subscription does not renew.
    pub renews_at: Option<Timestamp>,
    /// Time of the cancellation; null unless cancelled.
    pub cancelled_at: Option<Timestamp>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Filter and page of the subscriptions.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SubscriptionQuery {
    /// Status of the subscriptions; absent: all. No subscription has `none`.
    #[param(inline)]
    pub status: Option<SubscriptionStatus>,
    /// Plan of the subscriptions; absent: all.
    pub plan_id: Option<Uuid>,
    /// Number of the page, from 1; absent: 1.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Subscriptions of a page, 1 to 100; absent: 25.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static ADMIN_SUBSCRIPTIONS: Operation<Admin> =
    Operation::admin("adminSubscriptions", AdminPermission::SubscriptionsRead, Grants::Nothing);

/// Lists the subscriptions of all accounts.
///
/// The newest subscription comes first. Accounts that never were on a plan with a price have none.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the status is unknown, the plan is malformed, or the page is out of bounds.
#[api_core::operation]
pub async fn admin_subscriptions(
    cx: &Cx,
    query: Input<SubscriptionQuery>,
) -> Result<Page<AdminSubscription>> {
    let admin = cx.authorize(&ADMIN_SUBSCRIPTIONS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::list(&mut *admin.db().await?, &query, window).await?;
    Ok(Page { items, total, window })
}
