//! System keys (specification C §2.3, §9): `lm_sys_`, what our own services call internal routes with.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
    validate,
};
use diesel::{Queryable, Selectable};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    audit,
    catalogue::AdminPermission,
    db::schema::system_keys,
    invalidation::Invalidation,
    secret::Secret,
    token::{NewToken, TokenKind},
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_SYSTEM_KEYS, &ADMIN_CREATE_SYSTEM_KEY, &ADMIN_DELETE_SYSTEM_KEY];

/// A system key. The key itself is not in it.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = system_keys)]
pub struct AdminSystemKey {
    pub id: Uuid,
    pub label: String,
    /// The first characters, for display.
    pub key_prefix: String,
    /// Who made it; null when it was made at the command line, or by somebody who is no longer there.
    pub created_by: Option<Uuid>,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// A new key: its text is shown this once.
#[derive(Debug)]
pub struct CreatedSystemKey {
    pub key: Secret,
    pub system_key: AdminSystemKey,
}

/// What a new system key is to be.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "label": "workers" }))]
pub struct AdminCreateSystemKeyInput {
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: String,
}

/// The system keys.
pub static ADMIN_SYSTEM_KEYS: Operation<Admin> =
    Operation::admin("adminSystemKeys", AdminPermission::SystemKeysRead, Grants::Nothing);

/// Lists the system keys, newest first.
///
/// # Errors
/// As the rule.
pub async fn admin_system_keys(cx: &Cx) -> Result<Vec<AdminSystemKey>> {
    let admin = cx.authorize(&ADMIN_SYSTEM_KEYS).await?;
    db::list(&mut *admin.db().await?).await
}

/// Creates a system key.
pub static ADMIN_CREATE_SYSTEM_KEY: Operation<Admin> =
    Operation::admin("adminCreateSystemKey", AdminPermission::SystemKeysCreate, Grants::Credentials);

/// Creates a system key.
///
/// # Errors
/// As the rule; 400 for a wrong label, 403 `PLAN_LIMIT_REACHED` for one key too many.
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

/// Revokes a system key.
pub static ADMIN_DELETE_SYSTEM_KEY: Operation<Admin> =
    Operation::admin("adminDeleteSystemKey", AdminPermission::SystemKeysDelete, Grants::Credentials);

/// Revokes a system key: it is gone at once, in every process.
///
/// # Errors
/// As the rule; 404 when there is no such key.
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
