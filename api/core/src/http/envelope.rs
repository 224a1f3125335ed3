//! Response envelopes (specification A §2.1).

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
    pub data: T,
    #[serde(rename = "_links")]
    pub links: L,
}

/// `_links` of a single resource.
#[derive(Debug, Serialize, ToSchema)]
pub struct SelfLink {
    #[serde(rename = "self")]
    pub this: String,
}

/// `_links` of a created key, where `self` is an object.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyLinks {
    #[serde(rename = "self")]
    pub this: Href,
}

/// An address.
#[derive(Debug, Serialize, ToSchema)]
pub struct Href {
    pub href: String,
}

impl KeyLinks {
    #[must_use]
    pub fn to(href: String) -> Self {
        Self { this: Href { href } }
    }
}

/// A whole list: `{ data: [], _links: { self } }`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Listed<T> {
    pub data: Vec<T>,
    #[serde(rename = "_links")]
    pub links: ListLinks,
}

/// `_links` of a whole list, or of a stretch of one.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListLinks {
    #[serde(rename = "self")]
    pub this: String,
    /// Only of lists that go on by `before`, while there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// One page: `{ data: [], _links: { self, first, prev?, next?, last }, _meta }`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Collection<T> {
    pub data: Vec<T>,
    #[serde(rename = "_links")]
    pub links: PagedLinks,
    #[serde(rename = "_meta")]
    pub meta: PageMeta,
}

/// `_links` of a page; `prev` and `next` are left out at the ends.
#[derive(Debug, Serialize, ToSchema)]
pub struct PagedLinks {
    #[serde(rename = "self")]
    pub this: String,
    pub first: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    pub last: String,
}

/// `_meta` of a page.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageMeta {
    pub total: i64,
    pub page: i64,
    pub limit: i64,
    pub pages: i64,
}

/// The body of an action: `{ success: true }`.
#[derive(Debug, Clone, Copy, Serialize, GraphQLObject, ToSchema)]
pub struct Success {
    pub success: bool,
}

impl Success {
    /// It is done.
    pub const DONE: Self = Self { success: true };
}

/// 200 with a single resource.
pub fn single<T: Serialize>(request: &HttpRequest, data: T) -> Json<Enveloped<T>> {
    Json(Enveloped { data, links: SelfLink { this: own_address(request) } })
}

/// 201 with a single resource that lives at `address`.
pub fn created<T: Serialize>(address: String, data: T) -> HttpResponse {
    created_at(&address).json(Enveloped { data, links: SelfLink { this: address } })
}

/// 201 with a key or token that lives at `address`.
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

/// 200 with a stretch of a list, newest first: `before` is the last entry's id, when there may be more behind it.
pub fn listed_before<T: Serialize>(
    request: &HttpRequest,
    data: Vec<T>,
    before: Option<String>,
) -> Json<Listed<T>> {
    Json(Listed { data, links: links_before(request, before) })
}

/// The id before which a list goes on, when a stretch of it is as long as was asked for.
pub fn more_before<T>(items: &[T], limit: i64, id: impl Fn(&T) -> String) -> Option<String> {
    let is_full = usize::try_from(limit).is_ok_and(|limit| items.len() >= limit);
    items.last().filter(|_| is_full).map(id)
}

/// `_links` of a stretch of a list.
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

/// Path and query, as asked.
fn own_address(request: &HttpRequest) -> String {
    request.uri().path_and_query().map_or_else(|| request.path().to_owned(), ToString::to_string)
}

/// The same address with another page; other query parameters stay.
fn address_of_page(request: &HttpRequest, page: i64, limit: i64) -> String {
    address_with(request, &[("page", page.to_string()), ("limit", limit.to_string())])
}

/// The same address with other values of some query parameters; the others stay, but no credential does.
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
