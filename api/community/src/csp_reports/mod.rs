//! What browsers report about the content security policy (specification C §9).

mod db;
pub mod graphql;
mod report;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{Admin, AnyOperation, Grants, Visitor},
    http::rate_key,
};
use diesel::{Queryable, Selectable};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::{catalogue::AdminPermission, db::schema::csp_reports};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use report::Report;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CREATE_CSP_REPORT, &ADMIN_CSP_REPORTS];

/// Largest body.
pub const MAX_BODY_BYTES: usize = 64 * 1024;
const PER_MINUTE_AND_ADDRESS: u32 = 30;
/// What a faulty policy can fill the table with, however many browsers see it.
const PER_MINUTE: u32 = 1000;

/// A report. Addresses are without query and fragment, where secrets could stand.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = csp_reports)]
pub struct CspReport {
    pub id: Uuid,
    /// The page.
    pub document_uri: String,
    /// What was blocked: an address, or a word such as `inline`.
    pub blocked_uri: String,
    pub violated_directive: String,
    /// `enforce` or `report`.
    pub disposition: Option<String>,
    pub source_file: Option<String>,
    pub line_number: Option<i32>,
    pub column_number: Option<i32>,
    /// Of the page.
    pub status_code: Option<i32>,
    pub user_agent: Option<String>,
    pub received_at: Timestamp,
}

/// Which reports are listed.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CspReportsQuery {
    /// Only violations of this directive, for example `script-src`.
    pub directive: Option<String>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Takes what a browser reports.
pub static CREATE_CSP_REPORT: Operation<Visitor> =
    Operation::public("createCspReport", Grants::Nothing).rest_only();

/// Keeps what a browser reports, in the older form (`csp-report`) or that of the Reporting API.
///
/// # Errors
/// 429 over 30 a minute from one address; 400 for a body that is no report.
pub async fn create_csp_report(cx: &Cx, reports: impl Future<Output = Input<Vec<Report>>>) -> Result<()> {
    let caller = cx.authorize(&CREATE_CSP_REPORT).await?;
    let (limiter, request) = (&cx.state().limiter, cx.request());
    let own = limiter.count("csp_reports", &rate_key(request.ip), PER_MINUTE_AND_ADDRESS, 60).await;
    cx.refuse_over(&own)?;
    let everybody = limiter.count("csp_reports", "everybody", PER_MINUTE, 60).await;
    cx.refuse_over(&everybody)?;
    let reports = reports.await?;
    let user_agent = request.user_agent.as_deref();
    db::insert(&mut *caller.db().await?, &reports, user_agent, cx.state().clock.now()).await
}

/// The reports of browsers.
pub static ADMIN_CSP_REPORTS: Operation<Admin> =
    Operation::admin("adminCspReports", AdminPermission::CspReportsRead, Grants::Nothing);

/// Lists the reports of browsers, newest first.
///
/// # Errors
/// As the rule; 400 for a page out of bounds.
pub async fn admin_csp_reports(cx: &Cx, query: Input<CspReportsQuery>) -> Result<Page<CspReport>> {
    let admin = cx.authorize(&ADMIN_CSP_REPORTS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::list(&mut *admin.db().await?, query.directive.as_deref(), window).await?;
    Ok(Page { items, total, window })
}
