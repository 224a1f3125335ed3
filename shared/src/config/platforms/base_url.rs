//! Base URL of a platform.

use std::{fmt, str::FromStr};

use url::Url;

/// Start of every address of a platform, such as `https://api.twitch.tv`.
///
/// It may have a path, so that one stand-in server can serve several platforms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Address below this base. Each segment is one path segment: a slash inside it is escaped.
    #[must_use]
    pub fn endpoint(&self, segments: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }
}

impl FromStr for BaseUrl {
    type Err = InvalidBaseUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_error| InvalidBaseUrl)?;
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if is_plain { Ok(Self(url)) } else { Err(InvalidBaseUrl) }
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// Error for a text that is no base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an http or https URL without user, query or fragment")]
pub struct InvalidBaseUrl;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_keeps_the_base_path_and_escapes_segments() {
        for base in ["http://127.0.0.1:9/discord/api", "http://127.0.0.1:9/discord/api/"] {
            let base: BaseUrl = base.parse().unwrap();
            assert_eq!(
                base.endpoint(&["v10", "channels", "1/2?x", "messages"]).as_str(),
                "http://127.0.0.1:9/discord/api/v10/channels/1%2F2%3Fx/messages"
            );
        }
        let bare: BaseUrl = "https://api.twitch.tv".parse().unwrap();
        assert_eq!(bare.endpoint(&["helix", "users"]).as_str(), "https://api.twitch.tv/helix/users");
        assert_eq!(bare.to_string(), "https://api.twitch.tv");
    }

    #[test]
    fn base_url_refuses_other_texts() {
        for text in
            ["", "api.twitch.tv", "ftp://x", "http://a?b=1", "http://a#b", "http://u:p@a", "mailto:a@b"]
        {
            assert_eq!(text.parse::<BaseUrl>(), Err(InvalidBaseUrl), "{text}");
        }
    }
}
