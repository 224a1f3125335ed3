//! What an API key asks to change of how its person signs in (specification E, 1). It has no effect until a session of
//! the person confirms it: whoever takes a key must not take its person over.

mod email;
mod logins;

pub use email::{confirm_email, decline_email};
pub use logins::{confirm_login, decline_login, discard_login, unconfirmed_since};

use crate::{ApiError, Cx, Result, access::Principal};

/// Whether a session asks, and no key.
#[must_use]
pub fn is_by_session(cx: &Cx) -> bool {
    matches!(cx.principal(), Principal::Session { .. })
}

/// Refuses everything but a session.
///
/// # Errors
/// 403 `First-party session required`.
pub fn require_session(cx: &Cx) -> Result<()> {
    if is_by_session(cx) { Ok(()) } else { Err(ApiError::forbidden("First-party session required")) }
}
