//! Subscriptions to events, and the deliveries that a test requests.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::{POLL_INTERVAL, StandIn};
use crate::{Delivery, DeliveryOptions, kick, server::Webhooks, state::State, twitch};

impl StandIn {
    /// All EventSub subscriptions in the order of their creation.
    #[must_use]
    pub fn eventsub_subscriptions(&self) -> Vec<twitch::Subscription> {
        self.state.lock().eventsub.clone()
    }

    /// Waits until an EventSub subscription is no longer pending and returns its status; `None` when there is no
    /// such subscription.
    pub async fn eventsub_status(&self, id: &str, timeout: Duration) -> Option<String> {
        let deadline = Instant::now() + timeout;
        loop {
            let status = self.eventsub_subscriptions().into_iter().find(|found| found.id == id)?.status;
            if !status.ends_with("_pending") || Instant::now() >= deadline {
                return Some(status);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Delivers an event to every enabled EventSub subscription that matches it.
    pub async fn deliver_twitch(&self, event: &twitch::Event, options: &DeliveryOptions) -> Vec<Delivery> {
        deliver_twitch(&self.state, &self.webhooks, event, options).await
    }

    /// Delivers an event as if a subscription with this callback and secret existed.
    pub async fn deliver_twitch_to(
        &self,
        callback: &str,
        secret: &str,
        event: &twitch::Event,
        options: &DeliveryOptions,
    ) -> Delivery {
        let subscription = twitch::Subscription::enabled(event, callback, secret);
        let request = twitch::notification(&subscription, event, options);
        request.deliver(&self.webhooks.client, callback, options).await
    }

    /// Ends an EventSub subscription and notifies its callback; `None` when there is no such subscription.
    pub async fn revoke_eventsub(&self, id: &str, reason: &str) -> Option<Delivery> {
        revoke_eventsub(&self.state, &self.webhooks, id, reason).await
    }

    /// Sets the webhook address of the Kick application.
    pub fn set_kick_webhook_url(&self, url: &str) {
        self.state.lock().kick_webhook_url = Some(url.into());
    }

    /// All Kick event subscriptions.
    #[must_use]
    pub fn kick_subscriptions(&self) -> Vec<kick::Subscription> {
        self.state.lock().kick_subscriptions.clone()
    }

    /// The key that signs Kick's webhooks.
    #[must_use]
    pub fn kick_key(&self) -> &kick::SigningKey {
        &self.state.kick_key
    }

    /// Delivers an event to the Kick application's webhook address for every subscription that matches it.
    ///
    /// # Errors
    /// An error when no webhook address is set.
    pub async fn deliver_kick(
        &self,
        event: &kick::Event,
        options: &DeliveryOptions,
    ) -> Result<Vec<Delivery>> {
        deliver_kick(&self.state, &self.webhooks, event, options).await
    }

    /// Delivers an event to an address as if a subscription existed.
    pub async fn deliver_kick_to(
        &self,
        callback: &str,
        event: &kick::Event,
        options: &DeliveryOptions,
    ) -> Delivery {
        deliver_kick_to(&self.state, &self.webhooks, callback, event, options).await
    }
}

pub(crate) async fn deliver_twitch(
    state: &State,
    webhooks: &Webhooks,
    event: &twitch::Event,
    options: &DeliveryOptions,
) -> Vec<Delivery> {
    let wanting: Vec<twitch::Subscription> = state
        .lock()
        .eventsub
        .iter()
        .filter(|one| one.session_id.is_none() && one.wants(event))
        .cloned()
        .collect();
    let mut deliveries = Vec::new();
    for subscription in wanting {
        let request = twitch::notification(&subscription, event, options);
        deliveries.push(request.deliver(&webhooks.client, &subscription.callback, options).await);
    }
    deliveries
}

pub(crate) async fn revoke_eventsub(
    state: &State,
    webhooks: &Webhooks,
    id: &str,
    reason: &str,
) -> Option<Delivery> {
    let subscription = twitch::revoke(&mut state.lock(), id, reason)?;
    let options = DeliveryOptions::default();
    let request = twitch::revocation(&subscription, &options);
    Some(request.deliver(&webhooks.client, &subscription.callback, &options).await)
}

pub(crate) async fn deliver_kick(
    state: &State,
    webhooks: &Webhooks,
    event: &kick::Event,
    options: &DeliveryOptions,
) -> Result<Vec<Delivery>> {
    let (callback, wanting) = {
        let inner = state.lock();
        let wanting: Vec<String> = inner
            .kick_subscriptions
            .iter()
            .filter(|subscription| subscription.wants(event))
            .map(|subscription| subscription.id.clone())
            .collect();
        (inner.kick_webhook_url.clone(), wanting)
    };
    let callback = callback.ok_or_else(|| anyhow!("the Kick application has no webhook address"))?;
    let mut deliveries = Vec::new();
    for subscription_id in wanting {
        let request = kick::notification(&state.kick_key, &subscription_id, event, options);
        deliveries.push(request.deliver(&webhooks.client, &callback, options).await);
    }
    Ok(deliveries)
}

pub(crate) async fn deliver_kick_to(
    state: &State,
    webhooks: &Webhooks,
    callback: &str,
    event: &kick::Event,
    options: &DeliveryOptions,
) -> Delivery {
    let subscription_id = crate::identifier::ulid();
    let request = kick::notification(&state.kick_key, &subscription_id, event, options);
    request.deliver(&webhooks.client, callback, options).await
}
