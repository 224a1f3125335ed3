//! System keys: `lm_sys_`, with which services of the deployment call internal routes
//! (reference/credentials.md#system-keys).

mod db;
pub mod graphql;
pub mod rest;

use api_core::token::{NewToken, TokenKind};
use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
    validate,
};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use foundation::{audit, invalidation::Invalidation};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{catalogue::AdminPermission, schema::system_keys, secret::Secret};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_SYSTEM_KEYS, &ADMIN_CREATE_SYSTEM_KEY, &ADMIN_DELETE_SYSTEM_KEY];

/// A system key, without its text.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = system_keys)]
pub struct AdminSystemKey {
    /// Id of the key.
    pub id: Uuid,
    /// Name of the key.
    pub label: String,
    /// Prefix of the kind and the first characters of the key, for display.
    pub key_prefix: String,
    /// Person who created the key; null for a key made at the command line, or when that person was deleted.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last use; null before the first one.
    pub last_used_at: Option<Timestamp>,
}

/// A new key with its text, which no later call returns.
#[derive(Debug)]
pub struct CreatedSystemKey {
    /// Text of the key.
    pub key: Secret,
    /// The key as it is listed.
    pub system_key: AdminSystemKey,
}

/// A system key to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "label": "workers" }))]
pub struct AdminCreateSystemKeyInput {
    /// Name of the key, 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: String,
}

pub static ADMIN_SYSTEM_KEYS: Operation<Admin> =
    Operation::admin("adminSystemKeys", AdminPermission::SystemKeysRead, Grants::Nothing);

/// Lists the system keys of the deployment.
///
/// The newest key comes first. The texts of the keys are not included.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn admin_system_keys(cx: &Cx) -> Result<Vec<AdminSystemKey>> {
    let admin = cx.authorize(&ADMIN_SYSTEM_KEYS).await?;
    db::list(&mut *admin.db().await?).await
}

pub static ADMIN_CREATE_SYSTEM_KEY: Operation<Admin> =
    Operation::admin("adminCreateSystemKey", AdminPermission::SystemKeysCreate, Grants::Credentials)
        .idempotent()
        .secret_answer();

/// Creates a system key.
///
/// The text of the key is returned by this call only. The key does not expire.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the label is empty or too long.
/// - 403 `PLAN_LIMIT_REACHED`: the deployment has the maximum number of keys.
#[api_core::operation]
pub async fn admin_create_system_key(
    cx: &Cx,
    input: Input<AdminCreateSystemKeyInput>,
) -> Result<CreatedSystemKey> {
    let admin = cx.authorize(&ADMIN_CREATE_SYSTEM_KEY).await?;
    let label = validate::text("label", &input?.label, 1, crate::MAX_LABEL_LENGTH)?;
    let token = NewToken::generate(TokenKind::System);
    let key = db::NewSystemKey {
        id: shared::id::new(),
        label: &label,
        key_hash: &token.hash,
        key_prefix: &token.prefix,
        created_by: admin.user,
        created_at: cx.state().clock.now(),
    };
    let system_key = admin
        .db()
        .await?
        .transaction(async |connection| {
            if db::lock_and_count(connection).await? >= db::MAX_KEYS {
                return Err(ApiError::new(Code::PlanLimitReached, "System key limit reached"));
            }
            let system_key = db::insert(connection, &key).await?;
            let entry = entry(cx, "system_key:created", system_key.id, json!({ "label": label }));
            audit::record(connection, entry).await?;
            Ok(system_key)
        })
        .await?;
    Ok(CreatedSystemKey { key: token.text, system_key })
}

pub static ADMIN_DELETE_SYSTEM_KEY: Operation<Admin> =
    Operation::admin("adminDeleteSystemKey", AdminPermission::SystemKeysDelete, Grants::Credentials);

/// Revokes a system key.
///
/// The key stops in every process at once. Services that use it lose access to internal routes.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no such key exists.
#[api_core::operation]
pub async fn admin_delete_system_key(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_SYSTEM_KEY).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let label = db::delete(connection, id).await?;
            let label = label.ok_or_else(|| ApiError::not_found("System key not found"))?;
            let entry = entry(cx, "system_key:revoked", id, json!({ "label": label }));
            Ok::<_, ApiError>(audit::record(connection, entry).await?)
        })
        .await?;
    cx.changed(Invalidation::Credential { id }).await;
    Ok(())
}

fn entry<'a>(cx: &Cx, action: &'a str, id: Uuid, metadata: Value) -> audit::Entry<'a> {
    audit::Entry { metadata, ..cx.audit_system(action, "system_key", id) }
}
