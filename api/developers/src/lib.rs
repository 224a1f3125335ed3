//! Developers and their extensions: the developer REST API, uploads of versions, review, and telemetry.

pub mod developer_api;
mod engine;
mod envelope;
pub mod extensions;
pub mod lifecycle;
mod owners;
pub mod review;
pub mod telemetry;

use api_core::{access::AnyOperation, http::ServiceConfig};

pub use envelope::{DeveloperError, developer_envelope};

/// Every operation of this crate, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    developer_api::extensions::OPERATIONS,
    developer_api::versions::OPERATIONS,
    developer_api::secrets::OPERATIONS,
    extensions::OPERATIONS,
    extensions::versions::OPERATIONS,
    extensions::secrets::OPERATIONS,
    extensions::testers::OPERATIONS,
    extensions::access::OPERATIONS,
    review::OPERATIONS,
    telemetry::OPERATIONS,
];

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    developer_api::routes(config);
    extensions::rest::routes(config);
    extensions::versions::rest::routes(config);
    extensions::secrets::rest::routes(config);
    extensions::testers::rest::routes(config);
    extensions::access::rest::routes(config);
    review::rest::routes(config);
    telemetry::rest::routes(config);
}
