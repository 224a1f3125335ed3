//! Shares of an overlay for a time (reference/overlays.md#shares).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    token::{NewToken, TokenKind},
    validate,
};
use chrono::Duration;
use diesel_async::AsyncConnection;
use foundation::{audit, invalidation::Invalidation};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    overlays::key_of,
    surface_tokens::{self, Subject},
};
use surfaces::object_access::{ObjectAccess, ObjectKind, ObjectRole};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&OVERLAY_SHARES, &CREATE_OVERLAY_SHARE, &REVOKE_OVERLAY_SHARE];

/// Number of shares of an overlay that have not ended (reference/overlays.md#shares).
const MAX_SHARES: i64 = 20;
/// Shortest time of a share, in seconds (reference/overlays.md#shares).
const MIN_SHARE_SECS: i32 = 60;
/// Longest time of a share, in seconds: 30 days (reference/overlays.md#shares).
const MAX_SHARE_SECS: i32 = 2_592_000;
/// Length of a label, in characters (reference/overlays.md#shares).
const MAX_LABEL_LENGTH: usize = 100;

/// Share of an overlay that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct OverlayShare {
    /// Identifier.
    pub id: Uuid,
    /// Overlay.
    pub overlay_id: Uuid,
    /// Label. Null: none.
    pub label: Option<String>,
    /// Display prefix of the token.
    pub token_prefix: String,
    /// End.
    pub expires_at: Timestamp,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Person who created it. Null: a service key, or the person is gone.
    pub created_by: Option<OverlayShareCreator>,
}

/// Person who created a share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct OverlayShareCreator {
    /// Id of the person.
    pub id: Uuid,
    /// Display name.
    pub display_name: String,
}

/// New share of an overlay with its token. This answer alone contains the token.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct CreatedOverlayShare {
    /// Identifier.
    pub id: Uuid,
    /// Overlay.
    pub overlay_id: Uuid,
    /// Label. Null: none.
    pub label: Option<String>,
    /// Text of the token, `lm_share_…`.
    pub token: String,
    /// Display prefix of the token.
    pub token_prefix: String,
    /// Address of the overlay's page with the token in its fragment.
    pub url: String,
    /// End.
    pub expires_at: Timestamp,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Person who created it. Null: a service key.
    pub created_by: Option<OverlayShareCreator>,
}

/// Share to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "expires_in": 86_400, "label": "Guest stream" }))]
pub struct CreateOverlayShareInput {
    /// 60 to 2,592,000 seconds (30 days).
    #[schema(extensions(("minimum" = json!(MIN_SHARE_SECS)), ("maximum" = json!(MAX_SHARE_SECS))))]
    pub expires_in: i32,
    /// 1 to 100 characters. Null or absent: none.
    #[schema(extensions(("maxLength" = json!(MAX_LABEL_LENGTH))))]
    pub label: Option<String>,
}

pub static OVERLAY_SHARES: Operation<AccountCaller> =
    Operation::account("overlayShares", AccountPermission::OverlaysEdit, Grants::Nothing)
        .feature(Feature::Overlays);

/// Lists the shares of an overlay that have not ended, newest first.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// let the caller change it.
#[api_core::operation]
pub async fn overlay_shares(cx: &Cx, overlay_id: Input<Uuid>) -> Result<Vec<OverlayShare>> {
    let caller = cx.authorize(&OVERLAY_SHARES).await?;
    let overlay = overlay_id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let connection = &mut *caller.db().await?;
    access.check(connection, overlay, ObjectRole::Editor).await?;
    db::list(connection, caller.account, overlay, cx.state().clock.now()).await
}

// The token holds no permission. It opens one channel, whose data the editors of the overlay choose.
pub static CREATE_OVERLAY_SHARE: Operation<AccountCaller> =
    Operation::account("createOverlayShare", AccountPermission::OverlaysEdit, Grants::Credentials)
        .feature(Feature::Overlays)
        .idempotent()
        .secret_answer();

