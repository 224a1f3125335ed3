//! OAuth 2 of all six platforms; their differences are [`Rules`].

mod authorize;
mod grant;
mod store;

use actix_web::HttpRequest;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;

pub use authorize::{AuthorizeQuery, authorize};
pub use grant::{GrantError, TokenRequest, grant};
pub use store::{AccessToken, Grant, Store};

use crate::Platform;

/// Support of a platform for a PKCE challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pkce {
    Ignored,
    Accepted,
    Required,
}

/// Refresh token in the response to a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// The same refresh token again.
    Same,
    /// No refresh token: the old one is kept.
    Silent,
    /// A new one; the old one still works.
    Added,
    /// A new one; the old one is revoked.
    Replaced,
    /// A new one; a second use of the old one revokes every token of the authorisation, as platforms that suspect a
    /// theft do.
    Guarded,
}

/// Differences between the platforms (reference/platforms.md#oauth).
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub pkce: Pkce,
    pub is_state_required: bool,
    pub rotation: Rotation,
    pub access_token_secs: i64,
    /// Lifetime of `client_credentials` tokens; absent where there are none.
    pub app_token_secs: Option<i64>,
    /// Separator of scopes in the `scope` parameter.
    pub scope_separators: &'static [char],
}

/// The rules of a platform.
pub fn rules(platform: Platform) -> Rules {
    let usual = Rules {
        pkce: Pkce::Accepted,
        is_state_required: false,
        rotation: Rotation::Same,
        access_token_secs: 3600,
        app_token_secs: None,
        scope_separators: &[' '],
    };
    match platform {
        Platform::Twitch => {
            Rules { pkce: Pkce::Ignored, access_token_secs: 14_124, app_token_secs: Some(5_011_271), ..usual }
        }
        Platform::Youtube => Rules { rotation: Rotation::Silent, access_token_secs: 3599, ..usual },
        Platform::Kick => Rules {
            pkce: Pkce::Required,
            is_state_required: true,
            rotation: Rotation::Added,
            access_token_secs: 7200,
            app_token_secs: Some(7200),
            ..usual
        },
        Platform::Trovo => Rules {
            pkce: Pkce::Ignored,
            rotation: Rotation::Added,
            access_token_secs: 14_400,
            scope_separators: &[' ', '+'],
            ..usual
        },
        Platform::Spotify => Rules { rotation: Rotation::Silent, app_token_secs: Some(3600), ..usual },
        Platform::Discord => Rules {
            rotation: Rotation::Replaced,
            access_token_secs: 604_800,
            app_token_secs: Some(604_800),
            ..usual
        },
    }
}

/// The token of an `Authorization` header with the given scheme.
pub fn authorization<'a>(request: &'a HttpRequest, scheme: &str) -> Option<&'a str> {
    let header = request.headers().get("Authorization")?.to_str().ok()?;
    let (found, token) = header.split_once(' ')?;
    found.eq_ignore_ascii_case(scheme).then(|| token.trim())
}

/// Client id and secret of a Basic header.
pub fn basic_credentials(request: &HttpRequest) -> Option<(String, String)> {
    let decoded = STANDARD.decode(authorization(request, "Basic")?).ok()?;
    let (id, secret) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
}

/// A revocation in a form body.
#[derive(Debug, Deserialize)]
pub struct RevokeForm {
    pub token: Option<String>,
    pub client_id: Option<String>,
}
