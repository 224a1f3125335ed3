//! Service keys of an account (specification A §2.3, §4.5): `lm_svc_`, for a fixed list of permissions and nobody in
//! particular.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit,
    catalogue::{AccountPermission, Feature},
    db::schema::account_service_keys,
    invalidation::Invalidation,
    secret::Secret,
    token::{NewToken, TokenKind},
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

/// A service key of an account. The key itself is not in it.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = account_service_keys)]
pub struct AccountServiceKey {
    pub id: Uuid,
    /// Owning account.
    pub account_id: Uuid,
    /// Who made it; null once that member has left. The key works on.
    pub created_by: Option<Uuid>,
    /// The first characters, for display.
    pub key_prefix: String,
    pub label: String,
    /// Fixed at creation.
    pub permissions: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Null: never.
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

/// A new key: its text is shown this once.
#[derive(Debug)]
pub struct CreatedAccountServiceKey {
    pub key: Secret,
    pub service_key: AccountServiceKey,
}

/// What a new service key is to be.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "label": "Nightly export",
    "permissions": ["events:read", "history:*"],
    "expires_at": "2030-01-31T12:00:00.000Z",
}))]
pub struct CreateAccountServiceKeyInput {
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: String,
    /// `resource:action` or `resource:*`, of the account's permissions.
    #[schema(extensions(("maxLength" = json!(Scopes::max_length()))))]
    pub permissions: Vec<String>,
    /// RFC 3339; null or absent means that the key does not expire.
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Option<String>,
}

/// What is to change of a service key.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "label": "Nightly export" }))]
pub struct UpdateAccountServiceKeyInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
}

/// The service keys of the account.
pub static ACCOUNT_SERVICE_KEYS: Operation<AccountCaller> =
    Operation::account("accountServiceKeys", AccountPermission::ApikeysRead, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Lists the service keys of the account, newest first.
///
/// # Errors
/// As the rule.
pub async fn account_service_keys(cx: &Cx) -> Result<Vec<AccountServiceKey>> {
    let caller = cx.authorize(&ACCOUNT_SERVICE_KEYS).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

/// Creates a service key.
pub static CREATE_ACCOUNT_SERVICE_KEY: Operation<AccountCaller> = Operation::account(
    "createAccountServiceKey",
    AccountPermission::ApikeysCreate,
    Grants::AccountPermissions,
)
.feature(Feature::ApiKeys);

/// Creates a service key.
///
/// # Errors
/// As the rule; 400 `Invalid permission: …` for a scope that no service key may carry, 403 for one that the creator
/// lacks, 400 for an expiry in the past, 403 `PLAN_LIMIT_REACHED` for one key too many.
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
            // The key outlives its maker's rights, so that those of this moment count.
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

/// Renames a service key.
pub static UPDATE_ACCOUNT_SERVICE_KEY: Operation<AccountCaller> =
    Operation::account("updateAccountServiceKey", AccountPermission::ApikeysEdit, Grants::Nothing)
        .feature(Feature::ApiKeys);

/// Renames a service key. Nothing else of it can be changed.
///
/// # Errors
/// As the rule; 400 for a wrong label, 404 when the account has no such key.
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

/// Revokes a service key.
pub static DELETE_ACCOUNT_SERVICE_KEY: Operation<AccountCaller> = Operation::account(
    "deleteAccountServiceKey",
    AccountPermission::ApikeysDelete,
    Grants::AccountPermissions,
)
.feature(Feature::ApiKeys);

/// Revokes a service key: it is gone at once, in every process.
///
/// # Errors
/// As the rule; 404 when the account has no such key.
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
