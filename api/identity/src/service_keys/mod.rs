//! Service keys: `lm_svc_`, bound to an account and a fixed list of permissions, without a person
//! (reference/credentials.md#service-keys).

mod db;
pub mod graphql;
pub mod rest;

use api_core::token::{NewToken, TokenKind};
use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use foundation::{audit, invalidation::Invalidation};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    schema::account_service_keys,
    secret::Secret,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api_keys::{ApiKeyKind, Scopes, expiry, summary};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ACCOUNT_SERVICE_KEYS,
    &CREATE_ACCOUNT_SERVICE_KEY,
    &UPDATE_ACCOUNT_SERVICE_KEY,
    &DELETE_ACCOUNT_SERVICE_KEY,
];

/// A service key of an account, without its text.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = account_service_keys)]
pub struct AccountServiceKey {
    /// Id of the key.
    pub id: Uuid,
    /// Owning account.
    pub account_id: Uuid,
    /// Member who created the key; null once that member has left the account, which does not end the key.
    pub created_by: Option<Uuid>,
    /// Prefix of the kind and the first characters of the key, for display.
    pub key_prefix: String,
    /// Name of the key.
    pub label: String,
    /// Scopes of the key, fixed at creation.
    pub permissions: Vec<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change of the label, else of the creation.
    pub updated_at: Timestamp,
    /// Time from which the key no longer works; null when it does not expire.
    pub expires_at: Option<Timestamp>,
    /// Time of the last use; null before the first one.
    pub last_used_at: Option<Timestamp>,
}

/// A new key with its text, which no later call returns.
#[derive(Debug)]
pub struct CreatedAccountServiceKey {
    /// Text of the key.
    pub key: Secret,
    /// The key as it is listed.
    pub service_key: AccountServiceKey,
}

/// A service key to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "label": "Nightly export",
    "permissions": ["events:read", "history:*"],
    "expires_at": "2030-01-31T12:00:00.000Z",
}))]
pub struct CreateAccountServiceKeyInput {
    /// Name of the key, 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: String,
    /// Scopes, as `resource:action` or `resource:*`, of the permissions of an account.
    #[schema(extensions(("maxLength" = json!(Scopes::max_length()))))]
    pub permissions: Vec<String>,
    /// Time of expiry in RFC 3339, in the future. Null or absent: the key does not expire.
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Option<String>,
}

/// Changes of a service key. Absent fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "label": "Nightly export" }))]
pub struct UpdateAccountServiceKeyInput {
    /// New name, 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
}

