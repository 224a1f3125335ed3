//! Archives of an account (reference/archives.md#archives).

mod address;
mod db;
pub mod graphql;
mod objects;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, SessionHolder, Visitor},
    http::StoredFile,
};
use archive_model::sealing::PublicKey;
use chrono::TimeDelta;
use diesel_async::AsyncConnection;
use foundation::{
    audit::{self, Entry, Scope},
    jobs::ExportAccount,
    outbox, unclaimed,
};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::id;
use utoipa::ToSchema;
use uuid::Uuid;

pub use address::SignedAddress;
pub use objects::{AccountArchive, AccountArchiveStatus};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ACCOUNT_ARCHIVES,
    &ACCOUNT_ARCHIVE,
    &EXPORT_ACCOUNT,
    &DELETE_ACCOUNT_ARCHIVE,
    &DOWNLOAD_ACCOUNT_ARCHIVE,
];

/// Maximum number of archives of an account that exist or are being made (reference/archives.md#limits).
const MAX_ARCHIVES: i64 = 5;
/// Maximum number of exports that are requested for an account in a day, also of archives that were deleted. Discarded
/// ones do not count.
const MAX_DAILY_EXPORTS: i64 = 10;
/// Characters of a public key in base64.
const KEY_LENGTH: usize = 44;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "account_archives",
        MAX_ARCHIVES,
        "SELECT count(*) FROM account_archives WHERE account_id = $1 AND status IN ('queued', 'running', 'ready')",
    )
}

/// Options of an export.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({}))]
pub struct ExportAccountInput {
    /// X25519 public key in base64 that the secrets of the account are sealed to. Without it the archive has no secrets.
    #[schema(extensions(("maxLength" = json!(KEY_LENGTH))))]
    pub secrets_key: Option<String>,
}

pub static ACCOUNT_ARCHIVES: Operation<SessionHolder> =
    Operation::session("accountArchives", Grants::Nothing);

/// Lists the archives of an account, newest first.
///
/// An archive is listed until seven days after it was made. The caller is the owner of the account, with a session.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403: the caller is not the owner of the account.
/// - 404: the caller is not a member of the account.
#[api_core::operation]
pub async fn account_archives(cx: &Cx, id: Input<Uuid>) -> Result<Vec<AccountArchive>> {
    let caller = cx.authorize(&ACCOUNT_ARCHIVES).await?;
    let mut connection = caller.db().await?;
    let account = db::owned(&mut connection, id?, caller.user).await?;
    let rows = db::list(&mut connection, account).await?;
    rows.into_iter().map(|row| AccountArchive::of(cx, row)).collect()
}

pub static ACCOUNT_ARCHIVE: Operation<SessionHolder> = Operation::session("accountArchive", Grants::Nothing);

/// Returns an archive of an account, with the address of its content once it is ready.
///
/// The address needs no credential and ends after an hour; each response has a new one. The caller is the owner of the
/// account, with a session.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403: the caller is not the owner of the account.
/// - 404: the caller is not a member of the account, or there is no such archive.
#[api_core::operation]
pub async fn account_archive(cx: &Cx, id: Input<Uuid>, archive_id: Input<Uuid>) -> Result<AccountArchive> {
    let caller = cx.authorize(&ACCOUNT_ARCHIVE).await?;
    let mut connection = caller.db().await?;
    let account = db::owned(&mut connection, id?, caller.user).await?;
    let row = db::find(&mut connection, account, archive_id?).await?.ok_or_else(not_found)?;
    AccountArchive::of(cx, row)
}

pub static EXPORT_ACCOUNT: Operation<SessionHolder> =
    Operation::session("exportAccount", Grants::Nothing).idempotent();

