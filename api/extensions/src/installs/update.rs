//! Consent to newer versions.

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants, account_features},
};
use diesel_async::AsyncConnection;
use extension_model::Manifest;
use shared::catalogue::{AccountPermission, Feature};
use uuid::Uuid;

use super::{
    AcceptExtensionUpdateInput, Change, ExtensionInstall,
    db::{self, versions, views},
    not_found,
};

pub static ACCEPT_EXTENSION_UPDATE: Operation<AccountCaller> = Operation::account(
    "acceptExtensionUpdate",
    AccountPermission::ExtensionStoreConfigure,
    Grants::Extensions,
)
.feature(Feature::Extensions)
.idempotent();

/// Updates an install to the extension's current version, with the account's consent.
///
/// `accept_permissions` must name every permission that the version asks for and that is not granted yet. A
/// pin is lifted. Workers and open sockets are informed.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 when a permission that the version asks for is not accepted.
/// - 404 when the account has no such install.
/// - 409 when there is no newer version.
#[api_core::operation]
pub async fn accept_extension_update(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AcceptExtensionUpdateInput>,
) -> Result<ExtensionInstall> {
    let caller = cx.authorize(&ACCEPT_EXTENSION_UPDATE).await?;
    let (id, accepted) = (id?, input?.accept_permissions.unwrap_or_default());
    let features = account_features(cx.state(), caller.account).await?;
    let install = caller
        .db()
        .await?
        .transaction(async |connection| {
            let before = db::locked(connection, caller.account, id).await?.ok_or_else(not_found)?;
            let install =
                views::find(connection, caller.account, id, &features).await?.ok_or_else(not_found)?;
            let current = versions::current(connection, before.extension_id)
                .await?
                .filter(|_| install.update_available);
            let (version_id, manifest) = current.ok_or_else(|| ApiError::conflict("No update available"))?;
            let asked = Manifest::stored(manifest)?.permissions;
            let known = |permission: &String| {
                before.granted_permissions.contains(permission) || accepted.contains(permission)
            };
            if !asked.iter().all(known) {
                return Err(ApiError::invalid("All requested permissions must be granted"));
            }
            let mut changes = db::Changes::at(cx.state().clock.now());
            changes.version_id = Some(version_id);
            changes.granted_permissions = Some(asked);
            changes.pinned_version = Some(None);
            db::update(connection, caller.account, id, changes).await?;
            foundation::audit::record(connection, cx.audit("extension:updated", "extension_install", id))
                .await?;
            views::find(connection, caller.account, id, &features).await?.ok_or_else(not_found)
        })
        .await?;
    Change::Updated(&install).announce(cx, caller.account).await;
    Ok(install)
}
