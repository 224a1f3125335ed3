//! Polls of connected channels, as their platform last stated them (reference/chat.md#polls).

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, query_dsl::methods::FilterDsl, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use foundation::events::{Channel, Event};
use shared::{
    Result,
    clock::{serialize_optional_rfc3339, serialize_rfc3339},
    engagement::{PlatformPoll, PollChoice},
    platform::Platform,
    schema::polls::{self, dsl},
};

/// Stored poll.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = polls)]
pub struct Poll {
    /// Id of the poll.
    pub id: Uuid,
    /// Account of the channel.
    pub account_id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// Id on the platform.
    pub platform_poll_id: String,
    /// Question.
    pub title: String,
    /// `[{ id, title, votes }]`
    pub choices: Value,
    /// State of the poll.
    pub status: String,
    /// Id of the choice that won; `None` before the end, and for a tie.
    pub winning_choice_id: Option<String>,
    /// Start.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub started_at: DateTime<Utc>,
    /// Scheduled end.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub ends_at: DateTime<Utc>,
    /// Actual end; `None` before.
    #[serde(serialize_with = "serialize_optional_rfc3339")]
    pub ended_at: Option<DateTime<Utc>>,
}

impl Poll {
    /// Log event that publishes the poll. A repeated `source` has no effect.
    #[must_use]
    pub fn announcement(&self, source: &str, at: DateTime<Utc>) -> Event {
        let data = json!({ "platform": self.platform, "poll": self });
        let source = format!("poll:{}:{source}", self.id);
        Event::of_source(Channel::Chat(self.account_id), "poll:updated", data, at, &source)
    }
}

/// Stores the state of a poll that a platform reported. Returns the poll, or `None` when a newer state is
/// stored. A poll that has ended does not become active again, whatever arrives late.
///
/// # Errors
/// A failure of the database.
pub async fn upsert(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    platform: Platform,
    poll: &PlatformPoll,
    stated_at: DateTime<Utc>,
) -> Result<Option<Poll>> {
    let winner = if poll.status.is_open() { None } else { winner(&poll.choices) };
    let is_end = excluded(dsl::status).ne("active");
    let is_newer = dsl::status.eq("active").and(dsl::updated_at.le(excluded(dsl::updated_at)));
    Ok(insert_into(polls::table)
        .values((
            dsl::id.eq(shared::id::new()),
            dsl::account_id.eq(account_id),
            dsl::platform.eq(platform.slug()),
            dsl::platform_poll_id.eq(&poll.id),
            dsl::title.eq(&poll.title),
            dsl::choices.eq(serde_json::to_value(&poll.choices)?),
            dsl::status.eq(poll.status.as_str()),
            dsl::winning_choice_id.eq(winner),
            dsl::started_at.eq(poll.started_at),
            dsl::ends_at.eq(poll.ends_at),
            dsl::ended_at.eq(poll.ended_at),
            dsl::updated_at.eq(stated_at),
        ))
        .on_conflict((dsl::account_id, dsl::platform, dsl::platform_poll_id))
        .do_update()
        .set((
            dsl::title.eq(excluded(dsl::title)),
            dsl::choices.eq(excluded(dsl::choices)),
            dsl::status.eq(excluded(dsl::status)),
            dsl::winning_choice_id.eq(excluded(dsl::winning_choice_id)),
            dsl::ends_at.eq(excluded(dsl::ends_at)),
            dsl::ended_at.eq(excluded(dsl::ended_at)),
            dsl::updated_at.eq(excluded(dsl::updated_at)),
        ))
        .filter(is_end.or(is_newer))
        .returning(Poll::as_returning())
        .get_result(connection)
        .await
        .optional()?)
}

/// Choice with the most votes, if no other has as many.
fn winner(choices: &[PollChoice]) -> Option<&str> {
    let top_votes = choices.iter().map(|choice| choice.votes).max().filter(|votes| *votes > 0)?;
    let mut first = choices.iter().filter(|choice| choice.votes == top_votes);
    let winner = first.next()?;
    first.next().is_none().then_some(winner.id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winner_is_none_in_a_tie() {
        let choices = |votes: &[i64]| -> Vec<PollChoice> {
            let choice = |(index, votes): (usize, &i64)| PollChoice {
                id: index.to_string(),
                title: String::new(),
                votes: *votes,
            };
            votes.iter().enumerate().map(choice).collect()
        };
        assert_eq!(winner(&choices(&[1, 3, 2])), Some("1"));
        assert_eq!(winner(&choices(&[3, 3, 2])), None);
        assert_eq!(winner(&choices(&[0, 0])), None);
    }
}
