//! What happens live: deliveries of the platforms, and what extension handlers ask to be done.

pub mod actions;
pub mod webhooks;

use api_core::access::AnyOperation;
use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[webhooks::OPERATIONS, actions::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    actions::rest::routes(config);
}

/// Routes that the platforms call: they carry a signature instead of a credential and are not counted against a rate
/// limit, so they stand outside the authentication of requests.
pub fn webhook_routes(config: &mut ServiceConfig) {
    webhooks::rest::routes(config);
}
