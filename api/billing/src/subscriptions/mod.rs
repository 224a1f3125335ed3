//! Subscriptions of all accounts, for operators (specification C §8.2).

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

/// The subscription of an account to a plan that costs something.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminSubscription {
    pub id: Uuid,
    pub account_id: Uuid,
    pub account_name: String,
    pub plan_id: Uuid,
    pub plan_slug: String,
    pub plan_name: String,
    pub status: SubscriptionStatus,
    /// Null when nothing renews.
    pub renews_at: Option<Timestamp>,
    /// Null unless cancelled.
    pub cancelled_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Which subscriptions are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SubscriptionQuery {
    #[param(inline)]
    pub status: Option<SubscriptionStatus>,
    pub plan_id: Option<Uuid>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Every subscription.
pub static ADMIN_SUBSCRIPTIONS: Operation<Admin> =
    Operation::admin("adminSubscriptions", AdminPermission::SubscriptionsRead, Grants::Nothing);

/// Lists subscriptions, newest first. No subscription has the status `none`.
///
/// # Errors
/// As the rule; 400 for an unknown status, a malformed plan or a page out of bounds.
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
