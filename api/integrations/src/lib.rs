//! Services beside the platforms: OBS (reference/obs.md), music of Spotify (reference/music.md) and tips of
//! StreamElements (reference/tips.md).

pub mod obs;
pub mod se_tokens;
pub mod spotify;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    obs::configs::OPERATIONS,
    obs::control::OPERATIONS,
    se_tokens::OPERATIONS,
    se_tokens::admin::OPERATIONS,
    spotify::playback::OPERATIONS,
    spotify::library::OPERATIONS,
    spotify::manual_connect::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    obs::configs::rest::routes(config);
    obs::control::rest::routes(config);
    se_tokens::rest::routes(config);
    spotify::playback::rest::routes(config);
    spotify::library::rest::routes(config);
    spotify::manual_connect::rest::routes(config);
}
