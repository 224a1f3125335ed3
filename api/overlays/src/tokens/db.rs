//! Queries over the tokens of overlays. Each carries the account.

use api_core::{Result, Timestamp};
use diesel::{prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    schema::{overlays, surface_tokens},
};
use uuid::Uuid;

use crate::surface_tokens::OVERLAY;

/// Stored token of an overlay.
#[derive(Queryable)]
pub(super) struct StoredToken {
    pub key: String,
    /// Encrypted text.
    pub sealed: Vec<u8>,
    pub token_prefix: String,
    pub created_at: Timestamp,
}

/// Present token of an overlay.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
) -> Result<Option<StoredToken>> {
    let present = surface_tokens::account_id
        .eq(overlays::account_id)
        .and(surface_tokens::kind.eq(OVERLAY))
        .and(surface_tokens::subject.eq(overlays::key))
        .and(surface_tokens::revoked_at.is_null());
    Ok(overlays::table
        .inner_join(surface_tokens::table.on(present))
        .filter(overlays::account_id.eq(account).and(overlays::id.eq(overlay)))
        .select((overlays::key, overlays::token, surface_tokens::token_prefix, surface_tokens::created_at))
        .first(connection)
        .await
        .optional()?)
}

/// Stores the encrypted text of a new token; returns the key of the overlay.
pub(super) async fn put_token(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
    sealed: Vec<u8>,
) -> Result<String> {
    let own = overlays::table.filter(overlays::account_id.eq(account).and(overlays::id.eq(overlay)));
    Ok(update(own).set(overlays::token.eq(sealed)).returning(overlays::key).get_result(connection).await?)
}
