//! Personal API keys (specification A §2.2, §4.4): `lm_usr_`, scoped to a person, an account and a fixed list of
//! permissions.

mod db;
pub mod graphql;
pub mod rest;
mod scopes;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AnyOperation, Grants, Member},
    sessions::current,
    validate,
};
use chrono::{DateTime, Utc};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Feature},
    clock::rfc3339,
    db::schema::user_api_keys,
    invalidation::Invalidation,
    secret::Secret,
    token::{NewToken, TokenKind},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use scopes::Scopes;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &API_KEY_ASSIGNABLE_PERMISSIONS,
    &USER_API_KEYS,
    &CREATE_USER_API_KEY,
    &UPDATE_USER_API_KEY,
    &DELETE_USER_API_KEY,
];

/// A personal API key. The key itself is not in it.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = user_api_keys)]
pub struct UserApiKey {
    pub id: Uuid,
    /// Owning user.
    pub user_id: Uuid,
    /// Owning account.
    pub account_id: Uuid,
    /// The first characters, for display.
    pub key_prefix: String,
    pub label: String,
    /// Fixed at creation.
    pub permissions: Vec<String>,
    pub created_at: Timestamp,
    /// Null: never.
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

/// A new key: its text is shown this once.
#[derive(Debug)]
pub struct CreatedUserApiKey {
    pub key: Secret,
    pub api_key: UserApiKey,
}

/// What a new key is to be.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "label": "Stream deck",
    "permissions": ["chat:read", "chat:write"],
    "expires_at": "2030-01-31T12:00:00.000Z",
}))]
pub struct CreateUserApiKeyInput {
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: String,
    /// `resource:action` or `resource:*`.
    #[schema(extensions(("maxLength" = json!(Scopes::max_length()))))]
    pub permissions: Vec<String>,
    /// RFC 3339; null or absent means that the key does not expire.
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Option<String>,
}

/// What is to change.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "label": "Stream deck" }))]
pub struct UpdateUserApiKeyInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
}

/// Which keys a scope is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApiKeyKind {
    Personal,
    Service,
}

/// The query of the assignable permissions.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AssignableQuery {
    #[param(inline)]
    pub kind: ApiKeyKind,
}

/// A scope that a key may carry.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ApiKeyPermission {
    pub key: String,
    pub label: String,
    pub category: String,
}

