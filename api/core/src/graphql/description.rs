//! Descriptions of the root fields.

use arcstr::ArcStr;
use juniper::meta::Field;

use crate::access::descriptions;

/// The field of an operation with the description of its function.
#[must_use]
pub fn described<S>(mut field: Field<S>) -> Field<S> {
    if let Some(published) = descriptions::of_operation(&field.name) {
        field.description = Some(ArcStr::from(published.text()));
    }
    field
}
