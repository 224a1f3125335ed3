//! Page of a shared report (reference/history.md#shared-page). One document serves every link: its script finds the
//! token in the address.

mod document;
pub mod rest;

use api_core::{
    Cx, Operation, Result,
    access::{AnyOperation, Grants, Visitor},
};

pub use document::Page;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&SHARED_REPORT_PAGE];

pub static SHARED_REPORT_PAGE: Operation<Visitor> =
    Operation::public("sharedReportPage", Grants::Nothing).rest_only();

/// Returns the page that shows a shared report to people.
///
/// - The document is the same for every address, also for one of a link that does not exist. The server reads no
///   token here.
/// - The script of the page takes the token from the fragment of the address (`#token=…`), removes it from the
///   address, and sends it to the routes of the shared report only.
/// - Parameters of the query are ignored.
#[api_core::operation]
pub async fn shared_report_page(cx: &Cx) -> Result<&'static Page> {
    cx.authorize(&SHARED_REPORT_PAGE).await?;
    Ok(Page::get())
}
