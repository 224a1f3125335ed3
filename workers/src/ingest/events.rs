//! An event of a channel: told, stored, answered.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use diesel_async::AsyncConnection;
use shared::{
    Result,
    connections::status::{self, Seen, Standing},
    events::id_of_source,
    features,
    ingest::{AccountEvent, EventRow, Row, Triggers, announce, trigger},
    platforms::Platform,
};
use uuid::Uuid;

use super::{
    accounts::Listening,
    handle::Ingest,
    normalise::PlatformEvent,
    occasion::Occasion,
    told::{Alike, First, alike_told, first_told},
};

impl Ingest {
    /// Answers whether handlers are to run for it.
    pub(super) async fn event(
        &self,
        occasion: &Occasion<'_>,
        event: &PlatformEvent,
        index: usize,
    ) -> Result<bool> {
        let platform = occasion.platform.slug();
        let First { source, at } = self.first(occasion, event, index).await?;
        let off = self.accounts_without(occasion, event.event_type).await?;
        let is_on = |account: &&Listening| !off.contains(&account.account_id);
        let (mut rows, mut has_triggered) = (Vec::with_capacity(occasion.accounts.len()), false);
        for account in occasion.accounts.iter().filter(is_on) {
            let row = event_row(platform, account.account_id, event, &source, at);
            if !occasion.delivery.is_reopened {
                announce(&self.context.events, &row.event).await?;
            }
            let triggers = occasion.triggers(account);
            has_triggered |= triggers != Triggers::None;
            trigger(&self.context.jobs, &row.event, triggers).await?;
            self.health.note(account.account_id, occasion.platform, event.event_type, at);
            rows.push(row);
        }
        // Whoever reads a channel of YouTube writes what it sees of every broadcast.
        if let Some(event_type) = event.stream_event()
            && occasion.platform != Platform::Youtube
        {
            self.stream_status(occasion, event, event_type).await?;
        }
        self.count(self.events.push(&rows).await?, EventRow::TABLE);
        Ok(has_triggered)
    }

    /// What names the event, and when it was told: as the first who told of it said.
    async fn first(&self, occasion: &Occasion<'_>, event: &PlatformEvent, index: usize) -> Result<First> {
        let (platform, now_told) = (occasion.platform.slug(), occasion.sent_at());
        if let Some(source) = event.source_id.clone() {
            let at = first_told(&self.context.redis, platform, &source, now_told).await?;
            return Ok(First { source, at });
        }
        let now = First { source: occasion.source(index), at: now_told };
        match &event.alike {
            Some(content) => {
                let (transport, is_repeated) = (occasion.transport(), occasion.delivery.is_reopened);
                let alike = Alike { content, transport: &transport, is_repeated };
                alike_told(&self.context.redis, platform, occasion.channel_id, alike, now).await
            }
            // A delivery is in the inbox once.
            None => Ok(now),
        }
    }

    /// The accounts that the type of event is switched off for (C §7.2): for them it did not happen.
    async fn accounts_without(&self, occasion: &Occasion<'_>, event_type: &str) -> Result<HashSet<Uuid>> {
        let accounts: Vec<Uuid> = occasion.accounts.iter().map(|account| account.account_id).collect();
        let mut connection = self.context.databases.postgres.get().await?;
        features::accounts_without(&mut connection, &accounts, &features::of_event(event_type)).await
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
