//! Deliveries: each alone or with others of its channel.

use std::{collections::HashSet, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use futures::FutureExt;
use shared::{
    Error, Result,
    ingest::{ChatMessage, EventRow, OwnMessages, Pushed, Removals, Row, RowBuffer, shop::SHOPIFY},
    platforms::Platform,
    tokens::TakenAway,
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout_at},
};
use uuid::Uuid;

use super::{
    IngestMetrics,
    accounts::{self, Listening},
    health::LastEvents,
    inbox::{self, Delivery},
    lease::Lease,
    normalise::{self, Happening, Normalised, Vote},
    occasion::Occasion,
    order::{Lanes, Place, Turn},
    resubscribe,
    shop::{self, Ordered},
    votes,
};
use crate::{Context, sources::nudge};

/// Deliveries that are read or handled at once; others wait for their turn.
const MAX_CONCURRENT: usize = 50;
/// Orders of shops that are handled at once. They may wait for the time-series database, for which nobody else shall
/// wait.
const MAX_CONCURRENT_ORDERS: usize = 8;
/// After so long a batch ends with the delivery in hand: a second before the turn can run out.
const MAX_BATCH: Duration = Duration::from_secs(1);
/// How long after its begin a job waits for others at most, and how long after it a batch may begin: so long before the
/// end of its time that the batch is done and the turn given up by then.
const WAITS: Duration = Duration::from_secs(20);
const LEADS: Duration = Duration::from_secs(30);
/// Longest wait for a turn that another process has.
const LEASE_WAIT_TIMEOUT: Duration = Duration::from_secs(10);
/// How soon it is looked again what another process has handled; the wait doubles up to the longest.
const INITIAL_BACKOFF: Duration = Duration::from_millis(10);
const MAX_BACKOFF: Duration = Duration::from_millis(200);
/// When a job that has waited in vain comes again.
const RECHECK_DELAY: Duration = Duration::from_secs(2);
/// Removals that are marked beside their deliveries; others are left to their jobs.
const MAX_CONCURRENT_MARKS: usize = 8;

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    Done,
    /// It shall come again after this time at most, and has not failed. Others may take its delivery along meanwhile.
    Later(Duration),
}

/// Who listens to a channel.
pub(super) struct Audience {
    platform: Platform,
    channel_id: String,
    accounts: Vec<Listening>,
}

/// Handles deliveries.
pub(super) struct Ingest {
    pub(super) context: Context,
    pub(super) messages: RowBuffer<ChatMessage>,
    pub(super) events: RowBuffer<EventRow>,
    pub(super) own: OwnMessages,
    pub(super) removals: Removals,
    pub(super) health: LastEvents,
    metrics: IngestMetrics,
    lanes: Arc<Lanes>,
    room: Semaphore,
    room_for_orders: Semaphore,
    pub(super) marking: Arc<Semaphore>,
}

/// What a delivery came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    /// As metrics call it.
    pub name: &'static str,
    /// Whether handlers are to run for it.
    pub has_triggered: bool,
}

impl Outcome {
    pub const fn without_triggers(name: &'static str) -> Self {
        Self { name, has_triggered: false }
    }
}

impl Ingest {
    pub fn new(context: &Context, metrics: IngestMetrics, health: LastEvents) -> Self {
        Self {
            messages: RowBuffer::new(context.redis.clone()),
            events: RowBuffer::new(context.redis.clone()),
            own: OwnMessages::new(context.redis.clone()),
            removals: Removals::new(context.redis.clone()),
            context: context.clone(),
            metrics,
            health,
            lanes: Arc::default(),
            room: Semaphore::new(MAX_CONCURRENT),
            room_for_orders: Semaphore::new(MAX_CONCURRENT_ORDERS),
            marking: Arc::new(Semaphore::new(MAX_CONCURRENT_MARKS)),
        }
    }

    /// Handles a delivery of the inbox, once and in the order of its channel: one that was handled is left alone.
    pub async fn handle(&self, id: Uuid) -> Result<Run> {
        let (began, read_at) = (Instant::now(), self.context.clock.now());
        let Some(room) = self.room(began + WAITS).await? else { return Ok(Run::Later(RECHECK_DELAY)) };
        let delivery = inbox::open(&mut *self.context.databases.postgres.get().await?, id, read_at).await?;
        let Some(delivery) = delivery else { return Ok(Run::Done) };
        if delivery.platform == SHOPIFY {
            drop(room);
            return self.order(&delivery).await;
        }
        let Some(channel) = delivery.channel() else {
            let outcome = self.apply(&delivery, &mut None).await?;
            self.note(&[(&delivery, outcome)]).await?;
            return Ok(Run::Done);
        };
        // Who waits for others leaves the room to them.
        drop(room);
        let Some(place) = Lanes::enter(&self.lanes, channel, delivery.sent_at, id) else {
            return Ok(Run::Later(RECHECK_DELAY));
        };
        match place.turn(began + WAITS).await {
            Some(Turn::Ended(ended)) => ended.into_result().map(|()| Run::Done),
            // It is read again when others of the process have led since. What another process has handled since is
            // handled twice, which has no second effect.
            Some(Turn::Lead { at_once }) => {
                self.lead(&place, Some(delivery).filter(|_| at_once), began + LEADS).await
            }
            None => later(&place),
        }
    }

