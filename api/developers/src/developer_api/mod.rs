//! Developer REST API, `/developer/v1` (reference/developers.md#developer-rest-api). It requires a personal
//! API key with `extension-dev:*`, and has its own error body, its own limits and no GraphQL twin.

pub mod extensions;
pub(crate) mod rates;
pub mod secrets;
pub mod versions;

use api_core::http::ServiceConfig;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::envelope::{DeveloperError, Result};

const MAX_PAGE_SIZE: i64 = 100;

pub(crate) fn routes(config: &mut ServiceConfig<'_>) {
    extensions::rest::routes(config);
    versions::rest::routes(config);
    secrets::rest::routes(config);
}

/// Page of a list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CursorQuery {
    /// 1 to 100; 100 when absent.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// `nextCursor` of the page before.
    pub cursor: Option<String>,
}

/// A checked [`CursorQuery`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    pub limit: i64,
    /// Last row of the page before; rows are newest first.
    pub before: Option<Uuid>,
}

impl CursorQuery {
    fn check(self) -> Result<Cursor> {
        let limit = self.limit.unwrap_or(MAX_PAGE_SIZE);
        if !(1..=MAX_PAGE_SIZE).contains(&limit) {
            return Err(DeveloperError::invalid(format!("limit must be between 1 and {MAX_PAGE_SIZE}")));
        }
        let parse = |text: String| {
            Uuid::try_parse(&text).map_err(|_malformed| DeveloperError::invalid("Invalid cursor"))
        };
        Ok(Cursor { limit, before: self.cursor.map(parse).transpose()? })
    }
}

/// Cuts rows that were read with one more than the limit. Returns the cursor when there are further rows.
fn page<T>(mut rows: Vec<T>, limit: i64, id: impl Fn(&T) -> Uuid) -> (Vec<T>, Option<String>) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let cursor = rows.last().filter(|_| more).map(|last| id(last).to_string());
    (rows, cursor)
}

/// Price of an extension on the developer API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PricingBody {
    /// `free`; `one_time` and `subscription` need a verified developer.
    #[serde(rename = "type")]
    #[schema(extensions(("enum" = json!(extensions::listing::PRICING_TYPES))))]
    pub pricing_type: String,
    /// Cents of EUR: 100 to 9999 once, 99 to 9999 a month; absent when it is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(extensions(
        ("minimum" = json!(extensions::listing::MIN_PRICE)),
        ("maximum" = json!(extensions::listing::MAX_PRICE))
    ))]
    pub amount: Option<i64>,
    /// `monthly` for a subscription, else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(extensions(("enum" = json!(extensions::listing::INTERVALS))))]
    pub interval: Option<String>,
}
