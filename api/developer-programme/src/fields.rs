//! Checks of fields that several resources share (reference/programme.md#fields).

use api_core::{ApiError, Result, validate};
use serde_json::json;
use url::Url;

/// Length of the name of a developer, in characters (reference/programme.md#fields).
pub(crate) const MAX_DISPLAY_NAME_LENGTH: usize = 60;
/// Length of a description, in characters (reference/programme.md#fields).
pub(crate) const MAX_DESCRIPTION_LENGTH: usize = 2000;
/// Length of an address, in characters (reference/programme.md#fields).
pub(crate) const MAX_URL_LENGTH: usize = 500;
/// Length of the notes of a reviewer, in characters (reference/programme.md#fields).
pub(crate) const MAX_NOTES_LENGTH: usize = 2000;

/// Checks the address of a page.
///
/// # Errors
/// 400 that names the field.
pub(crate) fn https(field: &str, text: &str) -> Result<String> {
    let text = validate::text(field, text, 1, MAX_URL_LENGTH)?;
    match Url::parse(&text) {
        Ok(url) if url.scheme() == "https" && url.host_str().is_some() => Ok(text),
        _ => Err(ApiError::invalid(format!("{field} must be an https address"))),
    }
}

/// Checks an address that may be missing. An empty one counts as missing.
///
/// # Errors
/// 400 that names the field.
pub(crate) fn optional_https(field: &str, text: Option<&str>) -> Result<Option<String>> {
    text.filter(|text| !text.trim().is_empty()).map(|text| https(field, text)).transpose()
}

/// Checks a text that may be missing. An empty one counts as missing.
///
/// # Errors
/// 400 that names the field.
pub(crate) fn optional_text(field: &str, text: Option<&str>, max: usize) -> Result<Option<String>> {
    let text = text.filter(|text| !text.trim().is_empty());
    text.map(|text| validate::long_text(field, text, 1, max)).transpose()
}

/// Checks the notes of an approval.
///
/// # Errors
/// 400 that names the field.
pub(crate) fn notes(notes: Option<&str>) -> Result<Option<String>> {
    optional_text("notes", notes, MAX_NOTES_LENGTH)
}

/// Checks the notes of a rejection.
///
/// # Errors
/// 400 `Review notes are required`, or 400 that names the field.
pub(crate) fn required_notes(given: Option<&str>) -> Result<String> {
    notes(given)?.ok_or_else(|| of_field("notes", ApiError::invalid("Review notes are required")))
}

/// Adds the name of the field to an error whose message does not begin with it.
pub(crate) fn of_field(field: &str, error: ApiError) -> ApiError {
    let details = json!({ "fields": [{ "field": field, "message": error.message }] });
    error.with_details(details)
}
