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
    limits, objects,
};
use bytes::Bytes;
use diesel_async::{AsyncConnection, AsyncPgConnection};
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
/// - 400 for any other content, and for an image with a side of more than 8,192 pixels.
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
    let image = image::checked(&content)?;
    cx.detached(store(cx.clone(), caller, extension_id, (content, image))).await
}

/// Stores a checked image, unless the account has it.
async fn store(
    cx: Cx,
    caller: ExtensionHolder,
    extension_id: Uuid,
    (content, image): (Vec<u8>, ImageType),
) -> Result<Uploaded> {
    let sha256 = hex::encode(Sha256::digest(&content));
    let filename = format!("{sha256}.{}", image.ending());
    let upload = ExtensionUpload { url: address(&cx, extension_id, &filename) };
    let id = shared::id::new();
    // No other upload writes to this key, so that its object can be removed when the upload is refused.
    let storage_key =
        format!("{}/extension-uploads/{extension_id}/{id}", storage_prefix(caller.account.uuid()));
    let new = db::NewUpload {
        id,
        extension_id,
        account_id: caller.account,
        content_type: image.content_type(),
        size_bytes: i64::try_from(content.len()).unwrap_or(i64::MAX),
        created_at: cx.state().clock.now(),
        storage_key: &storage_key,
        filename: &filename,
        sha256: &sha256,
    };
    if begin(&caller, &new).await? == Content::Known {
        return Ok(Uploaded::Known(upload));
    }
    // A failed request may still change the store later on, so that its object is left to the sweep.
    cx.state().storage.put(&storage_key, Bytes::from(content)).await?;
    let stored = finish(&cx, &caller, &new).await;
    if stored != Ok(Content::New) {
        objects::discard(&cx, &caller, &storage_key).await;
    }
    Ok(match stored? {
        Content::New => Uploaded::New(upload),
        Content::Known => Uploaded::Known(upload),
    })
}

/// Content of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The account has room for it.
    New,
    /// The account has it.
    Known,
}

/// Finds out whether the content is new, and records the key of its object then.
async fn begin(caller: &ExtensionHolder, new: &db::NewUpload<'_>) -> Result<Content> {
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let content = find(connection, new).await?;
            if content == Content::New {
                limits::check(connection, new.account_id, Quota::StorageBytes, new.size_bytes).await?;
                unclaimed::record(connection, &[new.storage_key.to_owned()], new.created_at).await?;
            }
            Ok(content)
        })
        .await
}

/// Adds the row of content whose object was stored, if it is still new.
async fn finish(cx: &Cx, caller: &ExtensionHolder, new: &db::NewUpload<'_>) -> Result<Content> {
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let own = db::extension_of(connection, caller.account, caller.install).await?;
            own.ok_or_else(|| ApiError::not_found("Extension install not found"))?;
            let content = find(connection, new).await?;
            if content == Content::Known {
                return Ok(content);
            }
            limits::take(connection, new.account_id, Quota::StorageBytes, new.size_bytes).await?;
            db::insert(connection, new).await?;
            unclaimed::claim(connection, &[new.storage_key.to_owned()]).await?;
            let entry = foundation::audit::Entry {
                metadata: json!({ "extension_id": new.extension_id, "filename": new.filename }),
                ..cx.audit("extension:file_uploaded", "extension_upload", new.id)
            };
            foundation::audit::record(connection, entry).await?;
            Ok(content)
        })
        .await
}

/// Finds the content among the uploads of the extension in the account. Others wait for the end of the transaction.
///
/// # Errors
/// 403 `PLAN_LIMIT_REACHED` for new content when there are as many uploads as there may be.
async fn find(connection: &mut AsyncPgConnection, new: &db::NewUpload<'_>) -> Result<Content> {
    db::lock(connection, new).await?;
    if db::exists(connection, new).await? {
        return Ok(Content::Known);
    }
    if db::count(connection, new).await? < MAX_UPLOADS {
        return Ok(Content::New);
    }
    let error = ApiError::new(Code::PlanLimitReached, "Extension upload limit reached");
    Err(error.with_details(json!({ "limit": MAX_UPLOADS })))
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

fn address(cx: &Cx, extension_id: Uuid, filename: &str) -> String {
    let base = cx.state().config.http.public_url.as_str().trim_end_matches('/');
    format!("{base}/v1/extensions/{extension_id}/uploads/{filename}")
}
