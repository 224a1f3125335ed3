//! Connecting and identifying (reference/obs.md#connection).

use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD};
use foundation::egress::{HostRule, parse_host};
use live_model::obs::HANDSHAKE_TIMEOUT_SECS;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::secret::Secret;

use super::{
    ended::Ended,
    socket::{Received, Socket},
};

/// Maximum time to connect and to identify.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(HANDSHAKE_TIMEOUT_SECS);
/// Version of the remote procedures that is spoken.
const RPC_VERSION: u64 = 1;
/// Events that are subscribed to: general, configuration, scenes and outputs.
const EVENT_SUBSCRIPTIONS: u32 = 1 | 1 << 1 | 1 << 2 | 1 << 6;

/// Op codes of the handshake.
const HELLO: u64 = 0;
const IDENTIFY: u8 = 1;
const IDENTIFIED: u64 = 2;
const EVENT: u64 = 5;

/// OBS of an account.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub host: String,
    pub port: u16,
    /// `None` without a password; `Err` when it cannot be decrypted.
    pub password: Result<Option<Secret>, Ended>,
}

/// Connects to an OBS and identifies.
///
/// # Errors
/// The reason why there is no connection.
pub(super) async fn open(target: &Target, rule: &HostRule) -> Result<Socket, Ended> {
    tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake(target, rule)).await.unwrap_or(Err(Ended::Silent))
}

async fn handshake(target: &Target, rule: &HostRule) -> Result<Socket, Ended> {
    let password = target.password.as_ref().map_err(|reason| *reason)?;
    let host = parse_host(&target.host).ok_or(Ended::UnknownHost)?;
    let addresses = rule.resolve(&host, target.port).await?;
    let mut socket = Socket::connect(&format!("{host}:{}", target.port), &addresses).await?;
    let hello = expect(&mut socket, HELLO).await?;
    if hello["rpcVersion"].as_u64().is_none_or(|version| version < RPC_VERSION) {
        return Err(Ended::OtherVersion);
    }
    let mut identify = json!({ "rpcVersion": RPC_VERSION, "eventSubscriptions": EVENT_SUBSCRIPTIONS });
    if let Some(challenge) = hello.get("authentication").filter(|challenge| !challenge.is_null()) {
        let password = password.as_ref().ok_or(Ended::PasswordMissing)?;
        let text = |key: &str| challenge[key].as_str().ok_or(Ended::ForeignProtocol);
        identify["authentication"] = authentication(password, text("salt")?, text("challenge")?).into();
    }
    socket.send(IDENTIFY, &identify).await?;
    let identified = expect(&mut socket, IDENTIFIED).await?;
    if identified["negotiatedRpcVersion"].as_u64() != Some(RPC_VERSION) {
        return Err(Ended::OtherVersion);
    }
    Ok(socket)
}

/// Returns the data of the next message, which must have the op code.
async fn expect(socket: &mut Socket, op: u64) -> Result<Value, Ended> {
    loop {
        match socket.next().await? {
            Received::Message(found, data) if found == op => return Ok(data),
            // OBS sends events in parallel: one may overtake the answer. The state is read afterwards.
            Received::Message(EVENT, _) if op == IDENTIFIED => {}
            Received::Message(..) => return Err(Ended::ForeignProtocol),
            Received::KeepAlive => {}
        }
    }
}

/// Proof of the password.
fn authentication(password: &Secret, salt: &str, challenge: &str) -> String {
    let hash = |parts: [&str; 2]| BASE64_STANDARD.encode(Sha256::digest(parts.concat()));
    hash([&hash([password.expose(), salt]), challenge])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calculated with another program (openssl).
    #[test]
    fn authentication_is_the_hash_of_a_hash() {
        let proof = authentication(&Secret::new("secret of a test"), "c2FsdA==", "Y2hhbGxlbmdl");
        assert_eq!(proof, "sMx/0lZBds/IE5WzNq+gMc+SN/dKrgc2bxE32LGMN3E=");
    }
}
