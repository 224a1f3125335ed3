//! Access of members to a widget (reference/overlays.md#access).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use shared::catalogue::AccountPermission;
use uuid::Uuid;

use surfaces::{
    access_entry,
    object_access::{self, AccessCandidate, ObjectKind, SetAccessInput, requested_role},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&WIDGET_ACCESS, &WIDGET_ACCESS_CANDIDATES, &SET_WIDGET_ACCESS, &REMOVE_WIDGET_ACCESS];

access_entry! {
    /// Role of a member for a widget.
    WidgetAccessEntry {
        /// Widget.
        widget_id
    }
}

pub static WIDGET_ACCESS: Operation<AccountCaller> =
    Operation::account("widgetAccess", AccountPermission::WidgetsAccessRead, Grants::Nothing);

/// Lists the access entries of a widget, oldest first.
///
/// Without an entry every member uses the widget by role. With entries, only members who have one do, and
/// the owner and administrators.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such widget; 403 when its access entries do not
/// name the caller.
#[api_core::operation]
pub async fn widget_access(cx: &Cx, widget_id: Input<Uuid>) -> Result<Vec<WidgetAccessEntry>> {
    let caller = cx.authorize(&WIDGET_ACCESS).await?;
    let entries = object_access::entries(cx, &caller, ObjectKind::Widget, widget_id?).await?;
    Ok(entries.into_iter().map(WidgetAccessEntry::from).collect())
}

pub static WIDGET_ACCESS_CANDIDATES: Operation<AccountCaller> =
    Operation::account("widgetAccessCandidates", AccountPermission::WidgetsAccessRead, Grants::Nothing);

/// Lists the members without an entry of a widget, by name.
///
/// The owner and administrators are left out: entries do not bind them.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such widget; 403 when its access entries do not
/// name the caller.
#[api_core::operation]
pub async fn widget_access_candidates(cx: &Cx, widget_id: Input<Uuid>) -> Result<Vec<AccessCandidate>> {
    let caller = cx.authorize(&WIDGET_ACCESS_CANDIDATES).await?;
    object_access::candidates(cx, &caller, ObjectKind::Widget, widget_id?).await
}

// An entry gives no permission: it only narrows, for one widget, what the roles of members give. Only a
// caller whom the entries let change the widget may change them.
pub static SET_WIDGET_ACCESS: Operation<AccountCaller> =
    Operation::account("setWidgetAccess", AccountPermission::WidgetsAccessGrant, Grants::Nothing);

/// Gives a member a role for a widget, or removes it with `none`.
///
/// The permissions of the member's role still apply: an editor without `widgets:edit` only reads. The first
/// entry excludes all members without one.
///
/// # Errors
/// Refusals of the access rule; 400 `BAD_REQUEST` for another role; 404 when the account has no such widget
/// or member, or no entry to remove; 403 when the widget's access entries do not let the caller change it.
#[api_core::operation]
pub async fn set_widget_access(
    cx: &Cx,
    widget_id: Input<Uuid>,
    user_id: Input<Uuid>,
    input: Input<SetAccessInput>,
) -> Result<WidgetAccessEntry> {
    let caller = cx.authorize(&SET_WIDGET_ACCESS).await?;
    let (widget, user, role) = (widget_id?, user_id?, requested_role(&input?)?);
    let entry = object_access::set(cx, &caller, ObjectKind::Widget, widget, user, role).await?;
    Ok(entry.into())
}

pub static REMOVE_WIDGET_ACCESS: Operation<AccountCaller> =
    Operation::account("removeWidgetAccess", AccountPermission::WidgetsAccessRevoke, Grants::Nothing);

/// Removes a member's entry of a widget.
///
/// After the last entry, every member uses the widget by role again.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such widget, or the widget no such entry; 403
/// when its access entries do not let the caller change it.
#[api_core::operation]
pub async fn remove_widget_access(cx: &Cx, widget_id: Input<Uuid>, user_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REMOVE_WIDGET_ACCESS).await?;
    let (widget, user) = (widget_id?, user_id?);
    object_access::remove(cx, &caller, ObjectKind::Widget, widget, user).await
}
