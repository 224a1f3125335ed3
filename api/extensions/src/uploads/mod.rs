//! Files that an installed extension stores for its account (reference/extensions.md#uploads).

mod db;
mod form;
mod image;
pub mod rest;

use account_model::{accounts::storage_prefix, limits::Quota};
use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{AnyOperation, ExtensionHolder, Grants, Visitor},
    http::StoredFile,
    limits,
};
use bytes::Bytes;
use diesel_async::AsyncConnection;
use foundation::unclaimed;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use uuid::Uuid;

use image::ImageType;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&UPLOAD_EXTENSION_FILE, &EXTENSION_UPLOAD];

/// Maximum number of files of one extension in one account.
const MAX_UPLOADS: i64 = 50;

/// Address of an upload.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExtensionUpload {
    /// Public address.
    pub url: String,
}

/// Result of an upload.
#[derive(Debug)]
pub enum Uploaded {
    /// The file was stored.
    New(ExtensionUpload),
    /// The account has a file of the same content.
    Known(ExtensionUpload),
}

pub static UPLOAD_EXTENSION_FILE: Operation<ExtensionHolder> =
    Operation::extension_token("uploadExtensionFile", Grants::Nothing)
        .not_idempotent("the content is its key: a repetition has the same answer");

/// Stores an image of an installed extension.
///
/// The file is a PNG, JPEG, GIF, SVG, WebP or AVIF image of at most 256 KB; its first bytes decide. Its name
/// is the hash of its content. Content that the account has already is not stored again: the response is 200
/// with its address. Files count against the account's storage.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for any other content.
/// - 403 for another extension than the token's, and for the token of a page of an overlay or widget.
/// - 403 `PLAN_LIMIT_REACHED` above 50 files of the extension in the account, or above the account's storage.
/// - 404 when the install of the token is gone.
#[api_core::operation]
pub async fn upload_extension_file(
    cx: &Cx,
    extension_id: Input<Uuid>,
    file: impl Future<Output = Result<Vec<u8>>>,
) -> Result<Uploaded> {
    let caller = cx.authorize(&UPLOAD_EXTENSION_FILE).await?;
    let extension_id = extension_id?;
    if cx.principal().is_of_page() {
        return Err(ApiError::forbidden("This token reads files only"));
    }
    let own = db::extension_of(&mut *caller.db().await?, caller.account, caller.install).await?;
    let own = own.ok_or_else(|| ApiError::not_found("Extension install not found"))?;
    if own != extension_id {
        return Err(ApiError::forbidden("The token belongs to another extension"));
    }
    // No connection is held while the client sends.
    let content = file.await?;
    let Some(image) = ImageType::of(&content) else {
        return Err(ApiError::invalid("file must be a PNG, JPEG, GIF, SVG, WebP or AVIF image"));
    };
    let sha256 = hex::encode(Sha256::digest(&content));
    let filename = format!("{sha256}.{}", image.ending());
    let upload = ExtensionUpload { url: address(cx, extension_id, &filename) };
    let storage_key =
        format!("{}/extension-uploads/{extension_id}/{filename}", storage_prefix(caller.account.uuid()));
    let new = db::NewUpload {
        id: shared::id::new(),
        extension_id,
        account_id: caller.account,
        content_type: image.content_type(),
        size_bytes: i64::try_from(content.len()).unwrap_or(i64::MAX),
        created_at: cx.state().clock.now(),
        storage_key: &storage_key,
        filename: &filename,
        sha256: &sha256,
    };
    {
        let mut connection = caller.db().await?;
        if db::exists(&mut connection, &new).await? {
            return Ok(Uploaded::Known(upload));
        }
        has_room(db::count(&mut connection, &new).await?)?;
        unclaimed::note(&mut connection, std::slice::from_ref(&storage_key), new.created_at).await?;
    }
    cx.state().storage.put(&storage_key, Bytes::from(content)).await?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock(connection, &new).await?;
            let own = db::extension_of(connection, caller.account, caller.install).await?;
            own.ok_or_else(|| ApiError::not_found("Extension install not found"))?;
            if db::exists(connection, &new).await? {
                return Ok(Uploaded::Known(upload));
            }
            has_room(db::count(connection, &new).await?)?;
            limits::take(connection, caller.account, Quota::StorageBytes, new.size_bytes).await?;
            db::insert(connection, &new).await?;
            unclaimed::claim(connection, std::slice::from_ref(&storage_key)).await?;
            let entry = foundation::audit::Entry {
                metadata: json!({ "extension_id": extension_id, "filename": filename }),
                ..cx.audit("extension:file_uploaded", "extension_upload", new.id)
            };
            foundation::audit::record(connection, entry).await?;
            Ok(Uploaded::New(upload))
        })
        .await
}

pub static EXTENSION_UPLOAD: Operation<Visitor> =
    Operation::any_credential("extensionUpload", Grants::Nothing).rest_only();

/// Returns an uploaded file as raw bytes.
///
/// The address is public. `If-None-Match` gets 304.
///
/// # Errors
/// - 404 when there is no such file.
#[api_core::operation]
pub async fn extension_upload(cx: &Cx, extension_id: Input<Uuid>, filename: &str) -> Result<StoredFile> {
    let visitor = cx.authorize(&EXTENSION_UPLOAD).await?;
    let found = db::find(&mut *visitor.db().await?, extension_id?, filename).await?;
    found.ok_or_else(|| ApiError::not_found("Upload not found"))
}

fn has_room(uploads: i64) -> Result<()> {
    if uploads < MAX_UPLOADS {
        return Ok(());
    }
    let error = ApiError::new(Code::PlanLimitReached, "Extension upload limit reached");
    Err(error.with_details(json!({ "limit": MAX_UPLOADS })))
}

fn address(cx: &Cx, extension_id: Uuid, filename: &str) -> String {
    let base = cx.state().config.http.public_url.as_str().trim_end_matches('/');
    format!("{base}/v1/extensions/{extension_id}/uploads/{filename}")
}
