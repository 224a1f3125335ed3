//! Ideas board: ideas with votes, comments and a timeline, their categories and tags
//! (reference/ideas.md#ideas).

pub mod categories;
pub mod comments;
mod html;
pub mod ideas;
mod kinds;
mod limits;
mod mentions;
mod names;
mod notifications;
pub mod participants;
mod people;
mod rights;
mod stored;
pub mod tags;
pub mod timeline;
pub mod votes;

use api_core::{access::AnyOperation, http::ServiceConfig};

pub use kinds::{IdeaStatus, IdeaVoteType};
pub use people::IdeaAuthor;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    ideas::OPERATIONS,
    votes::OPERATIONS,
    comments::OPERATIONS,
    timeline::OPERATIONS,
    participants::OPERATIONS,
    categories::OPERATIONS,
    tags::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    participants::rest::routes(config);
    categories::rest::routes(config);
    tags::rest::routes(config);
}

/// Routes that need no credential. Those of categories, tags and comments are tried before those of an idea.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    categories::rest::public_routes(config);
    tags::rest::public_routes(config);
    comments::rest::public_routes(config);
    votes::rest::public_routes(config);
    timeline::rest::public_routes(config);
    ideas::rest::public_routes(config);
}
