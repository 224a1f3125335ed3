//! Overlays of an account (reference/overlays.md#overlays).

mod background;
mod db;
mod fields;
pub mod graphql;
pub mod rest;
mod stored;

use account_model::limits::{Quota, release};
use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::{GraphQLInputObject, GraphQLObject};
use live_model::surfaces::{OverlayChange, publish_overlay_change};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    fields::{MAX_NAME_LENGTH, MAX_SIZE},
    surface_tokens,
};
use background::MAX_BACKGROUND_LENGTH;
use fields::{Changes, Fields};
use stored::{found, insert, locked};
use surfaces::object_access::{ObjectAccess, ObjectKind, ObjectRole};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&OVERLAYS, &OVERLAY, &CREATE_OVERLAY, &UPDATE_OVERLAY, &DELETE_OVERLAY, &DUPLICATE_OVERLAY];

/// Number of overlays of an account whose plan has no limit; the list shows as many
/// (reference/overlays.md#overlays).
const MAX_OVERLAYS: i64 = 1000;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "stored_overlays",
        MAX_OVERLAYS,
        "SELECT coalesce(max(used), 0) FROM account_usage WHERE account_id = $1 AND quota = 'overlays'",
    )
}

/// Number of layers of an overlay (reference/overlays.md#layers).
pub(crate) const MAX_LAYERS: usize = 100;

/// Overlay: a page of layers that a browser source shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct Overlay {
    /// Identifier.
    pub id: Uuid,
    /// Account.
    pub account_id: Uuid,
    /// Name.
    pub name: String,
    /// Part of the address of its page: 12 letters, digits, `-` or `_`.
    pub key: String,
    /// Width in pixels.
    pub width: i32,
    /// Height in pixels.
    pub height: i32,
    /// `transparent` or a CSS color.
    pub background: String,
    /// Number of the present state. Each change of the overlay or of its layers adds one.
    pub version: i32,
    /// Upload with a picture of the overlay. Null: none.
    pub thumbnail_upload_id: Option<Uuid>,
    /// Present use by the caller: `viewer` reads, `editor` reads and changes.
    pub my_access: String,
    /// Number of layers.
    pub layer_count: i32,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change of the overlay or of its layers.
    pub updated_at: Timestamp,
}

/// New overlay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "name": "Gameplay", "width": 1920, "height": 1080, "background": "transparent" }))]
pub struct CreateOverlayInput {
    /// 1 to 100 characters; `Main Overlay` when absent.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Option<String>,
    /// 1 to 7,680 pixels; 1,920 when absent.
    #[schema(extensions(("minimum" = json!(1)), ("maximum" = json!(MAX_SIZE))))]
    pub width: Option<i32>,
    /// 1 to 7,680 pixels; 1,080 when absent.
    #[schema(extensions(("minimum" = json!(1)), ("maximum" = json!(MAX_SIZE))))]
    pub height: Option<i32>,
    /// `transparent` or a CSS color, at most 64 characters; `transparent` when absent.
    #[schema(extensions(("maxLength" = json!(MAX_BACKGROUND_LENGTH))))]
    pub background: Option<String>,
}

/// Changes of an overlay. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "name": "Gameplay", "background": "#101020" }))]
pub struct OverlayChanges {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// 1 to 7,680 pixels.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(1)), ("maximum" = json!(MAX_SIZE))))]
    pub width: Patch<i32>,
    /// 1 to 7,680 pixels.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(1)), ("maximum" = json!(MAX_SIZE))))]
    pub height: Patch<i32>,
    /// `transparent` or a CSS color, at most 64 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_BACKGROUND_LENGTH))))]
    pub background: Patch<String>,
    /// Upload of the account with a picture of the overlay; null removes it.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub thumbnail_upload_id: Patch<Uuid>,
    /// Version that the caller has seen. Null or absent: the change replaces any version.
    #[schema(extensions(("minimum" = json!(1)), ("maximum" = json!(i32::MAX))))]
    pub version: Option<i32>,
}

pub static OVERLAYS: Operation<AccountCaller> =
    Operation::account("overlays", AccountPermission::OverlaysRead, Grants::Nothing)
        .feature(Feature::Overlays)
        .polled();

/// Lists the account's overlays, oldest first.
///
/// The list leaves out overlays whose access entries do not name the caller.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn overlays(cx: &Cx) -> Result<Vec<Overlay>> {
    let caller = cx.authorize(&OVERLAYS).await?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let rows = db::list(&mut *caller.db().await?, &access).await?;
    rows.into_iter().map(|row| row.into_overlay(&caller)).collect()
}

pub static OVERLAY: Operation<AccountCaller> =
    Operation::account("overlay", AccountPermission::OverlaysRead, Grants::Nothing)
        .feature(Feature::Overlays);

/// Returns one of the account's overlays.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// name the caller.
#[api_core::operation]
pub async fn overlay(cx: &Cx, id: Input<Uuid>) -> Result<Overlay> {
    let caller = cx.authorize(&OVERLAY).await?;
    let id = id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    found(&mut *caller.db().await?, &caller, &access, id).await
}

pub static CREATE_OVERLAY: Operation<AccountCaller> =
    Operation::account("createOverlay", AccountPermission::OverlaysCreate, Grants::Nothing)
        .feature(Feature::Overlays)
        .idempotent();

/// Creates an overlay without layers.
///
/// The token of its page is created with it; `overlayToken` returns it.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 403 `PLAN_LIMIT_REACHED` beyond the overlays of the
/// plan.
#[api_core::operation]
pub async fn create_overlay(cx: &Cx, input: Input<CreateOverlayInput>) -> Result<Overlay> {
    let caller = cx.authorize(&CREATE_OVERLAY).await?;
    let fields = Fields::new(input?)?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let id = insert(cx, connection, caller.account, &fields).await?;
            let mut entry = cx.audit("overlay:created", "overlay", id);
            entry.metadata = json!({ "name": fields.name });
            audit::record(connection, entry).await?;
            found(connection, &caller, &access, id).await
        })
        .await
}

