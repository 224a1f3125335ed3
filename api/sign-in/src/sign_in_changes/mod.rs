//! Changes of a person's sign-in that an API key requests. They have no effect until a session of the person
//! confirms them: a stolen key must not take over its person (reference/users.md#sign-in-changes-by-keys).

mod email;
mod logins;

pub use email::{confirm_email, decline_email};
pub use logins::{confirm_login, decline_login, discard_login, unconfirmed_since};

use api_core::{ApiError, Cx, Result, access::Principal};

/// True for a request of a session, false for a key.
#[must_use]
pub fn is_by_session(cx: &Cx) -> bool {
    matches!(cx.principal(), Principal::Session { .. })
}

/// Refuses every credential except a session.
pub fn require_session(cx: &Cx) -> Result<()> {
    if is_by_session(cx) { Ok(()) } else { Err(ApiError::forbidden("First-party session required")) }
}
