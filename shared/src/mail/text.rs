//! The words of every mail, as text and as HTML.

use url::Url;

use super::Mail;

/// A mail in words.
#[derive(Clone, PartialEq, Eq)]
pub struct Composed {
    pub subject: String,
    pub text: String,
    pub html: String,
}

// As the mail itself.
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
    /// Puts the mail into words. `web` is the origin of the dashboard, which links lead to.
    #[must_use]
    pub fn compose(&self, web: &Url) -> Composed {
        let letter = match self {
            Self::Notification { title, message } => Letter {
                heading: title.clone(),
                paragraphs: vec![message.clone()],
                link: Some(("Open Lumio", address(web, &["notifications"]))),
            },
            Self::Invite { account_name, role_name, invited_by, code, expires_at } => {
                let who = invited_by.as_deref().unwrap_or("Somebody");
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

const HTML_START: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"></head><body>";
const HTML_END: &str = "</body></html>\n";

fn address(web: &Url, segments: &[&str]) -> Url {
    let mut url = web.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// A subject is one line, whatever names people give their accounts.
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
    fn an_invite_has_the_same_words_in_text_and_html() {
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
    fn names_are_no_markup_and_no_header() {
        let composed = invite("<b>\"x\"\r\nBcc: all").compose(&"https://app.example".parse().unwrap());
        assert!(!composed.html.contains("<b>") && composed.html.contains("&lt;b&gt;&quot;x&quot;"));
        assert_eq!(composed.subject, "Invitation to <b>\"x\" Bcc: all");
    }

    #[test]
    fn printing_a_mail_shows_nothing_of_it() {
        let composed = invite("Night shift").compose(&"https://app.example".parse().unwrap());
        let printed = format!("{:?} {composed:?}", invite("Night shift"));
        assert_eq!(printed, "Mail(invite) Composed(***)");
    }
}
