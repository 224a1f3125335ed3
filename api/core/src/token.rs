//! Opaque credentials (reference/credentials.md#opaque-credentials): a prefix that names the kind and 32
//! random bytes as 64 lower-case hexadecimal characters. Only the SHA-256 of the whole text and a display
//! prefix are stored.

use rand::RngExt;
use sha2::{Digest, Sha256};

use shared::secret::Secret;

const BODY_BYTES: usize = 32;
const DISPLAY_CHARACTERS: usize = 6;

/// Surface of an extension token that a page of an overlay or widget got
/// (reference/overlays.md#versions-that-are-not-public).
pub const PAGE_SURFACE: &str = "page";

/// Kinds of opaque credentials (reference/credentials.md#kinds).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Key of the deployment's services, `lm_sys_`.
    System,
    /// Personal API key, `lm_usr_`.
    User,
    /// Service key of an account, `lm_svc_`.
    Service,
    /// Popout token of a member, `lm_pop_`.
    Popout,
    /// Token of an overlay, `lm_overlay_`.
    Overlay,
    /// Token of a shared overlay, `lm_share_`.
    Share,
    /// Token of a surface of an install, `lm_ext_`.
    Extension,
    /// Token of a widget, `lm_widget_`.
    Widget,
}

impl TokenKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::System,
        Self::User,
        Self::Service,
        Self::Popout,
        Self::Overlay,
        Self::Share,
        Self::Extension,
        Self::Widget,
    ];

    /// Text before the random part.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::System => "lm_sys_",
            Self::User => "lm_usr_",
            Self::Service => "lm_svc_",
            Self::Popout => "lm_pop_",
            Self::Overlay => "lm_overlay_",
            Self::Share => "lm_share_",
            Self::Extension => "lm_ext_",
            Self::Widget => "lm_widget_",
        }
    }

    /// Length of a text of the kind, in bytes.
    #[must_use]
    pub const fn length(self) -> usize {
        self.prefix().len() + BODY_BYTES * 2
    }

    /// Kind of a text by prefix, length and alphabet alone; `None` for any other text.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let is_hex = |body: &str| body.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        Self::ALL
            .into_iter()
            .find(|kind| text.len() == kind.length() && text.strip_prefix(kind.prefix()).is_some_and(is_hex))
    }
}

/// A new credential. Its text is returned to the owner once; the hash and the prefix are stored.
#[derive(Debug)]
pub struct NewToken {
    /// Whole text; a secret.
    pub text: Secret,
    /// SHA-256 of the text.
    pub hash: Vec<u8>,
    /// Display prefix: the prefix of the kind and 6 characters.
    pub prefix: String,
}

impl NewToken {
    /// Generates a credential of a kind.
    #[must_use]
    pub fn generate(kind: TokenKind) -> Self {
        Self::of(kind, rand::rng().random())
    }

    /// The credential of a kind with this body, which must be secret.
    #[must_use]
    pub fn of(kind: TokenKind, body: [u8; BODY_BYTES]) -> Self {
        let text = format!("{}{}", kind.prefix(), hex::encode(body));
        let prefix = text[..kind.prefix().len() + DISPLAY_CHARACTERS].to_owned();
        Self { hash: hash(&text), prefix, text: Secret::new(text) }
    }
}

/// SHA-256 of a credential, stored and looked up in its place.
#[must_use]
pub fn hash(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_lengths_are_those_of_the_reference() {
        let length = |kind| NewToken::generate(kind).text.expose().len();
        assert_eq!(length(TokenKind::System), 71);
        assert_eq!(length(TokenKind::User), 71);
        assert_eq!(length(TokenKind::Service), 71);
        assert_eq!(length(TokenKind::Popout), 71);
        assert_eq!(length(TokenKind::Extension), 71);
        assert_eq!(length(TokenKind::Share), 73);
        assert_eq!(length(TokenKind::Widget), 74);
        assert_eq!(length(TokenKind::Overlay), 75);
    }

    #[test]
    fn token_kind_is_known_by_prefix_length_and_alphabet() {
        for kind in TokenKind::ALL {
            let token = NewToken::generate(kind);
            assert_eq!(TokenKind::of(token.text.expose()), Some(kind));
            assert_eq!(TokenKind::of(&format!("{}0", token.text.expose())), None);
            assert_eq!(TokenKind::of(&token.text.expose().to_uppercase()), None);
            assert_eq!(token.hash, hash(token.text.expose()));
        }
    }
}
