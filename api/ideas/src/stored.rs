//! Stored ideas as every resource of the board needs them.

use api_core::{ApiError, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{idea_texts, ideas},
};
use uuid::Uuid;

use crate::kinds::IdeaStatus;

/// Stored idea without its texts and counters.
#[derive(Debug, Clone)]
pub(crate) struct StoredIdea {
    /// Author.
    pub author: UserId,
    /// Category.
    pub category: Uuid,
    /// Status.
    pub status: IdeaStatus,
}

type Row = (UserId, Uuid, String);

/// Stored idea.
///
/// # Errors
/// 404 `Idea not found`.
pub(crate) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<StoredIdea> {
    let columns = (ideas::author_id, ideas::category_id, ideas::status);
    stored(ideas::table.find(id).select(columns).first(connection).await.optional()?)
}

/// Stored idea, locked until the transaction ends. Everything that changes an idea, its votes or its
/// comments locks the idea first.
///
/// # Errors
/// 404 `Idea not found`.
pub(crate) async fn lock(connection: &mut AsyncPgConnection, id: Uuid) -> Result<StoredIdea> {
    let columns = (ideas::author_id, ideas::category_id, ideas::status);
    let row = ideas::table.find(id).select(columns).for_no_key_update().first(connection).await;
    stored(row.optional()?)
}

/// Title and description of an idea.
///
/// # Errors
/// 404 `Idea not found`.
pub(crate) async fn texts(connection: &mut AsyncPgConnection, id: Uuid) -> Result<(String, String)> {
    let columns = (idea_texts::title, idea_texts::description);
    let texts = idea_texts::table.find(id).select(columns).first(connection).await;
    texts.optional()?.ok_or_else(not_found)
}

/// 404 for an unknown idea.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Idea not found")
}

fn stored(row: Option<Row>) -> Result<StoredIdea> {
    let (author, category, status) = row.ok_or_else(not_found)?;
    Ok(StoredIdea { author, category, status: IdeaStatus::of(&status)? })
}
