//! Content of mails, as text and as HTML (reference/notifications.md#mail-content).

use std::sync::LazyLock;

use regex::{Captures, Regex};
use url::Url;

use super::Mail;

/// Domain name, which ends in letters: no number, no initial, no end of a sentence. Its parts are separated
/// by any of the dots of RFC 3490, section 3.1.
#[expect(clippy::expect_used, reason = "a constant expression")]
static DOMAIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:[\p{L}\p{M}\p{N}_-]+[.。．｡])+(?:\p{L}[\p{L}\p{M}]+|xn--[\p{L}\p{N}-]+)")
        .expect("an expression")
});
const DOTS: [char; 4] = ['.', '。', '．', '｡'];

/// Composed mail.
#[derive(Clone, PartialEq, Eq)]
pub struct Composed {
    /// Subject line.
    pub subject: String,
    /// Body as text.
    pub text: String,
    /// Body as HTML.
    pub html: String,
}

// For the same reason as for [`Mail`].
impl std::fmt::Debug for Composed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Composed(***)")
    }
}

/// A heading, paragraphs and at most one link.
struct Letter {
    heading: String,
    paragraphs: Vec<String>,
    link: Option<(&'static str, Url)>,
}

impl Mail {
    /// Composes the mail. `web` is the origin of the dashboard, which the link leads to. Nothing else in a
    /// mail is a link, because names that people choose reach strangers by it.
    #[must_use]
    pub fn compose(&self, web: &Url) -> Composed {
        let letter = match self {
            Self::Notification { title, message } => Letter {
                heading: without_links(title),
                paragraphs: vec![without_links(message)],
                link: Some(("Open Lumio", address(web, &["notifications"]))),
            },
            Self::Invite { account_name, role_name, invited_by, code, expires_at } => {
                let who = without_links(invited_by.as_deref().unwrap_or("Somebody"));
                let (account_name, role_name) = (without_links(account_name), without_links(role_name));
                let mut paragraphs =
                    vec![format!("{who} invites you to the account {account_name} as {role_name}.")];
                if let Some(at) = expires_at {
                    paragraphs
                        .push(format!("The invitation ends on {}.", at.format("%Y-%m-%d at %H:%M UTC")));
                }
                paragraphs.push("If you did not expect it, you need not do anything.".into());
                Letter {
                    heading: format!("Invitation to {account_name}"),
                    paragraphs,
                    link: Some(("Look at the invitation", address(web, &["invites", code]))),
                }
            }
        };
        letter.compose()
    }
}

impl Letter {
    fn compose(self) -> Composed {
        let (mut text, mut html) = (String::new(), String::from(HTML_START));
        text.push_str(&self.heading);
        html.push_str(&format!("<h1>{}</h1>", escaped(&self.heading)));
        for paragraph in &self.paragraphs {
            text.push_str(&format!("\n\n{paragraph}"));
            html.push_str(&format!("<p>{}</p>", escaped(paragraph).replace('\n', "<br>")));
        }
        if let Some((label, url)) = &self.link {
            text.push_str(&format!("\n\n{label}: {url}"));
            html.push_str(&format!("<p><a href=\"{}\">{}</a></p>", escaped(url.as_str()), escaped(label)));
        }
        text.push('\n');
        html.push_str(HTML_END);
        Composed { subject: one_line(&self.heading), text, html }
    }
}

/// Text in a form in which no mail program makes a link of an address: `https[:]//example[.]org`.
fn without_links(text: &str) -> String {
    let text = text.replace("://", "[:]//");
    DOMAIN.replace_all(&text, |found: &Captures<'_>| found[0].replace(DOTS, "[.]")).into_owned()
}

const HTML_START: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"></head><body>";
const HTML_END: &str = "</body></html>\n";

fn address(web: &Url, segments: &[&str]) -> Url {
    let mut url = web.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// Subject as one line, whatever names people give their accounts.
fn one_line(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invite(account_name: &str) -> Mail {
        Mail::Invite {
            account_name: account_name.into(),
            role_name: "Moderator".into(),
            invited_by: Some("Ada".into()),
            code: "c0de/x".into(),
            expires_at: chrono::DateTime::from_timestamp(1_700_000_000, 0),
        }
    }

    #[test]
    fn mail_of_an_invite_is_equal_in_text_and_html() {
        let composed = invite("Night shift").compose(&"https://app.example/base".parse().unwrap());
        assert_eq!(composed.subject, "Invitation to Night shift");
        assert_eq!(
            composed.text,
            "Invitation to Night shift\n\nAda invites you to the account Night shift as Moderator.\n\n\
             The invitation ends on 2023-11-14 at 22:13 UTC.\n\n\
             If you did not expect it, you need not do anything.\n\n\
             Look at the invitation: https://app.example/base/invites/c0de%2Fx\n"
        );
        assert!(composed.html.contains("<p>Ada invites you to the account Night shift as Moderator.</p>"));
        assert!(composed.html.contains("<a href=\"https://app.example/base/invites/c0de%2Fx\">"));
    }

    #[test]
    fn mail_escapes_names_in_markup_and_header() {
        let composed = invite("<b>\"x\"\r\nBcc: all").compose(&"https://app.example".parse().unwrap());
        assert!(!composed.html.contains("<b>") && composed.html.contains("&lt;b&gt;&quot;x&quot;"));
        assert_eq!(composed.subject, "Invitation to <b>\"x\" Bcc: all");
    }

    #[test]
    fn mail_breaks_links_within_names() {
        let name = "Win at https://evil.example/x?y or www.evil.example";
        let composed = invite(name).compose(&"https://app.example".parse().unwrap());
        assert_eq!(
            composed.subject,
            "Invitation to Win at https[:]//evil[.]example/x?y or www[.]evil[.]example"
        );
        for part in [&composed.text, &composed.html] {
            assert!(!part.contains("evil.example") && !part.contains("https://evil"), "{part}");
            assert!(part.contains("https://app.example/invites/"), "the one link of ours stays");
        }
        let title = "evil.example joined".to_owned();
        let notification = Mail::Notification { title, message: "See HTTP://EVIL.EXAMPLE".into() };
        let composed = notification.compose(&"https://app.example".parse().unwrap());
        assert_eq!(composed.subject, "evil[.]example joined");
        assert!(composed.text.contains("See HTTP[:]//EVIL[.]EXAMPLE"));
    }

    #[test]
    fn without_links_keeps_text_that_is_no_address() {
        for name in ["Night shift", "J. R. R. Tolkien", "Version 1.2.3 is out. Look", "4.5 stars", "a/b: c"] {
            assert_eq!(without_links(name), name);
        }
        for (name, shown) in [
            ("evil。example", "evil[.]example"),
            ("a@evil.example", "a@evil[.]example"),
            ("münchen.example", "münchen[.]example"),
            ("evil.xn--p1ai", "evil[.]xn--p1ai"),
        ] {
            assert_eq!(without_links(name), shown);
        }
    }

    #[test]
    fn mail_content_is_not_printed() {
        let composed = invite("Night shift").compose(&"https://app.example".parse().unwrap());
        let printed = format!("{:?} {composed:?}", invite("Night shift"));
        assert_eq!(printed, "Mail(invite) Composed(***)");
    }
}
