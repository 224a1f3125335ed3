//! Checks of inputs that many operations share (reference/errors.md#field-errors). Each names the field that
//! it refuses.

use std::io::{Read, Seek};

use chrono::{DateTime, Utc};
use foundation::images::{self, ImageFormat, MAX_IMAGE_SIDE_PIXELS, Refusal};
use notices::mail;
use uuid::Uuid;

use crate::{ApiError, Result, Timestamp};

const MIN_EMAIL_LENGTH: usize = 3;
/// Length of the longest e-mail address, in characters.
pub const MAX_EMAIL_LENGTH: usize = 254;

/// Trims a text and checks its length in characters; control characters are refused.
///
/// # Errors
/// 400 `VALIDATION_ERROR` that names the field and the allowed values.
pub fn text(field: &str, text: &str, min: usize, max: usize) -> Result<String> {
    let trimmed = text.trim();
    if trimmed.chars().any(char::is_control) {
        return Err(ApiError::invalid(format!("{field} must not contain control characters")));
    }
    length(field, trimmed, min, max)
}

/// Like [`text`], but line breaks and tabs are allowed.
///
/// # Errors
/// 400 `VALIDATION_ERROR` that names the field and the allowed values.
pub fn long_text(field: &str, text: &str, min: usize, max: usize) -> Result<String> {
    let trimmed = text.trim();
    if trimmed.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(ApiError::invalid(format!("{field} must not contain control characters")));
    }
    length(field, trimmed, min, max)
}

fn length(field: &str, trimmed: &str, min: usize, max: usize) -> Result<String> {
    let length = trimmed.chars().count();
    if length < min && min == 1 {
        return Err(ApiError::invalid(format!("{field} must not be empty")));
    }
    if length < min || length > max {
        return Err(ApiError::invalid(format!("{field} must be between {min} and {max} characters")));
    }
    Ok(trimmed.to_owned())
}

/// Parses a UUID.
///
/// # Errors
/// 400 `Invalid UUID: {field}`.
pub fn uuid(field: &str, text: &str) -> Result<Uuid> {
    Uuid::try_parse(text).map_err(|_malformed| ApiError::invalid(format!("Invalid UUID: {field}")))
}

/// Parses a time in RFC 3339, cut to whole milliseconds (reference/conventions.md#timestamps).
pub fn timestamp(field: &str, text: &str) -> Result<DateTime<Utc>> {
    let parsed = Timestamp::parse(text).map_err(|error| ApiError::invalid(format!("{field} {error}")))?;
    Ok(parsed.into())
}

/// Checks an e-mail address: it must have the name of a domain. Only a delivered mail proves that it works.
pub fn email(field: &str, given: &str) -> Result<String> {
    let address = text(field, given, MIN_EMAIL_LENGTH, MAX_EMAIL_LENGTH)?;
    if mail::is_address(&address) && address.matches('@').count() == 1 {
        return Ok(address);
    }
    Err(ApiError::invalid(format!("{field} must be an e-mail address")))
}

/// Checks the sides of an image by its header, which is read from the present position of the content
/// (reference/media.md#types).
///
/// # Errors
/// 400 `VALIDATION_ERROR` that names the field; 500 when the content cannot be read.
pub fn image(field: &str, content: impl Read + Seek, format: ImageFormat) -> Result<()> {
    images::check(content, format).map_err(|refusal| match refusal {
        Refusal::Unreadable => {
            ApiError::invalid(format!("{field} must be a complete image: its dimensions cannot be read"))
        }
        Refusal::Sides => ApiError::invalid(format!(
            "{field} must be an image of 1 to {MAX_IMAGE_SIDE_PIXELS} pixels a side"
        )),
        Refusal::Broken(kind) => ApiError::internal(kind),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_is_refused_with_the_name_of_the_field() {
        let sized =
            |width: u8| [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", &[0, 0, width, 0, 0, 0, 1, 0][..]].concat();
        let check = |content: Vec<u8>| image("icon", std::io::Cursor::new(content), ImageFormat::Png);
        assert_eq!(check(sized(32)), Ok(()));
        let long = "icon must be an image of 1 to 8192 pixels a side";
        assert_eq!(check(sized(33)), Err(ApiError::invalid(long)));
        let cut = "icon must be a complete image: its dimensions cannot be read";
        assert_eq!(check(b"\x89PNG".to_vec()), Err(ApiError::invalid(cut)));
    }

    #[test]
    fn text_is_trimmed_and_measured_in_characters() {
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
    fn email_needs_a_domain() {
        assert!(email("email", "a@b.example").is_ok());
        for wrong in
            ["", "a", "a@", "@b.c", "a@b", "a@b@c.d", "a b@c.d", "a@[127.0.0.1]", "-oQ/tmp@example.org"]
        {
            assert!(email("email", wrong).is_err(), "{wrong}");
        }
    }
}
