//! Events of a channel: published, stored and triggered.

use std::collections::HashSet;

use account_model::features;
use chrono::{DateTime, Utc};
use connection_model::status::{self, BroadcastState, Seen};
use diesel_async::AsyncConnection;
use foundation::events::id_of_source;
use live_model::{AccountEvent, EventRow, Row, RowBuffer, Triggers, announce, trigger};
use shared::{Result, platform::Platform};
use uuid::Uuid;

use super::{
    accounts::Listening,
    delivery_context::DeliveryContext,
    first_seen::{Duplicate, FirstSeen, duplicate_first_seen, event_first_seen},
    health::LastEvents,
    metrics::IngestMetrics,
    normalise::PlatformEvent,
    redemptions,
    starts::Starts,
};
use crate::PlatformContext;

/// Handler of events.
pub(super) struct EventHandler {
    context: PlatformContext,
    events: RowBuffer<EventRow>,
    starts: Starts,
    health: LastEvents,
    metrics: IngestMetrics,
}

impl EventHandler {
    /// Returns a handler that counts in `metrics`.
    pub fn new(
        context: &PlatformContext,
        metrics: IngestMetrics,
        health: LastEvents,
        starts: Starts,
    ) -> Self {
        let events = RowBuffer::new(context.redis.clone());
        Self { context: context.clone(), events, starts, health, metrics }
    }

    /// Handles an event; returns true when handlers run or automations may start.
    pub async fn handle(
        &self,
        delivery_context: &DeliveryContext<'_>,
        event: &PlatformEvent,
        index: usize,
    ) -> Result<bool> {
        let platform = delivery_context.platform.slug();
        let FirstSeen { source, at } = self.first(delivery_context, event, index).await?;
        let off = self.accounts_without(delivery_context, event.event_type).await?;
        let is_on = |account: &&Listening| !off.contains(&account.account_id);
        let (mut rows, mut has_triggered) = (Vec::with_capacity(delivery_context.accounts.len()), false);
        for account in delivery_context.accounts.iter().filter(is_on) {
            let row = event_row(platform, account.account_id, event, &source, at);
            if !delivery_context.delivery.is_reopened {
                announce(&self.context.events, &row.event).await?;
            }
            let triggers = delivery_context.triggers(account);
            has_triggered |= triggers != Triggers::None;
            trigger(&self.context.jobs, &row.event, triggers).await?;
            if delivery_context.may_start() {
                let channel_id = Some(delivery_context.channel_id);
                has_triggered |= self.starts.by_event(&row.event, channel_id, event.is_update()).await?;
            }
            self.health.record(account.account_id, delivery_context.platform, event.event_type, at);
            rows.push(row);
        }
        if let Some(redemption_id) = &event.redemption_id {
            redemptions::enqueue(&self.context, delivery_context.platform, redemption_id, &rows).await?;
        }
        // The reader of a YouTube channel writes the state of every broadcast itself.
        if let Some(event_type) = event.stream_event()
            && delivery_context.platform != Platform::Youtube
        {
            self.stream_status(delivery_context, event, event_type).await?;
        }
        self.metrics.buffered(self.events.push(&rows).await?, EventRow::TABLE);
        Ok(has_triggered)
    }

    /// Returns source and time of an event, as in its first delivery.
    async fn first(
        &self,
        delivery_context: &DeliveryContext<'_>,
        event: &PlatformEvent,
        index: usize,
    ) -> Result<FirstSeen> {
        let (platform, seen_at) = (delivery_context.platform.slug(), delivery_context.sent_at());
        if let Some(source) = event.source_id.clone() {
            let at = event_first_seen(&self.context.redis, platform, &source, seen_at).await?;
            return Ok(FirstSeen { source, at });
        }
        let now = FirstSeen { source: delivery_context.source(index), at: seen_at };
        match &event.duplicate_key {
            Some(content) => {
                let (transport, is_repeated) =
                    (delivery_context.transport(), delivery_context.delivery.is_reopened);
                let duplicate_key = Duplicate { content, transport: &transport, is_repeated };
                duplicate_first_seen(
                    &self.context.redis,
                    platform,
                    delivery_context.channel_id,
                    duplicate_key,
                    now,
                )
                .await
            }
            // The inbox holds a delivery once.
            None => Ok(now),
        }
    }

    /// Returns the accounts for which the event type is switched off: for them it did not happen
    /// (reference/features.md#event-switches).
    async fn accounts_without(
        &self,
        delivery_context: &DeliveryContext<'_>,
        event_type: &str,
    ) -> Result<HashSet<Uuid>> {
        let accounts: Vec<Uuid> =
            delivery_context.accounts.iter().map(|account| account.account_id).collect();
        let mut connection = self.context.databases.postgres.get().await?;
        features::accounts_without(&mut connection, &accounts, &features::of_event(event_type)).await
    }

    /// Stores the state of a stream that an event reports.
    async fn stream_status(
        &self,
        delivery_context: &DeliveryContext<'_>,
        event: &PlatformEvent,
        event_type: &str,
    ) -> Result<()> {
        let text = |key: &str| event.data[key].as_str().map(str::to_owned);
        let started_at = event.data["started_at"].as_str();
        let started_at = started_at.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
        let state =
            if event_type == "stream:online" { BroadcastState::Live } else { BroadcastState::Offline };
        let seen: Vec<Seen> = delivery_context
            .accounts
            .iter()
            .map(|account| Seen {
                broadcast_id: text("broadcast_id"),
                stream_title: text("title"),
                started_at: started_at.map(|at| at.to_utc()),
                ..Seen::new(account.account_id, state, delivery_context.sent_at())
            })
            .collect();
        let mut connection = self.context.databases.postgres.get().await?;
        let platform = delivery_context.platform;
        connection.transaction(async |connection| status::record(connection, platform, &seen).await).await
    }
}

fn event_row(
    platform: &str,
    account_id: Uuid,
    event: &PlatformEvent,
    source: &str,
    occurred_at: DateTime<Utc>,
) -> EventRow {
    let user = event.user.as_ref();
    let event = AccountEvent {
        id: id_of_source(&format!("{account_id}:{platform}:{source}"), occurred_at),
        account_id,
        event_type: event.event_type.to_owned(),
        platform: Some(platform.to_owned()),
        platform_user_id: user.map(|user| user.id.clone()),
        username: user.and_then(|user| user.username.clone()),
        display_name: user.and_then(|user| user.display_name.clone()),
        avatar_url: user.and_then(|user| user.avatar_url.clone()),
        amount: event.amount,
        currency: event.currency.clone(),
        message: event.message.clone(),
        data: event.data.clone(),
        is_test: false,
        occurred_at,
    };
    EventRow::new(event, format!("{platform}:{source}"))
}
