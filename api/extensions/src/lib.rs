//! Store and installs: the store, reviews, installs, their files, storage and logs, and the feeds of the
//! workers.

pub mod automations;
pub mod bundles;
pub mod feedback;
pub mod functions;
pub mod installs;
mod internal;
pub mod logs;
pub mod reviews;
pub mod storage;
pub mod store;
pub mod tokens;
pub mod uploads;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this crate, by resource.
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

/// Registers the routes that require a credential.
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

/// Registers the routes that accept callers without a credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    bundles::rest::public_routes(config);
    uploads::rest::public_routes(config);
}

/// Registers the routes that require the secret of a webhook instead of a credential.
pub fn webhook_routes(config: &mut ServiceConfig<'_>) {
    automations::rest::webhook_routes(config);
}

/// Registers the internal routes of the workers.
pub fn worker_routes(config: &mut ServiceConfig<'_>) {
    internal::rest::routes(config);
}

/// Registers the internal feeds of handler code, which are left out of the OpenAPI document.
pub fn undocumented_routes(config: &mut actix_web::web::ServiceConfig) {
    internal::rest::undocumented_routes(config);
}
