//! Copyright of the music that is played on stream: songs, lists of them, votes, and the public directory
//! (reference/copyright.md#copyright).

pub mod candidates;
pub mod checks;
pub mod listed_songs;
pub mod music;
pub mod playlists;
pub mod songs;
pub mod votes;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    checks::OPERATIONS,
    listed_songs::OPERATIONS,
    playlists::OPERATIONS,
    votes::OPERATIONS,
    candidates::OPERATIONS,
    music::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    checks::rest::routes(config);
    listed_songs::rest::routes(config);
    playlists::rest::routes(config);
    votes::rest::routes(config);
    candidates::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    music::rest::public_routes(config);
}
