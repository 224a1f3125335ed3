//! Rights of a session, read again after every change (reference/realtime.md#changes-of-rights).

use std::time::Duration;

use api_core::{
    ApiError, Cx,
    access::{CredentialStatus, credential_statuses},
};
use foundation::events::Channel;
use tokio::time::Instant;

use super::Session;
use crate::{
    gates,
    protocol::{Closing, ErrorCode, MAX_UNSUBSCRIBED, Refusal, ServerFrame, UnsubscribeReason},
    socket::{Signal, queue::Signals},
};

/// Delay before a failed check of rights is repeated.
pub(super) const RETRY_DELAY: Duration = Duration::from_secs(2);

impl Session {
    pub(super) async fn attend(&mut self, signals: Signals) {
        if signals.has(Signal::Shutdown) {
            self.end(Closing::Shutdown);
        }
        if signals.has(Signal::Revoked) {
            return self.end_credential(CredentialStatus::Revoked);
        }
        if signals.has(Signal::Expired) {
            return self.end_credential(CredentialStatus::Expired);
        }
        if signals.has(Signal::Unsubscribed)
            && self.socket.is_unsubscribed_for(MAX_UNSUBSCRIBED, self.cx.state().clock.now())
        {
            self.end(Closing::NoSubscription);
        }
        if signals.has(Signal::Credential) {
            self.recheck(Signal::Credential).await;
        } else if signals.has(Signal::Rights) {
            self.recheck(Signal::Rights).await;
        }
    }

    /// Checks rights again. When that fails, subscriptions stay and the check is repeated soon.
    pub(super) async fn recheck(&mut self, what: Signal) {
        // A check of the credential includes its rights.
        let what = self.overdue.map_or(what, |(due, _)| if due == Signal::Credential { due } else { what });
        let hub = self.hub.clone();
        // An error would mean that the semaphore was closed, which it never is.
        let _permit = hub.rechecks.acquire().await;
        let checked = async {
            if what == Signal::Credential {
                self.check_credential().await?;
            }
            self.check_gates().await
        };
        self.overdue = checked.await.err().map(|_logged| (what, Instant::now() + RETRY_DELAY));
    }

    async fn check_credential(&mut self) -> Result<(), ApiError> {
        let found = credential_statuses(self.cx.state(), [self.cx.principal()]).await?;
        match found.of(self.cx.principal()) {
            Some(CredentialStatus::Good(Some(scopes))) => {
                let principal = self.cx.principal().clone().with_scopes(scopes);
                self.cx = Cx::new(self.cx.state().clone(), principal, self.cx.request().clone());
            }
            Some(status @ (CredentialStatus::Expired | CredentialStatus::Revoked)) => {
                self.end_credential(status)
            }
            Some(CredentialStatus::Good(None)) | None => {}
        }
        Ok(())
    }

    async fn check_gates(&mut self) -> Result<(), ApiError> {
        let channels: Vec<Channel> = self.subscriptions.keys().copied().collect();
        for channel in channels {
            if let Some(reason) = gates::check(&self.hub, &self.cx, channel).await?.reason() {
                self.take_away(channel, reason);
            }
        }
        Ok(())
    }

    pub(super) fn take_away(&mut self, channel: Channel, reason: UnsubscribeReason) {
        self.subscriptions.remove(&channel);
        let channel = channel.to_string();
        self.say(&ServerFrame::Unsubscribed { channel: &channel, request_id: None, reason: Some(reason) });
        self.record_subscriptions();
    }

    fn end_credential(&self, status: CredentialStatus) {
        let (code, message, closing) = match status {
            CredentialStatus::Good(_) => return,
            CredentialStatus::Expired => {
                (ErrorCode::TokenExpired, "The token has expired", Closing::TokenExpired)
            }
            CredentialStatus::Revoked => {
                (ErrorCode::TokenRevoked, "The token was revoked", Closing::TokenRevoked)
            }
        };
        self.refuse(&Refusal::new(code, message));
        self.end(closing);
    }
}

/// Waits until a check of rights is due; without end when none is.
pub(super) async fn due(overdue: Option<(Signal, Instant)>) -> Signal {
    match overdue {
        Some((signal, at)) => {
            tokio::time::sleep_until(at).await;
            signal
        }
        None => std::future::pending().await,
    }
}
