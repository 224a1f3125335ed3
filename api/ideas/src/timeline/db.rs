//! Queries over `idea_timeline`.

use api_core::{ApiError, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, UserId},
    schema::{
        idea_timeline::{self, dsl},
        users,
    },
};
use uuid::Uuid;

use super::{IdeaTimelineAction, IdeaTimelineEntry};
use crate::people::IdeaAuthor;

/// New entry.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Change.
    pub action: IdeaTimelineAction,
    /// Former value.
    pub old: Option<String>,
    /// New value.
    pub new: Option<String>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = idea_timeline)]
struct Row {
    id: Uuid,
    action: String,
    old_value: Option<String>,
    new_value: Option<String>,
    created_at: Timestamp,
}

/// Person as columns of a join.
type Actor = (Uuid, String, Option<String>);

/// Adds entries in their order.
pub(crate) async fn add(
    connection: &mut AsyncPgConnection,
    idea: Uuid,
    actor: UserId,
    entries: &[Entry],
    now: DateTime<Utc>,
) -> Result<()> {
    // Ids of a process rise, so that entries of one time keep their order.
    let row = |entry: &Entry| {
        (
            dsl::id.eq(id::new()),
            dsl::idea_id.eq(idea),
            dsl::actor_id.eq(actor),
            dsl::action.eq(entry.action.as_str()),
            dsl::old_value.eq(entry.old.clone()),
            dsl::new_value.eq(entry.new.clone()),
            dsl::created_at.eq(now),
        )
    };
    if entries.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = entries.iter().map(row).collect();
    insert_into(dsl::idea_timeline).values(rows).execute(connection).await?;
    Ok(())
}

/// Timeline of an idea, oldest entry first.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    idea: Uuid,
    limit: i64,
    offset: i64,
) -> Result<Vec<IdeaTimelineEntry>> {
    let rows: Vec<(Row, Option<Actor>)> = dsl::idea_timeline
        .left_join(users::table.on(users::id.nullable().eq(dsl::actor_id)))
        .filter(dsl::idea_id.eq(idea))
        .order((dsl::created_at, dsl::id))
        .limit(limit)
        .offset(offset)
        .select((Row::as_select(), (users::id, users::display_name, users::avatar_url).nullable()))
        .load(connection)
        .await?;
    rows.into_iter().map(entry).collect()
}

fn entry((row, actor): (Row, Option<Actor>)) -> Result<IdeaTimelineEntry> {
    let action = IdeaTimelineAction::ALL.into_iter().find(|action| action.as_str() == row.action);
    let action = action.ok_or_else(|| ApiError::internal("a timeline has an action that is not known"))?;
    let actor = actor.map(|(id, display_name, avatar_url)| IdeaAuthor { id, display_name, avatar_url });
    Ok(IdeaTimelineEntry {
        id: row.id,
        actor,
        action,
        old_value: row.old_value,
        new_value: row.new_value,
        created_at: row.created_at,
    })
}
