//! Uploads that people name as their picture or document (reference/programme.md#uploads).

use api_core::{ApiError, Cx, Result};
use diesel::{dsl::exists, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::media_links::{Media, MediaLinks};
use shared::{
    id::{AccountId, UserId},
    schema::{accounts, uploads},
    uploads::DEVELOPER_DOCUMENT,
};
use uuid::Uuid;

/// Checks that a picture is an image of the caller's account, which stays until the transaction ends.
///
/// # Errors
/// 404 when the account has no such image.
pub(crate) async fn check_image(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    key: Uuid,
) -> Result<()> {
    let account = account.ok_or_else(not_found)?;
    let found: Option<Uuid> = uploads::table
        .filter(uploads::id.eq(key).and(uploads::account_id.eq(account)))
        .filter(uploads::purpose.ne(DEVELOPER_DOCUMENT).and(uploads::content_type.like("image/%")))
        .select(uploads::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    found.map(drop).ok_or_else(not_found)
}

/// Checks that a document is one of an account that the caller owns, which stays until the transaction ends.
///
/// # Errors
/// 404 when the caller has no such document.
pub(crate) async fn check_document(
    connection: &mut AsyncPgConnection,
    (account, owner): (Option<AccountId>, UserId),
    key: Uuid,
) -> Result<()> {
    let account = account.ok_or_else(not_found)?;
    let owned = accounts::table.filter(accounts::id.eq(account).and(accounts::owner_id.eq(owner)));
    let found: Option<Uuid> = uploads::table
        .filter(uploads::id.eq(key).and(uploads::account_id.eq(account)))
        .filter(uploads::purpose.eq(DEVELOPER_DOCUMENT).and(exists(owned)))
        .select(uploads::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    found.map(drop).ok_or_else(not_found)
}

/// Address at which an upload can be read for a time (reference/media.md#signed-addresses).
pub(crate) fn address(cx: &Cx, key: Option<Uuid>) -> Option<String> {
    let links = MediaLinks::new(&cx.state().config);
    key.map(|key| links.url(Media::Upload(key), cx.state().clock.now()))
}

fn not_found() -> ApiError {
    ApiError::not_found("Upload not found")
}
