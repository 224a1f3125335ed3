//! Transfer of an extension between a person and a team (reference/teams.md#transfer).

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{Grants, SignedIn},
};
use developer_access::{
    credentials::carries,
    extensions::{self, Owner},
};
use diesel_async::AsyncConnection;
use extension_bundle::PAID_NEEDS_VERIFICATION;
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature, TeamPermission};
use uuid::Uuid;

use super::{
    DeveloperExtension, TransferExtensionInput, new_owner,
    own::{limit_reached, record},
    rules,
};

pub static TRANSFER_EXTENSION: Operation<SignedIn> =
    Operation::first_party("transferExtension", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsCreate])
        .idempotent();

/// Transfers an extension to a team, or from a team to its owner.
///
/// The caller gives the extension away as the person who owns it or as the owner of the team that does. The
/// new team is one in which the caller holds `team-extensions:create`; `team_id` null gives the extension to
/// the caller. Versions, installs and secrets stay.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 without `team_id`.
/// - 403 for a key that does not carry `extension-dev:create`, for a member who is not the owner of the
///   extension's team, for a member of the new team without `team-extensions:create`, and for a caller who
///   takes an extension without being a developer.
/// - 403 `PLAN_LIMIT_REACHED` when the new owner has the maximum number of extensions.
/// - 404 when the caller has no such extension, or does not belong to the new team.
/// - 409 when the extension belongs to the new owner already, and for a priced one when the new owner is not
///   verified.
#[api_core::operation]
pub async fn transfer_extension(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<TransferExtensionInput>,
) -> Result<DeveloperExtension> {
    let caller = cx.authorize(&TRANSFER_EXTENSION).await?;
    carries(cx, AccountPermission::ExtensionDevCreate)?;
    let (id, team) = (id?, target(input?)?);
    let now = cx.state().clock.now();
    let mut connection = caller.db().await?;
    let from = extensions::find(&mut connection, Some(caller.user), id).await?;
    let from = from.ok_or_else(extensions::not_found)?;
    if !from.is_caller {
        return Err(ApiError::forbidden("Only the owner can transfer an extension"));
    }
    let to = match team {
        Some(team) => new_owner::team(&mut connection, &caller, team).await?,
        None => new_owner::person(&mut connection, &caller).await?,
    };
    let moved: DeveloperExtension = connection
        .transaction(async |connection| {
            let extension = rules::db::find_locked(connection, &from, id).await?;
            admissible(&from, &to, &extension)?;
            let (count, max) = (
                rules::db::count_locked(connection, &to).await?,
                rules::max_extensions(connection, &to).await?,
            );
            if let Some(team) = to.team {
                // The team is locked by the count: a member who was removed meanwhile is refused.
                new_owner::team(connection, &caller, team).await?;
            }
            if count >= max {
                return Err(limit_reached("Extension limit reached", max));
            }
            let moved = rules::db::transfer(connection, &from, &to, id, now).await?;
            let metadata = json!({
                "from": { "developer_id": from.developer, "team_id": from.team },
                "to": { "developer_id": to.developer, "team_id": to.team },
            });
            record(cx, connection, "extension:transferred", id, metadata).await?;
            Ok::<_, ApiError>(moved.into())
        })
        .await?;
    drop(connection);
    cx.changed(foundation::invalidation::Invalidation::Limits).await;
    Ok(moved)
}

/// Team that takes the extension; `None` for the caller.
fn target(input: TransferExtensionInput) -> Result<Option<Uuid>> {
    match input.team_id {
        Patch::Absent => Err(ApiError::invalid("Missing field: team_id")),
        Patch::Null => Ok(None),
        Patch::Value(team) => Ok(Some(team)),
    }
}

fn admissible(from: &Owner, to: &Owner, extension: &rules::ExtensionRow) -> Result<()> {
    if (from.developer, from.team) == (to.developer, to.team) {
        return Err(ApiError::conflict("The extension belongs to this owner already"));
    }
    let is_priced = extension.pricing_type != "free" || extension.visibility == "paid";
    if is_priced && !to.verified {
        return Err(ApiError::conflict(PAID_NEEDS_VERIFICATION));
    }
    Ok(())
}
