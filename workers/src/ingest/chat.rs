//! A line of chat: told, stored, answered — unless it was removed before.

use std::collections::HashSet;

use chrono::{DateTime, SubsecRound, Utc};
use shared::{
    Result,
    events::{Channel, Event, id_of_source},
    ingest::{ChatMessage, Line, Removal, Row},
    jobs::RunTriggers,
};
use uuid::Uuid;

use super::{
    accounts::Listening,
    handle::{Ingest, Occasion},
    normalise::ChatLine,
    told::message_told,
};

/// A platform's own time of a message is believed when it is this close to that of the delivery.
const BELIEVED: chrono::Duration = chrono::Duration::hours(24);

impl Ingest {
    pub(super) async fn chat(&self, occasion: &Occasion<'_>, line: &ChatLine) -> Result<()> {
        let platform = occasion.platform.slug();
        let sent_at = self.said_at(occasion, line).await?;
        let mut rows: Vec<ChatMessage> = occasion
            .accounts
            .iter()
            .map(|account| message(platform, account.account_id, line, sent_at))
            .collect();
        let removed = self.removed(rows.iter()).await?;
        for row in &mut rows {
            row.is_deleted = removed.contains(&row.id);
            if !row.is_deleted {
                self.context.events.append(&row.announcement()?).await?;
            }
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
        // A removal that came since then was told before the line, perhaps: it is told again, and nobody answers.
        let removed = self.removed(rows.iter().filter(|row| !row.is_deleted)).await?;
        for row in rows.iter_mut().filter(|row| removed.contains(&row.id)) {
            self.context.events.append(&taken_back(row)).await?;
            row.is_deleted = true;
        }
        if occasion.is_history || line.is_from_elsewhere || self.is_own(occasion, line).await? {
            return Ok(());
        }
        for (account, row) in occasion.accounts.iter().zip(&rows).filter(|(_, row)| !row.is_deleted) {
            self.trigger(occasion, account, row.announcement()?).await?;
        }
        Ok(())
    }

    /// When it was said, in milliseconds as everything we keep: by the line itself, else by the first delivery of it.
    async fn said_at(&self, occasion: &Occasion<'_>, line: &ChatLine) -> Result<DateTime<Utc>> {
        let told_at = occasion.sent_at();
        match line.sent_at.filter(|at| (*at - told_at).abs() <= BELIEVED) {
            Some(at) => Ok(at.trunc_subsecs(3)),
            None => {
                let platform = occasion.platform.slug();
                message_told(&self.context.redis, platform, &line.message_id, told_at).await
            }
        }
    }

    async fn removed<'a>(&self, rows: impl Iterator<Item = &'a ChatMessage> + Send) -> Result<HashSet<Uuid>> {
        let rows: Vec<&ChatMessage> = rows.collect();
        Ok(self.removals.among(&rows).await?.into_iter().map(|row| row.id).collect())
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
