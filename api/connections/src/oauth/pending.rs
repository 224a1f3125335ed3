//! Contents of a state handle while the browser is away (reference/connections.md#state-handle). They are in
//! Redis for ten minutes and can be redeemed once.

use api_core::{ApiError, Cx, Result, access::Principal};
use chrono::{DateTime, TimeDelta, Utc};
use foundation::{audit::Actor, redis::Redis};
use rand::RngExt;
use redis::AsyncCommands;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::{
    connection::{AppKind, CredentialSource},
    id::{AccountId, Trust},
    platform::Platform,
    secret::Secret,
};
use uuid::Uuid;

use super::{OauthKind, invalid_state};

const PENDING_TTL: TimeDelta = TimeDelta::minutes(10);
const PENDING_TTL_SECS: u64 = 600;
const HANDLE_BYTES: usize = 32;

/// Connection that is being made.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Pending {
    /// Kind of the connection.
    pub kind: OauthKind,
    /// Platform.
    pub platform: Platform,
    /// Account; `None` for bots of the deployment.
    pub account_id: Option<Uuid>,
    /// Person who began; `None` when a key did.
    pub user_id: Option<Uuid>,
    /// Service key that began.
    pub service_key_id: Option<Uuid>,
    /// Owner of the application whose page the browser is on. No other application can exchange the code.
    pub source: CredentialSource,
    /// Kind of the application.
    pub app: AppKind,
    /// Client id of the application.
    pub client_id: String,
    /// Redirect address of the authorization.
    pub redirect_uri: String,
    /// Verifier of PKCE; `None` where the platform has no PKCE.
    pub verifier: Option<String>,
    /// Address where the browser continues.
    pub return_to: Option<String>,
    /// Hash of the secret of the browser that began.
    pub browser: String,
    /// End of the validity.
    pub expires_at: DateTime<Utc>,
}

impl Pending {
    /// Account that the handle was issued in. The handle is the credential of the exchange.
    pub fn account(&self) -> Option<AccountId> {
        self.account_id.map(|id| AccountId::trusted(id, Trust::Credential))
    }

    /// Returns the actor for the audit trail: who began, because any holder of the handle can finish.
    pub fn actor(&self) -> Actor {
        match (self.user_id, self.service_key_id) {
            (Some(user), _) => Actor::User(user),
            (None, Some(key)) => Actor::ServiceKey(key),
            (None, None) => Actor::System,
        }
    }
}

/// Hash of a browser's secret, as it is stored.
pub(super) fn browser_hash(secret: &Secret) -> String {
    hex::encode(Sha256::digest(secret.expose()))
}

/// Channel on which a handle comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReturnChannel {
    /// Request of a client, together with the code. The handle is the credential.
    Client,
    /// Redirect of a platform. Anybody can be lured into following a link, so that it must be the
    /// browser that began, or a browser in which the person who began is signed in.
    Browser,
}

/// Returns the end of the validity of a connection that is begun now.
pub(super) fn expiry(now: DateTime<Utc>) -> DateTime<Utc> {
    now + PENDING_TTL
}

/// Stores a connection that is being made and returns its handle.
///
/// # Errors
/// 500 when Redis fails.
pub(super) async fn remember(redis: &Redis, pending: &Pending) -> Result<Secret> {
    let handle = hex::encode(rand::rng().random::<[u8; HANDLE_BYTES]>());
    let mut connection = redis.get().await?;
    let value = serde_json::to_vec(pending)?;
    let () = connection.set_ex(key(redis, &handle), value, PENDING_TTL_SECS).await?;
    Ok(Secret::new(handle))
}

/// Returns and removes the contents of a handle, so that it cannot be used again.
///
/// # Errors
/// 400 `Invalid or expired state` when there is none, it is another platform's, another person is signed in,
/// or another browser follows the platform's link.
pub(super) async fn redeem(cx: &Cx, platform: &str, handle: &str, channel: ReturnChannel) -> Result<Pending> {
    if handle.len() != 2 * HANDLE_BYTES {
        return Err(invalid_state());
    }
    let redis = &cx.state().redis;
    let value: Option<Vec<u8>> = redis.get().await?.get_del(key(redis, handle)).await?;
    let pending: Pending = serde_json::from_slice(&value.ok_or_else(invalid_state)?)
        .map_err(|error| ApiError::internal(format_args!("a remembered authorization: {error}")))?;
    let is_good = pending.platform.slug() == platform
        && cx.state().clock.now() < pending.expires_at
        && is_bearer(cx, &pending, channel);
    if is_good { Ok(pending) } else { Err(invalid_state()) }
}

/// Returns true when the caller may use the handle. A signed-in person must be the one who began, so that a
/// handle that a person was lured into using does not connect their channel to a foreign account. An
/// anonymous caller is accepted, but a link only in the browser that began.
fn is_bearer(cx: &Cx, pending: &Pending, channel: ReturnChannel) -> bool {
    match cx.principal() {
        Principal::Anonymous { .. } => channel == ReturnChannel::Client || is_browser(cx, pending),
        Principal::ServiceKey { id, .. } => pending.service_key_id == Some(*id),
        // A key began. The caller must act in the key's account, in the browser that began.
        principal if pending.user_id.is_none() => {
            principal.account().map(|account| account.uuid()) == pending.account_id && is_browser(cx, pending)
        }
        principal => principal.identity().map(|user| user.0) == pending.user_id,
    }
}

fn is_browser(cx: &Cx, pending: &Pending) -> bool {
    let presented = cx.request().browser.as_ref().map(browser_hash);
    presented.is_some_and(|hash| hash == pending.browser)
}

/// Redis key of a handle. Only the hash of the handle is stored.
fn key(redis: &Redis, handle: &str) -> String {
    redis.key(format_args!("oauth:state:{}", hex::encode(Sha256::digest(handle))))
}
