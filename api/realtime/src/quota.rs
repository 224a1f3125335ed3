//! Quotas of open sockets by holder (reference/realtime.md#open-sockets).

use std::net::IpAddr;

use api_core::{
    Result, State,
    access::{Principal, SystemReason},
    http::rate_key,
    token::TokenKind,
};
use extension_model::limits::{self, LimitKey};
use uuid::Uuid;

/// Holder and the largest number of its sockets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    /// Kind and id of the holder.
    pub holder: String,
    /// Largest number of open sockets.
    pub limit: usize,
}

impl Quota {
    /// Quota of a socket by its credential, or without one by its address. `None` for system keys, which own
    /// services hold.
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
}

/// Returns the quota with the limit of the socket's extension, if the holder is an install. The default
/// applies while the database is away (reference/developer-limits.md#keys).
pub async fn of_extension(state: &State, principal: &Principal, quota: Quota) -> Quota {
    let Principal::Surface { kind: TokenKind::Extension, subject, .. } = principal else { return quota };
    let Ok(install) = subject.parse() else { return quota };
    match sockets_of_install(state, install).await {
        Ok(limit) => Quota { limit, ..quota },
        Err(error) => {
            tracing::warn!(%error, %install, "the limit of an install's sockets cannot be read");
            quota
        }
    }
}

async fn sockets_of_install(state: &State, install: Uuid) -> Result<usize> {
    let system = state.system(SystemReason::Socket);
    let limit = limits::of_install(&mut *system.db().await?, install, LimitKey::WsConnections).await?;
    Ok(usize::try_from(limit).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        catalogue::PermissionSet,
        id::{AccountId, Trust, UserId},
    };
    use uuid::Uuid;

    #[test]
    fn quota_limits_are_those_of_the_reference() {
        let (user, account, id) =
            (UserId(Uuid::now_v7()), AccountId::trusted(Uuid::now_v7(), Trust::Test), Uuid::now_v7());
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
