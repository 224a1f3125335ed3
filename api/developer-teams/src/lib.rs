//! Teams of developers: teams, members, invites and roles (reference/teams.md).

mod fields;
pub mod invites;
pub mod members;
pub mod roles;
pub mod teams;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] =
    &[teams::OPERATIONS, members::OPERATIONS, invites::OPERATIONS, roles::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    teams::rest::routes(config);
    members::rest::routes(config);
    invites::rest::routes(config);
    roles::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    teams::rest::public_routes(config);
}
