//! Handling of a delivery: it is normalised, each happening in it is published, stored and triggered, and the
//! delivery is marked as handled.

use std::sync::Arc;

use live_model::{EventRow, Row, RowBuffer, shop::SHOPIFY, tips::STREAM_ELEMENTS};
use shared::{Error, Result, platform::Platform};
use tokio::{sync::Semaphore, time::Instant};
use uuid::Uuid;

use super::{
    audience::{Audience, audience},
    channel_queue::{self, ChannelQueues, Handler as _},
    chat::ChatHandler,
    delivery_context::DeliveryContext,
    events::EventHandler,
    health::LastEvents,
    inbox::{self, Delivery},
    metrics::IngestMetrics,
    normalise::{self, Happening, Normalised},
    outcome::{Outcome, Run},
    removals::RemovalHandler,
    reports::{self, Reported},
    resubscribe, revocation,
    room::Room,
    shop,
    starts::Starts,
    tips, votes,
};
use crate::{PlatformContext, sources::wake};

/// Maximum number of shop orders and tips that are handled concurrently. They may wait for the time-series
/// database, and nothing else must wait for it.
const MAX_CONCURRENT_REPORTS: usize = 8;

/// Handler of deliveries.
pub(super) struct Ingest {
    context: PlatformContext,
    chat: ChatHandler,
    events: EventHandler,
    removals: Arc<RemovalHandler>,
    /// Buffer of orders of shops and tips.
    reports: RowBuffer<EventRow>,
    metrics: IngestMetrics,
    queues: ChannelQueues,
    room: Arc<Room>,
    room_for_reports: Semaphore,
    starts: Starts,
}

impl Ingest {
    /// Returns a handler without deliveries.
    pub fn new(
        context: &PlatformContext,
        metrics: IngestMetrics,
        health: LastEvents,
        removals: Arc<RemovalHandler>,
        starts: Starts,
    ) -> Self {
        let room = Arc::new(Room::new());
        Self {
            chat: ChatHandler::new(context, metrics.clone(), health.clone(), starts.clone()),
            events: EventHandler::new(context, metrics.clone(), health, starts.clone()),
            starts,
            removals,
            reports: RowBuffer::new(context.redis.clone()),
            metrics,
            queues: ChannelQueues::new(context, &room),
            room,
            room_for_reports: Semaphore::new(MAX_CONCURRENT_REPORTS),
            context: context.clone(),
        }
    }

    /// Handles a delivery of the inbox, once and in the order of its channel. A handled delivery is left
    /// alone.
    ///
    /// # Errors
    /// Failures of a store: the job is tried again.
    pub async fn handle(&self, id: Uuid) -> Result<Run> {
        let (began, read_at) = (Instant::now(), self.context.clock.now());
        let Some(room) = self.room.enter(began + channel_queue::QUEUE_WAIT_TIMEOUT).await? else {
            return Ok(Run::recheck());
        };
        let delivery = inbox::open(&mut *self.context.databases.postgres.get().await?, id, read_at).await?;
        let Some(delivery) = delivery else { return Ok(Run::Done) };
        if [SHOPIFY, STREAM_ELEMENTS].contains(&delivery.platform.as_str()) {
            drop(room);
            return self.report(&delivery).await;
        }
        if let Some(channel) = delivery.channel() {
            // A job that waits for others must not occupy their room.
            drop(room);
            return self.queues.run_in_order(channel, delivery, began, self).await;
        }
        let outcome = self.apply(&delivery, &mut None).await?;
        self.record_handled(&[(&delivery, outcome)]).await?;
        Ok(Run::Done)
    }
}

impl channel_queue::Handler for Ingest {
    type Batch = Option<Audience>;

