//! Response envelopes (reference/conventions.md#envelopes).

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
    web::Json,
};
use juniper::GraphQLObject;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    addresses::{address_with, own_address},
    part_links::{Linked, PartLinks},
};
use crate::{CursorPage, Page};

/// A single resource: `{ data, _links: { self } }`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Enveloped<T, L = SelfLink> {
    /// The resource.
    pub data: T,
    /// Links of the resource.
    #[serde(rename = "_links")]
    pub links: L,
}

/// `_links` of a single resource.
#[derive(Debug, Serialize, ToSchema)]
pub struct SelfLink {
    /// Path and query of the resource.
    #[serde(rename = "self")]
    pub this: String,
}

/// `_links` of a created key, where `self` is an object.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyLinks {
    /// Link of the key.
    #[serde(rename = "self")]
    pub this: Href,
}

/// A link as an object.
#[derive(Debug, Serialize, ToSchema)]
pub struct Href {
    /// Path of the resource.
    pub href: String,
}

impl KeyLinks {
    /// Links of a key at `href`.
    #[must_use]
    pub fn to(href: String) -> Self {
        Self { this: Href { href } }
    }
}

/// A whole list: `{ data: [], _links: { self } }`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Listed<T> {
    /// All entries.
    pub data: Vec<T>,
    /// Links of the list.
    #[serde(rename = "_links")]
    pub links: ListLinks,
}

/// `_links` of a whole list, or of a part of one.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListLinks {
    /// Path and query of the request.
    #[serde(rename = "self")]
    pub this: String,
    /// Next part of a list that continues by `before`; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Collection<T> {
    /// Rows of the page.
    pub data: Vec<T>,
    /// Links of the page.
    #[serde(rename = "_links")]
    pub links: PagedLinks,
    /// Numbers of the page.
    #[serde(rename = "_meta")]
    pub meta: PageMeta,
}

/// `_links` of a page; `prev` and `next` are left out at the ends.
#[derive(Debug, Serialize, ToSchema)]
pub struct PagedLinks {
    /// Path and query of the request.
    #[serde(rename = "self")]
    pub this: String,
    /// First page.
    pub first: String,
    /// Page before; absent on the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    /// Page after; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Last page.
    pub last: String,
}

/// `_meta` of a page.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageMeta {
    /// Rows of all pages.
    pub total: i64,
    /// Number of the page, from 1.
    pub page: i64,
    /// Highest number of rows of a page.
    pub limit: i64,
    /// Number of pages; 0 for an empty collection.
    pub pages: i64,
}

/// Body of an action: `{ success: true }`.
#[derive(Debug, Clone, Copy, Serialize, GraphQLObject, ToSchema)]
pub struct Success {
    /// Always true: a failure is an error.
    pub success: bool,
}

impl Success {
    /// Success of an action.
    pub const DONE: Self = Self { success: true };
}

/// 200 with a single resource.
pub fn single<T: Serialize>(request: &HttpRequest, data: T) -> Json<Enveloped<T>> {
    Json(Enveloped { data, links: SelfLink { this: own_address(request) } })
}

/// 201 with a single resource at `address`.
pub fn created<T: Serialize>(address: String, data: T) -> HttpResponse {
    created_at(&address).json(Enveloped { data, links: SelfLink { this: address } })
}

/// 201 with a key or token at `address`.
pub fn created_key<T: Serialize>(address: String, data: T) -> HttpResponse {
    created_at(&address).json(Enveloped { data, links: KeyLinks::to(address) })
}

fn created_at(address: &str) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(StatusCode::CREATED);
    if let Ok(location) = HeaderValue::from_str(address) {
        response.insert_header((header::LOCATION, location));
    }
    response
}

/// 200 with a whole list.
pub fn listed<T: Serialize>(request: &HttpRequest, data: Vec<T>) -> Json<Listed<T>> {
    Json(Listed { data, links: ListLinks { this: own_address(request), next: None } })
}

/// 200 with a part of a list, newest first. `before` is the id of the last entry while more may follow.
pub fn listed_before<T: Serialize>(
    request: &HttpRequest,
    data: Vec<T>,
    before: Option<String>,
) -> Linked<Listed<T>> {
    let links = PartLinks::next(request, "before", before.clone());
    Linked { body: Listed { data, links: links_before(request, before) }, links }
}

/// `_links` of a part of a list.
pub fn links_before(request: &HttpRequest, before: Option<String>) -> ListLinks {
    let next = before.map(|id| address_with(request, &[("before", id)], &[]));
    ListLinks { this: own_address(request), next }
}

/// 200 with one page.
pub fn paged<T: Serialize>(request: &HttpRequest, page: Page<T>) -> Linked<Collection<T>> {
    let limit = page.window.limit;
    page_of(request, page, Some(limit))
}

/// 200 with one page of a list that has cursors. `Link` continues by the cursor, `_links` by numbers, unless the
/// request has a cursor.
pub fn paged_by_cursor<T: Serialize>(request: &HttpRequest, part: CursorPage<T>) -> Linked<Collection<T>> {
    let limit = part.page.window.limit;
    with_cursor(request, part, Some(limit))
}

/// As [`paged_by_cursor`], for a list whose number of rows has a name of its own.
pub fn paged_by_cursor_and_own_limit<T: Serialize>(
    request: &HttpRequest,
    part: CursorPage<T>,
) -> Linked<Collection<T>> {
    with_cursor(request, part, None)
}

fn page_of<T: Serialize>(request: &HttpRequest, page: Page<T>, limit: Option<i64>) -> Linked<Collection<T>> {
    let (number, pages) = (page.window.page, page.pages());
    let header = PartLinks::of_page(request, number, pages, limit);
    let links = PagedLinks {
        this: own_address(request),
        first: header.first.clone().unwrap_or_default(),
        prev: header.prev.clone(),
        next: header.next.clone(),
        last: header.last.clone().unwrap_or_default(),
    };
    let meta = PageMeta { total: page.total, page: number, limit: page.window.limit, pages };
    Linked { body: Collection { data: page.items, links, meta }, links: header }
}

fn with_cursor<T: Serialize>(
    request: &HttpRequest,
    part: CursorPage<T>,
    limit: Option<i64>,
) -> Linked<Collection<T>> {
    let CursorPage { page, next_cursor, is_continued } = part;
    let limited = limit.map(|limit| ("limit", limit.to_string()));
    let next = next_cursor.map(|cursor| {
        let values = [("cursor", cursor)].into_iter().chain(limited);
        address_with(request, &values.collect::<Vec<_>>(), &["page"])
    });
    let mut linked = page_of(request, page, limit);
    if is_continued {
        // The part before has a number, but rows may have moved since.
        linked.body.links.prev = None;
        linked.links.prev = None;
        linked.body.links.next.clone_from(&next);
    }
    if is_continued || next.is_some() {
        linked.links.next = next;
    }
    linked
}
