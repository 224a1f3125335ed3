//! Rules of the form of an upload (reference/developers.md#uploads).

use semver::Version;

use super::FieldError;

/// Maximum size of an archive, in bytes.
pub const MAX_BUNDLE_BYTES: u64 = 50 * 1024 * 1024;
/// Refusal of a larger archive.
pub const TOO_LARGE: &str = "bundle must not be larger than 50 MB";
/// Maximum length of a version, in characters.
pub const MAX_VERSION_LENGTH: usize = 64;

/// Reads the version of a form.
///
/// # Errors
/// The error of the field `version`.
pub fn check_version(text: &str) -> Result<Version, FieldError> {
    if text.len() > MAX_VERSION_LENGTH {
        let message = format!("version must have at most {MAX_VERSION_LENGTH} characters");
        return Err(FieldError::new("version", message));
    }
    Version::parse(text).map_err(|error| {
        FieldError::new("version", format!("version must be a semantic version such as 1.2.3: {error}"))
    })
}
