//! Searching lists of people and accounts.

use api_core::{PageRequest, Result, page::Window, validate};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

const MAX_SEARCH_LENGTH: usize = 100;

/// What a list is asked for.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchQuery {
    /// Part of a name or an address, or a whole identifier; at most 100 characters.
    pub search: Option<String>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// A checked search.
pub(crate) struct Search {
    /// For `ILIKE`; fits everything when nothing is searched for.
    pub pattern: String,
    /// The identifier that is searched for; nil, which nothing has, when it is none.
    pub id: Uuid,
    pub window: Window,
}

impl SearchQuery {
    pub(crate) fn check(self) -> Result<Search> {
        let window = PageRequest { page: self.page, limit: self.limit }.check()?;
        let text =
            validate::text("search", self.search.as_deref().unwrap_or_default(), 0, MAX_SEARCH_LENGTH)?;
        Ok(Search { pattern: pattern(&text), id: Uuid::try_parse(&text).unwrap_or_default(), window })
    }
}

/// `%` and `_` in the text stand for themselves.
fn pattern(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    if escaped.is_empty() { "%".to_owned() } else { format!("%{escaped}%") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_patterns_stand_for_themselves() {
        assert_eq!(pattern(""), "%");
        assert_eq!(pattern("ada"), "%ada%");
        assert_eq!(pattern("50%_\\"), "%50\\%\\_\\\\%");
    }
}
