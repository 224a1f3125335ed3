//! Pricing and visibility of extensions (reference/developers.md#pricing,
//! reference/developers.md#visibility).

use std::ops::RangeInclusive;

use extension_bundle::PAID_NEEDS_VERIFICATION;

use crate::{
    developer_api::PricingBody,
    envelope::{DeveloperError, Result},
};

const FREE: &str = "free";
const ONE_TIME: &str = "one_time";
const SUBSCRIPTION: &str = "subscription";
const MONTHLY: &str = "monthly";
const PAID: &str = "paid";

/// Kinds of prices.
pub(crate) const PRICING_TYPES: [&str; 3] = [FREE, ONE_TIME, SUBSCRIPTION];
/// Intervals of a subscription's payments.
pub(crate) const INTERVALS: [&str; 1] = [MONTHLY];
/// Visibilities that a developer may choose.
pub(crate) const VISIBILITIES: [&str; 4] = ["private", "unlisted", "public", PAID];
/// Lowest of all prices, in cents.
pub(crate) const MIN_PRICE: i64 = 99;
/// Highest of all prices, in cents.
pub(crate) const MAX_PRICE: i64 = 9999;

/// Prices in cents: 1.00 to 99.99 once, 0.99 to 99.99 a month.
const ONE_TIME_PRICES: RangeInclusive<i64> = 100..=MAX_PRICE;
const SUBSCRIPTION_PRICES: RangeInclusive<i64> = MIN_PRICE..=MAX_PRICE;

/// Stored form of a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pricing {
    pub pricing_type: &'static str,
    pub amount: Option<i64>,
    pub interval: Option<&'static str>,
}

impl Pricing {
    const FREE: Self = Self { pricing_type: FREE, amount: None, interval: None };
}

/// Returns the stored form of a price; free when none is given.
///
/// # Errors
/// 422 for an unknown type, for a price of a developer who is not verified, and for an amount or interval
/// that the type does not allow.
pub(super) fn pricing(given: Option<&PricingBody>, verified: bool) -> Result<Pricing> {
    let Some(given) = given else { return Ok(Pricing::FREE) };
    let (pricing_type, amounts, interval) = match given.pricing_type.as_str() {
        FREE => return Ok(Pricing::FREE),
        ONE_TIME => (ONE_TIME, ONE_TIME_PRICES, None),
        SUBSCRIPTION => (SUBSCRIPTION, SUBSCRIPTION_PRICES, Some(MONTHLY)),
        _ => {
            return Err(DeveloperError::invalid("pricing.type must be free, one_time or subscription"));
        }
    };
    if !verified {
        return Err(DeveloperError::invalid(PAID_NEEDS_VERIFICATION));
    }
    let amount = given.amount.filter(|amount| amounts.contains(amount)).ok_or_else(|| {
        let (least, max) = (amounts.start(), amounts.end());
        DeveloperError::invalid(format!("pricing.amount must be between {least} and {max} cents"))
    })?;
    match (given.interval.as_deref(), interval) {
        (None | Some(MONTHLY), Some(_)) | (None, None) => {}
        (Some(_), Some(_)) => return Err(DeveloperError::invalid("pricing.interval must be monthly")),
        (Some(_), None) => {
            return Err(DeveloperError::invalid("pricing.interval is for subscriptions only"));
        }
    }
    Ok(Pricing { pricing_type, amount: Some(amount), interval })
}

/// Returns the stored form of a visibility.
///
/// # Errors
/// 422 for an unknown one, and for `paid` of a developer who is not verified.
pub(super) fn visibility(given: &str, verified: bool) -> Result<String> {
    if !VISIBILITIES.contains(&given) {
        return Err(DeveloperError::invalid("visibility must be private, unlisted, public or paid"));
    }
    if given == PAID && !verified {
        return Err(DeveloperError::invalid(PAID_NEEDS_VERIFICATION));
    }
    Ok(given.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(pricing_type: &str, amount: Option<i64>, interval: Option<&str>) -> Option<String> {
        let body = PricingBody {
            pricing_type: pricing_type.to_owned(),
            amount,
            interval: interval.map(str::to_owned),
        };
        pricing(Some(&body), true).err().map(|error| error.message)
    }

    #[test]
    fn pricing_bounds_amounts_and_needs_an_interval_for_subscriptions() {
        for (kind, amount) in
            [("one_time", 100), ("one_time", 9999), ("subscription", 99), ("subscription", 9999)]
        {
            assert_eq!(refusal(kind, Some(amount), None), None, "{kind} {amount}");
        }
        assert_eq!(refusal("subscription", Some(499), Some("monthly")), None);
        for (kind, amount, message) in [
            ("one_time", Some(99), "pricing.amount must be between 100 and 9999 cents"),
            ("one_time", None, "pricing.amount must be between 100 and 9999 cents"),
            ("subscription", Some(98), "pricing.amount must be between 99 and 9999 cents"),
            ("subscription", Some(10_000), "pricing.amount must be between 99 and 9999 cents"),
        ] {
            assert_eq!(refusal(kind, amount, None).as_deref(), Some(message));
        }
        assert_eq!(
            refusal("subscription", Some(499), Some("yearly")).as_deref(),
            Some("pricing.interval must be monthly")
        );
        assert_eq!(
            refusal("one_time", Some(499), Some("monthly")).as_deref(),
            Some("pricing.interval is for subscriptions only")
        );
        assert_eq!(pricing(None, false), Ok(Pricing::FREE));
    }
}
