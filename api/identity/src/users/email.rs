//! E-mail address of the current user: a session sets it, a key only requests it
//! (reference/users.md#e-mail-address).

use api_core::{Cx, Result, access::SignedIn};
use diesel_async::AsyncPgConnection;
use foundation::audit;
use notices::notify::{self, Notice};
use shared::id::UserId;
use sign_in::sign_in_changes::{is_by_session, require_session};

use super::{changes::Changes, db};

/// Maximum number of addresses an hour that keys of a person request. A mail is sent for each.
const MAX_REQUESTS_PER_HOUR: u32 = 5;

api_core::limits::submit! {
    api_core::limits::WindowLimit {
        name: "email_requests",
        limit: MAX_REQUESTS_PER_HOUR,
        seconds: 3600,
        holder: api_core::limits::Holder::Person,
    }
}

/// Refuses a key that clears the address, after which no mail could reach the person, or that requests too
/// many addresses.
pub(super) async fn check(cx: &Cx, person: &SignedIn, changes: &Changes) -> Result<()> {
    let Some(email) = &changes.email else { return Ok(()) };
    if is_by_session(cx) {
        return Ok(());
    }
    if email.is_none() {
        require_session(cx)?;
    }
    let limiter = &cx.state().limiter;
    let user = person.user.to_string();
    cx.refuse_over(&limiter.count("email_requests", &user, MAX_REQUESTS_PER_HOUR, 3600).await)
}

/// Changes with the effect on the address. A session sets it and discards the one that waits. An address that
/// a key requests waits, and its person is notified.
pub(super) async fn decided(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    changes: &Changes,
) -> Result<Changes> {
    let Some(asked) = &changes.email else { return Ok(changes.clone()) };
    let (present, waiting) = db::lock_emails(connection, user).await?;
    if is_by_session(cx) {
        notify::withdraw_unconfirmed_email(connection, user).await?;
        return Ok(Changes { pending_email: Some(None), ..changes.clone() });
    }
    let pending = asked.clone().filter(|asked| present.as_ref() != Some(asked));
    if pending != waiting {
        notify::withdraw_unconfirmed_email(connection, user).await?;
        if let Some(email) = &pending {
            request(cx, connection, user, email).await?;
        }
    }
    Ok(Changes { email: None, pending_email: Some(pending), ..changes.clone() })
}

async fn request(cx: &Cx, connection: &mut AsyncPgConnection, user: UserId, email: &str) -> Result<()> {
    let notice = Notice::EmailUnconfirmed { email };
    notify::notify(connection, &[user], &notice, cx.state().clock.now()).await?;
    let entry = audit::Entry { scope: audit::Scope::User, ..cx.audit("user:email_requested", "user", user) };
    Ok(audit::record(connection, entry).await?)
}
