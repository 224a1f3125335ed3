//! Payment operations over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{CheckoutSession, CouponValidation, CreateCheckoutInput, Invoice, PortalSession};
use crate::status::BillingStatus;

/// Queries of payments.
pub struct PaymentQueries;
/// Mutations of payments.
pub struct PaymentMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PaymentQueries {
    async fn invoices(ctx: &Cx) -> Result<Vec<Invoice>> {
        super::invoices(ctx).await
    }

    async fn validate_coupon(ctx: &Cx, code: String) -> Result<CouponValidation> {
        super::validate_coupon(ctx, Ok(code)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PaymentMutations {
    async fn create_checkout(ctx: &Cx, input: CreateCheckoutInput) -> Result<CheckoutSession> {
        super::create_checkout(ctx, Ok(input)).await
    }

    async fn create_portal(ctx: &Cx) -> Result<PortalSession> {
        super::create_portal(ctx).await
    }

    async fn cancel_subscription(ctx: &Cx) -> Result<BillingStatus> {
        super::cancel_subscription(ctx).await
    }
}
