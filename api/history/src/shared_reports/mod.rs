//! Reports through shared links: the token is the credential (reference/history.md#shared-reports).

mod access;
mod db;
pub mod graphql;
pub mod rest;
mod views;
mod watch;

use std::sync::Arc;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, Visitor},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    Download, Right, StreamReport, StreamSample,
    admission::Admission,
    reports::{Samples, StoredReport, StreamReportExportQuery},
};
use access::refused;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&SHARED_REPORT, &EXPORT_SHARED_REPORT];

/// Report that a shared link shows.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SharedStreamReport {
    /// Report without the platforms' ids and the pictures of chatters.
    pub report: StreamReport,
    /// Samples, one for each minute and platform, by time.
    pub samples: Vec<StreamSample>,
    /// True when the report can be exported through the link.
    pub allow_export: bool,
}

/// Report that a request with a link may read. It is a [`SharedStreamReport`] whose samples are read when they are
/// needed.
pub struct OpenedReport {
    /// Report without the platforms' ids and the pictures of chatters.
    pub report: StreamReport,
    /// Samples.
    pub samples: Samples<Visitor>,
    /// True when the report can be exported through the link.
    pub allow_export: bool,
    /// Right to read the report until the end of the response.
    pub right: Right,
}

/// Token and password of a request.
pub struct Presented {
    /// Token of the link.
    pub token: String,
    /// Password; `None` when the request has none.
    pub password: Option<String>,
}

// The feature is that of the report's account: a link of an account without it is refused like any other.
pub static SHARED_REPORT: Operation<Visitor> = Operation::public("sharedReport", Grants::Nothing);

/// Returns the report that a shared link shows, with its samples.
///
/// The token of the link is the credential, and the password where the link has one. A client address counts as
/// one view in 30 minutes.
///
/// (reference/history.md#shared-reports)
///
/// # Errors
/// - 401: the token is unknown, expired or revoked, the password is missing or wrong, or the account of the
///   report has no stream history. All of these are the same answer.
/// - 429: above 120 requests of an address in a minute, or when too many passwords wait for their check.
#[api_core::operation]
pub async fn shared_report(cx: &Cx, presented: Presented) -> Result<OpenedReport> {
    let visitor = cx.authorize(&SHARED_REPORT).await?;
    access::count(cx).await?;
    let link = access::open(cx, &visitor, &presented).await?;
    let stored = StoredReport::find(&visitor, link.account_id, link.report_id).await?.ok_or_else(refused)?;
    let span = stored.span().clone();
    let report = stored.report(cx, &visitor).await?.ok_or_else(refused)?;
    views::count(cx, &visitor, &link, &presented.token).await?;
    Ok(OpenedReport {
        report: Arc::unwrap_or_clone(report).shared().into(),
        allow_export: link.allow_export,
        right: watch::right(cx, &visitor, &link),
        samples: Samples::new(cx, visitor, span, refused),
    })
}

pub static EXPORT_SHARED_REPORT: Operation<Visitor> =
    Operation::public("exportSharedReport", Grants::Nothing).rest_only();

/// Returns the report that a shared link shows as a file.
///
/// The end of the link, also its revocation, ends a download. Exports are no views.
///
/// (reference/history.md#shared-reports)
///
/// # Errors
/// - 401: the token is unknown, expired or revoked, the password is missing or wrong, or the account of the
///   report has no stream history. All of these are the same answer.
/// - 400: the format is missing or unknown.
/// - 403: the link allows no exports.
/// - 409: the session is live.
/// - 429: above 120 requests of an address in a minute, when too many passwords wait for their check, or when two
///   documents of the address, or too many of all, are being made.
#[api_core::operation]
pub async fn export_shared_report(
    cx: &Cx,
    presented: Presented,
    query: Input<StreamReportExportQuery>,
) -> Result<Download> {
    let visitor = cx.authorize(&EXPORT_SHARED_REPORT).await?;
    access::count(cx).await?;
    // The token is the credential: it goes before the rest of the input.
    let link = access::open(cx, &visitor, &presented).await?;
    let query = query?;
    if !link.allow_export {
        return Err(ApiError::forbidden("The link does not allow exports"));
    }
    let stored = StoredReport::find(&visitor, link.account_id, link.report_id).await?.ok_or_else(refused)?;
    stored.must_have_ended()?;
    let format = query.format.into();
    let admission = Admission::of(cx.state(), format, access::address(cx))?;
    let span = stored.span().clone();
    let report = stored.report(cx, &visitor).await?.ok_or_else(refused)?;
    Ok(Download {
        format,
        report: Arc::new(Arc::unwrap_or_clone(report).shared()),
        right: watch::right(cx, &visitor, &link),
        samples: Samples::new(cx, visitor, span, refused).pages(),
        admission,
    })
}
