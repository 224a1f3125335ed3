//! Checks that many inputs share (specification C §1). Each names the field it refuses.

use chrono::{DateTime, Utc};
use shared::mail;
use uuid::Uuid;

use crate::{ApiError, Result, Timestamp};

const MIN_EMAIL_LENGTH: usize = 3;
/// The longest e-mail address in characters.
pub const MAX_EMAIL_LENGTH: usize = 254;

/// Trims a text and checks its length in characters; control characters are refused.
///
/// # Errors
/// 400 `VALIDATION_ERROR` that names the field and what is allowed.
pub fn text(field: &str, text: &str, shortest: usize, longest: usize) -> Result<String> {
    let trimmed = text.trim();
    if trimmed.chars().any(char::is_control) {
        return Err(ApiError::invalid(format!("{field} must not contain control characters")));
    }
    length(field, trimmed, shortest, longest)
}

/// Like [`text`], but line breaks and tabs are allowed.
///
/// # Errors
/// 400 `VALIDATION_ERROR` that names the field and what is allowed.
pub fn long_text(field: &str, text: &str, shortest: usize, longest: usize) -> Result<String> {
    let trimmed = text.trim();
    if trimmed.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(ApiError::invalid(format!("{field} must not contain control characters")));
    }
    length(field, trimmed, shortest, longest)
}

fn length(field: &str, trimmed: &str, shortest: usize, longest: usize) -> Result<String> {
    let length = trimmed.chars().count();
    if length < shortest && shortest == 1 {
        return Err(ApiError::invalid(format!("{field} must not be empty")));
    }
    if length < shortest || length > longest {
        return Err(ApiError::invalid(format!(
            "{field} must be between {shortest} and {longest} characters"
        )));
    }
    Ok(trimmed.to_owned())
}

/// Reads an identifier.
///
/// # Errors
/// 400 `Invalid UUID: {field}`.
pub fn uuid(field: &str, text: &str) -> Result<Uuid> {
    Uuid::try_parse(text).map_err(|_malformed| ApiError::invalid(format!("Invalid UUID: {field}")))
}

/// Reads a time in RFC 3339, in whole milliseconds (C §1, timestamps).
///
/// # Errors
/// 400 that names the field.
pub fn timestamp(field: &str, text: &str) -> Result<DateTime<Utc>> {
    let parsed = Timestamp::parse(text).map_err(|error| ApiError::invalid(format!("{field} {error}")))?;
    Ok(parsed.into())
}

/// An e-mail address that mails can be sent to: one with the name of a domain. What it is good for is decided by a mail
/// that arrives.
///
/// # Errors
/// 400 that names the field.
pub fn email(field: &str, given: &str) -> Result<String> {
    let address = text(field, given, MIN_EMAIL_LENGTH, MAX_EMAIL_LENGTH)?;
    if mail::is_address(&address) && address.matches('@').count() == 1 {
        return Ok(address);
    }
    Err(ApiError::invalid(format!("{field} must be an e-mail address")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_trimmed_and_measured_in_characters() {
        assert_eq!(text("label", "  héllo ", 1, 5).as_deref(), Ok("héllo"));
        assert_eq!(text("label", "   ", 1, 5), Err(ApiError::invalid("label must not be empty")));
        assert_eq!(
            text("label", "hellos", 1, 5),
            Err(ApiError::invalid("label must be between 1 and 5 characters"))
        );
        assert!(text("label", "a\u{0}b", 1, 5).is_err());
        assert!(text("label", "a\nb", 1, 5).is_err() && long_text("label", "a\nb", 1, 5).is_ok());
    }

    #[test]
    fn addresses_without_a_domain_are_refused() {
        assert!(email("email", "a@b.example").is_ok());
        for wrong in
            ["", "a", "a@", "@b.c", "a@b", "a@b@c.d", "a b@c.d", "a@[127.0.0.1]", "-oQ/tmp@example.org"]
        {
            assert!(email("email", wrong).is_err(), "{wrong}");
        }
    }
}
