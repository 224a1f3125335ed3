//! What an extension costs and who finds it (specification C B1.1).

use crate::{
    developer_api::{PAID_NEEDS_VERIFICATION, PricingBody},
    envelope::{DeveloperError, Result},
};

/// The stored pricing type.
///
/// # Errors
/// 422 for an unknown type, and for a price from a developer who is not verified.
pub(super) fn pricing(given: Option<&PricingBody>, verified: bool) -> Result<&'static str> {
    let pricing = match given.map(|given| given.pricing_type.as_str()) {
        None | Some("free") => return Ok("free"),
        Some("one_time") => "one_time",
        Some("subscription") => "subscription",
        Some(_) => {
            return Err(DeveloperError::invalid("pricing.type must be free, one_time or subscription"));
        }
    };
    if verified { Ok(pricing) } else { Err(DeveloperError::invalid(PAID_NEEDS_VERIFICATION)) }
}

/// The stored visibility.
///
/// # Errors
/// 422 for an unknown one, and for `paid` from a developer who is not verified.
pub(super) fn visibility(given: &str, verified: bool) -> Result<String> {
    match given {
        "private" | "unlisted" | "public" => Ok(given.to_owned()),
        "paid" if verified => Ok(given.to_owned()),
        "paid" => Err(DeveloperError::invalid(PAID_NEEDS_VERIFICATION)),
        _ => Err(DeveloperError::invalid("visibility must be private, unlisted, public or paid")),
    }
}
