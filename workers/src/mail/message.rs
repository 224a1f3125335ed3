//! Messages of mails: headers, and the same content as text and as HTML.

use std::time::SystemTime;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use lettre::{
    Message,
    message::{
        Mailbox, MultiPart,
        header::{HeaderName, HeaderValue},
    },
};
use notices::mail::Mail;
use url::Url;
use uuid::Uuid;

/// Builds messages for this deployment.
pub struct Writer {
    from: Mailbox,
    web: Url,
}

impl Writer {
    /// Returns a writer that sends from `from` and links to `web`.
    pub fn new(from: &str, web: Url) -> anyhow::Result<Self> {
        Ok(Self { from: from.parse().context("the sender is not an address")?, web })
    }

    /// Builds the message; an error states why the address cannot be written to.
    pub fn write(
        &self,
        mail_id: Uuid,
        address: &str,
        mail: &Mail,
        now: DateTime<Utc>,
    ) -> Result<Message, String> {
        // The parser's error could repeat the address.
        let to = address.parse().map_err(|_unreadable| "the address is not one of a mailbox".to_owned())?;
        let composed = mail.compose(&self.web);
        Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(composed.subject)
            .date(SystemTime::from(now))
            // The same at every attempt, so that a reader recognises a repeated mail.
            .message_id(Some(format!("<{mail_id}@{}>", self.from.email.domain())))
            .raw_header(HeaderValue::new(
                HeaderName::new_from_ascii_str("Auto-Submitted"),
                "auto-generated".to_owned(),
            ))
            .multipart(MultiPart::alternative_plain_html(composed.text, composed.html))
            .map_err(|error| error.to_string())
    }
}