pub static ACCOUNT_SERVICE_KEYS: Operation<AccountCaller> =
    Operation::account("accountServiceKeys", AccountPermission::ApikeysRead, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Lists the service keys of the account.
///
/// The newest key comes first. The texts of the keys are not included.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn account_service_keys(cx: &Cx) -> Result<Vec<AccountServiceKey>> {
    let caller = cx.authorize(&ACCOUNT_SERVICE_KEYS).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

pub static CREATE_ACCOUNT_SERVICE_KEY: Operation<AccountCaller> = Operation::account(
    "createAccountServiceKey",
    AccountPermission::ApikeysCreate,
    Grants::AccountPermissions,
)
.feature(Feature::ApiKeys)
.idempotent()
.secret_answer();

/// Creates a service key.
///
/// The key belongs to the account and acts for no person. The text of the key is returned by this call only.
/// Scopes and expiry cannot be changed later. The key keeps working when its creator loses permissions or
/// leaves the account.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Invalid permission: …`: a scope is unknown or not allowed for service keys.
/// - 400: the label is too long or empty, or the expiry is not in the future.
/// - 403 `Missing permission: …`: the creator does not hold a scope.
/// - 403 `PLAN_LIMIT_REACHED`: the account has the maximum number of keys.
#[api_core::operation]
pub async fn create_account_service_key(
    cx: &Cx,
    input: Input<CreateAccountServiceKeyInput>,
) -> Result<CreatedAccountServiceKey> {
    let caller = cx.authorize(&CREATE_ACCOUNT_SERVICE_KEY).await?;
    let input = input?;
    let label = validate::text("label", &input.label, 1, crate::MAX_LABEL_LENGTH)?;
    let scopes = Scopes::parse(ApiKeyKind::Service, &input.permissions)?;
    let now = cx.state().clock.now();
    let expires_at = expiry(input.expires_at.as_deref(), now)?;
    scopes.refuse_bare_wildcard()?;

    let token = NewToken::generate(TokenKind::Service);
    let key = db::NewServiceKey {
        id: shared::id::new(),
        account_id: caller.account,
        created_by: cx.principal().author(),
        key_hash: &token.hash,
        key_prefix: &token.prefix,
        label: &label,
        permissions: scopes.texts(),
        created_at: now,
        updated_at: now,
        expires_at,
    };
    let service_key = caller
        .db()
        .await?
        .transaction(async |connection| {
            // The key outlives the rights of its creator, so the rights at this moment are checked.
            caller.authority(connection).await?.must_hold(scopes.account())?;
            if db::lock_and_count(connection, caller.account).await? >= db::MAX_KEYS {
                return Err(ApiError::new(Code::PlanLimitReached, "Service key limit reached"));
            }
            let service_key = db::insert(connection, &key).await?;
            let entry = audit::Entry {
                metadata: summary(&label, scopes.texts(), expires_at),
                ..cx.audit("account:service_key_created", RESOURCE, service_key.id)
            };
            audit::record(connection, entry).await?;
            Ok(service_key)
        })
        .await?;
    Ok(CreatedAccountServiceKey { key: token.text, service_key })
}

pub static UPDATE_ACCOUNT_SERVICE_KEY: Operation<AccountCaller> =
    Operation::account("updateAccountServiceKey", AccountPermission::ApikeysEdit, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Renames a service key.
///
/// Scopes, expiry and text of the key do not change.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the label is empty or too long.
/// - 404: the account has no such key.
#[api_core::operation]
pub async fn update_account_service_key(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateAccountServiceKeyInput>,
) -> Result<AccountServiceKey> {
    let caller = cx.authorize(&UPDATE_ACCOUNT_SERVICE_KEY).await?;
    let (id, input) = (id?, input?);
    let label = input.label.not_null("label")?;
    let Some(label) =
        label.map(|label| validate::text("label", &label, 1, crate::MAX_LABEL_LENGTH)).transpose()?
    else {
        let unchanged = db::find(&mut *caller.db().await?, caller.account, id).await?;
        return unchanged.ok_or_else(not_found);
    };
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let service_key = db::rename(connection, caller.account, id, &label, now).await?;
            let service_key = service_key.ok_or_else(not_found)?;
            let entry = audit::Entry {
                metadata: json!({ "label": label }),
                ..cx.audit("account:service_key_updated", RESOURCE, id)
            };
            audit::record(connection, entry).await?;
            Ok(service_key)
        })
        .await
}

pub static DELETE_ACCOUNT_SERVICE_KEY: Operation<AccountCaller> = Operation::account(
    "deleteAccountServiceKey",
    AccountPermission::ApikeysDelete,
    Grants::AccountPermissions,
)
.feature(Feature::ApiKeys);

/// Revokes a service key.
///
/// The key stops in every process at once, and its sockets are closed. It cannot be restored.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the account has no such key.
#[api_core::operation]
pub async fn delete_account_service_key(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_ACCOUNT_SERVICE_KEY).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let label = db::delete(connection, caller.account, id).await?.ok_or_else(not_found)?;
            let entry = audit::Entry {
                metadata: json!({ "label": label }),
                ..cx.audit("account:service_key_revoked", RESOURCE, id)
            };
            Ok::<_, ApiError>(audit::record(connection, entry).await?)
        })
        .await?;
    cx.changed(Invalidation::Credential { id }).await;
    Ok(())
}

const RESOURCE: &str = "account_service_key";

fn not_found() -> ApiError {
    ApiError::not_found("Service key not found")
}