/// Requests an archive of everything that belongs to an account.
///
/// A job makes it; the archive is `queued` until then. It has the rows of the account, its stored files, and the names of
/// the people whom they concern. Secrets and credentials are in it only with `secrets_key`, and sealed to that key:
/// nothing else opens them. The caller is the owner of the account, with a session.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: `secrets_key` is not a usable key.
/// - 403: the caller is not the owner of the account.
/// - 403 `PLAN_LIMIT_REACHED`: the account has 5 archives.
/// - 404: the caller is not a member of the account.
/// - 409: an export of the account is running.
/// - 429: 10 exports of the account were requested within a day.
#[api_core::operation]
pub async fn export_account(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<ExportAccountInput>,
) -> Result<AccountArchive> {
    let caller = cx.authorize(&EXPORT_ACCOUNT).await?;
    let now = cx.state().clock.now();
    let row = caller
        .db()
        .await?
        .transaction(async |connection| {
            let account = db::owned(connection, id?, caller.user).await?;
            let secrets_key = secrets_key(input?)?;
            db::lock(connection, account).await?;
            if db::is_exporting(connection, account).await? {
                return Err(ApiError::conflict("An export of the account is running"));
            }
            if db::count(connection, account).await? >= MAX_ARCHIVES {
                return Err(limit_reached());
            }
            if db::count_requested(connection, account, now - TimeDelta::days(1)).await? >= MAX_DAILY_EXPORTS
            {
                return Err(too_many());
            }
            let new = db::NewArchive {
                id: id::new(),
                account_id: account,
                requested_by: caller.user,
                secrets_key: secrets_key.as_deref(),
                created_at: now,
            };
            let row = db::insert(connection, &new).await?;
            let job = ExportAccount { archive_id: row.id };
            outbox::add(connection, &job, &format!("export_account:{}", row.id)).await?;
            let entry = Entry {
                scope: Scope::Account(account.uuid()),
                metadata: json!({ "with_secrets": secrets_key.is_some() }),
                ..cx.audit("account:export_requested", "account_archive", row.id)
            };
            audit::record(connection, entry).await?;
            Ok(row)
        })
        .await?;
    AccountArchive::of(cx, row)
}

pub static DELETE_ACCOUNT_ARCHIVE: Operation<SessionHolder> =
    Operation::session("deleteAccountArchive", Grants::Nothing);

/// Deletes an archive of an account, or ends its export.
///
/// Addresses of its content end at once. The caller is the owner of the account, with a session.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403: the caller is not the owner of the account.
/// - 404: the caller is not a member of the account, or there is no such archive.
#[api_core::operation]
pub async fn delete_account_archive(cx: &Cx, id: Input<Uuid>, archive_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_ACCOUNT_ARCHIVE).await?;
    let now = cx.state().clock.now();
    let object = caller
        .db()
        .await?
        .transaction(async |connection| {
            let account = db::owned(connection, id?, caller.user).await?;
            let archive = archive_id?;
            let object = db::delete(connection, account, archive).await?.ok_or_else(not_found)?;
            if let Some(key) = &object {
                // The sweep removes the object, should the removal below fail.
                unclaimed::record(connection, std::slice::from_ref(key), now).await?;
            }
            let entry = Entry {
                scope: Scope::Account(account.uuid()),
                ..cx.audit("account:archive_deleted", "account_archive", archive)
            };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(object)
        })
        .await?;
    if let Some(key) = object
        && let Err(error) = cx.state().storage.delete(&key).await
    {
        tracing::warn!(%error, "the object of a deleted archive is removed later");
    }
    Ok(())
}

pub static DOWNLOAD_ACCOUNT_ARCHIVE: Operation<Visitor> =
    Operation::any_credential("downloadAccountArchive", Grants::Nothing).rest_only();

/// Returns the content of an archive as raw bytes, for its signed address.
///
/// The address comes from `download_url` and needs no credential. One `Range` of bytes is served, so that a download can
/// be resumed; `If-None-Match` gets 304.
///
/// # Errors
/// - 403: the address is altered or has ended.
/// - 404: the archive is gone.
#[api_core::operation]
pub async fn download_account_archive(
    cx: &Cx,
    id: Input<Uuid>,
    address: Input<SignedAddress>,
) -> Result<StoredFile> {
    let visitor = cx.authorize(&DOWNLOAD_ACCOUNT_ARCHIVE).await?;
    let id = id?;
    address?.check(cx, id)?;
    db::file(&mut *visitor.db().await?, id).await?.ok_or_else(not_found)
}

/// Key of the secrets in its one form.
fn secrets_key(input: ExportAccountInput) -> Result<Option<String>> {
    let key = input.secrets_key.map(|text| PublicKey::parse(&text)).transpose();
    let key = key.map_err(|_malformed| {
        ApiError::invalid("secrets_key must be an X25519 public key: 32 bytes in base64")
    })?;
    Ok(key.map(|key| key.text()))
}

fn limit_reached() -> ApiError {
    ApiError::new(Code::PlanLimitReached, "Archive limit reached")
        .with_details(json!({ "limit": MAX_ARCHIVES }))
}

fn too_many() -> ApiError {
    let message = format!("An account can be exported {MAX_DAILY_EXPORTS} times a day");
    ApiError::new(Code::RateLimitExceeded, message)
}

fn not_found() -> ApiError {
    ApiError::not_found("Archive not found")
}
