//! How GraphQL speaks: scalars, the merged roots and what both need of JSON (specification C §12).

pub mod limits;
mod root;
mod scalars;
mod variables;

pub use arcstr::ArcStr;
pub use limits::Measured;
pub use scalars::{Int64, Json, JsonNames, json_value};
pub use variables::{Declared, JsonPlaces};
