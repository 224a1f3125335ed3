//! Channels and their tokens.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;

use crate::{clock, identifier};

/// Channel of StreamElements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// 24 hexadecimal digits.
    pub id: String,
    pub name: String,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenType {
    Jwt,
    ApiKey,
}

/// Token to issue.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub token_type: TokenType,
    /// `*` is everything, the scope of an owner.
    pub scopes: Vec<String>,
}

/// Token that the gateway and the API accept.
#[derive(Debug, Clone)]
pub(crate) struct KnownToken {
    pub text: String,
    pub token_type: TokenType,
    pub channel: Channel,
    scopes: Vec<String>,
}

impl NewToken {
    /// JWT with the scope of an owner.
    #[must_use]
    pub fn jwt() -> Self {
        Self { token_type: TokenType::Jwt, scopes: vec!["*".into()] }
    }

    /// Overlay token with these scopes.
    #[must_use]
    pub fn api_key(scopes: &[&str]) -> Self {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        Self { token_type: TokenType::ApiKey, scopes }
    }

    /// The same with these scopes.
    #[must_use]
    pub fn with_scopes(self, scopes: &[&str]) -> Self {
        Self { scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(), ..self }
    }
}

impl TokenType {
    /// Kind by its name in requests.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "jwt" => Some(Self::Jwt),
            "apikey" => Some(Self::ApiKey),
            _ => None,
        }
    }

    /// Scheme of `Authorization` in requests of the API.
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::Jwt => "Bearer",
            Self::ApiKey => "apikey",
        }
    }
}

impl KnownToken {
    pub fn issue(channel: &Channel, token: &NewToken) -> Self {
        let text = match token.token_type {
            TokenType::Jwt => jwt(channel),
            TokenType::ApiKey => identifier::token(20),
        };
        Self { text, token_type: token.token_type, channel: channel.clone(), scopes: token.scopes.clone() }
    }

    pub fn allows(&self, scope: Option<&str>) -> bool {
        scope.is_none_or(|scope| self.scopes.iter().any(|own| own == "*" || own == scope))
    }
}

fn jwt(channel: &Channel) -> String {
    let encode = |part: serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
    let claims = json!({
        "iss": "citadel",
        "exp": clock::now().timestamp() + 15_552_000,
        "jti": identifier::uuid(),
        "channel": channel.id,
        "role": "owner",
        "user": identifier::hex(24),
        "user_role": "creator",
        "provider": "twitch",
    });
    let header = json!({ "alg": "HS256", "typ": "JWT" });
    format!("{}.{}.{}", encode(header), encode(claims), identifier::token(43))
}
