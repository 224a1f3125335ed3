//! Queries over `copyright_votes` and `copyright_candidates`. A song's votes of all accounts are counted together.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{dsl::count, insert_into, prelude::*, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{
        copyright_candidates as candidates,
        copyright_votes::{self, dsl},
    },
    id::{self, AccountId, UserId},
};
use uuid::Uuid;

use super::{CopyrightVote, CopyrightVoteKind};
use crate::songs::CopyrightSong;

#[derive(Insertable)]
#[diesel(table_name = copyright_votes)]
pub(super) struct Vote<'a> {
    pub id: Uuid,
    pub song_id: Uuid,
    pub user_id: UserId,
    pub account_id: AccountId,
    pub vote: &'a str,
    pub reason: Option<&'a str>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Where they are others than the song's.
    pub given_title: Option<&'a str>,
    pub given_artist: Option<&'a str>,
}

/// What somebody thought until now.
#[derive(Queryable, Selectable)]
#[diesel(table_name = copyright_votes)]
pub(super) struct Before {
    pub id: Uuid,
    pub vote: String,
    pub created_at: DateTime<Utc>,
    account_id: Uuid,
    reason: Option<String>,
    updated_at: DateTime<Utc>,
    given_title: Option<String>,
    given_artist: Option<String>,
}

impl Before {
    /// Whether the new vote says what this one says.
    pub fn is_as(&self, new: &Vote<'_>) -> bool {
        self.vote == new.vote
            && self.reason.as_deref() == new.reason
            && AccountId(self.account_id) == new.account_id
            && self.given_title.as_deref() == new.given_title
            && self.given_artist.as_deref() == new.given_artist
    }

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

/// How many accounts are of an opinion.
pub(super) async fn accounts(connection: &mut AsyncPgConnection, song: Uuid, vote: &str) -> Result<i64> {
    Ok(dsl::copyright_votes
        .filter(dsl::song_id.eq(song).and(dsl::vote.eq(vote)))
        .select(count(dsl::account_id).aggregate_distinct())
        .first(connection)
        .await?)
}

/// Leaves a candidate that is there as it is, also one that was decided about.
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

/// Takes back a candidate that nobody has decided about.
pub(super) async fn withdraw(connection: &mut AsyncPgConnection, song: Uuid, vote: &str) -> Result<()> {
    let open = candidates::table
        .filter(candidates::song_id.eq(song).and(candidates::vote.eq(vote)))
        .filter(candidates::status.eq("open"));
    diesel::delete(open).execute(connection).await?;
    Ok(())
}
