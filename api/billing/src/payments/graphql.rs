//! What a payment provider would do, over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{CheckoutSession, CouponValidation, CreateCheckoutInput, Invoice, PortalSession};
use crate::status::BillingStatus;

pub struct PaymentQueries;
pub struct PaymentMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PaymentQueries {
    /// The account's invoices.
    async fn invoices(ctx: &Cx) -> Result<Vec<Invoice>> {
        super::invoices(ctx).await
    }

    /// Whether a coupon can be redeemed.
    async fn validate_coupon(ctx: &Cx, code: String) -> Result<CouponValidation> {
        super::validate_coupon(ctx, Ok(code)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PaymentMutations {
    /// Begin to buy a plan.
    async fn create_checkout(ctx: &Cx, input: CreateCheckoutInput) -> Result<CheckoutSession> {
        super::create_checkout(ctx, Ok(input)).await
    }

    /// Open the provider's page where payment is managed.
    async fn create_portal(ctx: &Cx) -> Result<PortalSession> {
        super::create_portal(ctx).await
    }

    /// End the subscription with its paid period.
    async fn cancel_subscription(ctx: &Cx) -> Result<BillingStatus> {
        super::cancel_subscription(ctx).await
    }
}
