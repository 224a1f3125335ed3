//! Token of the page of an overlay (reference/overlays.md#tokens).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    token::{NewToken, TokenKind},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit;
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::surface_tokens::{self, Subject};
use surfaces::object_access::{ObjectAccess, ObjectKind, ObjectRole};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&OVERLAY_TOKEN, &ROTATE_OVERLAY_TOKEN];

/// Token of the page of an overlay. It opens the overlay's channel of the socket and nothing else.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct OverlayToken {
    /// Text of the token, `lm_overlay_…`.
    pub token: String,
    /// Display prefix.
    pub token_prefix: String,
    /// Address of the page with the token in its fragment, for a browser source.
    pub url: String,
    /// Time of creation.
    pub created_at: Timestamp,
}

pub static OVERLAY_TOKEN: Operation<AccountCaller> =
    Operation::account("overlayToken", AccountPermission::OverlaysEdit, Grants::Nothing)
        .feature(Feature::Overlays);

/// Returns the token of an overlay and the address of its page.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// let the caller change it.
#[api_core::operation]
pub async fn overlay_token(cx: &Cx, overlay_id: Input<Uuid>) -> Result<OverlayToken> {
    let caller = cx.authorize(&OVERLAY_TOKEN).await?;
    let overlay = overlay_id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let connection = &mut *caller.db().await?;
    access.check(connection, overlay, ObjectRole::Editor).await?;
    stored(cx, connection, &caller, overlay).await
}

// The token holds no permission. It opens one channel, whose data the editors of the overlay choose.
pub static ROTATE_OVERLAY_TOKEN: Operation<AccountCaller> =
    Operation::account("rotateOverlayToken", AccountPermission::OverlaysEdit, Grants::Credentials)
        .feature(Feature::Overlays)
        .idempotent()
        .secret_answer();

/// Replaces the token of an overlay.
///
/// The former token ends at once: open sockets end with `TOKEN_REVOKED`. Shares stay.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// let the caller change it.
#[api_core::operation]
pub async fn rotate_overlay_token(cx: &Cx, overlay_id: Input<Uuid>) -> Result<OverlayToken> {
    let caller = cx.authorize(&ROTATE_OVERLAY_TOKEN).await?;
    let overlay = overlay_id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let (revoked, token) = caller
        .db()
        .await?
        .transaction(async |connection| {
            access.lock(connection, overlay, ObjectRole::Editor).await?;
            let token = NewToken::generate(TokenKind::Overlay);
            let sealed = surface_tokens::seal(cx.state(), overlay, &token.text)?;
            let key = db::put_token(connection, account, overlay, sealed).await?;
            let subject = Subject { account, kind: surface_tokens::OVERLAY, name: &key };
            let revoked = surface_tokens::rotate(connection, subject, &token, now).await?;
            let mut entry = cx.audit("overlay:token_rotated", "overlay", overlay);
            entry.metadata = json!({ "token_prefix": token.prefix });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>((revoked, stored(cx, connection, &caller, overlay).await?))
        })
        .await?;
    for former in revoked {
        cx.changed(former).await;
    }
    Ok(token)
}

/// Present token of an overlay that the caller may change.
async fn stored(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    overlay: Uuid,
) -> Result<OverlayToken> {
    let stored = db::find(connection, caller.account, overlay).await?;
    let stored = stored.ok_or_else(|| ApiError::internal("an overlay has no token"))?;
    let token = surface_tokens::open(cx.state(), overlay, &stored.sealed)?;
    Ok(OverlayToken {
        url: surface_tokens::overlay_url(cx.state(), &stored.key, &token),
        token: token.expose().to_owned(),
        token_prefix: stored.token_prefix,
        created_at: stored.created_at,
    })
}
