//! What the operations on an extension of the caller's own have in common.

use api_core::{ApiError, Code, Cx, Input, Result, access::SignedIn};
use diesel_async::AsyncPgConnection;
use serde_json::{Value, json};
use shared::{audit::Entry, catalogue::AccountPermission, db::Connection};
use uuid::Uuid;

use super::{carries, rules};
use crate::profile::{self, Profile};

/// A developer who asks for an extension of their own.
pub(super) struct Own<'a> {
    pub connection: Connection<'a>,
    pub id: Uuid,
    profile: Profile,
}

impl<'a> Own<'a> {
    /// Checks what the credential carries, the id and the input, and finds the developer, in this order.
    ///
    /// # Errors
    /// 403 that names the permission; 400; 404 for somebody who is no developer.
    pub(super) async fn of<T>(
        cx: &Cx,
        caller: &'a SignedIn,
        permission: AccountPermission,
        id: Input<Uuid>,
        input: Input<T>,
    ) -> Result<(Self, T)> {
        carries(cx, permission)?;
        let (id, input) = (id?, input?);
        let mut connection = caller.db().await?;
        let profile = profile::owner(&mut connection, Some(caller.user)).await?;
        Ok((Self { connection, id, profile }, input))
    }

    /// # Errors
    /// 404 when the extension is not the developer's.
    pub(super) async fn exists(&mut self) -> Result<()> {
        rules::db::find(&mut self.connection, self.profile.id, self.id).await?;
        Ok(())
    }

    /// Everything that is needed in a transaction, apart.
    pub(super) const fn parts(&mut self) -> (&mut Connection<'a>, Uuid, Uuid) {
        (&mut self.connection, self.profile.id, self.id)
    }
}

/// Writes what was done to an extension into the trail.
pub(super) async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    id: Uuid,
    metadata: Value,
) -> Result<()> {
    let entry = Entry { metadata, ..cx.audit(action, "extension", id) };
    Ok(shared::audit::record(connection, entry).await?)
}

/// Refuses one more than there may be.
pub(super) fn limit_reached(message: &str, most: i64) -> ApiError {
    ApiError::new(Code::PlanLimitReached, message).with_details(json!({ "limit": most }))
}
