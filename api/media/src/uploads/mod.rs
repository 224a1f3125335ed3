//! Uploaded files of an account (reference/media.md#uploads).

mod db;
pub mod graphql;
pub mod rest;

use account_model::{
    accounts::storage_prefix,
    limits::{Quota, release},
};
use api_core::{
    ApiError, Code, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, Visitor},
    graphql::Int64,
    http::StoredFile,
    limits,
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
    id,
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use crate::signed::SignedQuery;
use crate::{
    files::{self, Content, FileForm, FormLimits, Kind},
    signed::links,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&UPLOADS, &UPLOAD, &CREATE_UPLOAD, &DELETE_UPLOAD, &UPLOAD_MEDIA];

/// Maximum number of uploads of an account (reference/media.md#uploads).
const MAX_UPLOADS: i64 = 10_000;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "uploads",
        MAX_UPLOADS,
        "SELECT count(*) FROM uploads WHERE account_id = $1",
    )
}

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

pub static CREATE_UPLOAD: Operation<AccountCaller> =
    Operation::account("createUpload", AccountPermission::UploadsCreate, Grants::Nothing)
        .feature(Feature::Uploads)
        .rest_only()
        .idempotent_by_late_claim()
        .secret_answer();

/// Stores a file.
///
/// The file is a PNG, JPEG, GIF, WebP, AVIF or SVG image, an MP4 or WebM video, an MP3, WAV, OGG or FLAC sound,
/// a WOFF2 font, or, as a document of a developer, a PDF. Its first bytes decide, not its name. An SVG is stored
/// without scripts and without addresses of other hosts. Content that the account has already is stored and
/// counted once.
///
/// # Errors
/// - 401 or 403 by the access rule; 403 for a document of a developer that is not sent by the owner.
/// - 400 for another type of file, an image with a side of more than 8,192 pixels, a sound that is none, an SVG of
///   more than 1 MiB, a file above the plan's size, or a malformed form.
/// - 403 `PLAN_LIMIT_REACHED` above the account's storage or 10,000 uploads.
/// - 429 when more files are sent at a time than the account may.
#[api_core::operation]
pub(crate) async fn create_upload(
    cx: &Cx,
    form: impl AsyncFnOnce(FormLimits) -> Result<FileForm>,
) -> Result<Upload> {
    let caller = cx.authorize(&CREATE_UPLOAD).await?;
    let _permit = files::permit(cx.state(), caller.account).await?;
    let max = max_size(&caller).await?;
    // No connection is held while the client sends.
    let form = form(FormLimits { max_file_bytes: max, texts: &["purpose"] }).await?;
    cx.claim(&[form.text("purpose").unwrap_or_default(), &form.filename, &form.sha256]).await?;
    let purpose = UploadPurpose::parse(form.text("purpose"))?;
    let (form, content) = files::checked(cx.state(), form).await?;
    allow(&caller, purpose, content).await?;
    store(cx, &caller, form, content, purpose).await
}

/// Maximum size of a file by the plan of the account.
async fn max_size(caller: &AccountCaller) -> Result<u64> {
    let limits = limits::effective_limits(&mut *caller.db().await?, caller.account).await?;
    Ok(u64::try_from(limits.max_upload_size_bytes.value).unwrap_or_default())
}

/// Checks the rules of documents.
async fn allow(caller: &AccountCaller, purpose: UploadPurpose, content: Content) -> Result<()> {
    if purpose != UploadPurpose::DeveloperDocument {
        return match content.kind {
            Kind::Document => {
                Err(ApiError::invalid("file must not be a PDF unless purpose is developer_document"))
            }
            _ => Ok(()),
        };
    }
    let is_owner = match caller.user {
        Some(person) => db::is_owner(&mut *caller.db().await?, caller.account, person).await?,
        None => false,
    };
    if is_owner {
        Ok(())
    } else {
        Err(ApiError::forbidden("Only the owner may store documents of a developer"))
    }
}

async fn store(
    cx: &Cx,
    caller: &AccountCaller,
    mut form: FileForm,
    content: Content,
    purpose: UploadPurpose,
) -> Result<Upload> {
    let storage_key = format!("{}/uploads/{}", storage_prefix(caller.account.uuid()), form.sha256);
    let new = db::NewUpload {
        id: id::new(),
        account_id: caller.account,
        filename: &form.filename,
        content_type: content.content_type,
        size_bytes: i64::try_from(form.size_bytes).map_err(ApiError::internal)?,
        storage_key: &storage_key,
        purpose: purpose.as_str(),
        sha256: &form.sha256,
        created_by: caller.user.map(|person| person.0),
        created_at: cx.state().clock.now(),
    };
    let keys = std::slice::from_ref(&storage_key);
    unclaimed::note(&mut *caller.db().await?, keys, new.created_at).await?;
    cx.state().storage.put_file(&storage_key, &mut form.file).await?;
    let mut connection = caller.db().await?;
    cx.begin_effect();
    let mut is_complete = false;
    let row = connection
        .transaction(async |connection| {
            db::lock(connection, caller.account).await?;
            if db::count(connection, caller.account).await? >= MAX_UPLOADS {
                let error = ApiError::new(Code::PlanLimitReached, "Upload limit reached");
                return Err(error.with_details(json!({ "limit": MAX_UPLOADS })));
            }
            if !db::has_content(connection, caller.account, new.sha256).await? {
                limits::take(connection, caller.account, Quota::StorageBytes, new.size_bytes).await?;
            }
            let row = db::insert(connection, &new).await?;
            unclaimed::claim(connection, keys).await?;
            let entry = audit::Entry {
                metadata: json!({ "filename": new.filename, "purpose": new.purpose, "size_bytes": new.size_bytes }),
                ..cx.audit("upload:created", "upload", new.id)
            };
            audit::record(connection, entry).await?;
            is_complete = true;
            Ok(row)
        })
        .await;
    // Then the row is rolled back, and the file is deleted as unclaimed. A failed commit leaves that open.
    if row.is_err() && !is_complete {
        cx.undo_effect();
    }
    shown(cx, &links(cx), row?)
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
                unclaimed::note(connection, &[row.storage_key], cx.state().clock.now()).await?;
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
            Self::DeveloperDocument => "developer_document",
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
