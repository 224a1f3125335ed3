//! Pages of overlays and widgets, which browser sources open (reference/overlays.md#pages). One document serves
//! every page: its script finds in the address what to show.

mod document;
pub mod rest;

use api_core::{
    Cx, Operation, Result,
    access::{AnyOperation, Grants, Visitor},
};

pub use document::Page;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&OVERLAY_PAGE, &WIDGET_PAGE];

pub static OVERLAY_PAGE: Operation<Visitor> = Operation::public("overlayPage", Grants::Nothing).rest_only();

/// Returns the page of an overlay, for browser sources of OBS and similar programs.
///
/// - The document is the same for every key, also for one that does not exist. The server reads no credential
///   here.
/// - The script of the page takes the token from the fragment of the address (`#token=…`), removes it from the
///   address, and sends it in the address of its socket only.
/// - Parameters of the query are ignored.
#[api_core::operation]
pub async fn overlay_page(cx: &Cx) -> Result<Page> {
    cx.authorize(&OVERLAY_PAGE).await?;
    Ok(Page::of(&cx.state().config.http))
}

pub static WIDGET_PAGE: Operation<Visitor> = Operation::public("widgetPage", Grants::Nothing).rest_only();

/// Returns the page of a widget, for browser sources of OBS and similar programs.
///
/// - The document is the same for every id, also for one that does not exist. The server reads no credential
///   here.
/// - The script of the page takes the token from the fragment of the address (`#token=…`), removes it from the
///   address, and sends it in the address of its socket only.
/// - Parameters of the query are ignored.
#[api_core::operation]
pub async fn widget_page(cx: &Cx) -> Result<Page> {
    cx.authorize(&WIDGET_PAGE).await?;
    Ok(Page::of(&cx.state().config.http))
}