/// Shares an overlay for a time.
///
/// The token shows the overlay until the share ends. Only this call returns it.
///
/// # Errors
/// Refusals of the access rule; 400 for a time or label out of bounds; 404 when the account has no such
/// overlay; 403 when its access entries do not let the caller change it; 403 `PLAN_LIMIT_REACHED` beyond 20
/// shares that have not ended.
#[api_core::operation]
pub async fn create_overlay_share(
    cx: &Cx,
    overlay_id: Input<Uuid>,
    input: Input<CreateOverlayShareInput>,
) -> Result<CreatedOverlayShare> {
    let caller = cx.authorize(&CREATE_OVERLAY_SHARE).await?;
    let (overlay, input) = (overlay_id?, input?);
    if !(MIN_SHARE_SECS..=MAX_SHARE_SECS).contains(&input.expires_in) {
        return Err(ApiError::invalid(format!(
            "expires_in must be between {MIN_SHARE_SECS} and {MAX_SHARE_SECS}"
        )));
    }
    let label = input.label.map(|label| validate::text("label", &label, 1, MAX_LABEL_LENGTH)).transpose()?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let expires_at = now + Duration::seconds(input.expires_in.into());
    let token = NewToken::generate(TokenKind::Share);
    let (share, key) = caller
        .db()
        .await?
        .transaction(async |connection| {
            access.lock(connection, overlay, ObjectRole::Editor).await?;
            if db::count(connection, account, overlay, now).await? >= MAX_SHARES {
                return Err(ApiError::new(Code::PlanLimitReached, "Overlay share limit reached"));
            }
            db::delete_ended(connection, account, overlay, now).await?;
            let key = key_of(connection, account, overlay).await?;
            let subject = Subject { account, kind: surface_tokens::SHARE, name: &key };
            let id = surface_tokens::insert(connection, subject, &token, now, Some(expires_at)).await?;
            let new = db::NewShare {
                id,
                account_id: account,
                overlay_id: overlay,
                label: label.as_deref(),
                created_by: cx.principal().author(),
                created_at: now,
            };
            let share = db::insert(connection, &new).await?;
            let mut entry = cx.audit("overlay:share_created", "overlay_share", id);
            entry.metadata = json!({ "overlay_id": overlay, "label": label, "expires_at": share.expires_at });
            audit::record(connection, entry).await?;
            Ok((share, key))
        })
        .await?;
    Ok(CreatedOverlayShare {
        id: share.id,
        overlay_id: share.overlay_id,
        label: share.label,
        token: token.text.expose().to_owned(),
        token_prefix: share.token_prefix,
        url: surface_tokens::overlay_url(cx.state(), &key, &token.text),
        expires_at: share.expires_at,
        created_at: share.created_at,
        created_by: share.created_by,
    })
}

pub static REVOKE_OVERLAY_SHARE: Operation<AccountCaller> =
    Operation::account("revokeOverlayShare", AccountPermission::OverlaysEdit, Grants::Nothing)
        .feature(Feature::Overlays);

/// Revokes a share of an overlay.
///
/// Its token ends at once: open sockets end with `TOKEN_REVOKED`.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such share; 403 when the overlay's access entries
/// do not let the caller change it.
#[api_core::operation]
pub async fn revoke_overlay_share(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REVOKE_OVERLAY_SHARE).await?;
    let id = id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let not_found = || ApiError::not_found("Overlay share not found");
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let overlay = db::overlay_of(connection, caller.account, id).await?.ok_or_else(not_found)?;
            access.lock(connection, overlay, ObjectRole::Editor).await?;
            if !db::delete(connection, caller.account, id).await? {
                return Err(not_found());
            }
            let mut entry = cx.audit("overlay:share_revoked", "overlay_share", id);
            entry.metadata = json!({ "overlay_id": overlay });
            Ok(audit::record(connection, entry).await?)
        })
        .await?;
    cx.changed(Invalidation::Credential { id }).await;
    Ok(())
}
