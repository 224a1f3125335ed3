//! Changes and deletion of the caller's extensions.

use api_core::{
    Cx, Input, Operation, Patch, Result,
    access::{Authenticated, Grants, SignedIn},
};
use developer_access::{credentials::carries, extensions::owner};
use shared::catalogue::{AccountPermission, Feature, TeamPermission};
use uuid::Uuid;

use super::{DeveloperExtension, SetExtensionVisibilityInput, UpdateExtensionInput, rules};
use crate::{developer_api::extensions::UpdateExtensionBody, owners};

pub static UPDATE_EXTENSION: Operation<Authenticated> =
    Operation::authenticated("updateExtension", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsEdit]);

/// Changes one of the caller's extensions.
///
/// Absent fields stay. The slug may change once, before the first public listing. `status` accepts `archived`
/// only, which retires an approved extension for good: it is not offered any more, and its installs keep
/// running.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field.
/// - 403 for a key or popout that does not carry `extension-dev:edit`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension.
/// - 409 for a slug that may not change or is taken, and for archiving an extension that is not approved.
#[api_core::operation]
pub async fn update_extension(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateExtensionInput>,
) -> Result<DeveloperExtension> {
    let caller = cx.authorize(&UPDATE_EXTENSION).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, (body, page)) = (id?, input?.parts());
    let mut connection = caller.db().await?;
    let found = owners::find(&mut connection, caller.user, id).await?;
    let mut changes = rules::changes(body, found.is_verified(), cx.state().clock.now())?;
    page.add_to(&mut changes)?;
    let owner = found.permitted(&UPDATE_EXTENSION)?;
    Ok(rules::update(cx, &mut connection, &owner, id, changes).await?.into())
}

pub static DELETE_EXTENSION: Operation<SignedIn> =
    Operation::first_party("deleteExtension", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsDelete]);

/// Deletes one of the caller's extensions that was never publicly listed.
///
/// Its versions, installs and uploads are deleted with it. Accounts that had it installed are informed.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:delete`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension.
/// - 409 when it was ever listed.
#[api_core::operation]
pub async fn delete_extension(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_EXTENSION).await?;
    carries(cx, AccountPermission::ExtensionDevDelete)?;
    let id = id?;
    let mut connection = caller.db().await?;
    let owner = owner(&mut connection, &DELETE_EXTENSION, Some(caller.user), id).await?;
    Ok(rules::delete(cx, connection, &owner, id).await?)
}

pub static SET_EXTENSION_VISIBILITY: Operation<SignedIn> =
    Operation::first_party("setExtensionVisibility", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsPublish]);

/// Sets the visibility of one of the caller's extensions.
///
/// The first change to `public` or `paid` does not list the extension: it is listed when a reviewer publishes
/// a version. `private` removes it from the store at once. Existing installs keep running.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an unknown visibility, and for `paid` of a developer who is not verified.
/// - 403 for a key that does not carry `extension-dev:publish`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension.
#[api_core::operation]
pub async fn set_extension_visibility(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SetExtensionVisibilityInput>,
) -> Result<DeveloperExtension> {
    let caller = cx.authorize(&SET_EXTENSION_VISIBILITY).await?;
    carries(cx, AccountPermission::ExtensionDevPublish)?;
    let (id, input) = (id?, input?);
    let mut connection = caller.db().await?;
    let found = owners::find(&mut connection, Some(caller.user), id).await?;
    let body =
        UpdateExtensionBody { visibility: Patch::Value(input.visibility), ..UpdateExtensionBody::default() };
    let changes = rules::changes(body, found.is_verified(), cx.state().clock.now())?;
    let owner = found.permitted(&SET_EXTENSION_VISIBILITY)?;
    Ok(rules::update(cx, &mut connection, &owner, id, changes).await?.into())
}
