//! Uploaded files of an account (reference/media.md#uploads).

mod create;
mod db;
pub mod graphql;
pub mod rest;

use account_model::limits::{Quota, release};
use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, Visitor},
    graphql::Int64,
    http::StoredFile,
};
use diesel_async::AsyncConnection;
use foundation::{
    audit,
    media_links::{Media, MediaLinks},
    unclaimed,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    uploads::DEVELOPER_DOCUMENT,
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use crate::signed::SignedQuery;
use crate::signed::links;
pub use create::CREATE_UPLOAD;
pub(crate) use create::create_upload;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&UPLOADS, &UPLOAD, &CREATE_UPLOAD, &DELETE_UPLOAD, &UPLOAD_MEDIA];

/// Purpose of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UploadPurpose {
    /// Something that an overlay shows.
    OverlayAsset,
    /// Picture of an alert.
    AlertImage,
    /// Sound of an alert.
    AlertSound,
    /// Picture of the account.
    Avatar,
    /// Document for operator staff. Of the account only its owner sees it.
    DeveloperDocument,
    /// Anything else.
    Other,
}

/// Uploaded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct Upload {
    /// Identifier.
    pub id: Uuid,
    /// Account that the file belongs to.
    pub account_id: Uuid,
    /// Name that the client gave to the file, without folders.
    pub filename: String,
    /// Content type, by the content.
    pub content_type: String,
    /// Size in bytes.
    pub size_bytes: Int64,
    /// Purpose.
    pub purpose: UploadPurpose,
    /// SHA-256 of the content, in hexadecimal.
    pub sha256: String,
    /// Person who sent the file. Null: a service key, or a person who no longer exists.
    pub created_by: Option<Uuid>,
    /// Time of the upload.
    pub created_at: Timestamp,
    /// Address of the content, for everybody who has it. It is valid for an hour from this response on.
    pub download_url: String,
}

/// Query of the uploads.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UploadsQuery {
    /// Purpose; every purpose when absent.
    #[param(inline)]
    pub purpose: Option<UploadPurpose>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static UPLOADS: Operation<AccountCaller> =
    Operation::account("uploads", AccountPermission::UploadsRead, Grants::Nothing).feature(Feature::Uploads);

/// Lists the uploads of the account, newest first.
///
/// Documents of developers are listed for the owner of the account only.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown purpose or a page out of bounds.
#[api_core::operation]
pub async fn uploads(cx: &Cx, query: Input<UploadsQuery>) -> Result<Page<Upload>> {
    let caller = cx.authorize(&UPLOADS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (rows, total) = db::page(&mut *caller.db().await?, visible(&caller), query.purpose, window).await?;
    let links = links(cx);
    let items = rows.into_iter().map(|row| shown(cx, &links, row)).collect::<Result<_>>()?;
    Ok(Page { items, total, window })
}

pub static UPLOAD: Operation<AccountCaller> =
    Operation::account("upload", AccountPermission::UploadsRead, Grants::Nothing).feature(Feature::Uploads);

/// Returns an upload with an address of its content.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such upload, or only its owner may see it.
#[api_core::operation]
pub async fn upload(cx: &Cx, id: Input<Uuid>) -> Result<Upload> {
    let caller = cx.authorize(&UPLOAD).await?;
    let row = db::find(&mut *caller.db().await?, visible(&caller), id?).await?.ok_or_else(not_found)?;
    shown(cx, &links(cx), row)
}

pub static DELETE_UPLOAD: Operation<AccountCaller> =
    Operation::account("deleteUpload", AccountPermission::UploadsDelete, Grants::Nothing)
        .feature(Feature::Uploads);

/// Deletes an upload.
///
/// Its storage is free again, unless another upload of the account has the same content. Addresses of the content
/// end at once. What showed the file shows it no longer.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such upload, or only its owner may see it.
#[api_core::operation]
pub async fn delete_upload(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_UPLOAD).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock(connection, caller.account).await?;
            let row = db::find(connection, visible(&caller), id).await?.ok_or_else(not_found)?;
            db::delete(connection, caller.account, id).await?;
            if !db::has_content(connection, caller.account, &row.sha256).await? {
                release(connection, caller.account, Quota::StorageBytes, row.size_bytes).await?;
            }
            if !db::has_object(connection, caller.account, &row.storage_key).await? {
                unclaimed::record(connection, &[row.storage_key], cx.state().clock.now()).await?;
            }
            let entry = audit::Entry {
                metadata: json!({ "filename": row.filename, "purpose": row.purpose }),
                ..cx.audit("upload:deleted", "upload", id)
            };
            Ok(audit::record(connection, entry).await?)
        })
        .await
}

pub static UPLOAD_MEDIA: Operation<Visitor> =
    Operation::any_credential("uploadMedia", Grants::Nothing).rest_only();

/// Returns the content of an upload as raw bytes, for its signed address.
///
/// The address comes from `download_url` and needs no credential. One `Range` of bytes is served; `If-None-Match`
/// gets 304.
///
/// # Errors
/// 403 for an address that is altered or has ended; 404 when the upload is gone.
#[api_core::operation]
pub async fn upload_media(cx: &Cx, id: Input<Uuid>, query: Input<SignedQuery>) -> Result<StoredFile> {
    let visitor = cx.authorize(&UPLOAD_MEDIA).await?;
    let id = id?;
    let caching = query?.check(cx, Media::Upload(id))?;
    let file = db::file(&mut *visitor.db().await?, id).await?.ok_or_else(not_found)?;
    Ok(StoredFile { caching, ..file })
}

fn visible(caller: &AccountCaller) -> db::Visible {
    db::Visible { account: caller.account, person: caller.user }
}

fn shown(cx: &Cx, links: &MediaLinks, row: db::Row) -> Result<Upload> {
    Ok(Upload {
        size_bytes: row.size(),
        purpose: UploadPurpose::parse(Some(&row.purpose))?,
        download_url: links.url(Media::Upload(row.id), cx.state().clock.now()),
        id: row.id,
        account_id: row.account_id,
        filename: row.filename,
        content_type: row.content_type,
        sha256: row.sha256,
        created_by: row.created_by,
        created_at: row.created_at,
    })
}

fn not_found() -> ApiError {
    ApiError::not_found("Upload not found")
}

impl UploadPurpose {
    const ALL: [Self; 6] = [
        Self::OverlayAsset,
        Self::AlertImage,
        Self::AlertSound,
        Self::Avatar,
        Self::DeveloperDocument,
        Self::Other,
    ];

    /// Stored name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OverlayAsset => "overlay_asset",
            Self::AlertImage => "alert_image",
            Self::AlertSound => "alert_sound",
            Self::Avatar => "avatar",
            Self::DeveloperDocument => DEVELOPER_DOCUMENT,
            Self::Other => "other",
        }
    }

    fn parse(text: Option<&str>) -> Result<Self> {
        let text = text.ok_or_else(|| ApiError::invalid("purpose is required"))?;
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == text).ok_or_else(|| {
            ApiError::invalid(format!("purpose must be one of {}", Self::ALL.map(Self::as_str).join(", ")))
        })
    }
}
