//! People that texts mention (reference/ideas.md#mentions).

use std::collections::BTreeSet;

use api_core::{ApiError, Result};
use diesel::{delete, insert_into, prelude::*};
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

/// Stores the mentions of a text in place of its former ones; returns the people that it did not mention
/// before.
pub(crate) async fn replace(
    connection: &mut AsyncPgConnection,
    text: Text,
    mentions: &BTreeSet<Uuid>,
) -> Result<Vec<UserId>> {
    let (idea_id, comment_id) = (text.idea(), text.comment());
    let of_text = dsl::idea_id.eq(idea_id).or(dsl::comment_id.eq(comment_id));
    delete(dsl::idea_mentions.filter(of_text).filter(dsl::user_id.ne_all(mentions)))
        .execute(connection)
        .await?;
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
