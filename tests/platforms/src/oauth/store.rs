//! Issued codes and tokens.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};

use super::{Rotation, Rules, rules};
use crate::{NewToken, Platform, clock, identifier};

/// Number of expired access tokens beyond which the oldest are dropped.
const MAX_ACCESS_TOKENS: usize = 10_000;

/// An access token of a user or of an application.
#[derive(Debug, Clone)]
pub struct AccessToken {
    pub platform: Platform,
    pub client_id: String,
    /// Absent for a token of the application itself.
    pub user_id: Option<String>,
    pub scopes: Vec<String>,
    pub expires_at: DateTime<Utc>,
}

/// A refresh token.
#[derive(Debug, Clone)]
pub struct RefreshToken {
    pub platform: Platform,
    pub client_id: String,
    pub user_id: String,
    pub scopes: Vec<String>,
    /// Created by a flow with PKCE: on Spotify it then works only once.
    pub is_from_pkce: bool,
}

/// An authorization code, good for one exchange.
#[derive(Debug, Clone)]
pub struct Code {
    pub platform: Platform,
    pub client_id: String,
    pub user_id: String,
    pub scopes: Vec<String>,
    pub redirect_uri: String,
    pub code_challenge: Option<String>,
    pub expires_at: DateTime<Utc>,
}

/// Response to an exchange.
#[derive(Debug, Clone)]
pub struct Grant {
    pub access_token: String,
    pub refresh_token: Option<String>,
    pub expires_in: i64,
    pub scopes: Vec<String>,
}

/// All codes and tokens of all platforms.
#[derive(Debug, Default)]
pub struct Store {
    access: HashMap<String, AccessToken>,
    refresh: HashMap<String, RefreshToken>,
    /// Refresh tokens that were replaced under [`Rotation::Guarded`].
    used: HashMap<String, RefreshToken>,
    codes: HashMap<String, Code>,
    changes: HashMap<Platform, Changes>,
}

/// Rules of a test that replace the platform's.
#[derive(Debug, Clone, Copy, Default)]
pub struct Changes {
    pub rotation: Option<Rotation>,
    pub access_token_secs: Option<i64>,
}

impl AccessToken {
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|granted| granted == scope)
    }

    /// Seconds until it expires.
    pub fn expires_in(&self) -> i64 {
        (self.expires_at - clock::now()).num_seconds()
    }
}

impl Store {
    /// Current rules of the platform.
    pub fn rules(&self, platform: Platform) -> Rules {
        let (usual, changes) = (rules(platform), self.changes.get(&platform).copied().unwrap_or_default());
        Rules {
            rotation: changes.rotation.unwrap_or(usual.rotation),
            access_token_secs: changes.access_token_secs.unwrap_or(usual.access_token_secs),
            ..usual
        }
    }

    /// Rotation that a test set.
    pub fn changed_rotation(&self, platform: Platform) -> Option<Rotation> {
        self.changes.get(&platform)?.rotation
    }

    pub fn change(&mut self, platform: Platform) -> &mut Changes {
        self.changes.entry(platform).or_default()
    }

    /// Retires a refresh token and watches for its reuse.
    pub fn replace_guarded(&mut self, old: &str) {
        if let Some(token) = self.refresh.remove(old) {
            self.used.insert(old.to_owned(), token);
        }
    }

    /// Revokes the authorisation of a watched token that is presented again.
    pub fn punish_reuse(&mut self, platform: Platform, token: &str) {
        let Some(found) = self.used.get(token).filter(|found| found.platform == platform).cloned() else {
            return;
        };
        self.revoke_all(platform, &found.client_id, Some(&found.user_id));
    }

    /// A token of the platform that is neither expired nor revoked.
    pub fn access(&self, platform: Platform, token: &str) -> Option<&AccessToken> {
        self.access.get(token).filter(|found| found.platform == platform && found.expires_at > clock::now())
    }

    /// A refresh token that has not been used up or revoked.
    pub fn refresh(&self, platform: Platform, token: &str) -> Option<&RefreshToken> {
        self.refresh.get(token).filter(|found| found.platform == platform)
    }

    /// True when the user granted the application all of these scopes, by any token.
    pub fn has_granted(&self, platform: Platform, client_id: &str, user_id: &str, scopes: &[&str]) -> bool {
        self.refresh
            .values()
            .filter(|token| {
                token.platform == platform && token.client_id == client_id && token.user_id == user_id
            })
            .any(|token| scopes.iter().all(|scope| token.scopes.iter().any(|granted| granted == scope)))
    }

