//! What every domain of the API stands on: who may do what ([`access`]), how REST speaks ([`http`]) and how GraphQL
//! speaks ([`graphql`]).

pub mod access;
pub mod briefly;
pub mod cache;
pub mod connections;
pub mod error;
pub mod extension_data;
pub mod graphql;
pub mod http;
pub mod invites;
pub mod limits;
pub mod login_connections;
pub mod page;
pub mod patch;
pub mod sessions;
pub mod sign_in_changes;
pub mod state;
pub mod timestamp;
pub mod usage;
pub mod validate;
pub mod webhooks;

pub use access::{Cx, Operation};
pub use error::{ApiError, Code, Result};
pub use http::Input;
pub use page::{Page, PageRequest};
pub use patch::Patch;
pub use state::State;
pub use timestamp::Timestamp;
