//! Common steps of the operations on one of the caller's extensions.

use api_core::{ApiError, Code, Cx, Input, Result, access::SignedIn};
use diesel_async::AsyncPgConnection;
use foundation::{audit::Entry, db::Connection};
use serde_json::{Value, json};
use shared::catalogue::AccountPermission;
use uuid::Uuid;

use super::{carries, rules};
use crate::profile::{self, Profile};

/// A developer who requests an extension of their own.
pub(super) struct Own<'a> {
    pub connection: Connection<'a>,
    pub id: Uuid,
    profile: Profile,
}

impl<'a> Own<'a> {
    /// Checks the permission of the credential, the id and the input, and finds the developer, in this order.
    ///
    /// # Errors
    /// 403 with the permission; 400; 404 for a caller who is not a developer.
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

    /// Checks that the extension is the developer's own.
    ///
    /// # Errors
    /// 404 when it is not.
    pub(super) async fn exists(&mut self) -> Result<()> {
        rules::db::find(&mut self.connection, self.profile.id, self.id).await?;
        Ok(())
    }

    /// Connection, developer and extension, for a transaction.
    pub(super) const fn parts(&mut self) -> (&mut Connection<'a>, Uuid, Uuid) {
        (&mut self.connection, self.profile.id, self.id)
    }
}

/// Records an action on an extension in the audit trail.
pub(super) async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    id: Uuid,
    metadata: Value,
) -> Result<()> {
    let entry = Entry { metadata, ..cx.audit(action, "extension", id) };
    Ok(foundation::audit::record(connection, entry).await?)
}

/// 403 `PLAN_LIMIT_REACHED` with the limit.
pub(super) fn limit_reached(message: &str, max: i64) -> ApiError {
    ApiError::new(Code::PlanLimitReached, message).with_details(json!({ "limit": max }))
}
