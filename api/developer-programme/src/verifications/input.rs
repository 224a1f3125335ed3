//! Input of a verification and its checks.

use api_core::{ApiError, Result, validate};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{countries::is_country, details::Details};
use crate::fields::of_field;

/// Length of names and lines of an address, in characters (reference/programme.md#verifications).
const MAX_LINE_LENGTH: usize = 200;
/// Length of postal codes, tax ids and ids in a trade register, in characters
/// (reference/programme.md#verifications).
const MAX_CODE_LENGTH: usize = 50;
/// Length of the code of a country, in characters (reference/programme.md#verifications).
const COUNTRY_LENGTH: usize = 2;

/// Data by which a developer is verified. It has no `Debug`, so that it is in no log.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "legal_name": "Ada Example", "address_line1": "Example Street 1", "postal_code": "12345", "city": "Berlin",
    "country": "DE"
}))]
pub struct SubmitDeveloperVerificationInput {
    /// Legal name, required: at most 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_LINE_LENGTH))))]
    pub legal_name: Option<String>,
    /// Name of the company, for a company: at most 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_LINE_LENGTH))))]
    pub company_name: Option<String>,
    /// First line of the address, required: at most 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_LINE_LENGTH))))]
    pub address_line1: Option<String>,
    /// Second line of the address: at most 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_LINE_LENGTH))))]
    pub address_line2: Option<String>,
    /// Postal code, required: at most 50 characters.
    #[schema(extensions(("maxLength" = json!(MAX_CODE_LENGTH))))]
    pub postal_code: Option<String>,
    /// City, required: at most 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_LINE_LENGTH))))]
    pub city: Option<String>,
    /// Code of the country, required: two letters, ISO 3166-1 alpha-2.
    #[schema(extensions(("maxLength" = json!(COUNTRY_LENGTH))))]
    pub country: Option<String>,
    /// Tax id: at most 50 characters.
    #[schema(extensions(("maxLength" = json!(MAX_CODE_LENGTH))))]
    pub tax_id: Option<String>,
    /// Id in the trade register: at most 50 characters.
    #[schema(extensions(("maxLength" = json!(MAX_CODE_LENGTH))))]
    pub trade_register_id: Option<String>,
    /// Id of an upload with the purpose `developer_document`.
    pub document_key: Option<Uuid>,
}

impl SubmitDeveloperVerificationInput {
    /// Checks the fields by themselves.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(super) fn check(self) -> Result<Details> {
        let line = |field: &str, text: String| validate::text(field, &text, 1, MAX_LINE_LENGTH);
        let code = |field: &str, text: String| validate::text(field, &text, 1, MAX_CODE_LENGTH);
        let legal_name = given(self.legal_name)
            .ok_or_else(|| of_field("legal_name", ApiError::invalid("Legal name is required")))?;
        let address_line1 = given(self.address_line1)
            .ok_or_else(|| of_field("address_line1", ApiError::invalid("Address line 1 is required")))?;
        let postal_code = given(self.postal_code)
            .ok_or_else(|| of_field("postal_code", ApiError::invalid("Postal code is required")))?;
        let city = given(self.city).ok_or_else(|| of_field("city", ApiError::invalid("City is required")))?;
        let country = given(self.country)
            .ok_or_else(|| of_field("country", ApiError::invalid("Country is required")))?;
        Ok(Details {
            legal_name: line("legal_name", legal_name)?,
            company_name: given(self.company_name).map(|text| line("company_name", text)).transpose()?,
            address_line1: line("address_line1", address_line1)?,
            address_line2: given(self.address_line2).map(|text| line("address_line2", text)).transpose()?,
            postal_code: code("postal_code", postal_code)?,
            city: line("city", city)?,
            country: country_code(&country)?,
            tax_id: given(self.tax_id).map(|text| code("tax_id", text)).transpose()?,
            trade_register_id: given(self.trade_register_id)
                .map(|text| code("trade_register_id", text))
                .transpose()?,
        })
    }
}

/// Text of a field; `None` when it is absent or empty.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn country_code(text: &str) -> Result<String> {
    let code = text.trim().to_ascii_uppercase();
    if is_country(&code) {
        return Ok(code);
    }
    Err(of_field("country", ApiError::invalid("Country must be a 2-letter ISO code")))
}
