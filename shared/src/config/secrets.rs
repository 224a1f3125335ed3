//! Signing and encryption keys.

use std::net::SocketAddr;

use base64::{Engine, prelude::BASE64_STANDARD};

use super::{Environment, Reader};
use crate::secret::{NamedKey, Secret};

pub(super) const DEVELOPMENT_JWT_SECRET: &str = "lumio development signing secret, never for production";
const DEVELOPMENT_ENCRYPTION_KEY: [u8; 32] = *b"lumio development encryption key";
const DEVELOPMENT_AUDIT_KEY: [u8; 32] = *b"lumio development audit log key ";
const MIN_JWT_SECRET_LENGTH: usize = 32;

/// Keys of this deployment, and lifetimes of the credentials that they sign
/// (reference/credentials.md#signed-tokens).
#[derive(Debug, Clone)]
pub struct SecretsConfig {
    /// Key of signed tokens.
    pub jwt: JwtKey,
    /// Keys of encryption at rest. The first one encrypts, all of them decrypt.
    pub encryption_keys: Vec<NamedKey>,
    /// Keys of the checkpoints of the audit log. The first one signs, all of them are trusted. Without one nothing is
    /// signed (reference/audit-chain.md#keys).
    pub audit_keys: Vec<NamedKey>,
    /// Seconds that a session token is valid.
    pub session_lifetime_seconds: i64,
    /// Seconds that a refresh token is valid.
    pub refresh_lifetime_seconds: i64,
    /// Seconds that a socket token is valid.
    pub ws_token_lifetime_seconds: i64,
}

impl SecretsConfig {
    /// Refuses an address that other machines reach while a key is one of the published development keys.
    /// Anyone who has read the sources could sign in as any person.
    pub(super) fn check_exposure(&self, reader: &mut Reader, bind: SocketAddr) {
        if bind.ip().to_canonical().is_loopback() {
            return;
        }
        let is_public = |secret: &Secret| secret.expose() == DEVELOPMENT_JWT_SECRET;
        if matches!(&self.jwt, JwtKey::Hs256(secret) if is_public(secret)) {
            reader.mistake("LUMIO_JWT_SECRET", EXPOSED);
        }
        if self.encryption_keys.iter().any(|key| key.key == DEVELOPMENT_ENCRYPTION_KEY) {
            reader.mistake("LUMIO_ENCRYPTION_KEYS", EXPOSED);
        }
    }
}

const EXPOSED: &str = "must be set to a value of your own where LUMIO_HTTP_BIND is not a loopback address: the one of \
    development is public";

/// Key and algorithm of session tokens. There is one algorithm, so that a token cannot choose another.
#[derive(Debug, Clone)]
pub enum JwtKey {
    /// HMAC with SHA-256 under a shared secret.
    Hs256(Secret),
    /// Ed25519, with a private key in PKCS#8 PEM.
    EdDsa(Secret),
}

pub(super) fn read(reader: &mut Reader, environment: Environment) -> SecretsConfig {
    SecretsConfig {
        jwt: jwt(reader, environment),
        encryption_keys: encryption_keys(reader, environment),
        audit_keys: audit_keys(reader, environment),
        session_lifetime_seconds: reader.within("LUMIO_SESSION_SECONDS", 900, 10, 86_400),
        refresh_lifetime_seconds: reader.within("LUMIO_REFRESH_SECONDS", 30 * 86_400, 60, 366 * 86_400),
        ws_token_lifetime_seconds: reader.within("LUMIO_WS_TOKEN_SECONDS", 900, 10, 86_400),
    }
}

fn jwt(reader: &mut Reader, environment: Environment) -> JwtKey {
    let secret = reader.secret("LUMIO_JWT_SECRET");
    if let Some(pem) = reader.secret("LUMIO_JWT_ED25519_PEM") {
        if !pem.expose().contains("PRIVATE KEY") {
            reader.mistake("LUMIO_JWT_ED25519_PEM", "must be a private key in PKCS#8 PEM");
        }
        return JwtKey::EdDsa(pem);
    }
    let weak = secret.as_ref().is_none_or(|secret| secret.expose() == DEVELOPMENT_JWT_SECRET);
    if weak && environment != Environment::Development {
        reader.mistake("LUMIO_JWT_SECRET", "must be set to a secret of your own outside development");
    }
    let secret = secret.unwrap_or_else(|| Secret::new(DEVELOPMENT_JWT_SECRET));
    if secret.expose().len() < MIN_JWT_SECRET_LENGTH {
        reader.mistake(
            "LUMIO_JWT_SECRET",
            format_args!("must be at least {MIN_JWT_SECRET_LENGTH} characters long"),
        );
    }
    JwtKey::Hs256(secret)
}

fn encryption_keys(reader: &mut Reader, environment: Environment) -> Vec<NamedKey> {
    const NAME: &str = "LUMIO_ENCRYPTION_KEYS";
    let entries = reader.secret_list(NAME);
    if entries.is_empty() {
        if environment != Environment::Development {
            reader.mistake(NAME, "must be set outside development");
        }
        return vec![NamedKey { id: "development".into(), key: DEVELOPMENT_ENCRYPTION_KEY }];
    }
    named_keys(reader, environment, NAME, entries, DEVELOPMENT_ENCRYPTION_KEY)
}

fn audit_keys(reader: &mut Reader, environment: Environment) -> Vec<NamedKey> {
    const NAME: &str = "LUMIO_AUDIT_KEYS";
    let entries = reader.secret_list(NAME);
    if entries.is_empty() && environment == Environment::Development {
        return vec![NamedKey { id: "development".into(), key: DEVELOPMENT_AUDIT_KEY }];
    }
    named_keys(reader, environment, NAME, entries, DEVELOPMENT_AUDIT_KEY)
}

fn named_keys(
    reader: &mut Reader,
    environment: Environment,
    name: &str,
    entries: Vec<String>,
    of_development: [u8; 32],
) -> Vec<NamedKey> {
    let mut keys: Vec<NamedKey> = Vec::new();
    for entry in entries {
        match parse_key(&entry) {
            Some(key) if key.key == of_development && environment != Environment::Development => {
                reader.mistake(name, "must not hold the development key outside development");
            }
            Some(key) if keys.iter().any(|other| other.id == key.id) => {
                reader.mistake(name, format_args!("must not name the key id `{}` twice", key.id));
            }
            Some(key) => keys.push(key),
            None => reader.mistake(name, "must be `id:base64 of 32 bytes`, several separated by commas"),
        }
    }
    keys
}

/// Value of `LUMIO_ENCRYPTION_KEYS` or `LUMIO_AUDIT_KEYS` that holds one key.
#[must_use]
pub fn named_keys_of(key: &NamedKey) -> Secret {
    Secret::new(format!("{}:{}", key.id, BASE64_STANDARD.encode(key.key)))
}

fn parse_key(entry: &str) -> Option<NamedKey> {
    let (id, encoded) = entry.split_once(':')?;
    let key = BASE64_STANDARD.decode(encoded).ok()?.try_into().ok()?;
    (1..=64).contains(&id.len()).then(|| NamedKey { id: id.to_owned(), key })
}
