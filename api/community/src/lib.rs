//! Notifications, support tickets, reports of browsers, and the erasure of data about people.

pub mod csp_reports;
pub mod notifications;
pub mod privacy;
pub mod support;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] =
    &[notifications::OPERATIONS, support::OPERATIONS, csp_reports::OPERATIONS, privacy::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    notifications::rest::routes(config);
    support::rest::routes(config);
    csp_reports::rest::routes(config);
    privacy::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    csp_reports::rest::public_routes(config);
}
