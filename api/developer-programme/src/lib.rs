//! Programme of developers: applications, verifications, profiles, limits and payouts (reference/programme.md).

pub mod applications;
mod developers;
mod fields;
pub mod limit_requests;
pub mod limits;
mod masking;
pub mod payouts;
pub mod profiles;
mod uploads;
pub mod verifications;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    applications::OPERATIONS,
    verifications::OPERATIONS,
    profiles::OPERATIONS,
    payouts::OPERATIONS,
    limits::OPERATIONS,
    limit_requests::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    applications::rest::routes(config);
    verifications::rest::routes(config);
    profiles::rest::routes(config);
    payouts::rest::routes(config);
    limits::rest::routes(config);
    limit_requests::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    profiles::rest::public_routes(config);
}
