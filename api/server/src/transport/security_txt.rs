//! Contact for reports of vulnerabilities (reference/conventions.md#security-contact).

use actix_web::{HttpResponse, get, web::Data};
use api_core::State;
use chrono::{DateTime, TimeDelta, Utc};

/// Validity of the text.
const VALIDITY: TimeDelta = TimeDelta::days(180);

/// Returns the text of `security.txt`.
#[get("/.well-known/security.txt")]
pub async fn security_txt(state: Data<State>) -> HttpResponse {
    let text = with_expiry(&state.config.http.security_txt, state.clock.now());
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(text)
}

/// Text with an expiry. RFC 9116 section 2.5.5 demands one of less than a year. An operator who sets none
/// keeps the server running, and with it the text current.
fn with_expiry(text: &str, now: DateTime<Utc>) -> String {
    if text.lines().any(|line| line.trim_start().to_ascii_lowercase().starts_with("expires:")) {
        return text.to_owned();
    }
    let expires = (now + VALIDITY).date_naive();
    format!("{}\nExpires: {expires}T00:00:00Z\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn security_txt_gets_an_expiry_unless_it_has_one() {
        let now = DateTime::from_timestamp(1_795_000_000, 0).unwrap();
        let text = with_expiry("Contact: mailto:a@b.example\n", now);
        assert_eq!(text, "Contact: mailto:a@b.example\nExpires: 2027-05-17T00:00:00Z\n");
        let own = "Contact: mailto:a@b.example\nexpires: 2027-01-01T00:00:00Z\n";
        assert_eq!(with_expiry(own, now), own);
    }
}
