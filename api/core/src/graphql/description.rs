//! Descriptions of the root fields, and notices of deprecated ones.

use arcstr::ArcStr;
use juniper::{
    Registry,
    meta::{DeprecationStatus, Field},
};

use super::arguments;
use crate::{access::descriptions, deprecations::Deprecation};

/// The field of an operation with the description of its function, and of each argument.
#[must_use]
pub fn described<S>(mut field: Field<S>, registry: &Registry<S>) -> Field<S> {
    arguments::describe(&mut field, registry);
    if let Some(published) = descriptions::of_operation(&field.name) {
        field.description = Some(ArcStr::from(published.text()));
    }
    if let Some(deprecation) = Deprecation::of(&field.name) {
        field.deprecation_status = DeprecationStatus::Deprecated(Some(ArcStr::from(deprecation.reason)));
    }
    field
}
