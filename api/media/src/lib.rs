//! Media of an account: uploads and sounds (reference/media.md#media).

pub mod files;
mod signed;
pub mod sounds;
pub mod uploads;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[uploads::OPERATIONS, sounds::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    uploads::rest::routes(config);
    sounds::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    uploads::rest::public_routes(config);
    sounds::rest::public_routes(config);
}
