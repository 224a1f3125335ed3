//! Chat lines: published, stored, counted and triggered, unless they were removed before. Removed ones count too.

use std::collections::HashSet;

use chrono::{DateTime, SubsecRound, Utc};
use foundation::{
    events::{Channel, Event, Removal, id_of_source},
    jobs::RunTriggers,
    redis::RoundTrip,
};
use history_model::minutes::{chatter_hash, gif_links};
use live_model::{ChatMessage, Line, OwnMessages, Removals, Row, RowBuffer, Triggers};
use shared::Result;
use uuid::Uuid;

use super::{
    accounts::Listening, delivery_context::DeliveryContext, first_seen::message_first_seen_in,
    health::LastEvents, metrics::IngestMetrics, normalise::ChatLine, starts::Starts,
};
use crate::PlatformContext;

/// Maximum difference between a platform's own time of a message and that of the delivery; beyond it the
/// delivery's time is used.
const MAX_CLOCK_SKEW: chrono::Duration = chrono::Duration::hours(24);

/// Handler of chat lines.
pub(super) struct ChatHandler {
    context: PlatformContext,
    messages: RowBuffer<ChatMessage>,
    own: OwnMessages,
    removals: Removals,
    starts: Starts,
    health: LastEvents,
    metrics: IngestMetrics,
}

impl ChatHandler {
    /// Returns a handler that counts in `metrics`.
    pub fn new(
        context: &PlatformContext,
        metrics: IngestMetrics,
        health: LastEvents,
        starts: Starts,
    ) -> Self {
        Self {
            starts,
            messages: RowBuffer::new(context.redis.clone()),
            own: OwnMessages::new(context.redis.clone()),
            removals: Removals::new(context.redis.clone()),
            context: context.clone(),
            health,
            metrics,
        }
    }

    /// Handles a line; returns true when handlers run or automations may start.
    pub async fn handle(&self, delivery_context: &DeliveryContext<'_>, line: &ChatLine) -> Result<bool> {
        let mut rows = self.rows(delivery_context, line).await?;
        let is_own = self.publish(delivery_context, line, &mut rows).await?;
        if line.is_from_elsewhere || is_own {
            return Ok(false);
        }
        let mut has_triggered = false;
        for (account, row) in delivery_context.accounts.iter().zip(&rows).filter(|(_, row)| !row.is_deleted) {
            if let Triggers::Run { channel_id } = delivery_context.triggers(account) {
                self.trigger(account, row.announcement()?, channel_id).await?;
                has_triggered = true;
            }
            if delivery_context.may_start() {
                let channel_id = delivery_context.channel_id;
                let announcement = || row.announcement();
                has_triggered |=
                    self.starts.by_line(row.account_id, &row.text, channel_id, announcement).await?;
            }
        }
        Ok(has_triggered)
    }

    /// Builds the line for every account. Its time is the payload's own, else that of its first delivery, in
    /// milliseconds like all stored times.
    async fn rows(
        &self,
        delivery_context: &DeliveryContext<'_>,
        line: &ChatLine,
    ) -> Result<Vec<ChatMessage>> {
        let (platform, delivered_at) = (delivery_context.platform.slug(), delivery_context.sent_at());
        let rows_of = |sent_at| -> Vec<ChatMessage> {
            let accounts = delivery_context.accounts.iter();
            accounts.map(|account| message(platform, account.account_id, line, sent_at)).collect()
        };
        let own_time = line.sent_at.filter(|at| (*at - delivered_at).abs() <= MAX_CLOCK_SKEW);
        let mut rows = rows_of(own_time.map_or(delivered_at, |at| at.trunc_subsecs(3)));
        let mut trip = RoundTrip::default();
        let first = own_time.is_none().then(|| {
            message_first_seen_in(&mut trip, &self.context.redis, platform, &line.message_id, delivered_at)
        });
        let removed = self.removals.ask_in(&mut trip, &rows.iter().collect::<Vec<_>>());
        let mut answers = trip.send(&self.context.redis).await?;
        let first = first.map(|first| first.answered(&mut answers)).transpose()?;
        if let Some(earlier) = first.filter(|first| *first != delivered_at) {
            rows = rows_of(earlier);
        }
        let removed = ids(&removed.among(&rows.iter().collect::<Vec<_>>(), &mut answers)?);
        for row in &mut rows {
            row.is_deleted = removed.contains(&row.id);
        }
        Ok(rows)
    }

