//! One delivery.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, Utc};
use shared::{
    Error, Result,
    ingest::{ChatMessage, EventRow, OwnMessages, Pushed, Removals, Row, RowBuffer, Triggers, shop::SHOPIFY},
    platforms::Platform,
    tokens::TakenAway,
};
use tokio::sync::{Semaphore, SemaphorePermit};
use uuid::Uuid;

use super::{
    IngestMetrics,
    accounts::{self, Listening},
    health::LastEvents,
    inbox::{self, Delivery},
    normalise::{self, Happening, Normalised, Vote},
    order::{self, Lanes},
    resubscribe, shop, votes,
};
use crate::{Context, sources::nudge};

/// Deliveries that are read or handled at once; others wait for their turn.
const AT_ONCE: usize = 50;

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
}

/// A channel that somebody has connected, and the delivery that tells of it.
pub(super) struct Occasion<'a> {
    pub platform: Platform,
    pub delivery: &'a Delivery,
    pub channel_id: &'a str,
    pub accounts: &'a [Listening],
    /// Nobody answers it any more.
    pub is_history: bool,
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
            room: Semaphore::new(AT_ONCE),
        }
    }

    /// Handles a delivery of the inbox, once and in the order of its channel: one that was handled is left alone.
    pub async fn handle(&self, id: Uuid) -> Result<()> {
        let postgres = &self.context.databases.postgres;
        let room = self.room().await?;
        let delivery = inbox::open(&mut *postgres.get().await?, id, self.context.clock.now()).await?;
        let Some(delivery) = delivery else { return Ok(()) };
        // Who waits for others leaves the room to them.
        drop(room);
        let place = order::wait_for_turn(&self.context, &self.lanes, &delivery).await?;
        let _room = self.room().await?;
        let outcome = self.apply(&delivery).await?;
        if let Some(place) = &place {
            place.hand_on();
        }
        let now = self.context.clock.now();
        inbox::mark_handled(&mut *postgres.get().await?, id, now).await?;
        self.metrics.deliveries.with_label_values(&[&delivery.platform, outcome]).inc();
        let lag = (now - delivery.sent_at).as_seconds_f64().max(0.0);
        self.metrics.lag.with_label_values(&[&delivery.platform]).observe(lag);
        Ok(())
    }

    async fn room(&self) -> Result<SemaphorePermit<'_>> {
        self.room.acquire().await.map_err(|closed| Error::Internal(closed.to_string()))
    }

    async fn apply(&self, delivery: &Delivery) -> Result<&'static str> {
        if delivery.platform == SHOPIFY {
            let (outcome, pushed) = shop::order(&self.context, &self.events, delivery).await?;
            if let Some(pushed) = pushed {
                self.count(pushed, EventRow::TABLE);
            }
            return Ok(outcome);
        }
        let platform: Platform =
            delivery.platform.parse().map_err(|error| shared::Error::Internal(format!("inbox: {error}")))?;
        let normalised = match normalise::normalise(
            platform,
            &delivery.event_type,
            &delivery.body,
            delivery.sent_at,
        ) {
            Ok(Some(normalised)) => normalised,
            Ok(None) => return Ok("ignored"),
            Err(error) => {
                let event_type = delivery.event_type.as_str();
                tracing::warn!(%platform, event_type, inbox_id = %delivery.id, %error, "a delivery is not readable");
                return Ok("unreadable");
            }
        };
        let Normalised { channel_id, happenings, is_history } = normalised;
        let mut connection = self.context.databases.postgres.get().await?;
        let accounts = accounts::listening(&mut connection, platform.slug(), &channel_id).await?;
        drop(connection);
        if accounts.is_empty() {
            return Ok("unconnected");
        }
        let occasion =
            Occasion { platform, delivery, channel_id: &channel_id, accounts: &accounts, is_history };
        for (index, happening) in happenings.iter().enumerate() {
            match happening {
                Happening::Chat(line) => self.chat(&occasion, line).await?,
                Happening::Event(event) => self.event(&occasion, event, index).await?,
                Happening::Removal(removal) => self.removal(&occasion, removal, index).await?,
                Happening::Vote(vote) => self.vote(&occasion, vote, index).await?,
                Happening::Revoked => self.revoked(&occasion).await?,
                Happening::Stopped { event_type } => {
                    resubscribe::ask_again(&self.context, delivery.id, &accounts, platform, event_type)
                        .await?;
                }
                Happening::LookedFor => nudge(&self.context.redis, platform, &channel_id).await?,
            }
        }
        Ok("handled")
    }

    async fn vote(&self, occasion: &Occasion<'_>, vote: &Vote, index: usize) -> Result<()> {
        let (source, said_at) = (occasion.source(index), occasion.sent_at());
        for account in occasion.accounts {
            votes::keep(&self.context, account.account_id, occasion.platform, vote, &source, said_at).await?;
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

impl Occasion<'_> {
    /// The platform's time of the delivery, in milliseconds as everything we keep.
    pub fn sent_at(&self) -> DateTime<Utc> {
        self.delivery.sent_at.trunc_subsecs(3)
    }

    /// The bot answers only where the account has switched it on, and only what is new.
    pub fn triggers(&self, account: &Listening) -> Triggers {
        if self.is_history || !account.bot_enabled {
            return Triggers::None;
        }
        Triggers::Run { channel_id: Some(self.channel_id.to_owned()) }
    }

    /// What the delivery tells, by its place in it.
    pub fn source(&self, index: usize) -> String {
        format!("{}:{index}", self.delivery.delivery_id)
    }
}
