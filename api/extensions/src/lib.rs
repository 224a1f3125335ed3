//! Extensions in accounts: installs, their logs, the kill switch, and the feeds that the workers read.

pub mod bot_modules;
pub mod installs;
mod internal;
pub mod logs;

use api_core::access::AnyOperation;
use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] =
    &[installs::OPERATIONS, logs::OPERATIONS, bot_modules::OPERATIONS, internal::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    installs::rest::routes(config);
    logs::rest::routes(config);
    bot_modules::rest::routes(config);
}

/// The internal feeds, which stay out of the OpenAPI document.
pub fn undocumented_routes(config: &mut actix_web::web::ServiceConfig) {
    internal::rest::routes(config);
}
