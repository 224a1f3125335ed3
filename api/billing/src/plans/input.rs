//! Validated form of the inputs of plans (reference/billing.md#plans-as-staff-edits-them).

use api_core::{ApiError, Result, graphql::Int64, validate};
use diesel::prelude::*;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::schema::plans;
use utoipa::ToSchema;

const DEFAULT_CURRENCY: &str = "USD";
const SLUG_LENGTHS: std::ops::RangeInclusive<usize> = 2..=40;
const CURRENCY_LENGTH: usize = 3;
const MAX_NAME_LENGTH: usize = 100;
const MAX_DESCRIPTION_LENGTH: usize = 2000;
const MAX_PAYMENT_ID_LENGTH: usize = 255;
/// Maximum number of bytes. Larger integers are not exact in JSON.
const MAX_BYTES: i64 = 9_007_199_254_740_991;

/// A plan to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminCreatePlanInput {
    /// Slug: lower-case letters and digits with single hyphens between, 2 to 40 characters. Cannot be changed
    /// later.
    #[schema(extensions(("maxLength" = json!(SLUG_LENGTHS.end()))))]
    pub slug: String,
    /// Name, 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
    /// Description, at most 2,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Price a month, in minor units of `currency`.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub price_monthly: i32,
    /// Price a year, in minor units of `currency`.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub price_yearly: i32,
    /// Code of the currency, ISO 4217; absent: `USD`.
    #[schema(extensions(("maxLength" = json!(CURRENCY_LENGTH))))]
    pub currency: Option<String>,
    /// True: the plan is public.
    pub is_public: bool,
    /// Position in lists; the lowest comes first.
    #[schema(extensions(("minimum" = json!(i32::MIN)), ("maximum" = json!(i32::MAX))))]
    pub sort_order: i32,
    /// Maximum number of overlays; 2147483647: unlimited.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub max_overlays: i32,
    /// Maximum size of all stored objects, in bytes.
    #[schema(value_type = i64, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_BYTES))))]
    pub max_storage_bytes: Int64,
    /// Maximum size of one upload, in bytes.
    #[schema(value_type = i64, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_BYTES))))]
    pub max_upload_size_bytes: Int64,
    /// Maximum number of integrations; 2147483647: unlimited.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub max_integrations: i32,
    /// Days that chat is kept; 2147483647: unlimited.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub chat_retention_days: i32,
    /// Id of the product at a payment provider, at most 255 characters.
    #[schema(extensions(("maxLength" = json!(MAX_PAYMENT_ID_LENGTH))))]
    pub payment_product_id: Option<String>,
    /// Id of the monthly price at a payment provider, at most 255 characters.
    #[schema(extensions(("maxLength" = json!(MAX_PAYMENT_ID_LENGTH))))]
    pub payment_monthly_price_id: Option<String>,
    /// Id of the yearly price at a payment provider, at most 255 characters.
    #[schema(extensions(("maxLength" = json!(MAX_PAYMENT_ID_LENGTH))))]
    pub payment_yearly_price_id: Option<String>,
}

/// Whole editable state of a plan. Absent optional fields are cleared.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminUpdatePlanInput {
    /// Name, 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
    /// Description, at most 2,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Price a month, in minor units of `currency`.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub price_monthly: i32,
    /// Price a year, in minor units of `currency`.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub price_yearly: i32,
    /// Code of the currency, ISO 4217.
    #[schema(extensions(("maxLength" = json!(CURRENCY_LENGTH))))]
    pub currency: String,
    /// True: the plan is public.
    pub is_public: bool,
    /// Position in lists; the lowest comes first.
    #[schema(extensions(("minimum" = json!(i32::MIN)), ("maximum" = json!(i32::MAX))))]
    pub sort_order: i32,
    /// Maximum number of overlays; 2147483647: unlimited.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub max_overlays: i32,
    /// Maximum size of all stored objects, in bytes.
    #[schema(value_type = i64, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_BYTES))))]
    pub max_storage_bytes: Int64,
    /// Maximum size of one upload, in bytes.
    #[schema(value_type = i64, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_BYTES))))]
    pub max_upload_size_bytes: Int64,
    /// Maximum number of integrations; 2147483647: unlimited.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub max_integrations: i32,
    /// Days that chat is kept; 2147483647: unlimited.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(i32::MAX))))]
    pub chat_retention_days: i32,
    /// Id of the product at a payment provider, at most 255 characters.
    #[schema(extensions(("maxLength" = json!(MAX_PAYMENT_ID_LENGTH))))]
    pub payment_product_id: Option<String>,
    /// Id of the monthly price at a payment provider, at most 255 characters.
    #[schema(extensions(("maxLength" = json!(MAX_PAYMENT_ID_LENGTH))))]
    pub payment_monthly_price_id: Option<String>,
    /// Id of the yearly price at a payment provider, at most 255 characters.
    #[schema(extensions(("maxLength" = json!(MAX_PAYMENT_ID_LENGTH))))]
    pub payment_yearly_price_id: Option<String>,
}

/// Validated editable state of a plan.
#[derive(Debug, Insertable, AsChangeset)]
#[diesel(table_name = plans, treat_none_as_null = true)]
pub(super) struct PlanState {
    name: String,
    description: Option<String>,
    price_monthly: i64,
    price_yearly: i64,
    currency: String,
    is_public: bool,
    sort_order: i32,
    max_overlays: i64,
    max_storage_bytes: i64,
    max_upload_size_bytes: i64,
    max_integrations: i64,
    chat_retention_days: i64,
    payment_product_id: Option<String>,
    payment_monthly_price_id: Option<String>,
    payment_yearly_price_id: Option<String>,
}

