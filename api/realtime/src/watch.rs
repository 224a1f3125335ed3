//! Changes that end or narrow an admitted session: changed rights, ended credentials, the longest life of a
//! socket (reference/realtime.md#changes-of-rights).

use std::time::Duration;

use api_core::token::TokenKind;
use api_core::{
    access::{CredentialStatus, Principal, credential_statuses},
    cache::Change,
};
use foundation::invalidation::Invalidation;
use tokio::{
    sync::broadcast::error::RecvError,
    time::{Interval, MissedTickBehavior},
};

use crate::{
    hub::{Hub, Open},
    protocol::MAX_UNSUBSCRIBED,
    socket::Signal,
};

/// Interval of the check of shares and of ending lives.
const SHARE_CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Interval of the check of every credential, in case an announcement was lost.
const CREDENTIAL_CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// Signals sockets whose rights may have changed, after the caches forgot them.
pub async fn changes(hub: Hub) {
    let mut changes = hub.state.caches.changes();
    loop {
        let change = match changes.recv().await {
            Ok(change) => change,
            Err(RecvError::Lagged(_)) => Change::Everything,
            Err(RecvError::Closed) => return,
        };
        hub.count_change();
        if let Change::One(Invalidation::AccountEnded { account_id }) = change {
            hub.end(account_id);
        }
        if let Change::One(Invalidation::InstallRemoved { install_id, .. }) = change {
            hub.end(install_id);
        }
        match change {
            Change::Everything => {
                hub.sockets.signal(Signal::Credential, |open| !open.principal.is_anonymous())
            }
            Change::One(Invalidation::Credential { id } | Invalidation::Session { id }) => {
                hub.sockets.signal(Signal::Credential, |open| open.principal.status_id() == Some(id));
            }
            // Keys and tokens may have ended with it; sessions only lose their rights.
            Change::One(
                what @ (Invalidation::MembershipEnded { .. } | Invalidation::AccountEnded { .. }),
            ) => {
                hub.sockets.signal(Signal::Credential, |open| concerns(&what, &open.principal));
            }
            Change::One(what) => hub.sockets.signal(Signal::Rights, |open| concerns(&what, &open.principal)),
        }
    }
}

/// True when a change may have changed the rights of a credential's holder.
fn concerns(what: &Invalidation, principal: &Principal) -> bool {
    let of_account = |id: &uuid::Uuid| principal.account().is_some_and(|account| account.uuid() == *id);
    let of_user = |id: &uuid::Uuid| principal.people().into_iter().flatten().any(|user| user.0 == *id);
    match what {
        Invalidation::Member { account_id, user_id }
        | Invalidation::MembershipEnded { account_id, user_id } => of_account(account_id) && of_user(user_id),
        Invalidation::AccountEnded { account_id } | Invalidation::InstallRemoved { account_id, .. } => {
            of_account(account_id)
        }
        Invalidation::Account { account_id } | Invalidation::Features { account_id } => {
            of_account(account_id)
        }
        // The plan of an account is not known here.
        Invalidation::AllFeatures | Invalidation::PlanFeatures { .. } => !principal.is_anonymous(),
        Invalidation::User { user_id } => of_user(user_id),
        // No channel has a gate of the user or admin scope, of a limit, an automation or a webhook.
        Invalidation::AllUsers
        | Invalidation::Limits
        | Invalidation::Automations { .. }
        | Invalidation::Webhooks { .. }
        | Invalidation::PublicStats => false,
        Invalidation::Credential { id } | Invalidation::Session { id } => principal.status_id() == Some(*id),
    }
}

/// Checks every five seconds: expired shares, sockets at the end of their life, sockets without a
/// subscription.
pub async fn shares(hub: Hub) {
    let mut ticks = ticks(SHARE_CHECK_INTERVAL);
    loop {
        ticks.tick().await;
        let now = hub.state.clock.now();
        hub.sockets.signal(Signal::Expired, |open| open.ends_at.is_some_and(|at| at <= now));
        let is_share =
            |open: &Open| matches!(open.principal, Principal::Surface { kind: TokenKind::Share, .. });
        check_credentials(&hub, hub.sockets.select(is_share)).await;
        // Signalled last, so that an ended credential is the reported reason.
        hub.sockets
            .signal(Signal::Unsubscribed, |open| open.socket.is_unsubscribed_for(MAX_UNSUBSCRIBED, now));
    }
}

/// Checks every credential every thirty seconds.
pub async fn credentials(hub: Hub) {
    let mut ticks = ticks(CREDENTIAL_CHECK_INTERVAL);
    loop {
        ticks.tick().await;
        check_credentials(&hub, hub.sockets.select(|open| !open.principal.is_anonymous())).await;
    }
}

fn ticks(period: Duration) -> Interval {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

async fn check_credentials(hub: &Hub, sockets: Vec<Open>) {
    let principals: Vec<&Principal> = sockets.iter().map(|open| &open.principal).collect();
    let found = match credential_statuses(&hub.state, principals).await {
        Ok(found) => found,
        // The database is away: sockets stay, and are checked the next time.
        Err(error) => return tracing::warn!(%error, "credentials of sockets could not be checked"),
    };
    for open in &sockets {
        match found.of(&open.principal) {
            Some(CredentialStatus::Revoked) => open.socket.signal(Signal::Revoked),
            Some(CredentialStatus::Expired) => open.socket.signal(Signal::Expired),
            Some(CredentialStatus::Good(scopes)) if scopes.as_ref() != open.principal.scopes() => {
                open.socket.signal(Signal::Credential);
            }
            Some(CredentialStatus::Good(_)) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::id::{AccountId, Trust, UserId};
    use uuid::Uuid;

    #[test]
    fn concerns_matches_the_account_or_person_of_a_change() {
        let (user_id, account_id, session, other) =
            (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
        let principal = Principal::Session {
            user: UserId(user_id),
            session,
            account: Some(AccountId::trusted(account_id, Trust::Test)),
        };
        let concerned = [
            Invalidation::Member { account_id, user_id },
            Invalidation::Account { account_id },
            Invalidation::MembershipEnded { account_id, user_id },
            Invalidation::AccountEnded { account_id },
            Invalidation::InstallRemoved { account_id, install_id: other },
            Invalidation::Features { account_id },
            Invalidation::AllFeatures,
            Invalidation::Session { id: session },
        ];
        let foreign = [
            Invalidation::Member { account_id, user_id: other },
            Invalidation::Member { account_id: other, user_id },
            Invalidation::Account { account_id: other },
            Invalidation::MembershipEnded { account_id, user_id: other },
            Invalidation::AccountEnded { account_id: other },
            Invalidation::InstallRemoved { account_id: other, install_id: account_id },
            Invalidation::Session { id: other },
        ];
        assert!(concerned.iter().all(|what| concerns(what, &principal)));
        assert!(!foreign.iter().any(|what| concerns(what, &principal)));
        assert!(!concerns(&Invalidation::AllFeatures, &Principal::Anonymous { refused: false }));
    }
}