    async fn apply(&self, delivery: &Delivery, kept: &mut Option<Audience>) -> Result<Outcome> {
        let platform: Platform =
            delivery.platform.parse().map_err(|error| Error::Internal(format!("inbox: {error}")))?;
        let normalised = match normalise::normalise(
            platform,
            &delivery.event_type,
            &delivery.body,
            delivery.sent_at,
        ) {
            Ok(Some(normalised)) => normalised,
            Ok(None) => return Ok(Outcome::without_triggers("ignored")),
            Err(error) => {
                let event_type = delivery.event_type.as_str();
                tracing::warn!(%platform, event_type, inbox_id = %delivery.id, %error, "a delivery is not readable");
                return Ok(Outcome::without_triggers("unreadable"));
            }
        };
        let Normalised { channel_id, happenings, is_history } = normalised;
        let postgres = &self.context.databases.postgres;
        let accounts = audience(postgres, delivery, platform, &channel_id, kept).await?;
        if accounts.is_empty() {
            return Ok(Outcome::without_triggers("unconnected"));
        }
        let of = DeliveryContext { platform, delivery, channel_id: &channel_id, accounts, is_history };
        self.apply_all(&of, &happenings).await
    }

    async fn record_handled(&self, done: &[(&Delivery, Outcome)]) -> Result<()> {
        if done.is_empty() {
            return Ok(());
        }
        let now = self.context.clock.now();
        let marks: Vec<_> =
            done.iter().map(|(delivery, outcome)| (delivery.id, outcome.has_triggered)).collect();
        inbox::mark_handled(&mut *self.context.databases.postgres.get().await?, &marks, now).await?;
        for (delivery, outcome) in done {
            self.metrics.deliveries.with_label_values(&[delivery.platform.as_str(), outcome.name]).inc();
            if delivery.is_reopened {
                continue;
            }
            let lag = (now - delivery.sent_at).as_seconds_f64().max(0.0);
            self.metrics.lag.with_label_values(&[&delivery.platform]).observe(lag);
        }
        Ok(())
    }
}

impl Ingest {
    /// Applies the happenings of a delivery for every account that has connected the channel.
    async fn apply_all(&self, of: &DeliveryContext<'_>, happenings: &[Happening]) -> Result<Outcome> {
        let mut has_triggered = false;
        for (index, happening) in happenings.iter().enumerate() {
            match happening {
                Happening::Chat(line) => has_triggered |= self.chat.handle(of, line).await?,
                Happening::Event(event) => has_triggered |= self.events.handle(of, event, index).await?,
                Happening::Removal(removal) => self.removals.handle(of, removal, index).await?,
                Happening::Vote(vote) => votes::record(&self.context, of, vote, index).await?,
                Happening::Revoked => revocation::record(&self.context, of).await?,
                Happening::Stopped { event_type } => {
                    let (accounts, platform) = (of.accounts, of.platform);
                    resubscribe::resubscribe(&self.context, of.delivery.id, accounts, platform, event_type)
                        .await?;
                }
                Happening::VideoPublished => {
                    wake(&self.context.redis, of.platform, of.channel_id).await?;
                }
            }
        }
        Ok(Outcome { name: "handled", has_triggered })
    }

    /// Handles an order of a shop or a tip, which belong to no channel.
    async fn report(&self, delivery: &Delivery) -> Result<Run> {
        let Ok(_room) = self.room_for_reports.try_acquire() else { return Ok(Run::recheck()) };
        let report = match delivery.platform.as_str() {
            SHOPIFY => shop::report(&self.context, delivery).await?,
            _ => tips::report(&self.context, delivery).await?,
        };
        let reported = match report {
            Ok(report) => {
                reports::publish_once(&self.context, &self.reports, &self.starts, delivery, report).await?
            }
            Err(outcome) => Reported::Done(Outcome::without_triggers(outcome), None),
        };
        match reported {
            Reported::Done(outcome, pushed) => {
                if let Some(pushed) = pushed {
                    self.metrics.buffered(pushed, EventRow::TABLE);
                }
                self.record_handled(&[(delivery, outcome)]).await?;
                Ok(Run::Done)
            }
            Reported::Later(pause) => Ok(Run::Later(pause)),
        }
    }
}
