//! Queries over `copyright_candidates`, which belong to no account.

use api_core::{ApiError, Result, Timestamp, graphql::int, page::Window};
use diesel::{dsl::sql, prelude::*, sql_types::BigInt};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::{
    copyright_candidates::{self, dsl},
    songs,
};
use uuid::Uuid;

use super::{CopyrightCandidate, CopyrightCandidateStatus, not_found};
use crate::{songs::CopyrightSong, votes::CopyrightVoteKind};

#[derive(Queryable, Selectable)]
#[diesel(table_name = copyright_candidates)]
struct Row {
    id: Uuid,
    vote: String,
    status: String,
    created_at: Timestamp,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = songs)]
struct Song {
    id: Uuid,
    title: String,
    artist: String,
    spotify_track_id: Option<String>,
    isrc: Option<String>,
}

/// Number of accounts that share the vote, by the index of votes.
const ACCOUNTS: &str = "(SELECT count(DISTINCT copyright_votes.account_id) FROM copyright_votes
    WHERE copyright_votes.song_id = copyright_candidates.song_id AND copyright_votes.vote = copyright_candidates.vote)";

/// Returns one page of candidates, newest first, and the total number.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    status: Option<CopyrightCandidateStatus>,
    window: Window,
) -> Result<(Vec<CopyrightCandidate>, i64)> {
    let mut rows = dsl::copyright_candidates.inner_join(songs::table).into_boxed();
    let mut count = dsl::copyright_candidates.into_boxed();
    if let Some(status) = status {
        rows = rows.filter(dsl::status.eq(status.as_str()));
        count = count.filter(dsl::status.eq(status.as_str()));
    }
    let rows: Vec<(Row, Song, i64)> = rows
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select((Row::as_select(), Song::as_select(), sql::<BigInt>(ACCOUNTS)))
        .load(connection)
        .await?;
    let items = rows.into_iter().map(candidate).collect::<Result<_>>()?;
    Ok((items, count.count().get_result(connection).await?))
}

/// Decides about an open candidate, which is locked until the transaction ends.
///
/// # Errors
/// 404 when there is no such candidate; 409 when it was decided about.
pub(super) async fn decide(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    status: CopyrightCandidateStatus,
) -> Result<CopyrightCandidate> {
    let open = dsl::copyright_candidates.filter(dsl::id.eq(id).and(dsl::status.eq("open")));
    let changed = diesel::update(open).set(dsl::status.eq(status.as_str())).execute(connection).await?;
    let row: Option<(Row, Song, i64)> = dsl::copyright_candidates
        .inner_join(songs::table)
        .filter(dsl::id.eq(id))
        .select((Row::as_select(), Song::as_select(), sql::<BigInt>(ACCOUNTS)))
        .first(connection)
        .await
        .optional()?;
    let row = row.ok_or_else(not_found)?;
    if changed == 0 {
        return Err(ApiError::conflict("Candidate was decided about already"));
    }
    candidate(row)
}

fn candidate((row, song, accounts): (Row, Song, i64)) -> Result<CopyrightCandidate> {
    let unknown = || ApiError::internal("a candidate has a vote or status that is not known");
    let Song { id, title, artist, spotify_track_id, isrc } = song;
    Ok(CopyrightCandidate {
        id: row.id,
        song: CopyrightSong { id, title, artist, spotify_track_id, isrc },
        vote: CopyrightVoteKind::parse(&row.vote).ok_or_else(unknown)?,
        status: CopyrightCandidateStatus::parse(&row.status).ok_or_else(unknown)?,
        accounts: int(accounts),
        created_at: row.created_at,
    })
}
