//! Changing and ending an extension of one's own.

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{Authenticated, Grants, SignedIn},
};
use shared::catalogue::{AccountPermission, Feature};
use uuid::Uuid;

use super::{
    DeveloperExtension, SetExtensionVisibilityInput, TransferExtensionInput, UpdateExtensionInput, carries,
    rules,
};
use crate::{developer_api::extensions::UpdateExtensionBody, profile};

/// Changes an extension.
pub static UPDATE_EXTENSION: Operation<Authenticated> =
    Operation::authenticated("updateExtension", Grants::Nothing).feature(Feature::ExtensionDevelopment);

/// Changes the fields of an extension that are given.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension; 400 for a wrong field; 409 for a slug that may not change or
/// is taken, and for retiring an extension that is not approved.
pub async fn update_extension(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateExtensionInput>,
) -> Result<DeveloperExtension> {
    let caller = cx.authorize(&UPDATE_EXTENSION).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, (body, page)) = (id?, input?.parts());
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, caller.user).await?;
    let mut changes = rules::changes(body, profile.verified, cx.state().clock.now())?;
    page.add_to(&mut changes)?;
    Ok(rules::update(cx, &mut connection, &profile, id, changes).await?.into())
}

/// Deletes an extension.
pub static DELETE_EXTENSION: Operation<SignedIn> =
    Operation::first_party("deleteExtension", Grants::Extensions).feature(Feature::ExtensionDevelopment);

/// Deletes an extension that was never publicly listed, and its installs with it.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension; 409 when it was ever listed.
pub async fn delete_extension(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_EXTENSION).await?;
    carries(cx, AccountPermission::ExtensionDevDelete)?;
    let id = id?;
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, Some(caller.user)).await?;
    Ok(rules::delete(cx, connection, &profile, id).await?)
}

/// Says who finds an extension.
pub static SET_EXTENSION_VISIBILITY: Operation<SignedIn> =
    Operation::first_party("setExtensionVisibility", Grants::Nothing).feature(Feature::ExtensionDevelopment);

/// Says who finds an extension. The first change to `public` or `paid` lists it once a reviewer agrees; `private` takes
/// it out of the store at once, and installs keep running.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension; 400 for an unknown visibility, and for `paid` from a
/// developer who is not verified.
pub async fn set_extension_visibility(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SetExtensionVisibilityInput>,
) -> Result<DeveloperExtension> {
    let caller = cx.authorize(&SET_EXTENSION_VISIBILITY).await?;
    carries(cx, AccountPermission::ExtensionDevPublish)?;
    let (id, input) = (id?, input?);
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, Some(caller.user)).await?;
    let body =
        UpdateExtensionBody { visibility: Patch::Value(input.visibility), ..UpdateExtensionBody::default() };
    let changes = rules::changes(body, profile.verified, cx.state().clock.now())?;
    Ok(rules::update(cx, &mut connection, &profile, id, changes).await?.into())
}

/// Hands an extension to a team.
pub static TRANSFER_EXTENSION: Operation<SignedIn> =
    Operation::first_party("transferExtension", Grants::Extensions).feature(Feature::ExtensionDevelopment);

/// Hands an extension of the caller's own to a team (C B1.6). C B1.1 gives an extension one owner, a developer or a team
/// of B §4.3; there are no teams here, so that whoever owns the extension is told that there is no such team, and nobody
/// else is told that there is such an extension.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension, or there is no such team.
pub async fn transfer_extension(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<TransferExtensionInput>,
) -> Result<DeveloperExtension> {
    let caller = cx.authorize(&TRANSFER_EXTENSION).await?;
    carries(cx, AccountPermission::ExtensionDevCreate)?;
    let (id, _input) = (id?, input?);
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, Some(caller.user)).await?;
    rules::db::find(&mut connection, profile.id, id).await?;
    Err(ApiError::not_found("Team not found"))
}
