//! Stored overlays, as callers create and see them (reference/overlays.md#overlays).

use account_model::limits::{Quota, usage};
use api_core::{
    ApiError, Code, Cx, Result,
    access::AccountCaller,
    limits,
    token::{NewToken, TokenKind},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use diesel_async::AsyncPgConnection;
use rand::RngExt;
use serde_json::json;
use shared::{
    catalogue::AccountPermission,
    id::{self, AccountId},
};
use uuid::Uuid;

use super::{MAX_OVERLAYS, Overlay, db, fields::Fields};
use crate::{
    fields::name_of_copy,
    surface_tokens::{self, Subject},
};
use surfaces::object_access::{ObjectAccess, ObjectKind, ObjectRole, stored_role};

/// Random bytes of a key: twelve characters.
const KEY_BYTES: usize = 9;

/// Takes a place of the plan and stores an overlay with its token; returns its id.
pub(super) async fn insert(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: AccountId,
    fields: &Fields,
) -> Result<Uuid> {
    limits::take(connection, account, Quota::Overlays, 1).await?;
    if usage(connection, account).await?.overlays > MAX_OVERLAYS {
        return Err(ApiError::new(Code::PlanLimitReached, "Overlay limit reached")
            .with_details(json!({ "limit": MAX_OVERLAYS })));
    }
    let (id, now, token) = (id::new(), cx.state().clock.now(), NewToken::generate(TokenKind::Overlay));
    let key = BASE64_URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; KEY_BYTES]>());
    let overlay = db::NewOverlay {
        id,
        account_id: account,
        name: &fields.name,
        key: &key,
        width: fields.width,
        height: fields.height,
        background: &fields.background,
        thumbnail_upload_id: fields.thumbnail_upload_id,
        token: surface_tokens::seal(cx.state(), id, &token.text)?,
        created_at: now,
        updated_at: now,
    };
    db::insert(connection, &overlay).await?;
    let subject = Subject { account, kind: surface_tokens::OVERLAY, name: &key };
    surface_tokens::insert(connection, subject, &token, now, None).await?;
    Ok(id)
}

/// Overlay as the caller sees it.
pub(super) async fn found(
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    access: &ObjectAccess,
    id: Uuid,
) -> Result<Overlay> {
    let row = db::find(connection, access, id).await?.ok_or_else(|| access.kind().not_found())?;
    row.into_overlay(caller)
}

/// Locks an overlay that the caller reaches and reads it.
pub(super) async fn locked(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
    needed: ObjectRole,
) -> Result<db::Row> {
    access.lock(connection, id, needed).await?;
    db::find(connection, access, id).await?.ok_or_else(|| access.kind().not_found())
}

impl db::Row {
    /// Overlay as the caller sees it; 403 when its entries do not name the caller.
    pub(super) fn into_overlay(self, caller: &AccountCaller) -> Result<Overlay> {
        let access = stored_role(self.access.as_deref())?;
        ObjectKind::Overlay.require(access, ObjectRole::Viewer)?;
        let may_edit = caller.permissions.contains(AccountPermission::OverlaysEdit);
        let my_access = access.unwrap_or(ObjectRole::Viewer).within(may_edit);
        Ok(Overlay {
            id: self.id,
            account_id: self.account_id,
            name: self.name,
            key: self.key,
            width: self.width,
            height: self.height,
            background: self.background,
            version: self.version,
            thumbnail_upload_id: self.thumbnail_upload_id,
            my_access: my_access.as_str().to_owned(),
            layer_count: self.layer_count,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

impl Fields {
    /// Fields of the copy of an overlay.
    pub(super) fn of_copy(source: db::Row) -> Self {
        Self {
            name: name_of_copy(&source.name),
            width: source.width,
            height: source.height,
            background: source.background,
            thumbnail_upload_id: source.thumbnail_upload_id,
        }
    }
}
