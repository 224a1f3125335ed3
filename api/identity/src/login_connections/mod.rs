//! Login connections of the caller: the identities that they sign in with
//! (reference/users.md#login-connections).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{
        AccountFeatures, AnyOperation, Grants, SessionHolder, SignedIn, account_features, global_features,
    },
};
use connection_model::Update;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit;
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    catalogue::AdminPermission,
    id::{AccountId, UserId},
};
use sign_in::{
    login_connections::{announce, disconnect_login},
    sign_in_changes::{discard_login, unconfirmed_since},
};
use std::sync::Arc;
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&LOGIN_CONNECTIONS, &DISCONNECT_LOGIN_CONNECTION, &SET_LOGIN_RECONNECT_FLAG];

/// An identity that a person signs in with. The tokens of the provider are never included.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct LoginConnection {
    /// Id of the login connection.
    pub id: Uuid,
    /// Slug of the platform.
    pub provider: String,
    /// Id of the person at the provider.
    pub provider_user_id: String,
    /// User name at the provider.
    pub username: String,
    /// Display name at the provider.
    pub display_name: String,
    /// Address of the avatar; null when unknown.
    pub avatar_url: Option<String>,
    /// True when the platform no longer accepts its token.
    pub reconnect_required: bool,
    /// Accounts that have this as their primary connection.
    pub is_primary_for: Vec<Uuid>,
    /// False for one that an API key linked. It cannot sign in and has no effect until a session of the
    /// person confirms it by the notification `login_linked`. It ends after 24 hours.
    pub confirmed: bool,
    /// Time of linking.
    pub created_at: Timestamp,
}

/// Reconnect flag of a login connection.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "reconnect_required": false }))]
pub struct LoginReconnectFlagInput {
    /// New value of the flag. Null or absent: false. True needs `users:edit` as staff.
    pub reconnect_required: Option<bool>,
}

pub static LOGIN_CONNECTIONS: Operation<SignedIn> =
    Operation::first_party("loginConnections", Grants::Nothing);

/// Lists the login connections of the caller.
///
/// Confirmed ones come first, oldest first, then those that wait for confirmation. Platforms for which
/// sign-in is switched off are left out. The tokens of the providers are never included.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn login_connections(cx: &Cx) -> Result<Vec<LoginConnection>> {
    let person = cx.authorize(&LOGIN_CONNECTIONS).await?;
    let features = features(cx, person.account).await?;
    of_person(cx, &mut *person.db().await?, person.user, &features).await
}

pub static DISCONNECT_LOGIN_CONNECTION: Operation<SessionHolder> =
    Operation::session("disconnectLoginConnection", Grants::SignIn);

/// Removes a login connection of the caller, or discards one that waits for confirmation.
///
/// Needs a session: with an API key, a thief could lock the person out. Sessions that were opened through the
/// login end. Its tokens are revoked at the platform after the answer, as far as the platform offers it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the caller has no such login connection.
/// - 409: it is the last one, or the primary connection of an account.
#[api_core::operation]
pub async fn disconnect_login_connection(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let person = cx.authorize(&DISCONNECT_LOGIN_CONNECTION).await?;
    let id = id?;
    let removed = person
        .db()
        .await?
        .transaction(async |connection| {
            if discard_login(cx, connection, person.user, id).await? {
                return Ok(None);
            }
            let removed = disconnect_login(cx, connection, person.user, id).await?;
            let metadata = json!({ "provider": removed.provider });
            record(cx, connection, "connection:disconnected", id, metadata).await?;
            Ok::<_, ApiError>(Some(removed))
        })
        .await?;
    if let Some(removed) = removed {
        removed.announce(cx).await;
    }
    Ok(())
}

pub static SET_LOGIN_RECONNECT_FLAG: Operation<SignedIn> =
    Operation::first_party("setLoginReconnectFlag", Grants::Nothing);

/// Clears or sets the prompt to reconnect a login connection.
///
/// Callers clear the flag of their own login connections; an empty body clears it. Staff with `users:edit`
/// clears and sets it for every person. The grant itself does not change.
///
/// (reference/users.md#reconnect-flag)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a caller who is not such staff sets the flag.
/// - 404: the caller has no such login connection.
#[api_core::operation]
pub async fn set_login_reconnect_flag(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<LoginReconnectFlagInput>,
) -> Result<LoginConnection> {
    let person = cx.authorize(&SET_LOGIN_RECONNECT_FLAG).await?;
    let (id, input) = (id?, input?);
    let is_required = input.reconnect_required.unwrap_or(false);
    let is_staff = cx.admin_permissions().await?.contains(AdminPermission::UsersEdit);
    if is_required && !is_staff {
        return Err(ApiError::invalid("reconnect_required must be false"));
    }
    let owner = (!is_staff).then_some(person.user);
    let now = cx.state().clock.now();
    person
        .db()
        .await?
        .transaction(async |connection| {
            let found = db::lock(connection, id, owner).await?.ok_or_else(not_found)?;
            if found.reconnect_required != is_required {
                db::set_reconnect_flag(connection, id, is_required, now).await?;
                let (action, update) = if is_required {
                    ("connection:reconnect_flag_set", Update::Flagged)
                } else {
                    ("connection:reconnect_flag_cleared", Update::Changed)
                };
                announce(cx, connection, id, &found.platform, update).await?;
                record(cx, connection, action, id, json!({ "provider": found.platform })).await?;
            }
            db::find(connection, id).await?.ok_or_else(not_found)
        })
        .await
}

/// Login connections of a person and those that wait for confirmation, without platforms for which sign-in is
/// switched off (reference/users.md#platform-switches).
pub(crate) async fn of_person(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    features: &AccountFeatures,
) -> Result<Vec<LoginConnection>> {
    let mut connections = db::list(connection, user).await?;
    connections
        .extend(db::list_unconfirmed(connection, user, unconfirmed_since(cx.state().clock.now())).await?);
    connections.retain(|found| features.platform_allows(&found.provider, "login"));
    Ok(connections)
}

/// Writes an entry to the person's audit trail.
pub(crate) async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    id: Uuid,
    metadata: Value,
) -> Result<()> {
    let entry =
        audit::Entry { scope: audit::Scope::User, metadata, ..cx.audit(action, "login_connection", id) };
    Ok(audit::record(connection, entry).await?)
}

async fn features(cx: &Cx, account: Option<AccountId>) -> Result<Arc<AccountFeatures>> {
    match account {
        Some(account) => account_features(cx.state(), account).await,
        None => global_features(cx.state()).await,
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Login connection not found")
}
