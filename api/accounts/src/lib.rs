//! Accounts, the tenants of the service: members, invites, settings, login assignments, audit log, and what is left
//! of the limits of a caller.

pub mod accounts;
pub mod audit_log;
pub mod invites;
pub mod limits;
pub mod login_assignments;
pub mod members;
mod named;
pub mod settings;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    accounts::OPERATIONS,
    audit_log::OPERATIONS,
    invites::OPERATIONS,
    limits::OPERATIONS,
    login_assignments::OPERATIONS,
    members::OPERATIONS,
    settings::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    // Registered before the accounts, whose `/{id}` would match these paths too.
    login_assignments::rest::routes(config);
    accounts::rest::routes(config);
    members::rest::routes(config);
    invites::rest::routes(config);
    settings::rest::routes(config);
    audit_log::rest::routes(config);
    limits::rest::routes(config);
}

/// Routes without a credential.
pub fn public_routes(config: &mut ServiceConfig) {
    invites::rest::public_routes(config);
}
