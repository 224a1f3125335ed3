//! Addresses in links: a path with its query (reference/conventions.md#links).

use actix_web::HttpRequest;

use super::route_of;

/// Parameters of paths that are secrets or may be one: tokens of shared links, and codes of invites and coupons.
const SECRET_PARAMETERS: [&str; 2] = ["{token}", "{code}"];

/// Path and query of the request, without a credential: links are stored and shown.
pub(super) fn own_address(request: &HttpRequest) -> String {
    let query = request.query_string();
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_credential(pair)).collect();
    if query.is_empty() || kept.is_empty() {
        return request.path().to_owned();
    }
    format!("{}?{}", request.path(), kept.join("&"))
}

/// As [`own_address`]; `None` where the path has a secret, and where it is none of the API's: such a path may be one with a
/// secret that was mistyped.
pub(super) fn address_without_secrets(request: &HttpRequest) -> Option<String> {
    let route = route_of(request)?;
    let has_secret = route.pattern.split('/').any(|segment| SECRET_PARAMETERS.contains(&segment));
    (!has_secret).then(|| own_address(request))
}

/// True for the parameter that may carry a credential (reference/credentials.md#transports).
pub(crate) fn is_credential(pair: &str) -> bool {
    url::form_urlencoded::parse(pair.as_bytes()).next().is_some_and(|(name, _)| is_credential_name(&name))
}

fn is_credential_name(name: &str) -> bool {
    name == "token"
}

/// Address of a page by its number, without a cursor; other query parameters are kept.
pub(super) fn address_of_page(request: &HttpRequest, page: i64, limit: Option<i64>) -> String {
    let limit = limit.map(|limit| ("limit", limit.to_string()));
    let values = [("page", page.to_string())].into_iter().chain(limit);
    address_with(request, &values.collect::<Vec<_>>(), &["cursor"])
}

/// Address with other values of some query parameters and without others. The rest is kept, except a credential.
pub(super) fn address_with(request: &HttpRequest, values: &[(&str, String)], dropped: &[&str]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(request.query_string().as_bytes()) {
        let is_replaced = values.iter().any(|(other, _)| name == *other);
        if !is_credential_name(&name) && !is_replaced && !dropped.contains(&&*name) {
            query.append_pair(&name, &value);
        }
    }
    for (name, value) in values {
        query.append_pair(name, value);
    }
    format!("{}?{}", request.path(), query.finish())
}

#[cfg(test)]
mod tests {
    use actix_web::{http::Method, test::TestRequest, web::Data};

    use super::*;
    use crate::http::{Access, Documented, Routes};

    #[test]
    fn address_without_secrets_is_absent_where_the_path_has_one() {
        let mut routes = Routes::default();
        for pattern in [
            "/v1/roles/{id}",
            "/v1/history/shared/{token}",
            "/v1/history/shared/{token}/export",
            "/v1/invites/{code}",
            "/v1/developer/team-invites/{code}",
        ] {
            routes.add(pattern, Method::GET, Access::Open, Vec::new(), Documented::default());
        }
        let routes = Data::new(routes);
        let address = |given: &str| {
            address_without_secrets(&TestRequest::with_uri(given).app_data(routes.clone()).to_http_request())
        };
        assert_eq!(address("/v1/roles/1?a=1").as_deref(), Some("/v1/roles/1?a=1"));
        assert_eq!(address("/v1/roles/1?token=lm_pop_1").as_deref(), Some("/v1/roles/1"));
        for given in [
            "/v1/history/shared/secret",
            "/v1/history/shared/secret/export?format=csv",
            "/v1/invites/secret",
            "/v1/developer/team-invites/secret",
            "/v1/invites/secret/",
            "/v1/invites/secret/unknown",
        ] {
            assert_eq!(address(given), None, "{given}");
        }
    }

    #[test]
    fn own_address_keeps_the_query_as_it_was_sent_except_a_credential() {
        for (given, address) in [
            ("/v1/roles", "/v1/roles"),
            ("/v1/roles?", "/v1/roles"),
            ("/v1/roles?b=%20x&a=1", "/v1/roles?b=%20x&a=1"),
            ("/v1/roles?token=lm_pop_1", "/v1/roles"),
            ("/v1/roles?a=1&token=lm%5Fpop%5F1&b=2", "/v1/roles?a=1&b=2"),
            ("/v1/roles?t%6fken=lm_pop_1&tokens=1", "/v1/roles?tokens=1"),
        ] {
            assert_eq!(own_address(&TestRequest::with_uri(given).to_http_request()), address, "{given}");
        }
    }
}
