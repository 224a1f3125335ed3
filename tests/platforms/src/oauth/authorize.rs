//! The authorization page: the user of the browser agrees immediately.

use chrono::Duration;
use serde::Deserialize;
use url::Url;

use super::{Pkce, rules, store::Code};
use crate::{Platform, clock, state::Inner};

/// Lifetime of a code.
const CODE_LIFETIME: Duration = Duration::minutes(10);

/// Parameters of the authorization page. The two fields after the standard ones do not exist on the platforms: they
/// represent the user's choice there.
#[derive(Debug, Clone, Deserialize)]
pub struct AuthorizeQuery {
    pub client_id: Option<String>,
    pub redirect_uri: Option<String>,
    pub response_type: Option<String>,
    pub scope: Option<String>,
    pub state: Option<String>,
    pub code_challenge: Option<String>,
    pub code_challenge_method: Option<String>,
    /// Id of the user who signs in; absent means the one chosen before, else the newest user.
    pub stand_in_user: Option<String>,
    /// The user refuses.
    #[serde(default)]
    pub stand_in_deny: bool,
}

/// Next address of the browser, or the reason of an error page.
pub fn authorize(inner: &mut Inner, platform: Platform, query: AuthorizeQuery) -> Result<Url, String> {
    let rules = rules(platform);
    let client_id = query.client_id.unwrap_or_default();
    if !inner.apps.iter().any(|app| app.platform == platform && app.client_id == client_id) {
        return Err("client_id is unknown".into());
    }
    let redirect_uri = query.redirect_uri.unwrap_or_default();
    let mut target = Url::parse(&redirect_uri).map_err(|error| format!("redirect_uri: {error}"))?;
    if query.response_type.as_deref() != Some("code") {
        return Err("response_type must be code".into());
    }
    if rules.is_state_required && query.state.as_deref().unwrap_or_default().is_empty() {
        return Err("state is required".into());
    }
    let code_challenge = challenge(rules.pkce, query.code_challenge, query.code_challenge_method.as_deref())?;
    if query.stand_in_deny {
        target.query_pairs_mut().append_pair("error", "access_denied");
    } else {
        let user_id = user_at_browser(inner, platform, query.stand_in_user)?;
        let scopes = query.scope.unwrap_or_default();
        let scopes =
            scopes.split(rules.scope_separators).filter(|scope| !scope.is_empty()).map(str::to_owned);
        let code = inner.oauth.insert_code(Code {
            platform,
            client_id,
            user_id,
            scopes: scopes.collect(),
            redirect_uri,
            code_challenge,
            expires_at: clock::now() + CODE_LIFETIME,
        });
        target.query_pairs_mut().append_pair("code", &code);
    }
    if let Some(state) = query.state {
        target.query_pairs_mut().append_pair("state", &state);
    }
    Ok(target)
}

fn challenge(pkce: Pkce, challenge: Option<String>, method: Option<&str>) -> Result<Option<String>, String> {
    match (pkce, challenge) {
        (Pkce::Ignored, _) | (Pkce::Accepted, None) => Ok(None),
        (Pkce::Required, None) => Err("code_challenge is required".into()),
        (_, Some(_)) if method != Some("S256") => Err("code_challenge_method must be S256".into()),
        (_, challenge) => Ok(challenge),
    }
}

fn user_at_browser(inner: &Inner, platform: Platform, asked: Option<String>) -> Result<String, String> {
    let newest =
        || inner.users.iter().rev().find(|user| user.platform == platform).map(|user| user.id.clone());
    let id = asked.or_else(|| inner.signed_in.get(&platform).cloned()).or_else(newest);
    let id = id.ok_or_else(|| format!("there is no user on {platform} who could agree"))?;
    if inner.user(platform, &id).is_none() {
        return Err(format!("there is no user `{id}` on {platform}"));
    }
    Ok(id)
}
