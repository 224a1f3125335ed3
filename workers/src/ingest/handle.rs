//! One delivery.

use chrono::{DateTime, SubsecRound, Utc};
use diesel_async::AsyncConnection;
use shared::{
    Result,
    connections::status::{self, Seen, Standing},
    events::{Channel, Event, id_of_source},
    ingest::{
        AccountEvent, ChatMessage, EventRow, Line, OwnMessages, Pushed, Removal, Removals, Row, RowBuffer,
        Triggers, tell,
    },
    jobs::RunTriggers,
    platforms::Platform,
    tokens::TakenAway,
};
use uuid::Uuid;

use super::{
    IngestMetrics,
    accounts::{self, Listening},
    health::LastEvents,
    inbox::{self, Delivery},
    normalise::{self, ChatLine, Happening, Normalised, PlatformEvent, Vote},
    resubscribe,
    told::first_told,
    votes,
};
use crate::{Context, sources::nudge};

/// A platform's own time of a message is believed when it is this close to that of the delivery.
const BELIEVED: chrono::Duration = chrono::Duration::hours(24);

/// Handles deliveries.
pub(super) struct Ingest {
    context: Context,
    messages: RowBuffer<ChatMessage>,
    events: RowBuffer<EventRow>,
    own: OwnMessages,
    removals: Removals,
    metrics: IngestMetrics,
    health: LastEvents,
}

