//! Search in lists of people and accounts (reference/administration.md#search).

use api_core::{PageRequest, Result, page::Window, validate};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

const MAX_SEARCH_LENGTH: usize = 100;

/// Query of a searchable list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchQuery {
    /// Part of a name or an address, or a whole identifier; at most 100 characters.
    pub search: Option<String>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Checked search.
pub(crate) struct Search {
    /// Pattern for `ILIKE`. It matches everything when the search is empty.
    pub pattern: String,
    /// Identifier that is searched for. Nil, which no row has, when the text is not an identifier.
    pub id: Uuid,
    /// Requested page.
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

/// Makes the pattern. `%` and `_` in the text are literal.
fn pattern(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    if escaped.is_empty() { "%".to_owned() } else { format!("%{escaped}%") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_escapes_wildcards() {
        assert_eq!(pattern(""), "%");
        assert_eq!(pattern("ada"), "%ada%");
        assert_eq!(pattern("50%_\\"), "%50\\%\\_\\\\%");
    }
}
