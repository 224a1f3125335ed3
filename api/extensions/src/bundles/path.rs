//! Requested paths of files in a bundle (reference/extensions.md#bundle-files).

use api_core::{ApiError, Result};

/// Returns the path if it stays within the bundle.
///
/// # Errors
/// 400 for `..`, null bytes and absolute paths.
pub(super) fn checked(path: &str) -> Result<&str> {
    let refuse = |why: &str| Err(ApiError::invalid(format!("path {why}")));
    if path.contains('\0') {
        return refuse("must not contain null bytes");
    }
    if path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':') {
        return refuse("must be relative");
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return refuse("must not contain `..`");
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_within_the_bundle() {
        for sound in ["layer.js", "assets/a b/é.png", "a..b/c..", ".hidden"] {
            assert_eq!(checked(sound).as_deref(), Ok(sound));
        }
        for (wrong, message) in [
            ("../server.js", "path must not contain `..`"),
            ("assets/../../x", "path must not contain `..`"),
            ("assets\\..\\x", "path must not contain `..`"),
            ("..", "path must not contain `..`"),
            ("/etc/passwd", "path must be relative"),
            ("\\\\host\\x", "path must be relative"),
            ("c:/x", "path must be relative"),
            ("a\0b", "path must not contain null bytes"),
        ] {
            assert_eq!(checked(wrong), Err(ApiError::invalid(message)), "{wrong:?}");
        }
    }
}
