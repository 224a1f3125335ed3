//! State of one OBS: stored for the API, and published on the channel of the account as it changes
//! (reference/obs.md#state).

use foundation::events::{Channel, Event};
use live_model::obs::{ObsExchange, ObsState};
use serde_json::Value;
use uuid::Uuid;
use worker_core::Context;

/// State of the OBS of one account.
pub(super) struct Board {
    context: Context,
    exchange: ObsExchange,
    account: Uuid,
    pub state: ObsState,
    /// State that was published last.
    published: Option<ObsState>,
}

impl Board {
    /// Board of an account, without a connection.
    pub fn new(context: &Context, exchange: &ObsExchange, account: Uuid) -> Self {
        let state = ObsState::disconnected(None, context.clock.now());
        Self { context: context.clone(), exchange: exchange.clone(), account, state, published: None }
    }

    /// Stores the state, and publishes it when it has changed. A failure of Redis is made good by the next renewal.
    pub async fn show(&mut self) {
        if self.store_change().await {
            self.publish_status().await;
        }
    }

    /// Stores the state when it has changed since its publication. True when it has.
    async fn store_change(&mut self) -> bool {
        if self.published.as_ref() == Some(&self.state) {
            return false;
        }
        self.state.updated_at = self.context.clock.now();
        self.renew().await;
        true
    }

    async fn publish_status(&mut self) {
        self.publish("obs:status", self.state.status()).await;
        self.published = Some(self.state.clone());
    }

    /// Sets and shows a state without a connection.
    pub async fn disconnect(&mut self, reason: Option<String>) {
        self.state = ObsState::disconnected(reason, self.state.updated_at);
        self.show().await;
    }

    /// Applies an event of OBS.
    pub async fn apply(&mut self, event_type: &str, data: &Value) {
        let event = self.state.apply(event_type, data);
        // Stored once, and before its announcements, so that who reads after them finds the new state.
        let is_changed = self.store_change().await;
        if let Some((event_type, data)) = event {
            self.publish(event_type, data).await;
        }
        if is_changed {
            self.publish_status().await;
        }
    }

    /// Stores the state before it expires.
    pub async fn renew(&self) {
        if let Err(error) = self.exchange.store(self.account, &self.state).await {
            tracing::warn!(account = %self.account, %error, "the state of OBS cannot be stored");
        }
    }

    /// Removes the state: no copy attends to this OBS any more.
    pub async fn clear(&mut self) {
        self.disconnect(None).await;
        if let Err(error) = self.exchange.clear(self.account).await {
            tracing::debug!(account = %self.account, %error, "the state of OBS expires by itself");
        }
    }

    async fn publish(&self, event_type: &str, data: Value) {
        let now = self.context.clock.now();
        let event = Event::new(Channel::Obs(self.account), event_type, data, now);
        if let Err(error) = self.context.events.append(&event).await {
            tracing::warn!(account = %self.account, event_type, %error, "a change of OBS cannot be published");
        }
    }
}
