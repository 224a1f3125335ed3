//! Public statistics, watchlists and the scope of the crawler (reference/public-stats.md#operations).

pub mod browse;
pub mod channels;
pub mod crawler_scope;
pub mod crawler_watchlist;
pub mod emotes;
pub mod games;
mod lists;
mod names;
mod platforms;
mod responses;
pub mod settings;
pub mod streams;
pub mod watchlist;

use api_core::{access::AnyOperation, http::ServiceConfig};

pub use lists::{PublicStatsOrder, PublicStatsRange};
pub use platforms::PublicStatsPlatform;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    settings::OPERATIONS,
    channels::OPERATIONS,
    streams::OPERATIONS,
    browse::OPERATIONS,
    games::OPERATIONS,
    emotes::OPERATIONS,
    watchlist::OPERATIONS,
    crawler_scope::OPERATIONS,
    crawler_watchlist::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    settings::rest::routes(config);
    watchlist::rest::routes(config);
    crawler_scope::rest::routes(config);
    crawler_watchlist::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    channels::rest::public_routes(config);
    streams::rest::public_routes(config);
    browse::rest::public_routes(config);
    games::rest::public_routes(config);
    emotes::rest::public_routes(config);
}
