//! Queries over `idea_votes`.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, pg::Pg, prelude::*, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{idea_votes::dsl, users},
};
use uuid::Uuid;

use super::IdeaVoter;
use crate::kinds::IdeaVoteType;

/// Vote of a person.
pub(super) async fn of_user(
    connection: &mut AsyncPgConnection,
    idea: Uuid,
    user: UserId,
) -> Result<Option<IdeaVoteType>> {
    let found = dsl::idea_votes.find((idea, user)).select(dsl::vote_type);
    let vote: Option<String> = found.first(connection).await.optional()?;
    vote.as_deref().map(IdeaVoteType::of).transpose()
}

/// Stores the vote of a person in place of another one.
pub(super) async fn put(
    connection: &mut AsyncPgConnection,
    idea: Uuid,
    user: UserId,
    vote: IdeaVoteType,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(dsl::idea_votes)
        .values((
            dsl::idea_id.eq(idea),
            dsl::user_id.eq(user),
            dsl::vote_type.eq(vote.as_str()),
            dsl::created_at.eq(now),
        ))
        .on_conflict((dsl::idea_id, dsl::user_id))
        .do_update()
        .set(dsl::vote_type.eq(excluded(dsl::vote_type)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes the vote of a person.
pub(super) async fn remove(connection: &mut AsyncPgConnection, idea: Uuid, user: UserId) -> Result<()> {
    delete(dsl::idea_votes.find((idea, user))).execute(connection).await?;
    Ok(())
}

/// Voters of an idea, latest first vote first.
pub(super) async fn voters(
    connection: &mut AsyncPgConnection,
    idea: Uuid,
    vote: Option<IdeaVoteType>,
    limit: i64,
    offset: i64,
) -> Result<Vec<IdeaVoter>> {
    let mut votes = dsl::idea_votes
        .inner_join(users::table.on(users::id.eq(dsl::user_id)))
        .filter(dsl::idea_id.eq(idea))
        .order((dsl::created_at.desc(), dsl::user_id.desc()))
        .limit(limit)
        .offset(offset)
        .select((dsl::user_id, dsl::vote_type, users::display_name, users::avatar_url))
        .into_boxed::<Pg>();
    if let Some(vote) = vote {
        votes = votes.filter(dsl::vote_type.eq(vote.as_str()));
    }
    let rows: Vec<(Uuid, String, String, Option<String>)> = votes.load(connection).await?;
    let voter = |(user_id, vote, display_name, avatar_url): (Uuid, String, String, Option<String>)| {
        Ok(IdeaVoter { user_id, vote_type: IdeaVoteType::of(&vote)?, display_name, avatar_url })
    };
    rows.into_iter().map(voter).collect()
}
