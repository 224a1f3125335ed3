//! Outbound webhooks of an account: endpoints, their secrets and deliveries (reference/webhooks.md#endpoints).

pub mod deliveries;
pub mod endpoints;
mod readable;
pub mod secrets;
mod stored;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] =
    &[endpoints::OPERATIONS, secrets::OPERATIONS, deliveries::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    endpoints::rest::routes(config);
    secrets::rest::routes(config);
    deliveries::rest::routes(config);
}
