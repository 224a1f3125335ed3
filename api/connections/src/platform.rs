//! Platforms as inputs name them.

use api_core::{ApiError, Cx, Result};
use shared::{
    connections::{ConnectionKind, applications::Directory},
    platforms::Platform,
};

/// Reads a platform out of those that have what is asked for.
///
/// # Errors
/// 400 that names them.
pub(crate) fn one_of(allowed: &[Platform], text: &str) -> Result<Platform> {
    let known = text.parse().ok().filter(|platform| allowed.contains(platform));
    known.ok_or_else(|| {
        let slugs: Vec<&str> = allowed.iter().map(|platform| platform.slug()).collect();
        ApiError::invalid(format!("platform must be one of {}", slugs.join(", ")))
    })
}

/// Reads a platform that has connections of a kind.
///
/// # Errors
/// 400 that names them.
pub(crate) fn with(kind: ConnectionKind, text: &str) -> Result<Platform> {
    one_of(kind.platforms(), text)
}

/// Where applications are looked for.
pub(crate) fn directory(cx: &Cx) -> Directory<'_> {
    let state = cx.state();
    Directory {
        keyring: &state.keyring,
        platforms: &state.config.platforms,
        modes: &state.config.connections.modes,
    }
}
