//! Personal API keys: `lm_usr_`, bound to a person, an account and a fixed list of permissions
//! (reference/credentials.md#personal-api-keys).

mod db;
pub mod graphql;
pub mod rest;
mod scopes;

use api_core::token::{NewToken, TokenKind};
use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AnyOperation, Grants, Member},
    validate,
};
use chrono::{DateTime, Utc};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use foundation::invalidation::Invalidation;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Feature},
    clock::rfc3339,
    schema::user_api_keys,
    secret::Secret,
};
use sign_in::sessions::current;
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

/// A personal API key, without its text.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = user_api_keys)]
pub struct UserApiKey {
    /// Id of the key.
    pub id: Uuid,
    /// Owning user.
    pub user_id: Uuid,
    /// Owning account.
    pub account_id: Uuid,
    /// Prefix of the kind and the first characters of the key, for display.
    pub key_prefix: String,
    /// Name that the owner gave to the key.
    pub label: String,
    /// Scopes of the key, fixed at creation.
    pub permissions: Vec<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time from which the key no longer works; null when it does not expire.
    pub expires_at: Option<Timestamp>,
    /// Time of the last use; null before the first one.
    pub last_used_at: Option<Timestamp>,
}

/// A new key with its text, which no later call returns.
#[derive(Debug)]
pub struct CreatedUserApiKey {
    /// Text of the key.
    pub key: Secret,
    /// The key as it is listed.
    pub api_key: UserApiKey,
}

/// A personal API key to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "label": "Stream deck",
    "permissions": ["chat:read", "chat:write"],
    "expires_at": "2030-01-31T12:00:00.000Z",
}))]
pub struct CreateUserApiKeyInput {
    /// Name of the key, 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: String,
    /// Scopes, as `resource:action` or `resource:*`.
    #[schema(extensions(("maxLength" = json!(Scopes::max_length()))))]
    pub permissions: Vec<String>,
    /// Time of expiry in RFC 3339, in the future. Null or absent: the key does not expire.
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Option<String>,
}

/// Changes of a personal API key. Absent fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "label": "Stream deck" }))]
pub struct UpdateUserApiKeyInput {
    /// New name, 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
}

/// Kind of key that carries a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApiKeyKind {
    /// Key of a person in an account.
    Personal,
    /// Key of an account, without a person.
    Service,
}

/// Query of the assignable permissions.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AssignableQuery {
    /// Kind of key.
    #[param(inline)]
    pub kind: ApiKeyKind,
}

/// A scope that a key may carry.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ApiKeyPermission {
    /// Text of the scope, as `resource:action`.
    pub key: String,
    /// English name of the scope.
    pub label: String,
    /// Resource that the scope belongs to.
    pub category: String,
}

pub static API_KEY_ASSIGNABLE_PERMISSIONS: Operation<Member> =
    Operation::member("apiKeyAssignablePermissions", AccountPermission::ApikeysRead, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Lists the scopes that keys of a kind may carry.
///
/// The list is in the order of the catalogue and has no wildcards.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the kind is unknown.
#[api_core::operation]
pub async fn api_key_assignable_permissions(
    cx: &Cx,
    query: Input<AssignableQuery>,
) -> Result<Vec<ApiKeyPermission>> {
    cx.authorize(&API_KEY_ASSIGNABLE_PERMISSIONS).await?;
    Ok(scopes::assignable(query?.kind))
}

pub static USER_API_KEYS: Operation<Member> =
    Operation::member("userApiKeys", AccountPermission::ApikeysRead, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Lists the caller's own keys in the active account.
///
/// The newest key comes first. The texts of the keys are not included.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn user_api_keys(cx: &Cx) -> Result<Vec<UserApiKey>> {
    let member = cx.authorize(&USER_API_KEYS).await?;
    db::list(&mut *member.db().await?, member.account, member.user).await
}

pub static CREATE_USER_API_KEY: Operation<Member> =
    Operation::member("createUserApiKey", AccountPermission::ApikeysCreate, Grants::AccountPermissions)
        .feature(Feature::ApiKeys)
        .idempotent()
        .secret_answer();

/// Creates a personal API key.
///
/// The key belongs to the caller and the active account. The text of the key is returned by this call only.
/// Scopes and expiry cannot be changed later. At any time the key may do only what its owner may do and its
/// scopes include.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Invalid permission: …`: a scope is unknown or not allowed for personal keys.
/// - 400: the label is too long or empty, or the expiry is not in the future.
/// - 403 `Missing permission: …`: the creator does not hold a scope.
/// - 403 `PLAN_LIMIT_REACHED`: the creator has the maximum number of keys.
#[api_core::operation]
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
            if db::is_full(connection, &key, now).await? {
                return Err(ApiError::new(Code::PlanLimitReached, "API key limit reached"));
            }
            let api_key = db::insert(connection, &key).await?;
            let entry = foundation::audit::Entry {
                metadata: summary(&label, scopes.texts(), expires_at),
                ..cx.audit("api_key:created", "user_api_key", api_key.id)
            };
            foundation::audit::record(connection, entry).await?;
            Ok(api_key)
        })
        .await?;
    Ok(CreatedUserApiKey { key: token.text, api_key })
}

pub static UPDATE_USER_API_KEY: Operation<Member> =
    Operation::member("updateUserApiKey", AccountPermission::ApikeysEdit, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Renames one of the caller's own keys.
///
/// Scopes, expiry and text of the key do not change.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the label is empty or too long.
/// - 404: the caller has no such key in the active account.
#[api_core::operation]
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
            let entry = foundation::audit::Entry {
                metadata: json!({ "label": label }),
                ..cx.audit("api_key:updated", "user_api_key", id)
            };
            foundation::audit::record(connection, entry).await?;
            Ok(api_key)
        })
        .await
}

pub static DELETE_USER_API_KEY: Operation<Member> =
    Operation::member("deleteUserApiKey", AccountPermission::ApikeysDelete, Grants::AccountPermissions)
        .feature(Feature::ApiKeys);

/// Revokes one of the caller's own keys.
///
/// The key stops in every process at once, and its sockets are closed. It cannot be restored.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the caller has no such key in the active account.
#[api_core::operation]
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
            Ok(foundation::audit::record(connection, cx.audit("api_key:revoked", "user_api_key", id)).await?)
        })
        .await?;
    cx.changed(Invalidation::Credential { id }).await;
    Ok(())
}

fn not_found() -> ApiError {
    ApiError::not_found("API key not found")
}

/// Metadata of the audit entry of a new key or token.
pub(crate) fn summary(label: &str, permissions: &[String], expires_at: Option<DateTime<Utc>>) -> Value {
    json!({ "label": label, "permissions": permissions, "expires_at": expires_at.map(rfc3339) })
}

/// Parses the time of expiry of a new key or token.
///
/// # Errors
/// 400 for a malformed time and for one that is not in the future (reference/errors.md#field-errors).
pub(crate) fn expiry(text: Option<&str>, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let expires_at = text.map(|text| validate::timestamp("expires_at", text)).transpose()?;
    if expires_at.is_some_and(|at| at <= now) {
        return Err(ApiError::invalid("expires_at cannot be in the past"));
    }
    Ok(expires_at)
}
