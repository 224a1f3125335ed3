//! A line of chat: told, stored, answered — unless it was removed before.

use std::collections::HashSet;

use chrono::{DateTime, SubsecRound, Utc};
use shared::{
    Result,
    events::{Channel, Event, id_of_source},
    ingest::{ChatMessage, Line, Removal, Row, Triggers},
    jobs::RunTriggers,
    redis::RoundTrip,
};
use uuid::Uuid;

use super::{
    accounts::Listening, handle::Ingest, normalise::ChatLine, occasion::Occasion, told::message_told_in,
};

/// A platform's own time of a message is believed when it is this close to that of the delivery.
const BELIEVED: chrono::Duration = chrono::Duration::hours(24);

impl Ingest {
    /// Answers whether handlers are to run for it.
    pub(super) async fn chat(&self, occasion: &Occasion<'_>, line: &ChatLine) -> Result<bool> {
        let mut rows = self.rows(occasion, line).await?;
        let is_own = self.tell(occasion, line, &mut rows).await?;
        if line.is_from_elsewhere || is_own {
            return Ok(false);
        }
        let mut has_triggered = false;
        for (account, row) in occasion.accounts.iter().zip(&rows).filter(|(_, row)| !row.is_deleted) {
            if let Triggers::Run { channel_id } = occasion.triggers(account) {
                self.trigger(account, row.announcement()?, channel_id).await?;
                has_triggered = true;
            }
        }
        Ok(has_triggered)
    }

    /// The line for every account. It was said, in milliseconds as everything we keep, when it says so itself, else when
    /// its first delivery did.
    async fn rows(&self, occasion: &Occasion<'_>, line: &ChatLine) -> Result<Vec<ChatMessage>> {
        let (platform, told_at) = (occasion.platform.slug(), occasion.sent_at());
        let rows_of = |sent_at| -> Vec<ChatMessage> {
            let accounts = occasion.accounts.iter();
            accounts.map(|account| message(platform, account.account_id, line, sent_at)).collect()
        };
        let own_time = line.sent_at.filter(|at| (*at - told_at).abs() <= BELIEVED);
        let mut rows = rows_of(own_time.map_or(told_at, |at| at.trunc_subsecs(3)));
        let mut trip = RoundTrip::default();
        let first = own_time
            .is_none()
            .then(|| message_told_in(&mut trip, &self.context.redis, platform, &line.message_id, told_at));
        let removed = self.removals.ask_in(&mut trip, &rows.iter().collect::<Vec<_>>());
        let mut answers = trip.send(&self.context.redis).await?;
        let first = first.map(|first| first.answered(&mut answers)).transpose()?;
        if let Some(earlier) = first.filter(|first| *first != told_at) {
            rows = rows_of(earlier);
        }
        let removed = ids(&removed.among(&rows.iter().collect::<Vec<_>>(), &mut answers)?);
        for row in &mut rows {
            row.is_deleted = removed.contains(&row.id);
        }
        Ok(rows)
    }

    /// Tells it and stores it; answers whether it is one of our own lines.
    async fn tell(&self, occasion: &Occasion<'_>, line: &ChatLine, rows: &mut [ChatMessage]) -> Result<bool> {
        let mut trip = RoundTrip::default();
        let told: Vec<&ChatMessage> = rows.iter().filter(|row| !row.is_deleted).collect();
        // Who was told of a line before is not told again.
        for row in told.iter().filter(|_| !occasion.delivery.is_reopened) {
            let _appended = self.context.events.append_in(&mut trip, &row.announcement()?)?;
        }
        let pushing = self.messages.push_in(&mut trip, &kept(occasion, rows))?;
        let removed = self.removals.ask_in(&mut trip, &told);
        let is_own = self.own.contain_in(&mut trip, &said(occasion, line), &line.message_id);
        let mut answers = trip.send(&self.context.redis).await?;
        self.count(pushing.answered(&mut answers)?, ChatMessage::TABLE);
        let removed = ids(&removed.among(&told, &mut answers)?);
        for row in rows.iter() {
            self.health.note(row.account_id, occasion.platform, "chat:message", row.sent_at);
        }
        // A removal that came since then was told before the line, perhaps: it is told again, and nobody answers.
        for row in rows.iter_mut().filter(|row| removed.contains(&row.id)) {
            self.context.events.append(&taken_back(row)).await?;
            row.is_deleted = true;
        }
        answers.take(is_own)
    }

    async fn trigger(&self, account: &Listening, event: Event, channel_id: Option<String>) -> Result<()> {
        let key = format!("{}:{}", event.id, account.account_id);
        let job = RunTriggers { account_id: account.account_id, event, channel_id };
        self.context.jobs.enqueue(&job, &key).await?;
        Ok(())
    }
}

/// What is stored of a line.
fn kept(occasion: &Occasion<'_>, rows: &[ChatMessage]) -> Vec<ChatMessage> {
    let of_accounts = occasion.accounts.iter().zip(rows);
    of_accounts
        .filter(|(account, _)| account.stores_chat())
        .map(|(account, row)| ChatMessage { forgets_user: !account.stores_users(), ..row.clone() })
        .collect()
}

fn said<'a>(occasion: &Occasion<'a>, line: &'a ChatLine) -> Line<'a> {
    Line {
        platform: occasion.platform.slug(),
        channel_id: occasion.channel_id,
        sender_id: Some(&line.user_id),
        text: &line.text,
    }
}

fn ids(rows: &[&ChatMessage]) -> HashSet<Uuid> {
    rows.iter().map(|row| row.id).collect()
}

/// Tells that a line which was told is removed.
fn taken_back(row: &ChatMessage) -> Event {
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
    }
}
