//! Descriptions of the root fields.

use arcstr::ArcStr;
use juniper::{Registry, meta::Field};

use super::arguments;
use crate::access::descriptions;

/// The field of an operation with the description of its function, and of each argument.
#[must_use]
pub fn described<S>(mut field: Field<S>, registry: &Registry<S>) -> Field<S> {
    arguments::describe(&mut field, registry);
    if let Some(published) = descriptions::of_operation(&field.name) {
        field.description = Some(ArcStr::from(published.text()));
    }
    field
}
