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

use crate::Page;

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
) -> Json<Listed<T>> {
    Json(Listed { data, links: links_before(request, before) })
}

/// Id before which a list continues, when the part is as long as requested.
pub fn more_before<T>(items: &[T], limit: i64, id: impl Fn(&T) -> String) -> Option<String> {
    let is_full = usize::try_from(limit).is_ok_and(|limit| items.len() >= limit);
    items.last().filter(|_| is_full).map(id)
}

/// `_links` of a part of a list.
pub fn links_before(request: &HttpRequest, before: Option<String>) -> ListLinks {
    let next = before.map(|id| address_with(request, &[("before", id)]));
    ListLinks { this: own_address(request), next }
}

/// 200 with one page.
pub fn paged<T: Serialize>(request: &HttpRequest, page: Page<T>) -> Json<Collection<T>> {
    let (number, limit, pages) = (page.window.page, page.window.limit, page.pages());
    let to = |page: i64| address_of_page(request, page, limit);
    let links = PagedLinks {
        this: own_address(request),
        first: to(1),
        prev: (number > 1).then(|| to(number - 1)),
        next: (number < pages).then(|| to(number + 1)),
        last: to(pages.max(1)),
    };
    let meta = PageMeta { total: page.total, page: number, limit, pages };
    Json(Collection { data: page.items, links, meta })
}

/// Path and query of the request.
fn own_address(request: &HttpRequest) -> String {
    request.uri().path_and_query().map_or_else(|| request.path().to_owned(), ToString::to_string)
}

/// Address of another page; other query parameters are kept.
fn address_of_page(request: &HttpRequest, page: i64, limit: i64) -> String {
    address_with(request, &[("page", page.to_string()), ("limit", limit.to_string())])
}

/// Address with other values of some query parameters. The others are kept, except a credential.
fn address_with(request: &HttpRequest, values: &[(&str, String)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(request.query_string().as_bytes()) {
        if name != "token" && values.iter().all(|(other, _)| name != *other) {
            query.append_pair(&name, &value);
        }
    }
    for (name, value) in values {
        query.append_pair(name, value);
    }
    format!("{}?{}", request.path(), query.finish())
}