pub static UPDATE_OVERLAY: Operation<AccountCaller> =
    Operation::account("updateOverlay", AccountPermission::OverlaysEdit, Grants::Nothing)
        .feature(Feature::Overlays);

/// Changes an overlay.
///
/// A change adds one to its version. Without a field nothing changes.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 when the account has no such overlay or upload;
/// 403 when the overlay's access entries do not let the caller change it; 409 when `version` is not the
/// present one, which `details.version` contains.
#[api_core::operation]
pub async fn update_overlay(cx: &Cx, id: Input<Uuid>, changes: Input<OverlayChanges>) -> Result<Overlay> {
    let caller = cx.authorize(&UPDATE_OVERLAY).await?;
    let (id, changes) = (id?, Changes::new(changes?)?);
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            lock_for_change(connection, &access, id, changes.version).await?;
            if let Some(Some(upload)) = changes.set.thumbnail_upload_id
                && !db::has_upload(connection, caller.account, upload).await?
            {
                return Err(ApiError::not_found("Upload not found"));
            }
            let names = changes.names();
            if !names.is_empty() {
                db::change(connection, caller.account, id, &changes.set, cx.state().clock.now()).await?;
                let version = db::version(connection, caller.account, id).await?;
                changed(cx, connection, id, version, OverlayChange::Overlay).await?;
                let mut entry = cx.audit("overlay:updated", "overlay", id);
                entry.metadata = json!({ "fields": names });
                audit::record(connection, entry).await?;
            }
            found(connection, &caller, &access, id).await
        })
        .await
}

pub static DELETE_OVERLAY: Operation<AccountCaller> =
    Operation::account("deleteOverlay", AccountPermission::OverlaysDelete, Grants::Nothing)
        .feature(Feature::Overlays);

/// Deletes an overlay with its layers, shares and access entries.
///
/// Its tokens end at once, also for open sockets.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// let the caller change it.
#[api_core::operation]
pub async fn delete_overlay(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_OVERLAY).await?;
    let id = id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let revoked = caller
        .db()
        .await?
        .transaction(async |connection| {
            let overlay = locked(connection, &access, id, ObjectRole::Editor).await?;
            let kinds = [surface_tokens::OVERLAY, surface_tokens::SHARE];
            let revoked =
                surface_tokens::delete_all(connection, caller.account, &kinds, &overlay.key).await?;
            db::delete(connection, caller.account, id).await?;
            changed(cx, connection, id, overlay.version, OverlayChange::Deleted).await?;
            release(connection, caller.account, Quota::Overlays, 1).await?;
            let mut entry = cx.audit("overlay:deleted", "overlay", id);
            entry.metadata = json!({ "name": overlay.name });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(revoked)
        })
        .await?;
    for token in revoked {
        cx.changed(token).await;
    }
    Ok(())
}

pub static DUPLICATE_OVERLAY: Operation<AccountCaller> =
    Operation::account("duplicateOverlay", AccountPermission::OverlaysCreate, Grants::Nothing)
        .feature(Feature::Overlays)
        .idempotent();

/// Copies an overlay with its layers.
///
/// The copy has ` (copy)` at the end of its name, and a key and token of its own. Shares and access entries
/// are not copied.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// name the caller; 403 `PLAN_LIMIT_REACHED` beyond the overlays of the plan.
#[api_core::operation]
pub async fn duplicate_overlay(cx: &Cx, id: Input<Uuid>) -> Result<Overlay> {
    let caller = cx.authorize(&DUPLICATE_OVERLAY).await?;
    let id = id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let fields = Fields::of_copy(locked(connection, &access, id, ObjectRole::Viewer).await?);
            let copy = insert(cx, connection, caller.account, &fields).await?;
            db::copy_layers(connection, caller.account, id, copy).await?;
            let metadata = json!({ "name": fields.name, "source_id": id });
            let entry = Entry { metadata, ..cx.audit("overlay:duplicated", "overlay", copy) };
            audit::record(connection, entry).await?;
            found(connection, &caller, &access, copy).await
        })
        .await
}

/// Locks an overlay until the transaction ends, so that its version changes once for each change, and checks
/// the access of the caller and the version that the caller has seen.
///
/// # Errors
/// 404 for an overlay that the account does not have; 403 without the access of an editor; 409 for another
/// version.
pub(crate) async fn lock_for_change(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
    seen: Option<i32>,
) -> Result<()> {
    access.lock(connection, id, ObjectRole::Editor).await?;
    let Some(seen) = seen else { return Ok(()) };
    let version = db::version(connection, access.account(), id).await?;
    if seen == version {
        return Ok(());
    }
    Err(ApiError::conflict("Overlay was changed meanwhile").with_details(json!({ "version": version })))
}

/// Counts a change of the layers of a locked overlay; returns its new version.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn count_change(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<i32> {
    db::count_change(connection, account, id, now).await
}

/// Publishes a change of an overlay to its editors and pages, once the transaction commits.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn changed(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    id: Uuid,
    version: i32,
    change: OverlayChange,
) -> Result<()> {
    let (user, now) = (cx.principal().author().map(|user| user.0), cx.state().clock.now());
    Ok(publish_overlay_change(connection, id, version, change, user, now).await?)
}

/// Key of an overlay that the caller reaches.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn key_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<String> {
    db::key(connection, account, id).await
}
