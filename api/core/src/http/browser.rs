//! What ties to a browser what it begins: a cookie with a secret that nobody else can send. It proves no identity, only
//! that two requests come from the same browser.

use actix_web::{
    HttpRequest,
    cookie::{Cookie, SameSite, time::Duration},
};
use rand::RngExt;
use shared::{config::Environment, secret::Secret};

/// The name in development, where there is no TLS.
const NAME: &str = "lumio-browser";
/// The name everywhere else: with this prefix browsers take the cookie from this very host only, over TLS.
const HOST_NAME: &str = "__Host-lumio-browser";
const SECRET_BYTES: usize = 32;
/// As long as something that was begun may wait for its end.
const LIFETIME: Duration = Duration::minutes(10);

/// The secret of the browser that asks.
pub(super) fn presented(request: &HttpRequest, environment: Environment) -> Option<Secret> {
    let cookie = request.cookie(name(environment))?;
    let text = cookie.value();
    let is_ours = text.len() == 2 * SECRET_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_ours.then(|| Secret::new(text))
}

/// A secret for a browser that has none.
pub(crate) fn mint() -> Secret {
    Secret::new(hex::encode(rand::rng().random::<[u8; SECRET_BYTES]>()))
}

/// The cookie that holds it. Platforms send browsers back by a link, which `Lax` lets through.
pub(crate) fn cookie(secret: &Secret, environment: Environment) -> Cookie<'static> {
    Cookie::build(name(environment), secret.expose().to_owned())
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(environment.is_deployment())
        .max_age(LIFETIME)
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
    fn a_deployment_takes_the_cookie_of_its_very_host_over_tls_only() {
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
    fn what_is_no_secret_of_ours_is_no_browser() {
        for text in ["", "x", &"g".repeat(64), &"0".repeat(65)] {
            let sent = Cookie::new(NAME, text.to_owned());
            let request = TestRequest::default().cookie(sent).to_http_request();
            assert!(presented(&request, Environment::Development).is_none(), "{text}");
        }
    }
}
