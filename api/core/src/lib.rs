//! Foundation of every domain of the API: access control ([`access`]), the parts of REST ([`http`]) and of
//! GraphQL ([`graphql`]).

pub mod access;
pub mod cache;
pub mod cursor;
pub mod deprecations;
pub mod error;
pub mod graphql;
pub mod http;
pub mod limits;
pub mod objects;
pub mod page;
pub mod patch;
pub mod state;
pub mod timestamp;
pub mod token;
pub mod ttl_cache;
pub mod usage;
pub mod validate;
pub mod webhooks;

pub use access::{Cx, Operation};
pub use cursor::{CursorPage, CursorRequest, Position};
pub use error::{ApiError, Code, Result};
pub use http::Input;
pub use operation_macro::operation;
pub use page::{Page, PageRequest};
pub use patch::Patch;
pub use state::State;
pub use timestamp::Timestamp;
