//! Payment operations. The service never calls a payment provider, so each of them checks the rights of the
//! caller and then returns 400 `Billing is not enabled`, independent of the input. The types are those of a
//! deployment with a provider (reference/billing.md#payments).

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{coupons::CouponDuration, status::BillingStatus};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&CREATE_CHECKOUT, &CREATE_PORTAL, &CANCEL_SUBSCRIPTION, &INVOICES, &VALIDATE_COUPON];

/// A plan to buy.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateCheckoutInput {
    /// Id of the plan.
    pub plan_id: Uuid,
    /// Interval of the payments.
    pub interval: BillingInterval,
    /// Code of a coupon to redeem.
    pub coupon_code: Option<String>,
}

/// Interval of the payments for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BillingInterval {
    /// One payment a month.
    Monthly,
    /// One payment a year.
    Yearly,
}

/// Page of the payment provider for buying a plan.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct CheckoutSession {
    /// Address of the page.
    pub url: String,
}

/// Page of the payment provider for managing payments.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct PortalSession {
    /// Address of the page.
    pub url: String,
}

/// An invoice of the account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Invoice {
    /// Id of the invoice.
    pub id: Uuid,
    /// Number of the invoice.
    pub number: String,
    /// Amount in minor units of `currency`.
    pub amount: Int64,
    /// Code of the currency, ISO 4217.
    pub currency: String,
    /// Time of issue.
    pub issued_at: Timestamp,
    /// Time of payment; null while it is not paid.
    pub paid_at: Option<Timestamp>,
}

/// A coupon, as customers see it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct CouponValidation {
    /// Code of the coupon.
    pub code: String,
    /// True when the coupon can be redeemed.
    pub is_valid: bool,
    /// Discount in percent, 1 to 100; null when an amount is taken off.
    pub percent_off: Option<i32>,
    /// Discount in minor units of the plan's currency; null when a percentage is taken off.
    pub amount_off: Option<Int64>,
    /// Payments that are discounted.
    pub duration: CouponDuration,
}

pub static CREATE_CHECKOUT: Operation<AccountCaller> =
    Operation::account("createCheckout", AccountPermission::PlanEdit, Grants::Nothing).idempotent();

/// Starts the purchase of a plan at the payment provider.
///
/// Not available: the service calls no payment provider.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Billing is not enabled`: always.
#[api_core::operation]
pub async fn create_checkout(cx: &Cx, _input: Input<CreateCheckoutInput>) -> Result<CheckoutSession> {
    cx.authorize(&CREATE_CHECKOUT).await?;
    Err(not_enabled())
}

pub static CREATE_PORTAL: Operation<AccountCaller> =
    Operation::account("createPortal", AccountPermission::PlanEdit, Grants::Nothing).idempotent();

/// Opens the page of the payment provider for managing payments.
///
/// Not available: the service calls no payment provider.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Billing is not enabled`: always.
#[api_core::operation]
pub async fn create_portal(cx: &Cx) -> Result<PortalSession> {
    cx.authorize(&CREATE_PORTAL).await?;
    Err(not_enabled())
}

pub static CANCEL_SUBSCRIPTION: Operation<AccountCaller> =
    Operation::account("cancelSubscription", AccountPermission::PlanEdit, Grants::Nothing).idempotent();

/// Cancels the subscription of the account at the end of the paid period.
///
/// Not available: the service calls no payment provider.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Billing is not enabled`: always.
#[api_core::operation]
pub async fn cancel_subscription(cx: &Cx) -> Result<BillingStatus> {
    cx.authorize(&CANCEL_SUBSCRIPTION).await?;
    Err(not_enabled())
}

pub static INVOICES: Operation<AccountCaller> =
    Operation::account("invoices", AccountPermission::PlanRead, Grants::Nothing);

/// Lists the invoices of the account.
///
/// Not available: the service calls no payment provider.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Billing is not enabled`: always.
#[api_core::operation]
pub async fn invoices(cx: &Cx) -> Result<Vec<Invoice>> {
    cx.authorize(&INVOICES).await?;
    Err(not_enabled())
}

pub static VALIDATE_COUPON: Operation<AccountCaller> =
    Operation::account("validateCoupon", AccountPermission::PlanRead, Grants::Nothing);

/// Checks whether a coupon can be redeemed.
///
/// Not available: the service calls no payment provider.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Billing is not enabled`: always.
#[api_core::operation]
pub async fn validate_coupon(cx: &Cx, _code: Input<String>) -> Result<CouponValidation> {
    cx.authorize(&VALIDATE_COUPON).await?;
    Err(not_enabled())
}

pub(crate) fn not_enabled() -> ApiError {
    ApiError::bad_request("Billing is not enabled")
}
