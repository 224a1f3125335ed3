//! Adding an upload.

use account_model::{accounts::storage_prefix, limits::Quota};
use api_core::{
    ApiError, Code, Cx, Operation, Result,
    access::{AccountCaller, Grants},
    http::Permit,
    limits, objects,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, unclaimed};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id,
};

use super::{Upload, UploadPurpose, db, shown};
use crate::{
    files::{self, Content, FileForm, FormLimits, Kind},
    signed::links,
};

/// Maximum number of uploads of an account (reference/media.md#uploads).
const MAX_UPLOADS: i64 = 10_000;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "uploads",
        MAX_UPLOADS,
        "SELECT count(*) FROM uploads WHERE account_id = $1",
    )
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
    let permit = files::permit(cx.state(), caller.account).await?;
    let max = max_size(&caller).await?;
    // No connection is held while the client sends.
    let form = form(FormLimits { max_file_bytes: max, texts: &["purpose"] }).await?;
    cx.claim(&[form.text("purpose").unwrap_or_default(), &form.filename, &form.sha256]).await?;
    let purpose = UploadPurpose::parse(form.text("purpose"))?;
    let (form, content) = files::checked(cx.state(), caller.account, form).await?;
    allow(&caller, purpose, content).await?;
    cx.detached(store(cx.clone(), caller, (form, content), purpose, permit)).await
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

/// Stores a checked file and releases the permit to receive it.
async fn store(
    cx: Cx,
    caller: AccountCaller,
    (form, content): (FileForm, Content),
    purpose: UploadPurpose,
    _permit: Permit,
) -> Result<Upload> {
    let FileForm { mut file, size_bytes, sha256, filename, .. } = form;
    let id = id::new();
    // No other upload writes to this key, so that its object can be removed when the upload is refused.
    let storage_key = format!("{}/uploads/{id}", storage_prefix(caller.account.uuid()));
    let new = db::NewUpload {
        id,
        account_id: caller.account,
        filename: &filename,
        content_type: content.content_type,
        size_bytes: i64::try_from(size_bytes).map_err(ApiError::internal)?,
        storage_key: &storage_key,
        purpose: purpose.as_str(),
        sha256: &sha256,
        created_by: caller.user.map(|person| person.0),
        created_at: cx.state().clock.now(),
    };
    let row = match begin(&cx, &caller, &new).await? {
        Some(row) => row,
        None => {
            // A failed request may still change the store later on, so that its object is left to the sweep.
            cx.state().storage.put_file(&storage_key, &mut file).await?;
            let stored = finish(&cx, &caller, &new).await;
            if !stored.as_ref().is_ok_and(|row| row.storage_key == storage_key) {
                objects::discard(&cx, &caller, &storage_key).await;
            }
            stored?
        }
    };
    shown(&cx, &links(&cx), row)
}

/// Adds the row of content that the account has. `None` for other content: there is room for it, and the key of its
/// object is recorded. Without a row, nothing happened.
async fn begin(cx: &Cx, caller: &AccountCaller, new: &db::NewUpload<'_>) -> Result<Option<db::Row>> {
    let mut connection = caller.db().await?;
    let effect = cx.begin_transaction_effect();
    connection
        .transaction(async |connection| {
            let Some(storage_key) = known_object(connection, new).await? else {
                limits::check(connection, new.account_id, Quota::StorageBytes, new.size_bytes).await?;
                unclaimed::record(connection, &[new.storage_key.to_owned()], new.created_at).await?;
                return Ok(None);
            };
            let row = insert(cx, connection, new, &storage_key).await?;
            effect.complete();
            Ok(Some(row))
        })
        .await
}

/// Adds the row of content whose object was stored. It names another object, if the account has the content by now.
async fn finish(cx: &Cx, caller: &AccountCaller, new: &db::NewUpload<'_>) -> Result<db::Row> {
    let mut connection = caller.db().await?;
    let effect = cx.begin_transaction_effect();
    connection
        .transaction(async |connection| {
            let known = known_object(connection, new).await?;
            if known.is_none() {
                limits::take(connection, new.account_id, Quota::StorageBytes, new.size_bytes).await?;
                unclaimed::claim(connection, &[new.storage_key.to_owned()]).await?;
            }
            let storage_key = known.as_deref().unwrap_or(new.storage_key);
            let row = insert(cx, connection, new, storage_key).await?;
            effect.complete();
            Ok(row)
        })
        .await
}

/// Key of the object with the content, in an account that has room for one more upload. Other changes of its uploads
/// wait for the end of the transaction.
async fn known_object(connection: &mut AsyncPgConnection, new: &db::NewUpload<'_>) -> Result<Option<String>> {
    db::lock(connection, new.account_id).await?;
    if db::count(connection, new.account_id).await? >= MAX_UPLOADS {
        let error = ApiError::new(Code::PlanLimitReached, "Upload limit reached");
        return Err(error.with_details(json!({ "limit": MAX_UPLOADS })));
    }
    db::object_of(connection, new.account_id, new.sha256).await
}

/// Adds the row with this object, and its audit entry.
async fn insert(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    new: &db::NewUpload<'_>,
    storage_key: &str,
) -> Result<db::Row> {
    let row = db::insert(connection, &db::NewUpload { storage_key, ..*new }).await?;
    let entry = audit::Entry {
        metadata: json!({ "filename": new.filename, "purpose": new.purpose, "size_bytes": new.size_bytes }),
        ..cx.audit("upload:created", "upload", new.id)
    };
    audit::record(connection, entry).await?;
    Ok(row)
}
