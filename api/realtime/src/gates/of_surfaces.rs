//! Gates of the pages and editors of overlays and widgets (reference/realtime.md#surfaces).

use api_core::{
    ApiError, Code, Cx,
    access::{Principal, SystemReason},
    token::TokenKind,
};
use foundation::events::Channel;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};
use surfaces::{
    Surface, find_overlay,
    object_access::{ObjectAccess, ObjectKind, ObjectRole},
};
use uuid::Uuid;

use super::{Gate, has_feature};

/// Account and surface of a channel of a page.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Account of the surface.
    pub account: AccountId,
    /// The surface.
    pub surface: Surface,
}

/// Checks the gate of a channel of a surface.
pub(super) async fn check(cx: &Cx, channel: Channel) -> Result<Gate, ApiError> {
    match channel {
        Channel::Overlay(key) => match cx.principal() {
            Principal::Surface { kind: TokenKind::Overlay | TokenKind::Share, subject, .. }
                if subject == key.as_str() =>
            {
                has_feature(cx, Feature::Overlays).await
            }
            _ => Ok(Gate::Unauthorized),
        },
        Channel::Widget(id) => match cx.principal() {
            Principal::Surface { kind: TokenKind::Widget, subject, .. } if *subject == id.to_string() => {
                has_feature(cx, Feature::Widgets).await
            }
            _ => of_member(cx, ObjectKind::Widget, id, ObjectRole::Viewer).await,
        },
        Channel::OverlayEditor(id) => of_member(cx, ObjectKind::Overlay, id, ObjectRole::Viewer).await,
        _ => Ok(Gate::Unauthorized),
    }
}

/// Checks that the caller may publish on a channel to which it may listen.
///
/// # Errors
/// An error when rights cannot be read.
pub async fn check_publish(cx: &Cx, channel: Channel) -> Result<bool, ApiError> {
    let Channel::OverlayEditor(id) = channel else { return Ok(false) };
    let may_edit = cx.account_permissions().await?.contains(AccountPermission::OverlaysEdit);
    Ok(may_edit && of_member(cx, ObjectKind::Overlay, id, ObjectRole::Editor).await? == Gate::Open)
}

/// Account and surface of a channel whose gate is open; `None` when the surface is gone.
///
/// # Errors
/// An error when the database fails.
pub async fn place(cx: &Cx, channel: Channel) -> Result<Option<Place>, ApiError> {
    let Some(account) = cx.principal().account() else { return Ok(None) };
    let surface = match channel {
        Channel::Overlay(key) => find_overlay(cx.state(), account, key).await?.map(Surface::Overlay),
        Channel::Widget(id) => Some(Surface::Widget(id)),
        _ => None,
    };
    Ok(surface.map(|surface| Place { account, surface }))
}

/// Gate of members: permission, access to the object, then the feature.
async fn of_member(cx: &Cx, kind: ObjectKind, id: Uuid, needed: ObjectRole) -> Result<Gate, ApiError> {
    let (permission, feature) = match kind {
        ObjectKind::Overlay => (AccountPermission::OverlaysRead, Feature::Overlays),
        ObjectKind::Widget => (AccountPermission::WidgetsRead, Feature::Widgets),
    };
    let Some(account) = cx.principal().account() else { return Ok(Gate::Unauthorized) };
    if matches!(cx.principal(), Principal::Surface { .. })
        || !cx.account_permissions().await?.contains(permission)
    {
        return Ok(Gate::Unauthorized);
    }
    let access = ObjectAccess::of(cx, account, kind).await?;
    let system = cx.state().system(SystemReason::Socket);
    let checked = access.check(&mut *system.db().await?, id, needed).await;
    match checked {
        Ok(()) => has_feature(cx, feature).await,
        Err(error) if error.code == Code::NotFound => Ok(Gate::Deleted),
        Err(error) if error.code == Code::Forbidden => Ok(Gate::Unauthorized),
        Err(error) => Err(error),
    }
}
