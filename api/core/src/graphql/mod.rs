//! Parts of GraphQL: scalars, the merged roots, bounds and JSON (reference/graphql.md#requests).

mod arguments;
mod cost;
mod description;
mod introspection;
pub mod limits;
mod long_lists;
mod overlaps;
mod page;
mod root;
mod rows;
mod scalars;
mod shape;
mod variables;

pub use arcstr::ArcStr;
pub use cost::{Known, Measured};
pub use description::described;
pub use foundation::db::operation;
pub use introspection::Census;
pub use limits::Bound;
pub use overlaps::check_overlaps;
pub use page::int;
pub use rows::Pages;
pub use scalars::{Int64, Json, JsonNames, json_value};
pub use shape::check_shape;
pub use variables::{Declared, JsonPlaces};
