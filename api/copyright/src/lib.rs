//! Copyright of the music that is played on stream: songs, and votes on them
//! (reference/copyright.md#copyright).

pub mod songs;
pub mod votes;

use api_core::access::AnyOperation;
use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[votes::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    votes::rest::routes(config);
}
