//! How many sockets one holder may have open (specification B §8, C §11.4, E 5), counted across processes.
//!
//! Each socket takes a place that its process renews; places of a process that died end by themselves. While Redis is
//! away a process counts only its own.

use std::{net::IpAddr, sync::LazyLock, time::Duration};

use api_core::{access::Principal, http::rate_key};
use redis::Script;
use shared::token::TokenKind;
use tokio::time::MissedTickBehavior;
use uuid::Uuid;

use crate::hub::Hub;

/// How long a place stands without being renewed.
const LIFETIME: Duration = Duration::from_secs(30);
const RENEW_INTERVAL: Duration = Duration::from_secs(10);
/// Places that are renewed by one command.
const BATCH: usize = 500;

static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("take_place.lua")));
static KEEP: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("keep_places.lua")));

/// A holder and how many sockets it may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    holder: String,
    pub limit: usize,
}

impl Quota {
    /// The quota that a socket falls under by its credential, or without one by its address; none for system keys,
    /// which are ours.
    pub fn of(principal: &Principal, address: Option<IpAddr>) -> Option<Self> {
        let (holder, limit) = match principal {
            Principal::Session { user, .. } | Principal::PersonalKey { user, .. } => {
                (format!("user:{user}"), 20)
            }
            Principal::Popout { id, .. } => (format!("popout:{id}"), 10),
            Principal::Surface { kind: TokenKind::Extension, subject, .. } => {
                (format!("install:{subject}"), 5)
            }
            Principal::Surface { id, .. } => (format!("surface:{id}"), 10),
            Principal::ServiceKey { account, .. } => (format!("service:{account}"), 100),
            Principal::Anonymous { .. } => (format!("address:{}", rate_key(address)), 20),
            Principal::SystemKey { .. } => return None,
        };
        Some(Self { holder, limit })
    }

    fn key(&self, hub: &Hub) -> String {
        hub.state.redis.key(format_args!("ws:places:{}", self.holder))
    }
}

/// Takes a place for a socket. Answers whether there was one.
pub async fn take(hub: &Hub, quota: &Quota, socket: Uuid) -> bool {
    match take_shared(hub, quota, socket).await {
        Ok(taken) => taken,
        Err(error) => {
            tracing::warn!(%error, "sockets are counted by this process alone");
            hub.sockets.count(quota) < quota.limit
        }
    }
}

async fn take_shared(hub: &Hub, quota: &Quota, socket: Uuid) -> shared::Result<bool> {
    let taken = TAKE
        .key(quota.key(hub))
        .arg(socket.to_string())
        .arg(quota.limit)
        .arg(LIFETIME.as_millis())
        .invoke_async(&mut *hub.state.redis.get().await?)
        .await?;
    Ok(taken)
}

/// Gives a socket's place back.
pub async fn give_back(hub: &Hub, quota: &Quota, socket: Uuid) {
    if let Err(error) = give_back_shared(hub, quota, socket).await {
        // It ends by itself.
        tracing::debug!(%error, "the place of a socket was not given back");
    }
}

async fn give_back_shared(hub: &Hub, quota: &Quota, socket: Uuid) -> shared::Result<()> {
    let mut connection = hub.state.redis.get().await?;
    Ok(redis::cmd("ZREM").arg(quota.key(hub)).arg(socket.to_string()).query_async(&mut *connection).await?)
}

/// Renews the places of this process's sockets.
pub async fn keep(hub: Hub) {
    let mut ticks = tokio::time::interval(RENEW_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let held: Vec<(String, Uuid)> = hub
            .sockets
            .select(|open| open.quota.is_some())
            .iter()
            .filter_map(|open| Some((open.quota.as_ref()?.key(&hub), open.socket.id())))
            .collect();
        for batch in held.chunks(BATCH) {
            if let Err(error) = renew(&hub, batch).await {
                tracing::debug!(%error, "places of sockets were not renewed");
                break;
            }
        }
    }
}

async fn renew(hub: &Hub, places: &[(String, Uuid)]) -> shared::Result<()> {
    let mut script = KEEP.prepare_invoke();
    script.arg(LIFETIME.as_millis());
    for (key, socket) in places {
        script.key(key).arg(socket.to_string());
    }
    Ok(script.invoke_async(&mut *hub.state.redis.get().await?).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        catalogue::PermissionSet,
        id::{AccountId, UserId},
    };

    #[test]
    fn limits_are_those_of_the_specification() {
        let (user, account, id) = (UserId(Uuid::now_v7()), AccountId(Uuid::now_v7()), Uuid::now_v7());
        let surface =
            |kind| Principal::Surface { id, kind, account, subject: "s".into(), surface: None, user: None };
        let limit = |principal: &Principal| Quota::of(principal, None).map(|quota| quota.limit);
        let session = Principal::Session { user, session: id, account: None };
        assert_eq!(limit(&session), Some(20));
        let popout = Principal::Popout {
            id,
            user,
            maker: user,
            account,
            scopes: PermissionSet::empty(),
            exchanged: false,
        };
        assert_eq!(limit(&popout), Some(10));
        for kind in [TokenKind::Overlay, TokenKind::Share, TokenKind::Widget] {
            assert_eq!(limit(&surface(kind)), Some(10));
        }
        assert_eq!(limit(&surface(TokenKind::Extension)), Some(5));
        assert_eq!(limit(&Principal::SystemKey { id }), None);
        let service = |id| Principal::ServiceKey { id, account, scopes: PermissionSet::empty() };
        assert_eq!(limit(&service(id)), Some(100));
        let together = Quota::of(&service(id), None) == Quota::of(&service(Uuid::now_v7()), None);
        assert!(together, "all keys of an account");
        let anonymous = Principal::Anonymous { refused: false };
        assert_eq!(limit(&anonymous), Some(20));
        let address = |ip: &str| Quota::of(&anonymous, ip.parse().ok());
        assert_ne!(address("203.0.113.1"), address("203.0.113.2"));
        assert_eq!(address("2001:db8::1"), address("2001:db8::2"), "one network");
    }
}
