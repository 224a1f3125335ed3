//! Queries over `copyright_votes` and `copyright_candidates`. The votes of all accounts on a song are counted
//! together.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{dsl::count, insert_into, prelude::*, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, AccountId, UserId},
    schema::{
        copyright_candidates as candidates,
        copyright_votes::{self, dsl},
    },
};
use uuid::Uuid;

use super::{CopyrightVote, CopyrightVoteKind};
use crate::songs::CopyrightSong;

#[derive(Insertable)]
#[diesel(table_name = copyright_votes)]
pub(super) struct Vote<'a> {
    /// Identifier.
    pub id: Uuid,
    /// Song.
    pub song_id: Uuid,
    /// Person who votes.
    pub user_id: UserId,
    /// Account in which the person votes.
    pub account_id: AccountId,
    /// Stored text of the vote.
    pub vote: &'a str,
    /// Reason; `None`: none.
    pub reason: Option<&'a str>,
    /// Time of the first vote.
    pub created_at: DateTime<Utc>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
    /// Given title, where the given names differ from the song's.
    pub given_title: Option<&'a str>,
    /// Given artist, where the given names differ from the song's.
    pub given_artist: Option<&'a str>,
}

/// Former vote of the person.
#[derive(Queryable, Selectable)]
#[diesel(table_name = copyright_votes)]
pub(super) struct Before {
    /// Identifier.
    pub id: Uuid,
    /// Stored text of the vote.
    pub vote: String,
    /// Time of the first vote.
    pub created_at: DateTime<Utc>,
    account_id: Uuid,
    reason: Option<String>,
    updated_at: DateTime<Utc>,
    given_title: Option<String>,
    given_artist: Option<String>,
}

impl Before {
    /// Returns true when the new vote equals this one.
    pub fn is_as(&self, new: &Vote<'_>) -> bool {
        self.vote == new.vote
            && self.reason.as_deref() == new.reason
            && self.account_id == new.account_id.uuid()
            && self.given_title.as_deref() == new.given_title
            && self.given_artist.as_deref() == new.given_artist
    }

    /// Returns the vote as the API returns it.
    pub fn with(self, song: CopyrightSong, vote: CopyrightVoteKind) -> CopyrightVote {
        CopyrightVote {
            id: self.id,
            song,
            vote,
            reason: self.reason,
            created_at: self.created_at.into(),
            updated_at: self.updated_at.into(),
        }
    }
}

pub(super) async fn of_user(
    connection: &mut AsyncPgConnection,
    song: Uuid,
    user: UserId,
) -> Result<Option<Before>> {
    Ok(dsl::copyright_votes
        .filter(dsl::song_id.eq(song).and(dsl::user_id.eq(user)))
        .select(Before::as_select())
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn put(connection: &mut AsyncPgConnection, vote: &Vote<'_>) -> Result<()> {
    insert_into(dsl::copyright_votes)
        .values(vote)
        .on_conflict((dsl::song_id, dsl::user_id))
        .do_update()
        .set((
            dsl::account_id.eq(excluded(dsl::account_id)),
            dsl::vote.eq(excluded(dsl::vote)),
            dsl::reason.eq(excluded(dsl::reason)),
            dsl::updated_at.eq(excluded(dsl::updated_at)),
            dsl::given_title.eq(excluded(dsl::given_title)),
            dsl::given_artist.eq(excluded(dsl::given_artist)),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the number of accounts with the same vote.
pub(super) async fn accounts(connection: &mut AsyncPgConnection, song: Uuid, vote: &str) -> Result<i64> {
    Ok(dsl::copyright_votes
        .filter(dsl::song_id.eq(song).and(dsl::vote.eq(vote)))
        .select(count(dsl::account_id).aggregate_distinct())
        .first(connection)
        .await?)
}

/// Adds a candidate. One that exists stays as it is, also when it was decided about.
pub(super) async fn nominate(
    connection: &mut AsyncPgConnection,
    song: Uuid,
    vote: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(candidates::table)
        .values((
            candidates::id.eq(id::new()),
            candidates::song_id.eq(song),
            candidates::vote.eq(vote),
            candidates::created_at.eq(now),
        ))
        .on_conflict((candidates::song_id, candidates::vote))
        .do_nothing()
        .execute(connection)
        .await?;
    Ok(())
}

/// Withdraws a candidate about which no moderator has decided.
pub(super) async fn withdraw(connection: &mut AsyncPgConnection, song: Uuid, vote: &str) -> Result<()> {
    let open = candidates::table
        .filter(candidates::song_id.eq(song).and(candidates::vote.eq(vote)))
        .filter(candidates::status.eq("open"));
    diesel::delete(open).execute(connection).await?;
    Ok(())
}
