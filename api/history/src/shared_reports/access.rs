//! Check of the token and password of a link (reference/history.md#shared-reports). Everything that is wrong
//! has one answer, after one computation of Argon2id.

use api_core::{
    ApiError, Cx, Result, State,
    access::{Visitor, account_features},
    http::rate_key,
    token,
};
use foundation::db::Holder;
use shared::catalogue::Feature;

use super::{
    Presented,
    db::{self, Link},
};
use crate::passwords::Passwords;

/// Requests of an address in a minute, for both operations together (reference/history.md#shared-reports).
const MAX_REQUESTS_PER_MINUTE: u32 = 120;

api_core::limits::submit! {
    api_core::limits::WindowLimit {
        name: "shared_reports",
        limit: MAX_REQUESTS_PER_MINUTE,
        seconds: 60,
        holder: api_core::limits::Holder::Address,
    }
}

/// Bytes of a password that is checked: longer ones are wrong.
const MAX_PASSWORD_BYTES: usize = 1024;

/// Counts a request of the client's address.
///
/// # Errors
/// 429 over the limit.
pub(super) async fn count(cx: &Cx) -> Result<()> {
    let address = rate_key(cx.request().ip);
    let limiter = &cx.state().limiter;
    cx.refuse_over(&limiter.count("shared_reports", &address, MAX_REQUESTS_PER_MINUTE, 60).await)
}

/// Finds the link that a token and a password open.
///
/// # Errors
/// 401 for everything that is wrong; 429 when too many passwords wait for their check.
pub(super) async fn open(cx: &Cx, visitor: &Visitor, presented: &Presented) -> Result<Link> {
    let link = usable(cx, visitor, &presented.token).await?;
    match link {
        Some(link) if link.password_hash.is_none() => Ok(link),
        link => {
            let hash = link.as_ref().and_then(|link| link.password_hash.clone());
            let passwords = Passwords::of(cx.state());
            let is_right = passwords.verify(address(cx), password(presented), hash).await?;
            link.filter(|_| is_right).ok_or_else(refused)
        }
    }
}

/// Holder of what an address may do at a time.
pub(super) fn address(cx: &Cx) -> Holder {
    Holder::Address(rate_key(cx.request().ip))
}

/// Link of a token, if it is active and its account has the feature. The connection is returned before the
/// check of the password.
async fn usable(cx: &Cx, visitor: &Visitor, token: &str) -> Result<Option<Link>> {
    let (hash, now) = (token::hash(token), cx.state().clock.now());
    let link = db::find(&mut *visitor.db().await?, &hash, now).await?;
    match link {
        Some(link) if has_feature(cx.state(), &link).await? => Ok(Some(link)),
        _ => Ok(None),
    }
}

/// True when the account of a link has stream history.
pub(super) async fn has_feature(state: &State, link: &Link) -> Result<bool> {
    Ok(account_features(state, link.account_id).await?.has(Feature::StreamHistory))
}

/// Password as links have them, see [`shared_links`](crate::shared_links).
fn password(presented: &Presented) -> String {
    let given = presented.password.as_deref().unwrap_or_default().trim();
    if given.len() > MAX_PASSWORD_BYTES { String::new() } else { given.to_owned() }
}

/// The answer to everything that is wrong.
pub(super) fn refused() -> ApiError {
    ApiError::unauthorized("Invalid share link or password")
}