    /// Publishes and stores a line; returns true for one of our own lines.
    async fn publish(
        &self,
        delivery_context: &DeliveryContext<'_>,
        line: &ChatLine,
        rows: &mut [ChatMessage],
    ) -> Result<bool> {
        let mut trip = RoundTrip::default();
        let published: Vec<&ChatMessage> = rows.iter().filter(|row| !row.is_deleted).collect();
        // A reopened delivery was published before.
        for row in published.iter().filter(|_| !delivery_context.delivery.is_reopened) {
            let _appended = self.context.events.append_in(&mut trip, &row.announcement()?)?;
        }
        let pushing = self.messages.push_in(&mut trip, &buffered(delivery_context, rows))?;
        // After the line is published, so that a removal in between is noticed.
        trip.barrier();
        let removed = self.removals.ask_in(&mut trip, &published);
        let is_own = self.own.contain_in(&mut trip, &line_of(delivery_context, line), &line.message_id);
        let mut answers = trip.send(&self.context.redis).await?;
        self.metrics.buffered(pushing.answered(&mut answers)?, ChatMessage::TABLE);
        let removed = ids(&removed.among(&published, &mut answers)?);
        for row in rows.iter() {
            self.health.record(row.account_id, delivery_context.platform, "chat:message", row.sent_at);
        }
        // A removal since then may have been published before the line: it is published again, and the line
        // triggers nothing.
        for row in rows.iter_mut().filter(|row| removed.contains(&row.id)) {
            self.context.events.append(&removal_event(row)).await?;
            row.is_deleted = true;
        }
        is_own.answered(&mut answers)
    }

    async fn trigger(&self, account: &Listening, event: Event, channel_id: Option<String>) -> Result<()> {
        let key = format!("{}:{}", event.id, account.account_id);
        let job = RunTriggers { account_id: account.account_id, event, channel_id };
        self.context.jobs.enqueue(&job, &key).await?;
        Ok(())
    }
}

/// Rows of a line that are written. Of an account that stores no chat they are counted only
/// (reference/history.md#counts).
fn buffered(delivery_context: &DeliveryContext<'_>, rows: &[ChatMessage]) -> Vec<ChatMessage> {
    let of_accounts = delivery_context.accounts.iter().zip(rows);
    of_accounts
        .map(|(account, row)| {
            if account.stores_chat() {
                ChatMessage { forgets_user: !account.stores_users(), ..row.clone() }
            } else {
                let writer = chatter_hash(row.account_id, &row.platform, &row.platform_user_id);
                row.clone().counted_only(writer, &gif_links(&row.text))
            }
        })
        .collect()
}

fn line_of<'a>(delivery_context: &DeliveryContext<'a>, line: &'a ChatLine) -> Line<'a> {
    Line {
        platform: delivery_context.platform.slug(),
        channel_id: delivery_context.channel_id,
        sender_id: Some(&line.user_id),
        text: &line.text,
    }
}

fn ids(rows: &[&ChatMessage]) -> HashSet<Uuid> {
    rows.iter().map(|row| row.id).collect()
}

/// Returns the removal of a line that was published.
fn removal_event(row: &ChatMessage) -> Event {
    let removal = Removal::Message { message_id: row.platform_message_id.clone() };
    let (channel, data) = (Channel::Chat(row.account_id), removal.data(&row.platform));
    let source = format!("{}:{}:removed:{}", row.account_id, row.platform, row.platform_message_id);
    Event::of_source(channel, removal.event_type(), data, row.sent_at, &source)
}

fn message(platform: &str, account_id: Uuid, line: &ChatLine, sent_at: DateTime<Utc>) -> ChatMessage {
    ChatMessage {
        id: id_of_source(&format!("{account_id}:{platform}:{}", line.message_id), sent_at),
        account_id,
        platform: platform.to_owned(),
        platform_message_id: line.message_id.clone(),
        platform_user_id: line.user_id.clone(),
        username: line.username.clone(),
        display_name: line.display_name.clone(),
        color: line.color.clone(),
        badges: line.badges.clone(),
        text: line.text.clone(),
        fragments: line.fragments.clone(),
        emotes: line.emotes.clone(),
        reply_to: line.reply_to.clone(),
        is_deleted: false,
        is_action: line.is_action,
        sent_at,
        forgets_user: false,
        counted_as: None,
    }
}
