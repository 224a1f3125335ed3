//! Pages of a collection (reference/conventions.md#pagination).

use serde::Deserialize;
use utoipa::{
    IntoParams, PartialSchema, ToSchema,
    openapi::{
        RefOr,
        schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type},
    },
};
use uuid::Uuid;

use crate::{ApiError, Result};

/// Rows of a page without a limit.
pub(crate) const DEFAULT_LIMIT: i64 = 25;
const MAX_LIMIT: i64 = 100;

/// Highest number of a page: the offset must fit the database's type.
const MAX_PAGE: i64 = i32::MAX as i64;

/// Schema of `page`.
#[derive(Debug, Clone, Copy)]
pub struct PageNumber;

/// Schema of `limit`.
#[derive(Debug, Clone, Copy)]
pub struct PageLimit;

impl PartialSchema for PageNumber {
    fn schema() -> RefOr<Schema> {
        number(1, MAX_PAGE)
    }
}

impl ToSchema for PageNumber {}

impl PartialSchema for PageLimit {
    fn schema() -> RefOr<Schema> {
        number(1, MAX_LIMIT)
    }
}

impl ToSchema for PageLimit {}

fn number(lowest: i64, highest: i64) -> RefOr<Schema> {
    let format = SchemaFormat::KnownFormat(KnownFormat::Int64);
    let number = ObjectBuilder::new().schema_type(Type::Integer).format(Some(format));
    number.minimum(Some(lowest)).maximum(Some(highest)).build().into()
}

/// `page` and `limit` of a request, not yet checked by [`PageRequest::check`].
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageRequest {
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<crate::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<crate::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// A checked page request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of the page, from 1.
    pub page: i64,
    /// Rows of a page.
    pub limit: i64,
}

impl PageRequest {
    /// Checks both numbers.
    ///
    /// # Errors
    /// 400 that names the number and its bounds.
    pub fn check(self) -> Result<Window> {
        let limit = checked_limit(self.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        let page = self.page.unwrap_or(1);
        if !(1..=MAX_PAGE).contains(&page) {
            return Err(ApiError::invalid("page must be 1 or greater"));
        }
        Ok(Window { page, limit })
    }
}

impl Window {
    /// Rows to skip.
    #[must_use]
    pub const fn offset(self) -> i64 {
        (self.page - 1) * self.limit
    }
}

/// Returns a limit within `1..=highest`, or the default when it is absent.
pub fn checked_limit(limit: Option<i64>, default: i64, highest: i64) -> Result<i64> {
    let limit = limit.unwrap_or(default);
    if (1..=highest).contains(&limit) {
        return Ok(limit);
    }
    Err(ApiError::invalid(format!("limit must be between 1 and {highest}")))
}

/// Returns an offset of 0 or more; 0 when it is absent.
///
/// # Errors
/// 400 for a negative or too large offset.
pub fn checked_offset(offset: Option<i64>) -> Result<i64> {
    let offset = offset.unwrap_or(0);
    if (0..=i64::from(i32::MAX)).contains(&offset) {
        return Ok(offset);
    }
    Err(ApiError::invalid("offset must be 0 or greater"))
}

/// Returns the offset of a list that also continues before a row; 0 when both are absent.
///
/// # Errors
/// 400 for both, and for a negative or too large offset.
pub fn offset_or_before(offset: Option<i64>, before: Option<Uuid>) -> Result<i64> {
    if offset.is_some() && before.is_some() {
        return Err(ApiError::invalid("offset must not be given with before"));
    }
    checked_offset(offset)
}

/// One page of a collection.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// Rows of this page.
    pub items: Vec<T>,
    /// Rows of all pages.
    pub total: i64,
    /// Number and size of the page.
    pub window: Window,
}

impl<T> Page<T> {
    /// Number of pages; 0 when the collection is empty.
    #[must_use]
    pub const fn pages(&self) -> i64 {
        (self.total + self.window.limit - 1) / self.window.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_request_checks_both_bounds() {
        let check = |page, limit| PageRequest { page, limit }.check();
        assert_eq!(check(None, None), Ok(Window { page: 1, limit: 25 }));
        assert_eq!(check(Some(3), Some(100)).map(Window::offset), Ok(200));
        for limit in [-1, 0, 101, i64::MAX] {
            assert_eq!(check(None, Some(limit)), Err(ApiError::invalid("limit must be between 1 and 100")));
        }
        for page in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(check(Some(page), None), Err(ApiError::invalid("page must be 1 or greater")));
        }
    }
}
