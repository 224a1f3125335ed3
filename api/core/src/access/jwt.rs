//! Signed tokens: `lm_` and a compact JWT (reference/credentials.md#signed-tokens). The configuration sets
//! the one algorithm; the header of a token never chooses it.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use shared::{
    config::{JwtKey, SecretsConfig},
    secret::Secret,
};
use uuid::Uuid;

use crate::{ApiError, Result};

/// Prefix of a signed token. No opaque credential contains `.`, a JWT always contains two.
pub const PREFIX: &str = "lm_";
const ISSUER: &str = "lumio";
const AUDIENCE: &str = "lumio";

/// Use of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenType {
    /// A session of a person.
    Session,
    /// Accepted at the WebSocket upgrade only.
    Ws,
    /// The session of an exchanged popout token.
    Popout,
    /// Accepted by `POST /v1/auth/refresh` only.
    Refresh,
}

/// The claims of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The person.
    pub sub: Uuid,
    /// The session, or for `typ` `popout` the popout token.
    pub sid: Uuid,
    /// The active account.
    pub aid: Option<Uuid>,
    /// Use of the token.
    pub typ: TokenType,
    /// The permissions of a popout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perms: Option<Vec<String>>,
    /// For `typ` `ws`: the personal API key that the token was issued to, in place of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Uuid>,
    /// For `typ` `refresh`: id of the refresh token within the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jti: Option<Uuid>,
    /// Issuer, `lumio`.
    pub iss: String,
    /// Audience, `lumio`.
    pub aud: String,
    /// Time of issue, in Unix seconds.
    pub iat: i64,
    /// Time from which the token is not valid, in Unix seconds.
    pub exp: i64,
}

impl Claims {
    /// Builds the claims of a person's token that lives for `lifetime` seconds from `now`.
    #[must_use]
    pub fn new(
        typ: TokenType,
        user: Uuid,
        session: Uuid,
        account: Option<Uuid>,
        now: DateTime<Utc>,
        lifetime: i64,
    ) -> Self {
        Self {
            sub: user,
            sid: session,
            aid: account,
            typ,
            perms: None,
            key: None,
            jti: None,
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            iat: now.timestamp(),
            exp: now.timestamp() + lifetime,
        }
    }
}

/// Signs and reads tokens.
#[derive(Clone)]
pub struct Jwt {
    header: Header,
    signing: EncodingKey,
    reading: DecodingKey,
    validation: Validation,
}

impl Jwt {
    /// Reads the keys of the configuration.
    ///
    /// # Errors
    /// An internal error when the configured private key cannot be read.
    pub fn new(config: &SecretsConfig) -> shared::Result<Self> {
        let (algorithm, signing, reading) = match &config.jwt {
            JwtKey::Hs256(secret) => {
                let bytes = secret.expose().as_bytes();
                (Algorithm::HS256, EncodingKey::from_secret(bytes), DecodingKey::from_secret(bytes))
            }
            JwtKey::EdDsa(pem) => ed25519(pem)?,
        };
        let mut validation = Validation::new(algorithm);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        // The expiry is checked with the clock of the process.
        validation.validate_exp = false;
        Ok(Self { header: Header::new(algorithm), signing, reading, validation })
    }

    /// Signs a token.
    ///
    /// # Errors
    /// 500 when signing fails.
    pub fn sign(&self, claims: &Claims) -> Result<String> {
        let compact = jsonwebtoken::encode(&self.header, claims, &self.signing)
            .map_err(|error| ApiError::internal(format_args!("signing a token: {error}")))?;
        Ok(format!("{PREFIX}{compact}"))
    }

    /// Claims of a token with a valid signature that has not expired.
    #[must_use]
    pub fn read(&self, token: &str, now: DateTime<Utc>) -> Option<Claims> {
        let compact = token.strip_prefix(PREFIX)?;
        let claims = jsonwebtoken::decode::<Claims>(compact, &self.reading, &self.validation).ok()?.claims;
        (claims.exp > now.timestamp()).then_some(claims)
    }
}

/// Ed25519 pair of a private key in PKCS#8 PEM. The public half is derived, so that the two cannot differ.
fn ed25519(key: &Secret) -> shared::Result<(Algorithm, EncodingKey, DecodingKey)> {
    let unreadable = |error: String| shared::Error::Internal(format!("LUMIO_JWT_ED25519_PEM: {error}"));
    let key = pem::parse(key.expose()).map_err(|error| unreadable(error.to_string()))?;
    let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key.contents())
        .map_err(|error| unreadable(error.to_string()))?;
    let public = BASE64_URL_SAFE_NO_PAD.encode(pair.public_key());
    let reading = DecodingKey::from_ed_components(&public).map_err(|error| unreadable(error.to_string()))?;
    Ok((Algorithm::EdDSA, EncodingKey::from_ed_der(key.contents()), reading))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::config::Config;

    fn jwt(variables: &[(&str, &str)]) -> Jwt {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Jwt::new(&Config::from_variables(variables).unwrap().secrets).unwrap()
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    fn claims() -> Claims {
        Claims::new(TokenType::Session, Uuid::now_v7(), Uuid::now_v7(), None, at(1000), 900)
    }

    const ED25519: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";

    #[test]
    fn jwt_signs_and_reads_with_both_algorithms() {
        for jwt in [jwt(&[]), jwt(&[("LUMIO_JWT_ED25519_PEM", ED25519)])] {
            let claims = claims();
            let token = jwt.sign(&claims).unwrap();
            assert!(token.starts_with("lm_ey"));
            assert_eq!(jwt.read(&token, at(1899)), Some(claims));
            assert_eq!(jwt.read(&token, at(1900)), None, "expired");
            assert_eq!(jwt.read(&token[3..], at(1000)), None, "without the prefix");
        }
    }

    #[test]
    fn jwt_refuses_another_key_algorithm_issuer_or_audience() {
        let own = jwt(&[]);
        let other = jwt(&[("LUMIO_JWT_SECRET", "another secret of more than thirty-two characters")]);
        let ed25519 = jwt(&[("LUMIO_JWT_ED25519_PEM", ED25519)]);
        for foreign in [&other, &ed25519] {
            assert_eq!(own.read(&foreign.sign(&claims()).unwrap(), at(1000)), None);
        }
        for wrong in [Claims { iss: "x".into(), ..claims() }, Claims { aud: "x".into(), ..claims() }] {
            assert_eq!(own.read(&own.sign(&wrong).unwrap(), at(1000)), None);
        }
    }

    #[test]
    fn jwt_refuses_a_token_without_signature() {
        let own = jwt(&[]);
        let token = own.sign(&claims()).unwrap();
        let body = token.split('.').nth(1).unwrap().to_owned();
        let none = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
        assert_eq!(own.read(&format!("lm_{none}.{body}."), at(1000)), None);
    }
}
