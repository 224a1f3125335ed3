//! Cookie with a secret that ties started flows to a browser (reference/conventions.md#cookies). It proves no
//! identity, only that two requests come from the same browser.

use actix_web::{
    HttpRequest,
    cookie::{Cookie, SameSite, time::Duration},
    http::header,
};
use rand::RngExt;
use shared::{config::Environment, secret::Secret};

/// Name in development, where there is no TLS.
const NAME: &str = "lumio-browser";
/// Name everywhere else: with this prefix browsers accept the cookie from this host only, over TLS.
const HOST_NAME: &str = "__Host-lumio-browser";
const SECRET_BYTES: usize = 32;
/// Longest time between the start and the end of a flow.
const SECRET_TTL: Duration = Duration::minutes(10);

/// Secret of the browser, if the request holds one.
pub(super) fn presented(request: &HttpRequest, environment: Environment) -> Option<Secret> {
    // Most callers send no cookies, of which the request would keep the empty list.
    request.headers().get(header::COOKIE)?;
    let cookie = request.cookie(name(environment))?;
    let text = cookie.value();
    let is_ours = text.len() == 2 * SECRET_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_ours.then(|| Secret::new(text))
}

/// Generates a secret for a browser without one.
pub(crate) fn mint() -> Secret {
    Secret::new(hex::encode(rand::rng().random::<[u8; SECRET_BYTES]>()))
}

/// Cookie that holds the secret. Platforms return browsers by a link, for which `Lax` sends the cookie.
pub(crate) fn cookie(secret: &Secret, environment: Environment) -> Cookie<'static> {
    Cookie::build(name(environment), secret.expose().to_owned())
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(environment.is_deployment())
        .max_age(SECRET_TTL)
        .finish()
}

const fn name(environment: Environment) -> &'static str {
    if environment.is_deployment() { HOST_NAME } else { NAME }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn browser_cookie_of_a_deployment_is_secure_and_bound_to_its_host() {
        let secret = mint();
        let held = cookie(&secret, Environment::Production);
        assert_eq!((held.name(), held.path(), held.domain()), ("__Host-lumio-browser", Some("/"), None));
        assert_eq!((held.secure(), held.http_only()), (Some(true), Some(true)));
        assert_eq!(held.same_site(), Some(SameSite::Lax));
        let request = TestRequest::default().cookie(held).to_http_request();
        let sent = presented(&request, Environment::Production);
        assert_eq!(sent.as_ref().map(Secret::expose), Some(secret.expose()));
        assert!(presented(&request, Environment::Development).is_none());
    }

    #[test]
    fn browser_cookie_with_a_malformed_secret_is_ignored() {
        for text in ["", "x", &"g".repeat(64), &"0".repeat(65)] {
            let sent = Cookie::new(NAME, text.to_owned());
            let request = TestRequest::default().cookie(sent).to_http_request();
            assert!(presented(&request, Environment::Development).is_none(), "{text}");
        }
    }
}
