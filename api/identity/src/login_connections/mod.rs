//! What the caller signs in with (specification A §2.7, §4.3; C §3).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{
        AccountFeatures, AnyOperation, Grants, SessionHolder, SignedIn, account_features, global_features,
    },
    login_connections::{announce, disconnect_login},
    sign_in_changes::{discard_login, unconfirmed_since},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    audit,
    catalogue::AdminPermission,
    connections::Update,
    id::{AccountId, UserId},
};
use std::sync::Arc;
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&LOGIN_CONNECTIONS, &DISCONNECT_LOGIN_CONNECTION, &SET_LOGIN_RECONNECT_FLAG];

/// What a person signs in with. The provider's tokens are never in it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct LoginConnection {
    pub id: Uuid,
    /// The platform's slug.
    pub provider: String,
    pub provider_user_id: String,
    pub username: String,
    pub display_name: String,
    pub avatar_url: Option<String>,
    /// Whether the platform no longer takes its token.
    pub reconnect_required: bool,
    /// The accounts whose primary connection this is.
    pub is_primary_for: Vec<Uuid>,
    /// False for one that an API key linked: it does not sign in and counts for nothing until a session of the person
    /// confirms it by the notification `login_linked`, and ends after 24 hours.
    pub confirmed: bool,
    pub created_at: Timestamp,
}

/// Whether the platform has to be connected again.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "reconnect_required": false }))]
pub struct LoginReconnectFlagInput {
    /// False when absent. True is for operator staff with `users:edit`.
    pub reconnect_required: Option<bool>,
}

/// What the caller signs in with.
pub static LOGIN_CONNECTIONS: Operation<SignedIn> =
    Operation::first_party("loginConnections", Grants::Nothing);

/// Lists what the caller signs in with, oldest first, without those of platforms that sign-in is switched off for; then
/// what waits for its confirmation.
///
/// # Errors
/// As the rule.
pub async fn login_connections(cx: &Cx) -> Result<Vec<LoginConnection>> {
    let person = cx.authorize(&LOGIN_CONNECTIONS).await?;
    let features = features(cx, person.account).await?;
    of_person(cx, &mut *person.db().await?, person.user, &features).await
}

/// Removes something that the caller signs in with. No key may: whoever took it would keep the person out (E, 1).
pub static DISCONNECT_LOGIN_CONNECTION: Operation<SessionHolder> =
    Operation::session("disconnectLoginConnection", Grants::SignIn);

/// Removes something that the caller signs in with, or what waits for its confirmation. Sessions that were opened
/// through it end; its tokens are revoked at the platform afterwards, as far as it can be told.
///
/// # Errors
/// As the rule; 404 when the caller has no such connection; 409 for the last one, and for one that is the primary
/// connection of an account.
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

/// Clears the prompt to reconnect a login connection, or for operator staff sets it.
pub static SET_LOGIN_RECONNECT_FLAG: Operation<SignedIn> =
    Operation::first_party("setLoginReconnectFlag", Grants::Nothing);

/// Clears the prompt to reconnect one of the caller's login connections. Operator staff with `users:edit` clears it
/// for everybody, and may set it (A §3, C §3).
///
/// # Errors
/// As the rule; 400 when it is to be set by anybody else; 404 when the caller has no such connection.
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

/// What a person signs in with and what waits for its confirmation, of platforms that sign-in is on for (A §2.7).
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

/// A row in the person's audit trail.
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
