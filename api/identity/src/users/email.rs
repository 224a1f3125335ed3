//! The e-mail address of the person who calls: a session sets it, a key asks for it (specification E, 1).

use api_core::{
    Cx, Result,
    access::SignedIn,
    sign_in_changes::{is_by_session, require_session},
};
use diesel_async::AsyncPgConnection;
use shared::{
    audit,
    id::UserId,
    notify::{self, Notice},
};

use super::{changes::Changes, db};

/// Addresses that keys of a person ask for, an hour: each is told by mail.
const MAX_REQUESTS_PER_HOUR: u32 = 5;

/// Refuses what a key must not ask for: no address at all, to which nothing could be mailed any more, and too many.
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

/// The changes with what becomes of the address: set by a session, nothing waits any more; asked for by a key, it waits
/// and its person is told.
pub(super) async fn decided(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    changes: &Changes,
) -> Result<Changes> {
    let Some(asked) = &changes.email else { return Ok(changes.clone()) };
    let (present, waiting) = db::hold_emails(connection, user).await?;
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
