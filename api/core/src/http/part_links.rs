//! Addresses of the other parts of a list, in the header `Link` (reference/conventions.md#link-header).

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::header::{self, HeaderMap, HeaderValue},
};
use serde::Serialize;

use super::addresses::{address_of_page, address_with};
use crate::page::DEFAULT_LIMIT;

/// Addresses of other parts of a list, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartLinks {
    /// First part.
    pub first: Option<String>,
    /// Part before.
    pub prev: Option<String>,
    /// Part after.
    pub next: Option<String>,
    /// Last part.
    pub last: Option<String>,
}

/// 200 with a JSON body and the header `Link`.
#[derive(Debug)]
pub struct Linked<T> {
    /// Body.
    pub body: T,
    /// Other parts of the list.
    pub links: PartLinks,
}

impl PartLinks {
    /// The part after, which the parameter `name` requests; none without a value.
    pub fn next(request: &HttpRequest, name: &str, value: Option<impl ToString>) -> Self {
        let next = value.map(|value| address_with(request, &[(name, value.to_string())], &[]));
        Self { next, ..Self::default() }
    }

    /// The part before the last row of a full part, newest first, of a list that also has `offset`: the address names
    /// the row instead, so that new rows do not move it.
    pub fn before_last<T, I: ToString>(
        request: &HttpRequest,
        default_limit: i64,
        rows: &[T],
        id: impl Fn(&T) -> I,
    ) -> Self {
        let limit = number(request, "limit").unwrap_or(default_limit);
        let before = more_before(rows, limit, |row| id(row).to_string());
        let next = before.map(|id| address_with(request, &[("before", id)], &["offset"]));
        let first = address_with(request, &[("limit", limit.to_string())], &["offset", "before"]);
        Self { first: Some(first), next, ..Self::default() }
    }

    /// Parts of a list by `page` and `limit`, of which the request has checked values or none.
    #[must_use]
    pub fn by_page(request: &HttpRequest, total: i64) -> Self {
        let limit = number(request, "limit").unwrap_or(DEFAULT_LIMIT).max(1);
        let (page, pages) = (number(request, "page").unwrap_or(1), (total + limit - 1) / limit);
        Self::of_page(request, page, pages, Some(limit))
    }

    /// Parts of a list by page. `limit` is written unless it has another name in the request.
    pub(super) fn of_page(request: &HttpRequest, page: i64, pages: i64, limit: Option<i64>) -> Self {
        let to = |page: i64| address_of_page(request, page, limit);
        Self {
            first: Some(to(1)),
            prev: (page > 1).then(|| to(page - 1)),
            next: (page < pages).then(|| to(page + 1)),
            last: Some(to(pages.max(1))),
        }
    }

    /// Parts of a list by `limit` and `offset`, of which the request has checked values or none. `rows` is the number
    /// of returned rows. Without the number of all rows, a full part may have one after it, and the last is not known.
    #[must_use]
    pub fn by_offset(request: &HttpRequest, default_limit: i64, rows: usize, total: Option<i64>) -> Self {
        let limit = number(request, "limit").unwrap_or(default_limit).max(1);
        let (offset, rows) =
            (number(request, "offset").unwrap_or(0), i64::try_from(rows).unwrap_or(i64::MAX));
        let to = |offset: i64| {
            let values = [("limit", limit.to_string()), ("offset", offset.to_string())];
            address_with(request, &values, &[])
        };
        let has_more = total.map_or(rows >= limit, |total| offset.saturating_add(limit) < total);
        Self {
            first: Some(to(0)),
            prev: (offset > 0).then(|| to((offset - limit).max(0))),
            next: has_more.then(|| to(offset.saturating_add(limit))),
            last: total.map(|total| to((total - 1).max(0) / limit * limit)),
        }
    }

    /// Writes the header. Without an address there is none.
    pub fn write(&self, headers: &mut HeaderMap) {
        let links =
            [("first", &self.first), ("prev", &self.prev), ("next", &self.next), ("last", &self.last)];
        let links = links.into_iter().filter_map(|(relation, target)| {
            target.as_ref().map(|target| format!("<{target}>; rel=\"{relation}\""))
        });
        let text = links.collect::<Vec<_>>().join(", ");
        if let Some(value) = HeaderValue::from_str(&text).ok().filter(|value| !value.is_empty()) {
            headers.append(header::LINK, value);
        }
    }
}

