//! The store and what accounts do with extensions: installs, reviews, files, logs, and the feeds that the
//! workers read.

pub mod automations;
pub mod bundles;
pub mod feedback;
pub mod functions;
pub mod installs;
mod internal;
pub mod logs;
mod raw;
pub mod reviews;
pub mod storage;
pub mod store;
pub mod tokens;
pub mod uploads;

use api_core::access::AnyOperation;
pub use raw::is_open_to_all;
use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    store::OPERATIONS,
    reviews::OPERATIONS,
    bundles::OPERATIONS,
    uploads::OPERATIONS,
    feedback::OPERATIONS,
    installs::OPERATIONS,
    storage::OPERATIONS,
    functions::OPERATIONS,
    tokens::OPERATIONS,
    logs::OPERATIONS,
    automations::OPERATIONS,
    internal::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    store::rest::routes(config);
    reviews::rest::routes(config);
    uploads::rest::routes(config);
    feedback::rest::routes(config);
    installs::rest::routes(config);
    storage::rest::routes(config);
    functions::rest::routes(config);
    tokens::rest::routes(config);
    logs::rest::routes(config);
    automations::rest::routes(config);
}

/// Routes that anybody may call.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    bundles::rest::public_routes(config);
    uploads::rest::public_routes(config);
}

/// Routes that carry the secret of a webhook instead of a credential.
pub fn webhook_routes(config: &mut ServiceConfig<'_>) {
    automations::rest::webhook_routes(config);
}

/// What the workers read and write.
pub fn worker_routes(config: &mut ServiceConfig<'_>) {
    internal::rest::routes(config);
}

/// The internal feed of handlers, which stays out of the OpenAPI document.
pub fn undocumented_routes(config: &mut actix_web::web::ServiceConfig) {
    internal::rest::undocumented_routes(config);
}
