//! Bodies of the tokens by which pages read bundles that are not public
//! (reference/overlays.md#versions-that-are-not-public). They follow from the key of signed tokens, so that every
//! process has the same ones. Their hashes are stored.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use shared::config::{Config, JwtKey};
use uuid::Uuid;

/// Separates these bodies from others of the same key.
const CONTEXT: &str = "lumio bundle token";

/// Body of the token of an install in the period that begins at a Unix time, in seconds. It is secret.
#[must_use]
pub fn body(config: &Config, install: Uuid, period: i64) -> [u8; 32] {
    let (JwtKey::Hs256(key) | JwtKey::EdDsa(key)) = &config.secrets.jwt;
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.expose().as_bytes()) else {
        unreachable!("HMAC takes keys of any length")
    };
    mac.update(format!("{CONTEXT}\n{install}\n{period}").as_bytes());
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn body_is_one_for_each_install_and_period() {
        let config = Config::from_variables([]).unwrap();
        let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
        let all = [body(&config, one, 0), body(&config, one, 300), body(&config, other, 0)];
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 3);
        assert_eq!(body(&config, one, 300), all[1]);
    }
}
