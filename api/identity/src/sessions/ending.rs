//! End of one session.

use api_core::{Cx, Result};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::Actor;
use serde_json::json;
use shared::id::UserId;
use sign_in::sessions::{Reason, publish_revoked, record};
use uuid::Uuid;

use super::db;

/// Ends a session and notifies the person's sockets. Returns true when the session was open. The caller then
/// calls [`announce_end`].
///
/// [`announce_end`]: sign_in::sessions::announce_end
pub(crate) async fn end(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    session: Uuid,
    actor: Actor,
    reason: Reason,
) -> Result<bool> {
    let now = cx.state().clock.now();
    connection
        .transaction(async |connection| {
            if !db::revoke(connection, user, session, now).await? {
                return Ok(false);
            }
            record(cx, connection, actor, Some(session), json!({ "reason": reason })).await?;
            publish_revoked(connection, user, &[session], now).await?;
            Ok(true)
        })
        .await
}
