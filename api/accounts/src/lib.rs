//! Accounts: the tenants that people share.

pub mod accounts;

use api_core::access::AnyOperation;
use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[accounts::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    accounts::rest::routes(config);
}
