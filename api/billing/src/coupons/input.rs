//! Validated form of the inputs of coupons (reference/billing.md#coupons).

use std::ops::RangeInclusive;

use api_core::{ApiError, Patch, Result, Timestamp, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::schema::coupons;
use utoipa::ToSchema;

use super::CouponDuration;

const CODE_LENGTHS: RangeInclusive<usize> = 3..=40;
const PERCENTS: RangeInclusive<i32> = 1..=100;
const MIN_REDEMPTIONS: i32 = 1;
const MIN_OFF: i64 = 1;
/// Maximum amount in minor units: a million in currencies with hundredths.
const MAX_AMOUNT_OFF: i64 = 100_000_000;

/// A coupon to create, with either a percentage or an amount.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminCreateCouponInput {
    /// Code: 3 to 40 letters, digits, `-` and `_`, the first a letter or digit. Stored in upper case.
    #[schema(extensions(("maxLength" = json!(CODE_LENGTHS.end()))))]
    pub code: String,
    /// Discount in percent, 1 to 100. Exclusive with `amount_off`.
    #[schema(extensions(("minimum" = json!(PERCENTS.start())), ("maximum" = json!(PERCENTS.end()))))]
    pub percent_off: Option<i32>,
    /// Discount in minor units of the plan's currency, 1 to 100,000,000. Exclusive with `percent_off`.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(MIN_OFF)), ("maximum" = json!(MAX_AMOUNT_OFF))))]
    pub amount_off: Option<Int64>,
    /// Payments that are discounted; absent: `once`.
    pub duration: Option<CouponDuration>,
    /// Maximum number of redemptions, 1 or more. Null or absent: no maximum.
    #[schema(extensions(("minimum" = json!(MIN_REDEMPTIONS)), ("maximum" = json!(i32::MAX))))]
    pub max_redemptions: Option<i32>,
    /// Time of expiry, in the future. Null or absent: no expiry.
    pub expires_at: Option<Timestamp>,
}

/// Changes of a coupon. Absent fields stay as they are.
#[derive(Debug, Clone, Copy, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminUpdateCouponInput {
    /// Maximum number of redemptions, 1 or more; null: no maximum.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(MIN_REDEMPTIONS)), ("maximum" = json!(i32::MAX))))]
    pub max_redemptions: Patch<i32>,
    /// Time of expiry, in the future; null: no expiry.
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Patch<Timestamp>,
    /// False: the coupon cannot be redeemed.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub is_active: Patch<bool>,
}

/// A validated coupon to insert.
#[derive(Debug, Insertable)]
#[diesel(table_name = coupons)]
pub(super) struct NewCoupon {
    code: String,
    percent_off: Option<i32>,
    amount_off: Option<i64>,
    duration: &'static str,
    max_redemptions: Option<i32>,
    expires_at: Option<DateTime<Utc>>,
}

/// Validated changes.
#[derive(Debug, AsChangeset)]
#[diesel(table_name = coupons)]
pub(super) struct CouponChanges {
    max_redemptions: Option<Option<i32>>,
    expires_at: Option<Option<DateTime<Utc>>>,
    is_active: Option<bool>,
}

impl AdminCreateCouponInput {
    pub(super) fn checked(self, now: DateTime<Utc>) -> Result<NewCoupon> {
        let code = code(&self.code)?;
        let amount_off = self.amount_off.map(|Int64(amount)| amount);
        if self.percent_off.is_some() == amount_off.is_some() {
            return Err(ApiError::invalid("Give either percent_off or amount_off"));
        }
        if self.percent_off.is_some_and(|percent| !PERCENTS.contains(&percent)) {
            let (lowest, highest) = (PERCENTS.start(), PERCENTS.end());
            return Err(ApiError::invalid(format!("percent_off must be between {lowest} and {highest}")));
        }
        if amount_off.is_some_and(|amount| !(MIN_OFF..=MAX_AMOUNT_OFF).contains(&amount)) {
            return Err(ApiError::invalid(format!(
                "amount_off must be between {MIN_OFF} and {MAX_AMOUNT_OFF}"
            )));
        }
        Ok(NewCoupon {
            code,
            percent_off: self.percent_off,
            amount_off,
            duration: self.duration.unwrap_or(CouponDuration::Once).as_str(),
            max_redemptions: self.max_redemptions.map(redemptions).transpose()?,
            expires_at: self.expires_at.map(|at| expiry(at, now)).transpose()?,
        })
    }
}

impl AdminUpdateCouponInput {
    pub(super) fn checked(self, now: DateTime<Utc>) -> Result<CouponChanges> {
        Ok(CouponChanges {
            max_redemptions: self.max_redemptions.try_map(redemptions)?.into_change(),
            expires_at: self.expires_at.try_map(|at| expiry(at, now))?.into_change(),
            is_active: self.is_active.not_null("is_active")?,
        })
    }
}

impl CouponChanges {
    pub(super) const fn is_nothing(&self) -> bool {
        self.max_redemptions.is_none() && self.expires_at.is_none() && self.is_active.is_none()
    }
}

fn code(text: &str) -> Result<String> {
    let code = text.trim().to_ascii_uppercase();
    let is_sound = CODE_LENGTHS.contains(&code.len())
        && code.starts_with(|first: char| first.is_ascii_alphanumeric())
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if is_sound {
        return Ok(code);
    }
    Err(ApiError::invalid("code must be 3 to 40 letters, digits, hyphens or underscores"))
}

fn redemptions(number: i32) -> Result<i32> {
    if number < MIN_REDEMPTIONS {
        return Err(ApiError::invalid(format!("max_redemptions must be {MIN_REDEMPTIONS} or greater")));
    }
    Ok(number)
}

fn expiry(at: Timestamp, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let at = DateTime::from(at);
    if at <= now {
        return Err(ApiError::invalid("expires_at cannot be in the past"));
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_stored_in_upper_case() {
        assert_eq!(code(" spring-26_a ").as_deref(), Ok("SPRING-26_A"));
        for wrong in ["", "ab", "-ab", "a b c", "früh", &"a".repeat(41)] {
            assert!(code(wrong).is_err(), "{wrong}");
        }
    }
}
