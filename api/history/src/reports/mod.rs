//! Reports of sessions, their samples and exports (reference/history.md#reports).

mod db;
pub mod graphql;
mod live;
pub mod rest;
pub(crate) mod samples;
mod stored;

use std::sync::Arc;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use diesel_async::AsyncConnection;
use foundation::{audit, db::Holder};
use report_export::Format;
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{Download, Right, StreamReport, admission::Admission, sessions};

pub(crate) use db::{exists, lock};
pub use samples::Samples;
pub(crate) use stored::StoredReport;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&STREAM_REPORT, &STREAM_REPORT_STATS, &EXPORT_STREAM_REPORT, &DELETE_STREAM_REPORT];

/// Format of an exported report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamReportFormat {
    /// ZIP archive of CSV files.
    Csv,
    /// Text.
    Txt,
    /// JSON.
    Json,
    /// PDF.
    Pdf,
}

/// Query of the samples of a report.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StreamReportStatsQuery {
    /// Only samples of this platform: `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: Option<String>,
}

/// Query of an export.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StreamReportExportQuery {
    /// Format of the file.
    #[param(inline)]
    pub format: StreamReportFormat,
}

pub static STREAM_REPORT: Operation<AccountCaller> =
    Operation::account("streamReport", AccountPermission::HistoryRead, Grants::Nothing)
        .feature(Feature::StreamHistory)
        .polled();

/// Returns the report of a stream session.
///
/// The report of a session that is live holds what is known so far and is at most a minute old.
///
/// (reference/history.md#reports)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the account has no such session.
#[api_core::operation]
pub async fn stream_report(cx: &Cx, id: Input<Uuid>) -> Result<StreamReport> {
    let caller = cx.authorize(&STREAM_REPORT).await?;
    let stored = StoredReport::find(&caller, caller.account, id?).await?.ok_or_else(not_found)?;
    let report = stored.report(cx, &caller).await?.ok_or_else(not_found)?;
    Ok(Arc::unwrap_or_clone(report).into())
}

pub static STREAM_REPORT_STATS: Operation<AccountCaller> =
    Operation::account("streamReportStats", AccountPermission::HistoryRead, Grants::Nothing)
        .feature(Feature::StreamHistory);

/// Returns the samples of a stream session, one for each minute and platform, by time.
///
/// The list is whole. A minute in which neither viewers nor lines were seen has no sample.
///
/// (reference/history.md#samples)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the platform is unknown.
/// - 404: the account has no such session.
#[api_core::operation]
pub async fn stream_report_stats(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<StreamReportStatsQuery>,
) -> Result<Samples<AccountCaller>> {
    let caller = cx.authorize(&STREAM_REPORT_STATS).await?;
    let (id, query) = (id?, query?);
    let platform = query.platform.as_deref().map(sessions::platform).transpose()?;
    let session = db::find(&mut *caller.db().await?, caller.account, id).await?.ok_or_else(not_found)?;
    Ok(Samples::new(cx, caller, session.span, not_found).on(platform))
}

pub static EXPORT_STREAM_REPORT: Operation<AccountCaller> =
    Operation::account("exportStreamReport", AccountPermission::HistoryExport, Grants::Nothing)
        .feature(Feature::StreamHistory)
        .rest_only();

/// Returns the report of a stream session as a file.
///
/// `csv` is a ZIP archive of several CSV files. The file is an attachment and is written while it is sent.
///
/// (reference/history.md#exports)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the format is missing or unknown.
/// - 404: the account has no such session.
/// - 409: the session is live.
/// - 429: two documents of the account, or too many of all, are being made.
#[api_core::operation]
pub async fn export_stream_report(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<StreamReportExportQuery>,
) -> Result<Download> {
    let caller = cx.authorize(&EXPORT_STREAM_REPORT).await?;
    let (id, query) = (id?, query?);
    let stored = StoredReport::find(&caller, caller.account, id).await?.ok_or_else(not_found)?;
    stored.must_have_ended()?;
    let format = query.format.into();
    let admission = Admission::of(cx.state(), format, Holder::Account(caller.account.uuid()))?;
    let span = stored.span().clone();
    let report = stored.report(cx, &caller).await?.ok_or_else(not_found)?;
    Ok(Download {
        format,
        report,
        samples: Samples::new(cx, caller, span, not_found).pages(),
        right: Right::of_member(),
        admission,
    })
}

pub static DELETE_STREAM_REPORT: Operation<AccountCaller> =
    Operation::account("deleteStreamReport", AccountPermission::HistoryDelete, Grants::Nothing)
        .feature(Feature::StreamHistory);

/// Deletes a stream session with its report and samples.
///
/// Its shared links end immediately, and so do downloads through them. Statistics that were made public stay.
///
/// (reference/history.md#deletion)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the account has no such session.
/// - 409: the session is live.
#[api_core::operation]
pub async fn delete_stream_report(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_STREAM_REPORT).await?;
    let id = id?;
    let mut postgres = caller.db().await?;
    postgres
        .transaction(async |connection| {
            let session = db::lock(connection, caller.account, id).await?.ok_or_else(not_found)?;
            if session.is_live {
                return Err(still_live());
            }
            let mut entry = cx.audit("stream_report:deleted", "stream_report", id);
            entry.metadata = json!({ "started_at": session.started_at, "title": session.title });
            audit::record(connection, entry).await?;
            let is_deleted = history_model::sessions::delete(connection, caller.account.uuid(), id).await?;
            if is_deleted { Ok(()) } else { Err(not_found()) }
        })
        .await
}

/// Error for a session that the account does not have.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Stream report not found")
}

/// Error for what only a session that has ended allows.
pub(crate) fn still_live() -> ApiError {
    ApiError::conflict("Session is still live")
}

impl From<StreamReportFormat> for Format {
    fn from(format: StreamReportFormat) -> Self {
        match format {
            StreamReportFormat::Csv => Self::Csv,
            StreamReportFormat::Txt => Self::Txt,
            StreamReportFormat::Json => Self::Json,
            StreamReportFormat::Pdf => Self::Pdf,
        }
    }
}
