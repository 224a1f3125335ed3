//! Features and billing: feature flags, platform switches, plans and their limits, subscriptions, coupons,
//! payouts.

pub mod coupons;
pub mod feature_flags;
pub mod feature_overrides;
pub mod features;
pub mod payments;
pub mod payouts;
pub mod plan_change;
pub mod plan_features;
pub mod plans;
pub mod platforms;
pub mod providers;
pub mod status;
pub mod subscriptions;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    features::OPERATIONS,
    feature_flags::OPERATIONS,
    plan_features::OPERATIONS,
    feature_overrides::OPERATIONS,
    platforms::OPERATIONS,
    providers::OPERATIONS,
    plans::OPERATIONS,
    status::OPERATIONS,
    plan_change::OPERATIONS,
    payments::OPERATIONS,
    subscriptions::OPERATIONS,
    coupons::OPERATIONS,
    payouts::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    features::rest::routes(config);
    feature_flags::rest::routes(config);
    plan_features::rest::routes(config);
    feature_overrides::rest::routes(config);
    platforms::rest::routes(config);
    providers::rest::routes(config);
    plans::rest::routes(config);
    status::rest::routes(config);
    plan_change::rest::routes(config);
    payments::rest::routes(config);
    subscriptions::rest::routes(config);
    coupons::rest::routes(config);
    payouts::rest::routes(config);
}

/// Routes without a credential.
pub fn public_routes(config: &mut ServiceConfig) {
    features::rest::public_routes(config);
    plans::rest::public_routes(config);
}

/// Routes for the payment provider. They carry a signature instead of a credential and are not in the OpenAPI
/// document (reference/conventions.md#openapi-document).
pub fn undocumented_webhook_routes(config: &mut actix_web::web::ServiceConfig) {
    payouts::webhook::routes(config);
}
