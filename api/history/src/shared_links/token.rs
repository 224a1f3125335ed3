//! Tokens of links: 32 random bytes in Base64 for addresses. Only the SHA-256 of the text is stored.

use api_core::{State, token};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::RngExt;
use shared::secret::Secret;
use uuid::Uuid;

const BYTES: usize = 32;

/// New token, with the address of the page that takes it.
pub(super) struct LinkToken(Secret);

impl LinkToken {
    /// Makes a random token.
    pub fn generate() -> Self {
        let bytes: [u8; BYTES] = rand::rng().random();
        Self(Secret::new(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// SHA-256 of the text, as it is stored.
    pub fn hash(&self) -> Vec<u8> {
        token::hash(self.0.expose())
    }

    /// Address of the page. The path names the link, so that no server receives the token, which is in the
    /// fragment (reference/history.md#shared-page).
    pub fn url(&self, state: &State, link: Uuid) -> String {
        let base = state.config.http.public_url.as_str().trim_end_matches('/');
        format!("{base}/v1/history/shared/{link}/page#token={}", self.0.expose())
    }

    /// Text of the token, for the answer that shows it once.
    pub fn into_text(self) -> String {
        self.0.expose().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_token_is_43_characters_that_addresses_may_hold() {
        let (one, other) = (LinkToken::generate().into_text(), LinkToken::generate().into_text());
        assert_ne!(one, other);
        for text in [one, other] {
            let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            assert!(text.len() == 43 && text.bytes().all(is_safe), "{text}");
        }
    }
}
