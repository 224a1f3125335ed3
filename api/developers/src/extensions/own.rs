//! Common steps of the operations on one of the caller's extensions.

use api_core::{
    ApiError, Code, Cx, Input, Result,
    access::{AnyOperation, SignedIn},
};
use developer_access::{credentials::carries, extensions::Owner};
use diesel_async::AsyncPgConnection;
use foundation::{audit::Entry, db::Connection};
use serde_json::{Value, json};
use shared::catalogue::AccountPermission;
use uuid::Uuid;

/// A developer who requests an extension of their own or of a team.
pub(super) struct Own<'a> {
    pub connection: Connection<'a>,
    pub id: Uuid,
    owner: Owner,
}

impl<'a> Own<'a> {
    /// Checks the permission of the credential, the id and the input, and the right to the extension, in this
    /// order.
    ///
    /// # Errors
    /// 403 with the permission; 400; 404 for a caller without a relation to the extension; 403 for a member of
    /// its team without the permission.
    pub(super) async fn of<T>(
        cx: &Cx,
        caller: &'a SignedIn,
        operation: &dyn AnyOperation,
        permission: AccountPermission,
        id: Input<Uuid>,
        input: Input<T>,
    ) -> Result<(Self, T)> {
        carries(cx, permission)?;
        let (id, input) = (id?, input?);
        let mut connection = caller.db().await?;
        let user = Some(caller.user);
        let owner = developer_access::extensions::owner(&mut connection, operation, user, id).await?;
        Ok((Self { connection, id, owner }, input))
    }

    /// Connection, owner and extension, for a transaction.
    pub(super) const fn parts(&mut self) -> (&mut Connection<'a>, &Owner, Uuid) {
        (&mut self.connection, &self.owner, self.id)
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