/// The scopes that keys of a kind may carry.
pub static API_KEY_ASSIGNABLE_PERMISSIONS: Operation<Member> =
    Operation::member("apiKeyAssignablePermissions", AccountPermission::ApikeysRead, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Lists the scopes that keys of a kind may carry.
///
/// # Errors
/// As the rule; 400 for an unknown kind.
pub async fn api_key_assignable_permissions(
    cx: &Cx,
    query: Input<AssignableQuery>,
) -> Result<Vec<ApiKeyPermission>> {
    cx.authorize(&API_KEY_ASSIGNABLE_PERMISSIONS).await?;
    Ok(scopes::assignable(query?.kind))
}

/// The caller's own keys in the active account.
pub static USER_API_KEYS: Operation<Member> =
    Operation::member("userApiKeys", AccountPermission::ApikeysRead, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Lists the caller's own keys in the active account, newest first.
///
/// # Errors
/// As the rule.
pub async fn user_api_keys(cx: &Cx) -> Result<Vec<UserApiKey>> {
    let member = cx.authorize(&USER_API_KEYS).await?;
    db::list(&mut *member.db().await?, member.account, member.user).await
}

/// Creates a personal API key.
pub static CREATE_USER_API_KEY: Operation<Member> =
    Operation::member("createUserApiKey", AccountPermission::ApikeysCreate, Grants::AccountPermissions)
        .feature(Feature::ApiKeys);

/// Creates a personal API key.
///
/// # Errors
/// As the rule; 400 `Invalid permission: …` for a scope that no personal key may carry, 403 for one that the creator
/// lacks, 400 for an expiry in the past, 403 `PLAN_LIMIT_REACHED` for one active key too many.
pub async fn create_user_api_key(cx: &Cx, input: Input<CreateUserApiKeyInput>) -> Result<CreatedUserApiKey> {
    let member = cx.authorize(&CREATE_USER_API_KEY).await?;
    let input = input?;
    let label = validate::text("label", &input.label, 1, crate::MAX_LABEL_LENGTH)?;
    let scopes = Scopes::parse(ApiKeyKind::Personal, &input.permissions)?;
    let now = cx.state().clock.now();
    let expires_at = expiry(input.expires_at.as_deref(), now)?;
    scopes.within_callers(cx).await?;

    let token = NewToken::generate(TokenKind::User);
    let key = db::NewUserApiKey {
        id: shared::id::new(),
        user_id: member.user,
        account_id: member.account,
        key_hash: &token.hash,
        key_prefix: &token.prefix,
        label: &label,
        permissions: scopes.texts(),
        created_at: now,
        expires_at,
        created_by_session: current(cx),
    };
    let api_key = member
        .db()
        .await?
        .transaction(async |connection| {
            db::lock_keys(connection, member.user).await?;
            if db::is_full(connection, member.account, member.user, now).await? {
                return Err(ApiError::new(Code::PlanLimitReached, "API key limit reached"));
            }
            let api_key = db::insert(connection, &key).await?;
            let entry = shared::audit::Entry {
                metadata: summary(&label, scopes.texts(), expires_at),
                ..cx.audit("api_key:created", "user_api_key", api_key.id)
            };
            shared::audit::record(connection, entry).await?;
            Ok(api_key)
        })
        .await?;
    Ok(CreatedUserApiKey { key: token.text, api_key })
}

/// Renames a key of the caller's own.
pub static UPDATE_USER_API_KEY: Operation<Member> =
    Operation::member("updateUserApiKey", AccountPermission::ApikeysEdit, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Renames a key of the caller's own.
///
/// # Errors
/// As the rule; 400 for a wrong label, 404 when the caller has no such key.
pub async fn update_user_api_key(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateUserApiKeyInput>,
) -> Result<UserApiKey> {
    let member = cx.authorize(&UPDATE_USER_API_KEY).await?;
    let (id, input) = (id?, input?);
    let label = input.label.not_null("label")?;
    let Some(label) =
        label.map(|label| validate::text("label", &label, 1, crate::MAX_LABEL_LENGTH)).transpose()?
    else {
        let unchanged = db::find(&mut *member.db().await?, member.account, member.user, id).await?;
        return unchanged.ok_or_else(not_found);
    };
    member
        .db()
        .await?
        .transaction(async |connection| {
            let api_key = db::rename(connection, member.account, member.user, id, &label).await?;
            let api_key = api_key.ok_or_else(not_found)?;
            let entry = shared::audit::Entry {
                metadata: json!({ "label": label }),
                ..cx.audit("api_key:updated", "user_api_key", id)
            };
            shared::audit::record(connection, entry).await?;
            Ok(api_key)
        })
        .await
}

/// Revokes a key of the caller's own.
pub static DELETE_USER_API_KEY: Operation<Member> =
    Operation::member("deleteUserApiKey", AccountPermission::ApikeysDelete, Grants::AccountPermissions)
        .feature(Feature::ApiKeys);

/// Revokes a key of the caller's own: it is gone at once, in every process.
///
/// # Errors
/// As the rule; 404 when the caller has no such key.
pub async fn delete_user_api_key(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let member = cx.authorize(&DELETE_USER_API_KEY).await?;
    let id = id?;
    member
        .db()
        .await?
        .transaction(async |connection| {
            if !db::delete(connection, member.account, member.user, id).await? {
                return Err(not_found());
            }
            Ok(shared::audit::record(connection, cx.audit("api_key:revoked", "user_api_key", id)).await?)
        })
        .await?;
    cx.changed(Invalidation::Credential { id }).await;
    Ok(())
}

fn not_found() -> ApiError {
    ApiError::not_found("API key not found")
}

/// What the audit trail tells of a new key or token.
pub(crate) fn summary(label: &str, permissions: &[String], expires_at: Option<DateTime<Utc>>) -> Value {
    json!({ "label": label, "permissions": permissions, "expires_at": expires_at.map(rfc3339) })
}

/// When a new key or token is to expire.
///
/// # Errors
/// 400 for what is no time, and `expires_at cannot be in the past` (A §7).
pub(crate) fn expiry(text: Option<&str>, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let expires_at = text.map(|text| validate::timestamp("expires_at", text)).transpose()?;
    if expires_at.is_some_and(|at| at <= now) {
        return Err(ApiError::invalid("expires_at cannot be in the past"));
    }
    Ok(expires_at)
}