/// Id before which a list continues, when the part is as long as requested.
pub fn more_before<T>(items: &[T], limit: i64, id: impl Fn(&T) -> String) -> Option<String> {
    let is_full = usize::try_from(limit).is_ok_and(|limit| items.len() >= limit);
    items.last().filter(|_| is_full).map(id)
}

/// Number in the query of a request whose query was accepted.
fn number(request: &HttpRequest, name: &str) -> Option<i64> {
    let mut query = url::form_urlencoded::parse(request.query_string().as_bytes());
    query.find(|(key, _)| key == name).and_then(|(_, value)| value.parse().ok())
}

impl<T: Serialize> Responder for Linked<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let mut response = HttpResponse::Ok().json(self.body);
        self.links.write(response.headers_mut());
        response
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn header_of(links: &PartLinks) -> Option<String> {
        let mut headers = HeaderMap::new();
        links.write(&mut headers);
        headers.get(header::LINK).map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn part_links_name_the_parts_by_offset_as_far_as_they_are_known() {
        let request =
            TestRequest::with_uri("/v1/ideas?sort=oldest&token=t&limit=10&offset=15").to_http_request();
        let to = |offset: i64| format!("/v1/ideas?sort=oldest&limit=10&offset={offset}");
        let known = PartLinks::by_offset(&request, 20, 10, Some(42));
        assert_eq!((known.first, known.prev), (Some(to(0)), Some(to(5))));
        assert_eq!((known.next, known.last), (Some(to(25)), Some(to(40))));
        let full = PartLinks::by_offset(&request, 20, 10, None);
        assert_eq!((full.next, full.last), (Some(to(25)), None));
        assert_eq!(PartLinks::by_offset(&request, 20, 9, None).next, None);
        let end = PartLinks::by_offset(&request, 20, 10, Some(25));
        assert_eq!((end.next, end.last), (None, Some(to(20))));
        let first = TestRequest::with_uri("/v1/ideas").to_http_request();
        let first = PartLinks::by_offset(&first, 20, 0, Some(0));
        assert_eq!(
            (first.prev, first.next, first.last),
            (None, None, Some("/v1/ideas?limit=20&offset=0".into()))
        );
    }

    #[test]
    fn part_links_write_one_header_with_the_relations() {
        let request = TestRequest::with_uri("/v1/a?page=2&q=a%20b%3E&token=t").to_http_request();
        let to = |page: i64| format!("</v1/a?q=a+b%3E&page={page}&limit=25>");
        let expected = format!(
            "{}; rel=\"first\", {}; rel=\"prev\", {}; rel=\"next\", {}; rel=\"last\"",
            to(1),
            to(1),
            to(3),
            to(4)
        );
        assert_eq!(header_of(&PartLinks::by_page(&request, 80)), Some(expected));
        let empty = TestRequest::with_uri("/v1/a").to_http_request();
        let empty = PartLinks::by_page(&empty, 0);
        assert_eq!((empty.prev, empty.next), (None, None));
        assert_eq!(header_of(&PartLinks::default()), None);
    }

    #[test]
    fn part_links_continue_before_a_row_without_an_offset() {
        let request = TestRequest::with_uri("/v1/a?offset=10&level=warn&before=7").to_http_request();
        let links = PartLinks::before_last(&request, 2, &[6, 5], |row| *row);
        assert_eq!(links.next, Some("/v1/a?level=warn&before=5".into()));
        assert_eq!(links.first, Some("/v1/a?level=warn&limit=2".into()));
        assert_eq!(PartLinks::before_last(&request, 3, &[6, 5], |row| *row).next, None);
        let next = PartLinks::next(&request, "after", Some("x"));
        assert_eq!(next.next, Some("/v1/a?offset=10&level=warn&before=7&after=x".into()));
        assert_eq!(PartLinks::next(&request, "after", None::<i32>), PartLinks::default());
    }
}
