//! What a payment provider would do (specification C §8.2). The service never calls one (A §2.5), so billing is enabled
//! nowhere: each of these checks who asks and then answers 400 `Billing is not enabled`, whatever the input is. The
//! shapes are those that a deployment with a provider will answer.

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

/// What is to be bought.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateCheckoutInput {
    pub plan_id: Uuid,
    pub interval: BillingInterval,
    pub coupon_code: Option<String>,
}

/// How often a plan is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BillingInterval {
    Monthly,
    Yearly,
}

/// A page of the provider's where a plan is paid.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct CheckoutSession {
    pub url: String,
}

/// A page of the provider's where payment is managed.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct PortalSession {
    pub url: String,
}

/// An invoice.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Invoice {
    pub id: Uuid,
    pub number: String,
    /// Minor units.
    pub amount: Int64,
    /// ISO 4217.
    pub currency: String,
    pub issued_at: Timestamp,
    pub paid_at: Option<Timestamp>,
}

/// A coupon as a customer sees it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct CouponValidation {
    pub code: String,
    pub is_valid: bool,
    /// 1 to 100, or null where an amount is taken off.
    pub percent_off: Option<i32>,
    /// Minor units of the plan's currency, or null where a share is taken off.
    pub amount_off: Option<Int64>,
    pub duration: CouponDuration,
}

/// Begins to buy a plan.
pub static CREATE_CHECKOUT: Operation<AccountCaller> =
    Operation::account("createCheckout", AccountPermission::PlanEdit, Grants::Nothing);

/// Begins to buy a plan at the payment provider.
///
/// # Errors
/// As the rule; 400 `Billing is not enabled`.
pub async fn create_checkout(cx: &Cx, _input: Input<CreateCheckoutInput>) -> Result<CheckoutSession> {
    cx.authorize(&CREATE_CHECKOUT).await?;
    Err(not_enabled())
}

/// Opens the provider's page where payment is managed.
pub static CREATE_PORTAL: Operation<AccountCaller> =
    Operation::account("createPortal", AccountPermission::PlanEdit, Grants::Nothing);

/// Opens the provider's page where payment is managed.
///
/// # Errors
/// As the rule; 400 `Billing is not enabled`.
pub async fn create_portal(cx: &Cx) -> Result<PortalSession> {
    cx.authorize(&CREATE_PORTAL).await?;
    Err(not_enabled())
}

/// Ends the subscription with its paid period.
pub static CANCEL_SUBSCRIPTION: Operation<AccountCaller> =
    Operation::account("cancelSubscription", AccountPermission::PlanEdit, Grants::Nothing);

/// Ends the subscription with its paid period.
///
/// # Errors
/// As the rule; 400 `Billing is not enabled`.
pub async fn cancel_subscription(cx: &Cx) -> Result<BillingStatus> {
    cx.authorize(&CANCEL_SUBSCRIPTION).await?;
    Err(not_enabled())
}

/// The account's invoices.
pub static INVOICES: Operation<AccountCaller> =
    Operation::account("invoices", AccountPermission::PlanRead, Grants::Nothing);

/// Lists the account's invoices.
///
/// # Errors
/// As the rule; 400 `Billing is not enabled`.
pub async fn invoices(cx: &Cx) -> Result<Vec<Invoice>> {
    cx.authorize(&INVOICES).await?;
    Err(not_enabled())
}

/// Whether a coupon can be redeemed.
pub static VALIDATE_COUPON: Operation<AccountCaller> =
    Operation::account("validateCoupon", AccountPermission::PlanRead, Grants::Nothing);

/// Tells whether a coupon can be redeemed.
///
/// # Errors
/// As the rule; 400 `Billing is not enabled`.
pub async fn validate_coupon(cx: &Cx, _code: Input<String>) -> Result<CouponValidation> {
    cx.authorize(&VALIDATE_COUPON).await?;
    Err(not_enabled())
}

pub(crate) fn not_enabled() -> ApiError {
    ApiError::bad_request("Billing is not enabled")
}
