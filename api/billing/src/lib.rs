//! What accounts may use: features, and the platforms that are open.

pub mod features;

use api_core::access::AnyOperation;
use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[features::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    features::rest::routes(config);
}

/// Routes that anybody may call.
pub fn public_routes(config: &mut ServiceConfig) {
    features::rest::public_routes(config);
}
