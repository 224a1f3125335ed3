//! Opaque credentials as they are presented.

use api_core::token::{TokenKind, hash};

/// The input is a credential.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let kinds: Vec<TokenKind> = TokenKind::ALL
        .into_iter()
        .filter(|kind| {
            let body = text.strip_prefix(kind.prefix()).unwrap_or_default();
            body.len() == 64 && body.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
        })
        .collect();
    assert!(kinds.len() <= 1, "{text} is of {kinds:?}");
    assert_eq!(TokenKind::of(text), kinds.first().copied(), "{text:?}");
    assert_eq!(hash(text).len(), 32);
    // Surrounding text is not ignored: two texts are never one credential.
    if let Some(kind) = TokenKind::of(text) {
        for other in [format!(" {text}"), format!("{text} "), format!("{text}\0"), text.to_uppercase()] {
            assert_ne!(TokenKind::of(&other), Some(kind), "{other:?}");
            assert_ne!(hash(&other), hash(text));
        }
    }
}