    /// Handles an order of a shop, which is of no channel.
    async fn order(&self, delivery: &Delivery) -> Result<Run> {
        let Ok(_room) = self.room_for_orders.try_acquire() else { return Ok(Run::Later(RECHECK_DELAY)) };
        match shop::order(&self.context, &self.events, delivery).await? {
            Ordered::Done(outcome, pushed) => {
                if let Some(pushed) = pushed {
                    self.count(pushed, EventRow::TABLE);
                }
                self.note(&[(delivery, outcome)]).await?;
                Ok(Run::Done)
            }
            Ordered::Later(pause) => Ok(Run::Later(pause)),
        }
    }

    /// Handles what a channel tells until the delivery of `place` is done, or until it is time for others to lead.
    async fn lead(&self, place: &Place, mut read: Option<Delivery>, until: Instant) -> Result<Run> {
        let (give_up, mut pause) = (Instant::now() + LEASE_WAIT_TIMEOUT, INITIAL_BACKOFF);
        while let Some(room) = self.room(until).await?
            && Instant::now() < until
        {
            let mut lease = Lease::take(&self.context.redis, place.channel()).await?;
            let is_ours = lease.is_some();
            let has_moved = if is_ours || Instant::now() >= give_up {
                if !is_ours {
                    tracing::debug!(channel = ?place.channel(), "deliveries are handled out of their turn");
                }
                let taken = self.take_along(place, read.take(), lease.as_mut()).await;
                if let Some(lease) = lease {
                    lease.release().await;
                }
                taken?
            } else {
                read = None;
                self.find_handled(place).await?
            };
            drop(room);
            if let Some(ended) = place.own_end() {
                return ended.into_result().map(|()| Run::Done);
            }
            if has_moved {
                pause = INITIAL_BACKOFF;
            }
            if !(is_ours && has_moved) {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_BACKOFF);
            }
        }
        later(place)
    }

    /// Handles the first of what waits of a channel; answers whether anything was done. `read` was read a moment ago.
    ///
    /// A delivery that takes longer than the rest of the turn may be overtaken by another process. That has no second
    /// effect, but breaks the order.
    async fn take_along(
        &self,
        place: &Place,
        read: Option<Delivery>,
        lease: Option<&mut Lease>,
    ) -> Result<bool> {
        let now = self.context.clock.now();
        let batch = match read.filter(|delivery| !delivery.is_preceded && place.is_alone()) {
            Some(delivery) => vec![delivery],
            None => self.ready(place, now).await?,
        };
        // The database may have kept it waiting for longer than the turn lasts.
        if let Some(lease) = lease
            && !lease.keep().await?
        {
            return Ok(false);
        }
        let (began, mut done, mut accounts) = (Instant::now(), Vec::with_capacity(batch.len()), None);
        for delivery in &batch {
            if began.elapsed() >= MAX_BATCH {
                break;
            }
            if place.waits_for_its_job(delivery.id) {
                if delivery.is_waited_for(now) {
                    break;
                }
                continue;
            }
            // Whoever leads for others must not fall over what one of them brings.
            let applied = AssertUnwindSafe(self.apply(delivery, &mut accounts)).catch_unwind().await;
            let applied =
                applied.unwrap_or_else(|_| Err(Error::Internal("handling it has panicked".to_owned())));
            match applied {
                Ok(outcome) => done.push((delivery, outcome)),
                Err(error) => {
                    tracing::warn!(inbox_id = %delivery.id, %error, "a delivery cannot be handled");
                    place.failed(delivery.id, &error);
                    if delivery.is_waited_for(now) {
                        break;
                    }
                }
            }
        }
        self.note(&done).await?;
        place.handled(&done.iter().map(|(delivery, _)| delivery.id).collect());
        Ok(!done.is_empty())
    }

    /// What waits of a channel, in its order. What others have handled meanwhile is noted as that.
    async fn ready(&self, place: &Place, now: DateTime<Utc>) -> Result<Vec<Delivery>> {
        let wanted = place.wanted();
        let mut connection = self.context.databases.postgres.get().await?;
        let batch = inbox::ready(&mut connection, place.channel(), &wanted, now).await?;
        if batch.len() < inbox::BATCH {
            let open: HashSet<Uuid> = batch.iter().map(|delivery| delivery.id).collect();
            place.handled(&wanted.ids.into_iter().filter(|id| !open.contains(id)).collect());
        }
        Ok(batch)
    }

    /// Looks which deliveries another process has handled; answers whether there are any.
    async fn find_handled(&self, place: &Place) -> Result<bool> {
        let wanted = place.wanted().ids;
        let mut connection = self.context.databases.postgres.get().await?;
        let open = inbox::still_open(&mut connection, &wanted).await?;
        let handled: HashSet<Uuid> = wanted.into_iter().filter(|id| !open.contains(id)).collect();
        place.handled(&handled);
        Ok(!handled.is_empty())
    }

    /// Notes in the inbox that deliveries are handled.
    async fn note(&self, done: &[(&Delivery, Outcome)]) -> Result<()> {
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

    /// Room to handle something; `None` when there is none for too long.
    async fn room(&self, until: Instant) -> Result<Option<SemaphorePermit<'_>>> {
        let Ok(room) = timeout_at(until, self.room.acquire()).await else { return Ok(None) };
        room.map(Some).map_err(|closed| Error::Internal(closed.to_string()))
    }

    /// Does what a delivery tells; answers the outcome. `accounts` are remembered from one delivery to the next.
    async fn apply(&self, delivery: &Delivery, accounts: &mut Option<Audience>) -> Result<Outcome> {
        let platform: Platform =
            delivery.platform.parse().map_err(|error| shared::Error::Internal(format!("inbox: {error}")))?;
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
        let accounts = self.audience(delivery, platform, &channel_id, accounts).await?;
        if accounts.is_empty() {
            return Ok(Outcome::without_triggers("unconnected"));
        }
        let occasion = Occasion { platform, delivery, channel_id: &channel_id, accounts, is_history };
        let mut has_triggered = false;
        for (index, happening) in happenings.iter().enumerate() {
            match happening {
                Happening::Chat(line) => has_triggered |= self.chat(&occasion, line).await?,
                Happening::Event(event) => has_triggered |= self.event(&occasion, event, index).await?,
                Happening::Removal(removal) => self.removal(&occasion, removal, index).await?,
                Happening::Vote(vote) => self.vote(&occasion, vote, index).await?,
                Happening::Revoked => self.revoked(&occasion).await?,
                Happening::Stopped { event_type } => {
                    resubscribe::ask_again(&self.context, delivery.id, accounts, platform, event_type)
                        .await?;
                }
                Happening::LookedFor => nudge(&self.context.redis, platform, &channel_id).await?,
            }
        }
        Ok(Outcome { name: "handled", has_triggered })
    }

    /// The accounts that have connected a channel, asked once for the deliveries of a batch.
    async fn audience<'a>(
        &self,
        delivery: &Delivery,
        platform: Platform,
        channel_id: &str,
        known: &'a mut Option<Audience>,
    ) -> Result<&'a [Listening]> {
        let is_known =
            known.as_ref().is_some_and(|known| known.platform == platform && known.channel_id == channel_id);
        if !is_known {
            let accounts = match delivery.listening_to(channel_id) {
                Some(accounts) => accounts.to_vec(),
                None => {
                    let mut connection = self.context.databases.postgres.get().await?;
                    accounts::listening(&mut connection, platform.slug(), channel_id).await?
                }
            };
            *known = Some(Audience { platform, channel_id: channel_id.to_owned(), accounts });
        }
        Ok(known.as_ref().map(|known| known.accounts.as_slice()).unwrap_or_default())
    }

    async fn vote(&self, occasion: &Occasion<'_>, vote: &Vote, index: usize) -> Result<()> {
        let source = occasion.source(index);
        for account in occasion.accounts {
            votes::keep(&self.context, account.account_id, occasion, vote, &source).await?;
        }
        Ok(())
    }

    async fn revoked(&self, occasion: &Occasion<'_>) -> Result<()> {
        let subscription = &occasion.delivery.body["subscription"];
        let told = TakenAway {
            at: occasion.sent_at(),
            client_id: subscription["condition"]["client_id"].as_str(),
            subscription_id: subscription["id"].as_str(),
        };
        for account in occasion.accounts {
            self.context.tokens.revoked(account.account_id, occasion.platform, told).await?;
        }
        Ok(())
    }

    pub(super) fn count(&self, pushed: Pushed, table: &str) {
        self.metrics.rows.with_label_values(&[table, "buffered"]).inc_by(pushed.kept as u64);
        if pushed.shed > 0 {
            self.metrics.rows.with_label_values(&[table, "shed"]).inc_by(pushed.shed as u64);
            tracing::error!(table, rows = pushed.shed, "rows were shed: as many wait as may");
        }
    }
}

/// Leaves what waited too long, or has led for long, to others until its job comes again.
fn later(place: &Place) -> Result<Run> {
    match place.put_back() {
        Some(ended) => ended.into_result().map(|()| Run::Done),
        None => Ok(Run::Later(RECHECK_DELAY)),
    }
}
