//! What a session may still do: looked up again whenever it may have changed (specification C §11.4).

use std::time::Duration;

use api_core::{
    ApiError, Cx,
    access::{Standing, standings},
};
use shared::events::Channel;
use tokio::time::Instant;

use super::Session;
use crate::{
    gates,
    protocol::{Closing, ErrorCode, MAX_UNSUBSCRIBED, Refusal, ServerFrame, UnsubscribeReason},
    socket::{Signal, queue::Signals},
};

/// Time until rights that could not be looked up are looked up again.
pub(super) const RETRY: Duration = Duration::from_secs(2);

impl Session {
    pub(super) async fn attend(&mut self, signals: Signals) {
        if signals.has(Signal::Shutdown) {
            self.end(Closing::Shutdown);
        }
        if signals.has(Signal::Revoked) {
            return self.end_credential(Standing::Revoked);
        }
        if signals.has(Signal::Expired) {
            return self.end_credential(Standing::Expired);
        }
        if signals.has(Signal::Unsubscribed)
            && self.socket.is_unsubscribed_for(MAX_UNSUBSCRIBED, self.cx.state().clock.now())
        {
            self.end(Closing::NoSubscription);
        }
        if signals.has(Signal::Credential) {
            self.look_again(Signal::Credential).await;
        } else if signals.has(Signal::Rights) {
            self.look_again(Signal::Rights).await;
        }
    }

    /// Looks up rights again. When that fails the subscriptions stand, and it is tried again soon.
    pub(super) async fn look_again(&mut self, what: Signal) {
        // Looking the credential up includes what it may do.
        let what = self.overdue.map_or(what, |(due, _)| if due == Signal::Credential { due } else { what });
        let hub = self.hub.clone();
        // An error would mean that the semaphore was closed, which it never is.
        let _permit = hub.rechecks.acquire().await;
        let looked = async {
            if what == Signal::Credential {
                self.check_credential().await?;
            }
            self.check_gates().await
        };
        self.overdue = looked.await.err().map(|_logged| (what, Instant::now() + RETRY));
    }

    async fn check_credential(&mut self) -> Result<(), ApiError> {
        let found = standings(self.cx.state(), [self.cx.principal()]).await?;
        match found.of(self.cx.principal()) {
            Some(Standing::Good(Some(scopes))) => {
                let principal = self.cx.principal().clone().with_scopes(scopes);
                self.cx = Cx::new(self.cx.state().clone(), principal, self.cx.request().clone());
            }
            Some(standing @ (Standing::Expired | Standing::Revoked)) => self.end_credential(standing),
            Some(Standing::Good(None)) | None => {}
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
        self.note_subscriptions();
    }

    fn end_credential(&self, standing: Standing) {
        let (code, message, closing) = match standing {
            Standing::Good(_) => return,
            Standing::Expired => (ErrorCode::TokenExpired, "The token has expired", Closing::TokenExpired),
            Standing::Revoked => (ErrorCode::TokenRevoked, "The token was revoked", Closing::TokenRevoked),
        };
        self.refuse(&Refusal::new(code, message));
        self.end(closing);
    }
}

/// Waits until rights are to be looked up again, for ever when none are.
pub(super) async fn due(overdue: Option<(Signal, Instant)>) -> Signal {
    match overdue {
        Some((signal, at)) => {
            tokio::time::sleep_until(at).await;
            signal
        }
        None => std::future::pending().await,
    }
}