impl AdminCreatePlanInput {
    /// Slug and editable state.
    pub(super) fn checked(self) -> Result<(String, PlanState)> {
        if !is_slug(&self.slug) {
            return Err(ApiError::invalid("Invalid slug format"));
        }
        let rest = AdminUpdatePlanInput {
            name: self.name,
            description: self.description,
            price_monthly: self.price_monthly,
            price_yearly: self.price_yearly,
            currency: self.currency.unwrap_or_else(|| DEFAULT_CURRENCY.to_owned()),
            is_public: self.is_public,
            sort_order: self.sort_order,
            max_overlays: self.max_overlays,
            max_storage_bytes: self.max_storage_bytes,
            max_upload_size_bytes: self.max_upload_size_bytes,
            max_integrations: self.max_integrations,
            chat_retention_days: self.chat_retention_days,
            payment_product_id: self.payment_product_id,
            payment_monthly_price_id: self.payment_monthly_price_id,
            payment_yearly_price_id: self.payment_yearly_price_id,
        };
        Ok((self.slug, rest.checked()?))
    }
}

impl AdminUpdatePlanInput {
    pub(super) fn checked(self) -> Result<PlanState> {
        let name = validate::text("name", &self.name, 1, MAX_NAME_LENGTH)?;
        let description = self.description;
        let description =
            description.map(|text| validate::long_text("description", &text, 0, MAX_DESCRIPTION_LENGTH));
        Ok(PlanState {
            name,
            description: description.transpose()?.filter(|text| !text.is_empty()),
            price_monthly: price(self.price_monthly)?,
            price_yearly: price(self.price_yearly)?,
            max_overlays: limit(self.max_overlays.into())?,
            max_storage_bytes: bytes("max_storage_bytes", self.max_storage_bytes)?,
            max_upload_size_bytes: bytes("max_upload_size_bytes", self.max_upload_size_bytes)?,
            max_integrations: limit(self.max_integrations.into())?,
            chat_retention_days: limit(self.chat_retention_days.into())?,
            currency: currency(self.currency)?,
            is_public: self.is_public,
            sort_order: self.sort_order,
            payment_product_id: payment_id("payment_product_id", self.payment_product_id)?,
            payment_monthly_price_id: payment_id("payment_monthly_price_id", self.payment_monthly_price_id)?,
            payment_yearly_price_id: payment_id("payment_yearly_price_id", self.payment_yearly_price_id)?,
        })
    }
}

impl PlanState {
    /// Metadata of the audit entry.
    pub(super) fn audit_metadata(&self, slug: &str) -> Value {
        json!({
            "slug": slug,
            "name": self.name,
            "price_monthly": self.price_monthly,
            "price_yearly": self.price_yearly,
            "currency": self.currency,
            "is_public": self.is_public,
            "max_overlays": self.max_overlays,
            "max_storage_bytes": self.max_storage_bytes,
            "max_upload_size_bytes": self.max_upload_size_bytes,
            "max_integrations": self.max_integrations,
            "chat_retention_days": self.chat_retention_days,
        })
    }
}

/// True for lower-case letters and digits with single hyphens between.
fn is_slug(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    SLUG_LENGTHS.contains(&text.len()) && text.split('-').all(is_word)
}

fn price(minor_units: i32) -> Result<i64> {
    if minor_units < 0 {
        return Err(ApiError::invalid("Price cannot be negative"));
    }
    Ok(minor_units.into())
}

fn limit(value: i64) -> Result<i64> {
    if value < 0 {
        return Err(ApiError::invalid("Limit cannot be negative"));
    }
    Ok(value)
}

fn bytes(field: &str, Int64(value): Int64) -> Result<i64> {
    if value > MAX_BYTES {
        return Err(ApiError::invalid(format!("{field} must be at most {MAX_BYTES}")));
    }
    limit(value)
}

fn currency(code: String) -> Result<String> {
    if code.len() == CURRENCY_LENGTH && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Ok(code);
    }
    Err(ApiError::invalid("currency must be three upper-case letters, for example EUR"))
}

fn payment_id(field: &str, text: Option<String>) -> Result<Option<String>> {
    let text = text.map(|text| validate::text(field, &text, 0, MAX_PAYMENT_ID_LENGTH)).transpose()?;
    Ok(text.filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_slug_accepts_letters_and_digits_joined_by_hyphens() {
        for sound in ["ab", "pro", "pro-2", "a-b-c", "42", &"a".repeat(40)] {
            assert!(is_slug(sound), "{sound}");
        }
        let long = "a".repeat(41);
        for wrong in ["", "a", "Pro", "pro_2", "-pro", "pro-", "a--b", " pro", "pro\n", "prö", &long] {
            assert!(!is_slug(wrong), "{wrong}");
        }
    }

    #[test]
    fn price_and_limits_have_bounds() {
        assert_eq!((price(0), price(i32::MAX)), (Ok(0), Ok(2_147_483_647)));
        assert_eq!(price(-1), Err(ApiError::invalid("Price cannot be negative")));
        assert_eq!(limit(-1), Err(ApiError::invalid("Limit cannot be negative")));
        assert_eq!(bytes("x", Int64(MAX_BYTES)), Ok(MAX_BYTES));
        assert_eq!(bytes("x", Int64(-1)), Err(ApiError::invalid("Limit cannot be negative")));
        assert!(bytes("x", Int64(MAX_BYTES + 1)).is_err());
    }
}
