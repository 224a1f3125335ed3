//! The token endpoint.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    Rotation,
    store::{Code, Grant, RefreshToken},
};
use crate::{Platform, TokenCall, clock, state::Inner};

/// A request for tokens, from a form, JSON body or headers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct TokenRequest {
    pub grant_type: String,
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    pub code: Option<String>,
    pub redirect_uri: Option<String>,
    pub code_verifier: Option<String>,
    pub refresh_token: Option<String>,
}

/// Reason why no tokens were given. Each platform words it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantError {
    UnknownClient,
    WrongSecret,
    UnsupportedGrant,
    InvalidCode,
    /// Missing, or not the source of the challenge.
    InvalidVerifier,
    InvalidRefreshToken,
}

impl GrantError {
    /// Error code of RFC 6749 §5.2.
    pub fn standard_code(self) -> &'static str {
        match self {
            Self::UnknownClient | Self::WrongSecret => "invalid_client",
            Self::UnsupportedGrant => "unsupported_grant_type",
            Self::InvalidCode | Self::InvalidVerifier | Self::InvalidRefreshToken => "invalid_grant",
        }
    }
}

/// Gives tokens for a code, a refresh token or an application's credentials.
pub fn grant(inner: &mut Inner, platform: Platform, request: &TokenRequest) -> Result<Grant, GrantError> {
    let outcome = decide(inner, platform, request);
    inner.record_token_call(TokenCall {
        platform,
        grant_type: request.grant_type.clone(),
        client_id: request.client_id.clone().unwrap_or_default(),
        is_granted: outcome.is_ok(),
        at: clock::now(),
    });
    outcome
}

fn decide(inner: &mut Inner, platform: Platform, request: &TokenRequest) -> Result<Grant, GrantError> {
    let client_id = client(inner, platform, request)?;
    match request.grant_type.as_str() {
        "authorization_code" => exchange(inner, platform, &client_id, request),
        "refresh_token" => refresh(inner, platform, &client_id, request),
        "client_credentials" => {
            let lifetime = inner.oauth.rules(platform).app_token_secs.ok_or(GrantError::UnsupportedGrant)?;
            Ok(inner.oauth.issue_to_app(platform, &client_id, lifetime))
        }
        _ => Err(GrantError::UnsupportedGrant),
    }
}

fn client(inner: &Inner, platform: Platform, request: &TokenRequest) -> Result<String, GrantError> {
    let asked = request.client_id.as_deref();
    let app = inner.apps.iter().find(|app| app.platform == platform && Some(app.client_id.as_str()) == asked);
    let app = app.ok_or(GrantError::UnknownClient)?;
    if request.client_secret.as_deref() != Some(app.client_secret.as_str()) {
        return Err(GrantError::WrongSecret);
    }
    Ok(app.client_id.clone())
}

fn exchange(
    inner: &mut Inner,
    platform: Platform,
    client_id: &str,
    request: &TokenRequest,
) -> Result<Grant, GrantError> {
    let code = request.code.as_deref().and_then(|code| inner.oauth.take_code(platform, code));
    let code = code.ok_or(GrantError::InvalidCode)?;
    if code.client_id != client_id || request.redirect_uri.as_deref() != Some(code.redirect_uri.as_str()) {
        return Err(GrantError::InvalidCode);
    }
    verify_challenge(&code, request.code_verifier.as_deref())?;
    let is_from_pkce = code.code_challenge.is_some();
    Ok(inner.oauth.issue_to_user(platform, client_id, &code.user_id, code.scopes, is_from_pkce))
}

fn verify_challenge(code: &Code, verifier: Option<&str>) -> Result<(), GrantError> {
    let Some(challenge) = &code.code_challenge else { return Ok(()) };
    let verifier = verifier.ok_or(GrantError::InvalidVerifier)?;
    if URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) == *challenge {
        Ok(())
    } else {
        Err(GrantError::InvalidVerifier)
    }
}

fn refresh(
    inner: &mut Inner,
    platform: Platform,
    client_id: &str,
    request: &TokenRequest,
) -> Result<Grant, GrantError> {
    let old = request.refresh_token.as_deref().unwrap_or_default();
    inner.oauth.punish_reuse(platform, old);
    let token = inner.oauth.refresh(platform, old).filter(|token| token.client_id == client_id).cloned();
    let token = token.ok_or(GrantError::InvalidRefreshToken)?;
    let expires_in = inner.oauth.rules(platform).access_token_secs;
    let user_id = Some(token.user_id.clone());
    let access_token = inner.oauth.insert_access(platform, client_id, user_id, &token.scopes, expires_in);
    let scopes = token.scopes.clone();
    let refresh_token = rotated(inner, platform, old, token);
    Ok(Grant { access_token, refresh_token, expires_in, scopes })
}

/// Refresh token of the response, after the old one was kept, replaced or revoked.
fn rotated(inner: &mut Inner, platform: Platform, old: &str, token: RefreshToken) -> Option<String> {
    let works_once = platform == Platform::Spotify && token.is_from_pkce;
    let rotation = match inner.oauth.changed_rotation(platform) {
        Some(changed) => changed,
        None if works_once => Rotation::Replaced,
        None => inner.oauth.rules(platform).rotation,
    };
    match rotation {
        Rotation::Same => Some(old.to_owned()),
        Rotation::Silent => None,
        Rotation::Added => Some(inner.oauth.insert_refresh(token)),
        Rotation::Replaced => {
            inner.oauth.remove_refresh(old);
            Some(inner.oauth.insert_refresh(token))
        }
        Rotation::Guarded => {
            inner.oauth.replace_guarded(old);
            Some(inner.oauth.insert_refresh(token))
        }
    }
}
