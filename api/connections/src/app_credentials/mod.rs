//! Own applications of an account on the platforms (reference/connections.md#app-credentials): one record for
//! each platform. Only a hint and the decryptable state are returned.

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
};
use connection_model::applications::client_id_hint;
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{catalogue::AccountPermission, connection::ConnectionKind, platform::Platform};
use utoipa::ToSchema;

use crate::{
    credential_modes::CredentialKind,
    platform,
    stored_applications::{Entered, Record, Whose},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&APP_CREDENTIALS, &SAVE_APP_CREDENTIALS, &DELETE_APP_CREDENTIALS];

/// Application of an account. Neither its id nor its secret is returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AppCredentials {
    /// Slug of the platform.
    pub platform: String,
    /// `channel` serves bots too, where the platform allows it; `bot` serves bots only.
    pub kind: CredentialKind,
    /// Last four characters of the client id; empty for an id of four or fewer.
    pub client_id_hint: String,
    /// False when no configured key opens the secret. The credentials must then be entered again.
    pub decryptable: bool,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Application to save.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct SaveAppCredentialsInput {
    /// 1 to 255 characters.
    #[schema(extensions(("maxLength" = json!(crate::stored_applications::MAX_CLIENT_ID_LENGTH))))]
    pub client_id: String,
    /// 1 to 1024 characters.
    #[schema(extensions(("maxLength" = json!(crate::stored_applications::MAX_CLIENT_SECRET_LENGTH))))]
    pub client_secret: String,
    /// Kind; `channel` when absent.
    #[serde(default)]
    pub kind: Option<CredentialKind>,
}

pub static APP_CREDENTIALS: Operation<AccountCaller> =
    Operation::account("appCredentials", AccountPermission::ConnectionsRead, Grants::Nothing);

/// Lists the account's own applications.
///
/// Neither client ids nor secrets are returned.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn app_credentials(cx: &Cx) -> Result<Vec<AppCredentials>> {
    let caller = cx.authorize(&APP_CREDENTIALS).await?;
    let whose = Whose::Account(caller.account);
    let records = whose.list(&mut *caller.db().await?).await?;
    records.into_iter().map(|record| shown(cx, whose, record)).collect()
}

pub static SAVE_APP_CREDENTIALS: Operation<AccountCaller> =
    Operation::account("saveAppCredentials", AccountPermission::ConnectionsCreate, Grants::Nothing);

/// Saves an application of the account for a platform.
///
/// It replaces the former one of the platform. Connections that the former application made must be made
/// again when their tokens expire.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without channel connections, for the kind `bot` on a
/// platform without bots, and for a text that is empty or too long.
#[api_core::operation]
pub async fn save_app_credentials(
    cx: &Cx,
    platform: &str,
    input: Input<SaveAppCredentialsInput>,
) -> Result<AppCredentials> {
    let caller = cx.authorize(&SAVE_APP_CREDENTIALS).await?;
    let platform = platform::with(ConnectionKind::Channel, platform)?;
    let input = input?;
    let kind = input.kind.unwrap_or(CredentialKind::Channel);
    check_kind(platform, kind)?;
    let entered = Entered::checked(&input.client_id, &input.client_secret)?;
    let (whose, state) = (Whose::Account(caller.account), cx.state());
    let record = caller
        .db()
        .await?
        .transaction(async |connection| {
            let (keyring, now) = (&state.keyring, state.clock.now());
            let record = whose.upsert(connection, keyring, platform, kind.as_str(), &entered, now).await?;
            audit(cx, connection, "app_credentials:saved", platform, &record).await?;
            Ok::<_, ApiError>(record)
        })
        .await?;
    shown(cx, whose, record)
}

pub static DELETE_APP_CREDENTIALS: Operation<AccountCaller> =
    Operation::account("deleteAppCredentials", AccountPermission::ConnectionsDelete, Grants::Nothing);

/// Deletes the application of the account for a platform.
///
/// Connections that it made must be made again when their tokens expire.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without channel connections; 404 when there is no
/// application.
#[api_core::operation]
pub async fn delete_app_credentials(cx: &Cx, platform: &str) -> Result<()> {
    let caller = cx.authorize(&DELETE_APP_CREDENTIALS).await?;
    let platform = platform::with(ConnectionKind::Channel, platform)?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let gone = Whose::Account(caller.account).forget(connection, platform, None).await?.pop();
            let gone = gone.ok_or_else(|| ApiError::not_found("App credentials not found"))?;
            audit(cx, connection, "app_credentials:deleted", platform, &gone).await
        })
        .await
}

fn shown(cx: &Cx, whose: Whose, record: Record) -> Result<AppCredentials> {
    let kind = CredentialKind::parse(&record.kind);
    Ok(AppCredentials {
        decryptable: record.is_decryptable(&cx.state().keyring, whose)?,
        platform: record.platform,
        kind: kind.ok_or_else(|| ApiError::internal("app credentials are of an unknown kind"))?,
        client_id_hint: client_id_hint(&record.client_id),
        updated_at: record.updated_at,
    })
}

/// Refuses the kind `bot` on platforms without bots (Spotify).
fn check_kind(platform: Platform, kind: CredentialKind) -> Result<()> {
    if kind == CredentialKind::Bot && !ConnectionKind::Bot.platforms().contains(&platform) {
        return Err(ApiError::invalid(format!("kind must be channel on {platform}")));
    }
    Ok(())
}

async fn audit(
    cx: &Cx,
    connection: &mut diesel_async::AsyncPgConnection,
    action: &str,
    platform: Platform,
    record: &Record,
) -> Result<()> {
    let entry = audit::Entry {
        metadata: json!({ "platform": platform, "client_id_hint": client_id_hint(&record.client_id) }),
        ..cx.audit(action, "app_credentials", record.id)
    };
    Ok(audit::record(connection, entry).await?)
}
