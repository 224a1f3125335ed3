//! OAuth clients: applications whose hosts are allowed as return addresses
//! (reference/administration.md#oauth-clients).

mod db;
pub mod graphql;
mod input;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
};
use diesel::{Queryable, Selectable};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{catalogue::AdminPermission, schema::oauth_clients};
use utoipa::ToSchema;
use uuid::Uuid;

use input::{ClientChange, NewClient};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ADMIN_OAUTH_CLIENTS,
    &ADMIN_CREATE_OAUTH_CLIENT,
    &ADMIN_UPDATE_OAUTH_CLIENT,
    &ADMIN_DELETE_OAUTH_CLIENT,
];

/// Application whose hosts are allowed as return addresses after a connection.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = oauth_clients)]
pub struct OauthClient {
    /// Identifier.
    pub id: Uuid,
    /// Name.
    pub name: String,
    /// Absolute addresses.
    pub redirect_uris: Vec<String>,
    /// Host names, with a port unless it is the default one.
    pub allowed_hosts: Vec<String>,
    /// False: the hosts are not allowed.
    pub is_active: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// New OAuth client.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminCreateOauthClientInput {
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(input::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 20 addresses; `https`, or `http` on the local machine.
    #[schema(extensions(("maxLength" = json!(input::MAX_ENTRY_LENGTH))))]
    pub redirect_uris: Vec<String>,
    /// At most 20 host names, with a port unless it is the default one.
    #[schema(extensions(("maxLength" = json!(input::MAX_ENTRY_LENGTH))))]
    pub allowed_hosts: Vec<String>,
    /// True when absent.
    pub is_active: Option<bool>,
}

/// Change of an OAuth client.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminUpdateOauthClientInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(input::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 20 addresses; `https`, or `http` on the local machine.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(input::MAX_ENTRY_LENGTH))))]
    pub redirect_uris: Patch<Vec<String>>,
    /// At most 20 host names, with a port unless it is the default one.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(input::MAX_ENTRY_LENGTH))))]
    pub allowed_hosts: Patch<Vec<String>>,
    /// False: the hosts are not allowed.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub is_active: Patch<bool>,
}

pub static ADMIN_OAUTH_CLIENTS: Operation<Admin> =
    Operation::admin("adminOauthClients", AdminPermission::OauthClientsRead, Grants::Nothing);

/// Lists the OAuth clients by name.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn admin_oauth_clients(cx: &Cx) -> Result<Vec<OauthClient>> {
    let admin = cx.authorize(&ADMIN_OAUTH_CLIENTS).await?;
    db::list(&mut *admin.db().await?).await
}

pub static ADMIN_CREATE_OAUTH_CLIENT: Operation<Admin> =
    Operation::admin("adminCreateOauthClient", AdminPermission::OauthClientsCreate, Grants::SignIn)
        .idempotent();

/// Creates an OAuth client.
///
/// It allows return addresses on its hosts. It issues no tokens.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input; 409 for one client too many.
#[api_core::operation]
pub async fn admin_create_oauth_client(
    cx: &Cx,
    input: Input<AdminCreateOauthClientInput>,
) -> Result<OauthClient> {
    let admin = cx.authorize(&ADMIN_CREATE_OAUTH_CLIENT).await?;
    let new = NewClient::checked(input?)?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            if db::lock_and_count(connection).await? >= db::MAX_CLIENTS {
                return Err(ApiError::conflict("OAuth client limit reached"));
            }
            let client = db::insert(connection, &new, cx.state().clock.now()).await?;
            record(cx, connection, "oauth_client:created", &client).await?;
            Ok(client)
        })
        .await
}

pub static ADMIN_UPDATE_OAUTH_CLIENT: Operation<Admin> =
    Operation::admin("adminUpdateOauthClient", AdminPermission::OauthClientsEdit, Grants::SignIn);

/// Changes an OAuth client.
///
/// Given lists replace the former ones.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input; 404 when there is no such client.
#[api_core::operation]
pub async fn admin_update_oauth_client(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateOauthClientInput>,
) -> Result<OauthClient> {
    let admin = cx.authorize(&ADMIN_UPDATE_OAUTH_CLIENT).await?;
    let (id, change) = (id?, ClientChange::checked(input?)?);
    if change.is_empty() {
        return db::find(&mut *admin.db().await?, id).await?.ok_or_else(not_found);
    }
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let client = db::update(connection, id, &change, cx.state().clock.now()).await?;
            let client = client.ok_or_else(not_found)?;
            record(cx, connection, "oauth_client:updated", &client).await?;
            Ok(client)
        })
        .await
}

pub static ADMIN_DELETE_OAUTH_CLIENT: Operation<Admin> =
    Operation::admin("adminDeleteOauthClient", AdminPermission::OauthClientsDelete, Grants::SignIn);

/// Deletes an OAuth client, whose hosts are no longer allowed as return addresses.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such client.
#[api_core::operation]
pub async fn admin_delete_oauth_client(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_OAUTH_CLIENT).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let client = db::delete(connection, id).await?.ok_or_else(not_found)?;
            record(cx, connection, "oauth_client:deleted", &client).await
        })
        .await
}

async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    client: &OauthClient,
) -> Result<()> {
    let mut entry = cx.audit_system(action, "oauth_client", client.id);
    entry.metadata = json!({
        "name": client.name, "allowed_hosts": client.allowed_hosts, "is_active": client.is_active,
    });
    Ok(audit::record(connection, entry).await?)
}

fn not_found() -> ApiError {
    ApiError::not_found("OAuth client not found")
}
