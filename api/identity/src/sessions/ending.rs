//! The end of one session, whoever asks for it.

use api_core::{
    Cx, Result,
    sessions::{Reason, record, tell},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use serde_json::json;
use shared::{audit::Actor, id::UserId};
use uuid::Uuid;

use super::db;

/// Ends a session and tells its person's sockets. Whether there was one to end. Call [`announce_end`] afterwards.
///
/// [`announce_end`]: api_core::sessions::announce_end
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
            tell(connection, user, &[session], now).await?;
            Ok(true)
        })
        .await
}
