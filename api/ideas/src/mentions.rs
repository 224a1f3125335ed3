//! People that texts mention (reference/ideas.md#mentions).

use std::collections::BTreeSet;

use api_core::{ApiError, Result};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        idea_mentions::{self, dsl},
        users,
    },
};
use uuid::Uuid;

/// Text that mentions people.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Text {
    /// Description of an idea.
    Description(Uuid),
    /// Body of a comment.
    Comment(Uuid),
}

impl Text {
    const fn idea(self) -> Option<Uuid> {
        match self {
            Self::Description(id) => Some(id),
            Self::Comment(_) => None,
        }
    }

    const fn comment(self) -> Option<Uuid> {
        match self {
            Self::Description(_) => None,
            Self::Comment(id) => Some(id),
        }
    }
}

#[derive(Insertable)]
#[diesel(table_name = idea_mentions)]
struct Mention {
    user_id: Uuid,
    idea_id: Option<Uuid>,
    comment_id: Option<Uuid>,
}

/// Checks that everyone who is mentioned exists, and keeps them until the transaction ends.
///
/// # Errors
/// 400 that names the field and the id.
pub(crate) async fn require(
    connection: &mut AsyncPgConnection,
    field: &str,
    mentions: &BTreeSet<Uuid>,
) -> Result<()> {
    if mentions.is_empty() {
        return Ok(());
    }
    let known: Vec<Uuid> = users::table
        .filter(users::id.eq_any(mentions))
        .select(users::id)
        .for_key_share()
        .load(connection)
        .await?;
    match mentions.iter().find(|id| !known.contains(id)) {
        Some(id) => Err(ApiError::invalid(format!("{field} must mention existing users: {id} is none"))),
        None => Ok(()),
    }
}

/// True when a text is to mention somebody whom it has not mentioned before.
pub(crate) async fn has_new(
    connection: &mut AsyncPgConnection,
    text: Text,
    mentions: &BTreeSet<Uuid>,
) -> Result<bool> {
    let of_text = dsl::idea_id.eq(text.idea()).or(dsl::comment_id.eq(text.comment()));
    let found = dsl::idea_mentions.filter(of_text).filter(dsl::user_id.eq_any(mentions)).count();
    let known: i64 = found.get_result(connection).await?;
    Ok(usize::try_from(known).is_ok_and(|known| known < mentions.len()))
}

/// Adds the mentions of a text; returns the people that it has not mentioned before. Those that it no longer mentions
/// stay stored, so that no one is notified again.
pub(crate) async fn add(
    connection: &mut AsyncPgConnection,
    text: Text,
    mentions: &BTreeSet<Uuid>,
) -> Result<Vec<UserId>> {
    let (idea_id, comment_id) = (text.idea(), text.comment());
    let rows: Vec<Mention> =
        mentions.iter().map(|user_id| Mention { user_id: *user_id, idea_id, comment_id }).collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    Ok(insert_into(dsl::idea_mentions)
        .values(rows)
        .on_conflict_do_nothing()
        .returning(dsl::user_id)
        .get_results(connection)
        .await?)
}
