//! Notes of an account's moderators about users who chat (reference/chat.md#notes).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
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
/// Largest number of notes of an account about one user: as many as the list shows.
const MAX_NOTES: i64 = 100;

/// Note about a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct UserNote {
    /// Id of the note.
    pub id: Uuid,
    /// Text of the note.
    pub body: String,
    /// Author; null for a note of a key or of a popout that another member made, and when the person no
    /// longer exists.
    pub author: Option<UserNoteAuthor>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Author of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct UserNoteAuthor {
    /// Id of the person.
    pub id: Uuid,
    /// Name of the person.
    pub display_name: String,
    /// Picture of the person.
    pub avatar_url: Option<String>,
}

/// Input of a new note.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "body": "Asked to be called by their old name." }))]
pub struct CreateUserNoteInput {
    /// 1 to 2000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
}

/// Input of a change.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "body": "Asked to be called by their new name." }))]
pub struct UpdateUserNoteInput {
    /// 1 to 2000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
}

pub static USER_NOTES: Operation<AccountCaller> =
    Operation::account("userNotes", AccountPermission::ChatNotes, Grants::Nothing)
        .feature(Feature::Multichat);

/// Lists the account's notes about a user, newest first.
///
/// (reference/chat.md#notes)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an unknown platform or a malformed id.
#[api_core::operation]
pub async fn user_notes(cx: &Cx, user: UserPath<'_>) -> Result<Vec<UserNote>> {
    let caller = cx.authorize(&USER_NOTES).await?;
    let (platform, user_id) = (chat_platform(user.platform)?, user_id(user.platform_user_id)?);
    db::list(&mut *caller.db().await?, caller.account, platform, &user_id).await
}

pub static CREATE_USER_NOTE: Operation<AccountCaller> =
    Operation::account("createUserNote", AccountPermission::ChatNotes, Grants::Nothing)
        .feature(Feature::Multichat)
        .idempotent();

/// Creates a note about a user.
///
/// The user need not have chatted. A note of a key, and of a popout that another member made, has no author.
///
/// (reference/chat.md#notes)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an unknown platform, a malformed id or an invalid text; 409 when
/// the account has 100 notes about the user.
#[api_core::operation]
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

pub static UPDATE_USER_NOTE: Operation<AccountCaller> =
    Operation::account("updateUserNote", AccountPermission::ChatNotes, Grants::Nothing)
        .feature(Feature::Multichat);

/// Changes the text of a note.
///
/// Every member with the permission may change it, also when another one wrote it. The author stays.
///
/// (reference/chat.md#notes)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an invalid text; 404 when the account has no such note.
#[api_core::operation]
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

pub static DELETE_USER_NOTE: Operation<AccountCaller> =
    Operation::account("deleteUserNote", AccountPermission::ChatNotes, Grants::Nothing)
        .feature(Feature::Multichat);

/// Deletes a note.
///
/// Every member with the permission may delete it, also when another one wrote it. It cannot be restored.
///
/// (reference/chat.md#notes)
///
/// # Errors
/// 401 or 403 by the access rule; 404 when the account has no such note.
#[api_core::operation]
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