    pub fn issue_to_user(
        &mut self,
        platform: Platform,
        client_id: &str,
        user_id: &str,
        scopes: Vec<String>,
        is_from_pkce: bool,
    ) -> Grant {
        let refresh_token = identifier::token(50);
        self.refresh.insert(
            refresh_token.clone(),
            RefreshToken {
                platform,
                client_id: client_id.to_owned(),
                user_id: user_id.to_owned(),
                scopes: scopes.clone(),
                is_from_pkce,
            },
        );
        let expires_in = self.rules(platform).access_token_secs;
        let access_token =
            self.insert_access(platform, client_id, Some(user_id.to_owned()), &scopes, expires_in);
        Grant { access_token, refresh_token: Some(refresh_token), expires_in, scopes }
    }

    /// A token of the application itself.
    pub fn issue_to_app(&mut self, platform: Platform, client_id: &str, expires_in: i64) -> Grant {
        let access_token = self.insert_access(platform, client_id, None, &[], expires_in);
        Grant { access_token, refresh_token: None, expires_in, scopes: Vec::new() }
    }

    /// A token with the properties that a test sets.
    pub fn issue(&mut self, new: NewToken, default_client_id: &str) -> String {
        let client_id = new.client_id.as_deref().unwrap_or(default_client_id);
        let scopes = new.scopes.unwrap_or_else(|| new.platform.default_scopes());
        let expires_in = new.expires_in_secs.unwrap_or(self.rules(new.platform).access_token_secs);
        self.insert_access(new.platform, client_id, new.user_id, &scopes, expires_in)
    }

    pub fn insert_access(
        &mut self,
        platform: Platform,
        client_id: &str,
        user_id: Option<String>,
        scopes: &[String],
        expires_in: i64,
    ) -> String {
        if self.access.len() >= MAX_ACCESS_TOKENS {
            let now = clock::now();
            self.access.retain(|_, token| token.expires_at > now);
        }
        let token = identifier::token(30);
        let expires_at = clock::now() + Duration::seconds(expires_in);
        let client_id = client_id.to_owned();
        let scopes = scopes.to_vec();
        self.access.insert(token.clone(), AccessToken { platform, client_id, user_id, scopes, expires_at });
        token
    }

    pub fn insert_refresh(&mut self, token: RefreshToken) -> String {
        let text = identifier::token(50);
        self.refresh.insert(text.clone(), token);
        text
    }

    pub fn remove_refresh(&mut self, token: &str) {
        self.refresh.remove(token);
    }

    pub fn insert_code(&mut self, code: Code) -> String {
        let text = identifier::token(30);
        self.codes.insert(text.clone(), code);
        text
    }

    /// Uses a code up, whether or not the exchange succeeds.
    pub fn take_code(&mut self, platform: Platform, code: &str) -> Option<Code> {
        self.codes.remove(code).filter(|found| found.platform == platform && found.expires_at > clock::now())
    }

    /// Revokes one access or refresh token. False when the platform does not know it.
    pub fn revoke(&mut self, platform: Platform, token: &str) -> bool {
        let is_access = self.access.get(token).is_some_and(|found| found.platform == platform);
        let is_refresh = self.refresh.get(token).is_some_and(|found| found.platform == platform);
        if is_access {
            self.access.remove(token);
        }
        if is_refresh {
            self.refresh.remove(token);
        }
        is_access || is_refresh
    }

    /// Revokes every token of the authorisation that this token belongs to.
    pub fn revoke_authorisation(&mut self, platform: Platform, token: &str) -> bool {
        let of_access =
            self.access(platform, token).map(|found| (found.client_id.clone(), found.user_id.clone()));
        let of_refresh =
            self.refresh(platform, token).map(|found| (found.client_id.clone(), Some(found.user_id.clone())));
        let Some((client_id, user_id)) = of_access.or(of_refresh) else { return false };
        self.revoke_all(platform, &client_id, user_id.as_deref());
        true
    }

    fn revoke_all(&mut self, platform: Platform, client_id: &str, user_id: Option<&str>) {
        self.access.retain(|_, found| {
            (found.platform, found.client_id.as_str(), found.user_id.as_deref())
                != (platform, client_id, user_id)
        });
        self.refresh.retain(|_, found| {
            (found.platform, found.client_id.as_str(), Some(found.user_id.as_str()))
                != (platform, client_id, user_id)
        });
    }
}
