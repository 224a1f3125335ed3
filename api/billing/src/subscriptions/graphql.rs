//! Subscriptions over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminSubscription, SubscriptionQuery};
use crate::status::SubscriptionStatus;

/// Queries of subscriptions.
pub struct SubscriptionQueries;

graphql_page! {
    /// One page of subscriptions.
    AdminSubscriptionPage of AdminSubscription
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SubscriptionQueries {
    async fn admin_subscriptions(
        ctx: &Cx,
        status: Option<SubscriptionStatus>,
        plan_id: Option<Uuid>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<AdminSubscriptionPage> {
        let query =
            SubscriptionQuery { status, plan_id, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_subscriptions(ctx, Ok(query)).await?.into())
    }
}
