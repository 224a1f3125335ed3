//! What a state handle stands for, while the browser is away (C §10): in Redis, for ten minutes, to be redeemed once.

use api_core::{ApiError, Cx, Result, access::Principal};
use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt;
use redis::AsyncCommands;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::{
    audit::Actor,
    connections::{AppKind, CredentialSource},
    platforms::Platform,
    redis::Redis,
    secret::Secret,
};
use uuid::Uuid;

use super::{OauthKind, invalid_state};

const LIFETIME: TimeDelta = TimeDelta::minutes(10);
const LIFETIME_SECONDS: u64 = 600;
const HANDLE_BYTES: usize = 32;

/// A connection that is being made.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Pending {
    pub kind: OauthKind,
    pub platform: Platform,
    /// `None` for the deployment's bots.
    pub account_id: Option<Uuid>,
    /// Who began; `None` when a key did.
    pub user_id: Option<Uuid>,
    /// The service key that began.
    pub service_key_id: Option<Uuid>,
    /// The application whose page the browser is on: no other can exchange the code.
    pub source: CredentialSource,
    pub app: AppKind,
    pub client_id: String,
    pub redirect_uri: String,
    /// The secret half of the PKCE challenge.
    pub verifier: Option<String>,
    pub return_to: Option<String>,
    /// Hash of the secret of the browser that began.
    pub browser: String,
    pub expires_at: DateTime<Utc>,
}

impl Pending {
    /// Who the audit trail names: the exchange itself is made by whoever brings the handle.
    pub fn actor(&self) -> Actor {
        match (self.user_id, self.service_key_id) {
            (Some(user), _) => Actor::User(user),
            (None, Some(key)) => Actor::ServiceKey(key),
            (None, None) => Actor::System,
        }
    }
}

/// What a browser's secret is remembered as.
pub(super) fn browser_hash(secret: &Secret) -> String {
    hex::encode(Sha256::digest(secret.expose()))
}

/// The way on which a handle comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A client brings it together with the code: the handle is the credential (C §10).
    Client,
    /// A platform sent the browser. Anybody can be lured into following a link, so that it has to be the browser that
    /// began, or somebody who is signed in as who began.
    Browser,
}

/// When a connection that is begun now can no longer be made.
pub(super) fn expiry(now: DateTime<Utc>) -> DateTime<Utc> {
    now + LIFETIME
}

/// Remembers what is being made; answers the handle.
///
/// # Errors
/// When Redis fails.
pub(super) async fn remember(redis: &Redis, pending: &Pending) -> Result<Secret> {
    let handle = hex::encode(rand::rng().random::<[u8; HANDLE_BYTES]>());
    let mut connection = redis.get().await?;
    let value = serde_json::to_vec(pending)?;
    let () = connection.set_ex(key(redis, &handle), value, LIFETIME_SECONDS).await?;
    Ok(Secret::new(handle))
}

/// Takes what a handle stands for: nobody else gets it afterwards.
///
/// # Errors
/// 400 `Invalid or expired state` when there is none, it is another platform's, another person is signed in, or another
/// browser follows the platform's link.
pub(super) async fn redeem(cx: &Cx, platform: &str, handle: &str, way: Way) -> Result<Pending> {
    if handle.len() != 2 * HANDLE_BYTES {
        return Err(invalid_state());
    }
    let redis = &cx.state().redis;
    let value: Option<Vec<u8>> = redis.get().await?.get_del(key(redis, handle)).await?;
    let pending: Pending = serde_json::from_slice(&value.ok_or_else(invalid_state)?)
        .map_err(|error| ApiError::internal(format_args!("a remembered authorization: {error}")))?;
    let is_good = pending.platform.slug() == platform
        && cx.state().clock.now() < pending.expires_at
        && is_bearer(cx, &pending, way);
    if is_good { Ok(pending) } else { Err(invalid_state()) }
}

/// Whoever is signed in must be who began: a handle that was foisted on somebody does not connect their channel
/// elsewhere. Nobody needs to be signed in, but then a link counts in the browser that began only.
fn is_bearer(cx: &Cx, pending: &Pending, way: Way) -> bool {
    match cx.principal() {
        Principal::Anonymous { .. } => way == Way::Client || is_browser(cx, pending),
        Principal::ServiceKey { id, .. } => pending.service_key_id == Some(*id),
        // A key began: whoever finishes acts in the key's account, in the browser that began.
        principal if pending.user_id.is_none() => {
            principal.account().map(|account| account.0) == pending.account_id && is_browser(cx, pending)
        }
        principal => principal.identity().map(|user| user.0) == pending.user_id,
    }
}

fn is_browser(cx: &Cx, pending: &Pending) -> bool {
    let presented = cx.request().browser.as_ref().map(browser_hash);
    presented.is_some_and(|hash| hash == pending.browser)
}

/// Only the hash of a handle is stored.
fn key(redis: &Redis, handle: &str) -> String {
    redis.key(format_args!("oauth:state:{}", hex::encode(Sha256::digest(handle))))
}
