//! Reports of browsers about the content security policy (reference/administration.md#csp-reports).

mod db;
pub mod graphql;
mod report;
pub mod rest;

use api_core::{
    CursorPage, CursorRequest, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, AnyOperation, Grants, Visitor},
    http::rate_key,
};
use diesel::{Queryable, Selectable};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::{catalogue::AdminPermission, schema::csp_reports};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use report::Report;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CREATE_CSP_REPORT, &ADMIN_CSP_REPORTS];

/// Largest body, in bytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024;
const MAX_REPORTS_PER_ADDRESS_PER_MINUTE: u32 = 30;
/// Limit for all addresses together, so that a faulty policy that many browsers see does not fill the table.
const MAX_REPORTS_PER_MINUTE: u32 = 1000;

api_core::limits::submit! {
    api_core::limits::WindowLimit {
        name: "csp_reports",
        limit: MAX_REPORTS_PER_ADDRESS_PER_MINUTE,
        seconds: 60,
        holder: api_core::limits::Holder::Address,
    }
}

/// Report of a browser. Addresses have no query and fragment, which could contain secrets.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = csp_reports)]
pub struct CspReport {
    /// Identifier.
    pub id: Uuid,
    /// Address of the page.
    pub document_uri: String,
    /// Blocked resource: an address, or a word such as `inline`.
    pub blocked_uri: String,
    /// Directive that was violated.
    pub violated_directive: String,
    /// `enforce` or `report`. Null: not given.
    pub disposition: Option<String>,
    /// Address of the script or style. Null: not given.
    pub source_file: Option<String>,
    /// Line in the source file. Null: not given.
    pub line_number: Option<i32>,
    /// Column in the source file. Null: not given.
    pub column_number: Option<i32>,
    /// HTTP status of the page. Null: not given.
    pub status_code: Option<i32>,
    /// `User-Agent` of the browser. Null: not given.
    pub user_agent: Option<String>,
    /// Time of receipt.
    pub received_at: Timestamp,
}

/// Query of the list of reports.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CspReportsQuery {
    /// Directive, for example `script-src`; every directive when absent.
    pub directive: Option<String>,
    /// Page number, from 1; 1 when absent. Not with `cursor`.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
    /// Cursor of the page before, from its `Link` or `nextCursor`.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

pub static CREATE_CSP_REPORT: Operation<Visitor> = Operation::public("createCspReport", Grants::Nothing)
    .rest_only()
    .not_idempotent("is sent by browsers, which add no header");

/// Stores violations of the content security policy that a browser reports.
///
/// The body has the type `application/csp-report` (`{ "csp-report": … }`) or `application/reports+json` (the
/// list of the Reporting API). It has at most 64 KiB and 20 violations. Queries, fragments and tokens are
/// removed before storage. Reports are kept for 30 days.
///
/// # Errors
/// 429 beyond 30 requests a minute from one address, and beyond 1,000 a minute from all; 400 for a body that
/// is not a report.
#[api_core::operation]
pub async fn create_csp_report(cx: &Cx, reports: impl Future<Output = Input<Vec<Report>>>) -> Result<()> {
    let caller = cx.authorize(&CREATE_CSP_REPORT).await?;
    let (limiter, request) = (&cx.state().limiter, cx.request());
    let own =
        limiter.count("csp_reports", &rate_key(request.ip), MAX_REPORTS_PER_ADDRESS_PER_MINUTE, 60).await;
    cx.refuse_over(&own)?;
    let everybody = limiter.count("csp_reports", "everybody", MAX_REPORTS_PER_MINUTE, 60).await;
    cx.refuse_over(&everybody)?;
    let reports = reports.await?;
    let user_agent = request.user_agent.as_deref();
    db::insert(&mut *caller.db().await?, &reports, user_agent, cx.state().clock.now()).await
}

pub static ADMIN_CSP_REPORTS: Operation<Admin> =
    Operation::admin("adminCspReports", AdminPermission::CspReportsRead, Grants::Nothing).polled();

/// Lists the reports of browsers, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for a page out of bounds.
#[api_core::operation]
pub async fn admin_csp_reports(cx: &Cx, query: Input<CspReportsQuery>) -> Result<CursorPage<CspReport>> {
    let admin = cx.authorize(&ADMIN_CSP_REPORTS).await?;
    let query = query?;
    let request = CursorRequest::new(query.page, query.limit, query.cursor);
    let part = request.check(cx, &ADMIN_CSP_REPORTS, &query.directive)?;
    db::list(&mut *admin.db().await?, query.directive.as_deref(), part).await
}
