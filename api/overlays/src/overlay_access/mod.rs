//! Access of members to an overlay (reference/overlays.md#access).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use shared::catalogue::{AccountPermission, Feature};
use uuid::Uuid;

use surfaces::{
    access_entry,
    object_access::{self, AccessCandidate, ObjectKind, SetAccessInput, requested_role},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&OVERLAY_ACCESS, &OVERLAY_ACCESS_CANDIDATES, &SET_OVERLAY_ACCESS, &REMOVE_OVERLAY_ACCESS];

access_entry! {
    /// Role of a member for an overlay.
    OverlayAccessEntry {
        /// Overlay.
        overlay_id
    }
}

pub static OVERLAY_ACCESS: Operation<AccountCaller> =
    Operation::account("overlayAccess", AccountPermission::OverlaysAccessRead, Grants::Nothing)
        .feature(Feature::Overlays);

/// Lists the access entries of an overlay, oldest first.
///
/// Without an entry every member uses the overlay by role. With entries, only members who have one do, and
/// the owner and administrators.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// name the caller.
#[api_core::operation]
pub async fn overlay_access(cx: &Cx, overlay_id: Input<Uuid>) -> Result<Vec<OverlayAccessEntry>> {
    let caller = cx.authorize(&OVERLAY_ACCESS).await?;
    let entries = object_access::entries(cx, &caller, ObjectKind::Overlay, overlay_id?).await?;
    Ok(entries.into_iter().map(OverlayAccessEntry::from).collect())
}

pub static OVERLAY_ACCESS_CANDIDATES: Operation<AccountCaller> =
    Operation::account("overlayAccessCandidates", AccountPermission::OverlaysAccessRead, Grants::Nothing)
        .feature(Feature::Overlays);

/// Lists the members without an entry of an overlay, by name.
///
/// The owner and administrators are left out: entries do not bind them.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// name the caller.
#[api_core::operation]
pub async fn overlay_access_candidates(cx: &Cx, overlay_id: Input<Uuid>) -> Result<Vec<AccessCandidate>> {
    let caller = cx.authorize(&OVERLAY_ACCESS_CANDIDATES).await?;
    object_access::candidates(cx, &caller, ObjectKind::Overlay, overlay_id?).await
}

// An entry gives no permission: it only narrows, for one overlay, what the roles of members give. Only a
// caller whom the entries let change the overlay may change them.
pub static SET_OVERLAY_ACCESS: Operation<AccountCaller> =
    Operation::account("setOverlayAccess", AccountPermission::OverlaysAccessGrant, Grants::Nothing)
        .feature(Feature::Overlays);

/// Gives a member a role for an overlay, or removes it with `none`.
///
/// The permissions of the member's role still apply: an editor without `overlays:edit` only reads. The first
/// entry excludes all members without one.
///
/// # Errors
/// Refusals of the access rule; 400 `BAD_REQUEST` for another role; 404 when the account has no such overlay
/// or member, or no entry to remove; 403 when the overlay's access entries do not let the caller change it.
#[api_core::operation]
pub async fn set_overlay_access(
    cx: &Cx,
    overlay_id: Input<Uuid>,
    user_id: Input<Uuid>,
    input: Input<SetAccessInput>,
) -> Result<OverlayAccessEntry> {
    let caller = cx.authorize(&SET_OVERLAY_ACCESS).await?;
    let (overlay, user, role) = (overlay_id?, user_id?, requested_role(&input?)?);
    let entry = object_access::set(cx, &caller, ObjectKind::Overlay, overlay, user, role).await?;
    Ok(entry.into())
}

pub static REMOVE_OVERLAY_ACCESS: Operation<AccountCaller> =
    Operation::account("removeOverlayAccess", AccountPermission::OverlaysAccessRevoke, Grants::Nothing)
        .feature(Feature::Overlays);

/// Removes a member's entry of an overlay.
///
/// After the last entry, every member uses the overlay by role again.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay, or the overlay no such entry; 403
/// when its access entries do not let the caller change it.
#[api_core::operation]
pub async fn remove_overlay_access(cx: &Cx, overlay_id: Input<Uuid>, user_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REMOVE_OVERLAY_ACCESS).await?;
    let (overlay, user) = (overlay_id?, user_id?);
    object_access::remove(cx, &caller, ObjectKind::Overlay, overlay, user).await
}
