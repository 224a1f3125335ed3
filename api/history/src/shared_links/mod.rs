//! Links that show a report to everybody who has one (reference/history.md#shared-links).

mod db;
pub mod graphql;
pub mod rest;
mod token;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    validate,
};
use chrono::{DateTime, Duration, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, db::Holder};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{passwords::Passwords, reports};
use token::LinkToken;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&SHARED_LINKS, &CREATE_SHARED_LINK, &EXTEND_SHARED_LINK, &REVOKE_SHARED_LINK];

/// Number of links of a report that are active (reference/history.md#shared-links).
const MAX_ACTIVE: i64 = 20;
/// Number of links of a report: older ones that have ended are deleted when another is created.
const MAX_LINKS: i64 = 100;
/// Lifetimes of a link, in seconds (reference/history.md#shared-links).
const DURATIONS: [i32; 5] = [3600, 21_600, 86_400, 604_800, 2_592_000];
/// Length of a password, in characters (reference/history.md#passwords).
const MIN_PASSWORD_LENGTH: usize = 4;
/// Length of a password, in characters (reference/history.md#passwords).
const MAX_PASSWORD_LENGTH: usize = 128;

/// State of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SharedLinkStatus {
    /// Shows the report.
    Active,
    /// Its time has ended.
    Expired,
    /// Was revoked.
    Revoked,
}

/// Link that shows a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct SharedLink {
    /// Identifier.
    pub id: Uuid,
    /// Report.
    pub report_id: Uuid,
    /// Person who created it. Null: a service key, or the person is gone.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// End.
    pub expires_at: Timestamp,
    /// True when the link needs a password.
    pub has_password: bool,
    /// True when the report can be exported through the link.
    pub allow_export: bool,
    /// Number of views.
    pub view_count: Int64,
    /// Time of the last view, or null.
    pub last_viewed_at: Option<Timestamp>,
    /// State.
    pub status: SharedLinkStatus,
}

/// New link with its token. This answer alone contains the token.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct CreatedSharedLink {
    /// Identifier.
    pub id: Uuid,
    /// Report.
    pub report_id: Uuid,
    /// Person who created it. Null: a service key.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// End.
    pub expires_at: Timestamp,
    /// True when the link needs a password.
    pub has_password: bool,
    /// True when the report can be exported through the link.
    pub allow_export: bool,
    /// Number of views.
    pub view_count: Int64,
    /// Time of the last view, or null.
    pub last_viewed_at: Option<Timestamp>,
    /// State.
    pub status: SharedLinkStatus,
    /// Text of the token, 43 characters.
    pub token: String,
    /// Address of the page of the report with the token in its fragment.
    pub url: String,
}

/// Link to create.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "duration_secs": 604_800, "password": "sponsors only", "allow_export": true }))]
pub struct CreateSharedLinkInput {
    /// Lifetime in seconds: 3600, 21600, 86400, 604800 or 2592000.
    #[schema(extensions(("enum" = json!(DURATIONS))))]
    pub duration_secs: i32,
    /// 4 to 128 characters. Null or absent: the link needs no password.
    #[schema(extensions(("minLength" = json!(MIN_PASSWORD_LENGTH)), ("maxLength" = json!(MAX_PASSWORD_LENGTH))))]
    pub password: Option<String>,
    /// True to allow exports of the report through the link.
    pub allow_export: bool,
}

/// New lifetime of a link.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "duration_secs": 86_400 }))]
pub struct ExtendSharedLinkInput {
    /// Lifetime in seconds from now on: 3600, 21600, 86400, 604800 or 2592000.
    #[schema(extensions(("enum" = json!(DURATIONS))))]
    pub duration_secs: i32,
}

pub static SHARED_LINKS: Operation<AccountCaller> =
    Operation::account("sharedLinks", AccountPermission::HistoryShare, Grants::Nothing)
        .feature(Feature::StreamHistory);

/// Lists the shared links of a report, the newest first, also those that have ended.
///
/// A report keeps its newest 100 links.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the account has no such report.
#[api_core::operation]
pub async fn shared_links(cx: &Cx, report_id: Input<Uuid>) -> Result<Vec<SharedLink>> {
    let caller = cx.authorize(&SHARED_LINKS).await?;
    let (report, now) = (report_id?, cx.state().clock.now());
    let connection = &mut *caller.db().await?;
    let rows = db::list(connection, caller.account, report).await?.ok_or_else(reports::not_found)?;
    Ok(rows.into_iter().map(|row| row.into_link(now)).collect())
}

// The link shows one report of the account, which the permission allows to share, and holds no permission. A claim: a
// password may wait to be hashed, and a transaction around the operation would stay open meanwhile.
pub static CREATE_SHARED_LINK: Operation<AccountCaller> =
    Operation::account("createSharedLink", AccountPermission::HistoryShare, Grants::Credentials)
        .feature(Feature::StreamHistory)
        .idempotent_by_claim()
        .secret_answer();

