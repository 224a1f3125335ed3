//! Platforms in inputs.

use api_core::{ApiError, Cx, Result};
use connection_model::applications::Directory;
use shared::{connection::ConnectionKind, platform::Platform};

/// Parses a platform out of the allowed ones.
///
/// # Errors
/// 400 that names the allowed platforms.
pub(crate) fn one_of(allowed: &[Platform], text: &str) -> Result<Platform> {
    let known = text.parse().ok().filter(|platform| allowed.contains(platform));
    known.ok_or_else(|| {
        let slugs: Vec<&str> = allowed.iter().map(|platform| platform.slug()).collect();
        ApiError::invalid(format!("platform must be one of {}", slugs.join(", ")))
    })
}

/// Parses a platform that has connections of the kind.
///
/// # Errors
/// 400 that names these platforms.
pub(crate) fn with(kind: ConnectionKind, text: &str) -> Result<Platform> {
    one_of(kind.platforms(), text)
}

/// Returns the directory of applications.
pub(crate) fn directory(cx: &Cx) -> Directory<'_> {
    let state = cx.state();
    Directory {
        keyring: &state.keyring,
        platforms: &state.config.platforms,
        modes: &state.config.connections.modes,
    }
}