/// A channel that somebody has connected, and the delivery that tells of it.
struct Occasion<'a> {
    platform: Platform,
    delivery: &'a Delivery,
    channel_id: &'a str,
    accounts: &'a [Listening],
    /// Nobody answers it any more.
    is_history: bool,
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
        }
    }

    /// Handles a delivery of the inbox, once: one that was handled is left alone.
    pub async fn handle(&self, id: Uuid) -> Result<()> {
        let postgres = &self.context.databases.postgres;
        let delivery = inbox::open(&mut *postgres.get().await?, id).await?;
        let Some(delivery) = delivery else { return Ok(()) };
        let outcome = self.apply(&delivery).await?;
        let now = self.context.clock.now();
        inbox::mark_handled(&mut *postgres.get().await?, id, now).await?;
        self.metrics.deliveries.with_label_values(&[&delivery.platform, outcome]).inc();
        let lag = (now - delivery.sent_at).as_seconds_f64().max(0.0);
        self.metrics.lag.with_label_values(&[&delivery.platform]).observe(lag);
        Ok(())
    }

    async fn apply(&self, delivery: &Delivery) -> Result<&'static str> {
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

    async fn chat(&self, occasion: &Occasion<'_>, line: &ChatLine) -> Result<()> {
        let platform = occasion.platform.slug();
        let told_at = line.sent_at.filter(|at| (*at - occasion.delivery.sent_at).abs() <= BELIEVED);
        let told_at = told_at.unwrap_or_else(|| occasion.sent_at());
        let source = format!("chat:{}", line.message_id);
        let sent_at = first_told(&self.context.redis, platform, &source, told_at).await?;
        let rows: Vec<ChatMessage> = occasion
            .accounts
            .iter()
            .map(|account| message(platform, account.account_id, line, sent_at))
            .collect();
        for row in &rows {
            self.context.events.append(&row.announcement()?).await?;
            self.health.note(row.account_id, occasion.platform, "chat:message", sent_at);
        }
        let kept: Vec<ChatMessage> = occasion
            .accounts
            .iter()
            .zip(&rows)
            .filter(|(account, _)| account.stores_chat())
            .map(|(account, row)| ChatMessage { forgets_user: !account.stores_users(), ..row.clone() })
            .collect();
        self.count(self.messages.push(&kept).await?, ChatMessage::TABLE);
        if occasion.is_history || line.is_from_elsewhere || self.is_own(occasion, line).await? {
            return Ok(());
        }
        for (account, row) in occasion.accounts.iter().zip(&rows) {
            self.trigger(occasion, account, row.announcement()?).await?;
        }
        Ok(())
    }

    async fn is_own(&self, occasion: &Occasion<'_>, line: &ChatLine) -> Result<bool> {
        let said = Line {
            platform: occasion.platform.slug(),
            channel_id: occasion.channel_id,
            sender_id: Some(&line.user_id),
            text: &line.text,
        };
        self.own.contain(&said, &line.message_id).await
    }

    async fn event(&self, occasion: &Occasion<'_>, event: &PlatformEvent, index: usize) -> Result<()> {
        let platform = occasion.platform.slug();
        let source = event.source_id.clone().unwrap_or_else(|| occasion.source(index));
        let occurred_at = first_told(&self.context.redis, platform, &source, occasion.sent_at()).await?;
        let rows: Vec<EventRow> = occasion
            .accounts
            .iter()
            .map(|account| event_row(platform, account.account_id, event, &source, occurred_at))
            .collect();
        for (account, row) in occasion.accounts.iter().zip(&rows) {
            let triggers = occasion.triggers(account);
            tell(&self.context.events, &self.context.jobs, &row.event, triggers).await?;
            self.health.note(account.account_id, occasion.platform, event.event_type, occurred_at);
        }
        // Whoever reads a channel of YouTube writes what it sees of every broadcast.
        if let Some(event_type) = event.stream_event()
            && occasion.platform != Platform::Youtube
        {
            self.stream_status(occasion, event, event_type).await?;
        }
        self.count(self.events.push(&rows).await?, EventRow::TABLE);
        Ok(())
    }

    /// Keeps what a platform says of a stream, for those who ask later.
    async fn stream_status(
        &self,
        occasion: &Occasion<'_>,
        event: &PlatformEvent,
        event_type: &str,
    ) -> Result<()> {
        let text = |key: &str| event.data[key].as_str().map(str::to_owned);
        let started_at = event.data["started_at"].as_str();
        let started_at = started_at.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
        let standing = if event_type == "stream:online" { Standing::Live } else { Standing::Offline };
        let seen: Vec<Seen> = occasion
            .accounts
            .iter()
            .map(|account| Seen {
                broadcast_id: text("broadcast_id"),
                stream_title: text("title"),
                started_at: started_at.map(|at| at.to_utc()),
                ..Seen::new(account.account_id, standing, occasion.sent_at())
            })
            .collect();
        let mut connection = self.context.databases.postgres.get().await?;
        let platform = occasion.platform;
        connection.transaction(async |connection| status::record(connection, platform, &seen).await).await
    }

    async fn removal(&self, occasion: &Occasion<'_>, removal: &Removal, index: usize) -> Result<()> {
        let platform = occasion.platform.slug();
        for account in occasion.accounts {
            let source = format!("{}:{platform}:{}", account.account_id, occasion.source(index));
            let channel = Channel::Chat(account.account_id);
            let data = removal.data(platform);
            let event = Event::of_source(channel, removal.event_type(), data, occasion.sent_at(), &source);
            self.context.events.append(&event).await?;
            self.health.note(account.account_id, occasion.platform, removal.event_type(), occasion.sent_at());
            self.removals.note(account.account_id, platform, removal, occasion.sent_at()).await?;
            let mut connection = self.context.databases.timescaledb.get().await?;
            removal.mark(&mut connection, account.account_id, platform).await?;
        }
        Ok(())
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

    /// The bot answers only where the account has switched it on.
    async fn trigger(&self, occasion: &Occasion<'_>, account: &Listening, event: Event) -> Result<()> {
        if !account.bot_enabled {
            return Ok(());
        }
        let key = format!("{}:{}", event.id, account.account_id);
        let channel_id = Some(occasion.channel_id.to_owned());
        let job = RunTriggers { account_id: account.account_id, event, channel_id };
        self.context.jobs.enqueue(&job, &key).await?;
        Ok(())
    }

    fn count(&self, pushed: Pushed, table: &str) {
        self.metrics.rows.with_label_values(&[table, "buffered"]).inc_by(pushed.kept as u64);
        if pushed.shed > 0 {
            self.metrics.rows.with_label_values(&[table, "shed"]).inc_by(pushed.shed as u64);
            tracing::error!(table, rows = pushed.shed, "rows were shed: as many wait as may");
        }
    }
}

impl Occasion<'_> {
    /// The platform's time of the delivery, in milliseconds as everything we keep.
    fn sent_at(&self) -> DateTime<Utc> {
        self.delivery.sent_at.trunc_subsecs(3)
    }

    /// The bot answers only where the account has switched it on, and only what is new.
    fn triggers(&self, account: &Listening) -> Triggers {
        if self.is_history || !account.bot_enabled {
            return Triggers::None;
        }
        Triggers::Run { channel_id: Some(self.channel_id.to_owned()) }
    }

    /// What the delivery tells, by its place in it.
    fn source(&self, index: usize) -> String {
        format!("{}:{index}", self.delivery.delivery_id)
    }
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
    EventRow { event, platform_event_id: format!("{platform}:{source}") }
}
