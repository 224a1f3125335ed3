//! Subscriptions over GraphQL.

use api_core::{Cx, Page, Result, graphql::Int64};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{AdminSubscription, SubscriptionQuery};
use crate::status::SubscriptionStatus;

pub struct SubscriptionQueries;

/// One page of subscriptions.
#[derive(GraphQLObject)]
pub struct AdminSubscriptionPage {
    items: Vec<AdminSubscription>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<AdminSubscription>> for AdminSubscriptionPage {
    fn from(page: Page<AdminSubscription>) -> Self {
        let pages = Int64(page.pages());
        Self {
            total: Int64(page.total),
            page: Int64(page.window.page),
            limit: Int64(page.window.limit),
            pages,
            items: page.items,
        }
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SubscriptionQueries {
    /// Subscriptions of all accounts, newest first.
    async fn admin_subscriptions(
        ctx: &Cx,
        status: Option<SubscriptionStatus>,
        plan_id: Option<Uuid>,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<AdminSubscriptionPage> {
        let query = SubscriptionQuery { status, plan_id, page: page.map(|n| n.0), limit: limit.map(|n| n.0) };
        Ok(super::admin_subscriptions(ctx, Ok(query)).await?.into())
    }
}
