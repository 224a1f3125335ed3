//! People and what they sign in with: exchange of provider tokens, sessions, the current user, personal API keys.

pub mod api_keys;
pub mod auth;
pub mod tokens;
pub mod users;

use api_core::access::AnyOperation;
use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] =
    &[auth::OPERATIONS, users::OPERATIONS, tokens::OPERATIONS, api_keys::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    auth::rest::routes(config);
    users::rest::routes(config);
    tokens::rest::routes(config);
    api_keys::rest::routes(config);
}

/// Routes that anybody may call.
pub fn public_routes(config: &mut ServiceConfig) {
    auth::rest::public_routes(config);
}
