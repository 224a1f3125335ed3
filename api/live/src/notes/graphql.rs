//! GraphQL fields of notes.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateUserNoteInput, UpdateUserNoteInput, UserNote};
use crate::platform_users::UserPath;

/// Queries of notes.
pub struct NoteQueries;
/// Mutations of notes.
pub struct NoteMutations;

#[graphql_object(context = Cx)]
impl NoteQueries {
    async fn user_notes(ctx: &Cx, platform: String, platform_user_id: String) -> Result<Vec<UserNote>> {
        let user = UserPath { platform: &platform, platform_user_id: &platform_user_id };
        super::user_notes(ctx, user).await
    }
}

#[graphql_object(context = Cx)]
impl NoteMutations {
    async fn create_user_note(
        ctx: &Cx,
        platform: String,
        platform_user_id: String,
        input: CreateUserNoteInput,
    ) -> Result<UserNote> {
        let user = UserPath { platform: &platform, platform_user_id: &platform_user_id };
        super::create_user_note(ctx, user, Ok(input)).await
    }

    async fn update_user_note(ctx: &Cx, id: Uuid, input: UpdateUserNoteInput) -> Result<UserNote> {
        super::update_user_note(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_user_note(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_user_note(ctx, Ok(id)).await?;
        Ok(true)
    }
}
