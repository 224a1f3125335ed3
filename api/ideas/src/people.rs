//! People of the board, and the one who reads (reference/ideas.md#people).

use api_core::{ApiError, Cx, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{id::UserId, schema::users};
use utoipa::ToSchema;
use uuid::Uuid;

/// Person as everyone sees them on the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct IdeaAuthor {
    /// Identifier.
    pub id: Uuid,
    /// Display name.
    pub display_name: String,
    /// Address of the avatar. Null: none.
    pub avatar_url: Option<String>,
}

/// Person who reads; `None` for a caller without one, who has no votes.
pub(crate) fn viewer(cx: &Cx) -> Option<UserId> {
    cx.principal().identity()
}

/// Person who reads, for what only a person has.
///
/// # Errors
/// 401 without a credential; 403 for one without a person.
pub(crate) fn required_viewer(cx: &Cx) -> Result<UserId> {
    match cx.person()? {
        Some(person) => Ok(person),
        None if cx.principal().is_anonymous() => Err(cx.unauthorized()),
        None => Err(ApiError::forbidden("Ideas and votes belong to people")),
    }
}

/// Keeps the caller, and other people whom a change names, until the transaction ends. Call it before ideas and
/// comments are locked: a deletion of a person locks the person first.
///
/// # Errors
/// 401 when the caller is deleted. Of the others, who is deleted is left out.
pub(crate) async fn lock_key_share(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    caller: UserId,
    others: &[UserId],
) -> Result<()> {
    let mut people = others.to_vec();
    people.push(caller);
    let kept: Vec<UserId> = users::table
        .filter(users::id.eq_any(people))
        .order(users::id)
        .select(users::id)
        .for_key_share()
        .load(connection)
        .await?;
    if kept.contains(&caller) { Ok(()) } else { Err(cx.unauthorized()) }
}
