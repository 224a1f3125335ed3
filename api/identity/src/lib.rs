//! People and their credentials: sign-in by provider tokens, sessions, the current user, keys and popout
//! tokens.

pub mod api_keys;
pub mod auth;
pub mod login_connections;
pub mod popout_sessions;
pub mod service_keys;
pub mod sessions;
pub mod system_keys;
pub mod tokens;
pub mod users;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Maximum number of characters of the label of a key or token.
pub(crate) const MAX_LABEL_LENGTH: usize = 100;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    auth::OPERATIONS,
    users::OPERATIONS,
    sessions::OPERATIONS,
    login_connections::OPERATIONS,
    tokens::OPERATIONS,
    api_keys::OPERATIONS,
    service_keys::OPERATIONS,
    system_keys::OPERATIONS,
    popout_sessions::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    auth::rest::routes(config);
    users::rest::routes(config);
    sessions::rest::routes(config);
    login_connections::rest::routes(config);
    tokens::rest::routes(config);
    api_keys::rest::routes(config);
    service_keys::rest::routes(config);
    system_keys::rest::routes(config);
    popout_sessions::rest::routes(config);
}

/// Routes without a credential.
pub fn public_routes(config: &mut ServiceConfig) {
    auth::rest::public_routes(config);
    popout_sessions::rest::public_routes(config);
}
