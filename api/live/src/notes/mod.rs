//! What an account's moderators write down about somebody who chats (specification C B13).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit,
    catalogue::{AccountPermission, Feature},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    chat::chat_platform,
    platform_users::{UserPath, user_id},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&USER_NOTES, &CREATE_USER_NOTE, &UPDATE_USER_NOTE, &DELETE_USER_NOTE];

const MAX_BODY_LENGTH: usize = 2000;
/// Notes of an account about one user: as many as the list shows.
const MAX_NOTES: i64 = 100;

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct UserNote {
    pub id: Uuid,
    pub body: String,
    /// Who wrote it; null when it was a key's doing, or the person is gone.
    pub author: Option<UserNoteAuthor>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Who wrote a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct UserNoteAuthor {
    pub id: Uuid,
    pub display_name: String,
    pub avatar_url: Option<String>,
}

/// A note to write.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "body": "Asked to be called by their old name." }))]
pub struct CreateUserNoteInput {
    /// 1 to 2000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
}

/// What a note is to say.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "body": "Asked to be called by their new name." }))]
pub struct UpdateUserNoteInput {
    /// 1 to 2000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
}

/// The account's notes about a user.
pub static USER_NOTES: Operation<AccountCaller> =
    Operation::account("userNotes", AccountPermission::ChatNotes, Grants::Nothing)
        .feature(Feature::Multichat);

/// Lists the account's notes about a user, newest first.
///
/// # Errors
/// As the rule; 400 for an unknown platform or a malformed id.
pub async fn user_notes(cx: &Cx, user: UserPath<'_>) -> Result<Vec<UserNote>> {
    let caller = cx.authorize(&USER_NOTES).await?;
    let (platform, user_id) = (chat_platform(user.platform)?, user_id(user.platform_user_id)?);
    db::list(&mut *caller.db().await?, caller.account, platform, &user_id).await
}

/// Write a note about a user.
pub static CREATE_USER_NOTE: Operation<AccountCaller> =
    Operation::account("createUserNote", AccountPermission::ChatNotes, Grants::Nothing)
        .feature(Feature::Multichat);

/// Writes a note about a user, whether or not they were seen. It has no author where nobody can be told to have written
/// it: from a key of the account, and from a popout of another member.
///
/// # Errors
/// As the rule; 400 for an unknown platform, a malformed id or a wrong text; 409 for one note too many.
pub async fn create_user_note(
    cx: &Cx,
    user: UserPath<'_>,
    input: Input<CreateUserNoteInput>,
) -> Result<UserNote> {
    let caller = cx.authorize(&CREATE_USER_NOTE).await?;
    let body = body(&input?.body)?;
    let (platform, user_id) = (chat_platform(user.platform)?, user_id(user.platform_user_id)?);
    let now = cx.state().clock.now();
    let note = db::NewNote {
        id: shared::id::new(),
        account_id: caller.account,
        platform: platform.slug(),
        platform_user_id: &user_id,
        body: &body,
        author_id: caller.user,
        created_at: now,
        updated_at: now,
    };
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock(connection, &note).await?;
            if db::count(connection, &note).await? >= MAX_NOTES {
                return Err(ApiError::conflict(format!("A user can have at most {MAX_NOTES} notes")));
            }
            db::insert(connection, &note).await?;
            let entry = audit::Entry {
                metadata: json!({ "platform": platform }),
                ..cx.audit("user_note:created", "user_note", note.id)
            };
            audit::record(connection, entry).await?;
            db::find(connection, caller.account, note.id).await?.ok_or_else(not_found)
        })
        .await
}

/// Rewrite a note.
pub static UPDATE_USER_NOTE: Operation<AccountCaller> =
    Operation::account("updateUserNote", AccountPermission::ChatNotes, Grants::Nothing)
        .feature(Feature::Multichat);

/// Rewrites a note, whoever of the account wrote it.
///
/// # Errors
/// As the rule; 400 for a wrong text, 404 when the account has no such note.
pub async fn update_user_note(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateUserNoteInput>,
) -> Result<UserNote> {
    let caller = cx.authorize(&UPDATE_USER_NOTE).await?;
    let (id, input) = (id?, input?);
    let (body, now) = (body(&input.body)?, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !db::rewrite(connection, caller.account, id, &body, now).await? {
                return Err(not_found());
            }
            audit::record(connection, cx.audit("user_note:updated", "user_note", id)).await?;
            db::find(connection, caller.account, id).await?.ok_or_else(not_found)
        })
        .await
}

/// Delete a note.
pub static DELETE_USER_NOTE: Operation<AccountCaller> =
    Operation::account("deleteUserNote", AccountPermission::ChatNotes, Grants::Nothing)
        .feature(Feature::Multichat);

/// Deletes a note, whoever of the account wrote it.
///
/// # Errors
/// As the rule; 404 when the account has no such note.
pub async fn delete_user_note(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_USER_NOTE).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !db::delete(connection, caller.account, id).await? {
                return Err(not_found());
            }
            Ok(audit::record(connection, cx.audit("user_note:deleted", "user_note", id)).await?)
        })
        .await
}

fn body(text: &str) -> Result<String> {
    validate::long_text("body", text, 1, MAX_BODY_LENGTH)
}

fn not_found() -> ApiError {
    ApiError::not_found("Note not found")
}
