//! Archives of an account: export by its owner, and download (reference/archives.md#archives).

pub mod archives;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[archives::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    archives::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    archives::rest::public_routes(config);
}
