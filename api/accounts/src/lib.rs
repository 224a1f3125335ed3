//! Accounts: the tenants that people share.

pub mod accounts;
pub mod audit_log;
pub mod invites;
pub mod login_assignments;
pub mod members;
mod named;
pub mod settings;

use api_core::access::AnyOperation;
use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    accounts::OPERATIONS,
    audit_log::OPERATIONS,
    invites::OPERATIONS,
    login_assignments::OPERATIONS,
    members::OPERATIONS,
    settings::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    // Before the accounts, whose `/{id}` would match them too.
    login_assignments::rest::routes(config);
    accounts::rest::routes(config);
    members::rest::routes(config);
    invites::rest::routes(config);
    settings::rest::routes(config);
    audit_log::rest::routes(config);
}

/// Routes that need none.
pub fn public_routes(config: &mut ServiceConfig) {
    invites::rest::public_routes(config);
}