/// Creates a link that shows a report without a credential.
///
/// Token and address are in this answer only. A link that allows exports needs a caller who may export.
///
/// (reference/history.md#shared-links)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: another lifetime than the five, or a password out of bounds.
/// - 404: the account has no such report.
/// - 403: the link allows exports, and the caller lacks `history:export`.
/// - 409: the report has 20 active links.
/// - 429: too many passwords wait to be hashed.
#[api_core::operation]
pub async fn create_shared_link(
    cx: &Cx,
    report_id: Input<Uuid>,
    input: Input<CreateSharedLinkInput>,
) -> Result<CreatedSharedLink> {
    let caller = cx.authorize(&CREATE_SHARED_LINK).await?;
    let (report_id, input) = (report_id?, input?);
    let duration = duration(input.duration_secs)?;
    let password = input.password.as_deref().map(password).transpose()?;
    let account = caller.account;
    if !reports::exists(&mut *caller.db().await?, account, report_id).await? {
        return Err(reports::not_found());
    }
    if input.allow_export {
        cx.require(AccountPermission::HistoryExport).await?;
    }
    // Before the transaction: it takes a while, and the report stays locked to the end.
    let password_hash = match password {
        Some(password) => {
            Some(Passwords::of(cx.state()).hash(Holder::Account(account.uuid()), password).await?)
        }
        None => None,
    };
    let token = LinkToken::generate();
    let mut connection = caller.db().await?;
    let effect = cx.begin_transaction_effect();
    let row = connection
        .transaction(async |connection| {
            reports::lock(connection, account, report_id).await?.ok_or_else(reports::not_found)?;
            let now = cx.state().clock.now();
            if db::count_active(connection, account, report_id, now).await? >= MAX_ACTIVE {
                return Err(ApiError::conflict("Shared link limit reached"));
            }
            db::delete_oldest_ended(connection, account, report_id, now).await?;
            let new = db::NewLink {
                id: id::new(),
                account_id: account,
                report_id,
                created_by: cx.principal().author(),
                token_hash: token.hash(),
                password_hash: password_hash.as_deref(),
                allow_export: input.allow_export,
                created_at: now,
                expires_at: now + duration,
            };
            let row = db::insert(connection, &new).await?;
            audited(cx, connection, "history_share:created", &row).await?;
            effect.complete();
            Ok(row)
        })
        .await?;
    let url = token.url(cx.state(), row.id);
    Ok(created(row.into_link(cx.state().clock.now()), token, url))
}

pub static EXTEND_SHARED_LINK: Operation<AccountCaller> =
    Operation::account("extendSharedLink", AccountPermission::HistoryShare, Grants::Credentials)
        .feature(Feature::StreamHistory);

/// Sets the end of an active link anew. The lifetime counts from now on.
///
/// Token, password and views stay.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: another lifetime than the five.
/// - 404: the account has no such link.
/// - 403: the link allows exports, and the caller lacks `history:export`.
/// - 409: the link has expired or was revoked.
#[api_core::operation]
pub async fn extend_shared_link(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<ExtendSharedLinkInput>,
) -> Result<SharedLink> {
    let caller = cx.authorize(&EXTEND_SHARED_LINK).await?;
    let (id, input) = (id?, input?);
    let duration = duration(input.duration_secs)?;
    let account = caller.account;
    let link = db::find(&mut *caller.db().await?, account, id).await?.ok_or_else(not_found)?;
    if link.allow_export {
        cx.require(AccountPermission::HistoryExport).await?;
    }
    caller
        .db()
        .await?
        .transaction(async |connection| {
            // As for a new link: one that expires meanwhile is either extended or does not count.
            reports::lock(connection, account, link.report_id).await?.ok_or_else(not_found)?;
            let now = cx.state().clock.now();
            active(db::lock(connection, account, id).await?, now)?;
            let row = db::extend(connection, account, id, now + duration).await?;
            audited(cx, connection, "history_share:extended", &row).await?;
            Ok(row.into_link(now))
        })
        .await
}

pub static REVOKE_SHARED_LINK: Operation<AccountCaller> =
    Operation::account("revokeSharedLink", AccountPermission::HistoryShare, Grants::Nothing)
        .feature(Feature::StreamHistory);

/// Revokes an active link.
///
/// It shows the report no longer, and downloads through it are cut off. The list keeps it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the account has no such link.
/// - 409: the link has expired or was revoked.
#[api_core::operation]
pub async fn revoke_shared_link(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REVOKE_SHARED_LINK).await?;
    let (id, now) = (id?, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            active(db::lock(connection, caller.account, id).await?, now)?;
            let row = db::revoke(connection, caller.account, id, now).await?;
            audited(cx, connection, "history_share:revoked", &row).await
        })
        .await
}

/// Reads a lifetime.
fn duration(secs: i32) -> Result<Duration> {
    if DURATIONS.contains(&secs) {
        return Ok(Duration::seconds(secs.into()));
    }
    let allowed = DURATIONS.map(|allowed| allowed.to_string()).join(", ");
    Err(ApiError::invalid(format!("Invalid duration_secs: must be one of {allowed}")))
}

/// Reads a password as links have them: without surrounding space, which header fields cannot carry.
fn password(given: &str) -> Result<String> {
    validate::text("password", given, MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH)
}

/// Checks that a link is there and active.
fn active(found: Option<db::Row>, now: DateTime<Utc>) -> Result<()> {
    if found.ok_or_else(not_found)?.status(now) == SharedLinkStatus::Active {
        return Ok(());
    }
    Err(ApiError::conflict("Shared link is not active"))
}

fn not_found() -> ApiError {
    ApiError::not_found("Shared link not found")
}

async fn audited(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &'static str,
    row: &db::Row,
) -> Result<()> {
    let mut entry = cx.audit(action, "history_share", row.id);
    entry.metadata = json!({
        "report_id": row.report_id,
        "expires_at": row.expires_at,
        "has_password": row.password_hash.is_some(),
        "allow_export": row.allow_export,
    });
    Ok(audit::record(connection, entry).await?)
}

fn created(link: SharedLink, token: LinkToken, url: String) -> CreatedSharedLink {
    CreatedSharedLink {
        id: link.id,
        report_id: link.report_id,
        created_by: link.created_by,
        created_at: link.created_at,
        expires_at: link.expires_at,
        has_password: link.has_password,
        allow_export: link.allow_export,
        view_count: link.view_count,
        last_viewed_at: link.last_viewed_at,
        status: link.status,
        token: token.into_text(),
        url,
    }
}
