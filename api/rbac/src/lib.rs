//! Rights: roles of accounts, platform-wide roles of people, roles of operator staff, the overrides beside
//! them, and explanations of what follows from them. Also the operations of staff on people, accounts and OAuth clients.

pub mod admin_accounts;
pub mod admin_roles;
pub mod admin_users;
mod authority;
pub mod explain;
mod naming;
pub mod oauth_clients;
pub mod overrides;
mod people;
mod publish;
mod requested;
pub mod roles;
mod search;
pub mod user_roles;

use api_core::{access::AnyOperation, http::ServiceConfig};

pub use search::SearchQuery;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    roles::OPERATIONS,
    user_roles::OPERATIONS,
    overrides::OPERATIONS,
    admin_roles::OPERATIONS,
    admin_users::OPERATIONS,
    admin_accounts::OPERATIONS,
    oauth_clients::OPERATIONS,
    explain::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    roles::rest::routes(config);
    user_roles::rest::routes(config);
    overrides::rest::routes(config);
    admin_roles::rest::routes(config);
    admin_users::rest::routes(config);
    admin_accounts::rest::routes(config);
    oauth_clients::rest::routes(config);
    explain::rest::routes(config);
}
