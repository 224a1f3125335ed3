//! Media type of a response: the one of GraphQL for clients that name it, JSON for all others.

use actix_web::http::header::HeaderMap;
use api_core::http::prefers;

/// Media type of a GraphQL response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    /// `application/json`.
    Json,
    /// `application/graphql-response+json` of "GraphQL over HTTP".
    Graphql,
}

impl MediaType {
    /// Media type that the client prefers; the first one of equals.
    #[must_use]
    pub fn accepted(headers: &HeaderMap) -> Self {
        if prefers(headers, "application/graphql-response+json") { Self::Graphql } else { Self::Json }
    }

    /// Value of `Content-Type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Graphql => "application/graphql-response+json; charset=utf-8",
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{ACCEPT, HeaderValue};

    use super::*;

    #[test]
    fn media_type_is_the_preferred_accepted_one() {
        let accepted = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(value));
            MediaType::accepted(&headers)
        };
        for value in [
            "application/graphql-response+json",
            "application/graphql-response+json, application/json;q=0.9",
            "application/json; q=0.5, application/graphql-response+json",
            "application/graphql-response+json; charset=utf-8, application/json",
            "Application/GraphQL-Response+JSON, application/json;q=0.9, */*",
        ] {
            assert_eq!(accepted(value), MediaType::Graphql, "{value}");
        }
        for value in [
            "",
            "*/*",
            "application/json",
            "text/html",
            "application/json, application/graphql-response+json",
            "application/graphql-response+json;q=0",
            "application/graphql-response+json;q=0.8, application/json",
        ] {
            assert_eq!(accepted(value), MediaType::Json, "{value}");
        }
        assert_eq!(MediaType::accepted(&HeaderMap::new()), MediaType::Json);
    }
}
