//! Applications of the deployment on the platforms (reference/connections.md#system-applications). The secret
//! is stored encrypted and never returned.

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
};
use connection_model::applications::client_id_hint;
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{catalogue::AdminPermission, connection::AppKind, platform::Platform};
use utoipa::{IntoParams, ToSchema};

use crate::{
    platform,
    stored_applications::{Entered, Record, Whose},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_SYSTEM_CONNECTIONS, &ADMIN_UPSERT_SYSTEM_CONNECTION, &ADMIN_DELETE_SYSTEM_CONNECTION];

/// Use of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SystemConnectionKind {
    /// Connecting channels.
    Channel,
    /// Connecting bots.
    Bot,
    /// Signing in.
    Login,
}

/// Application of the deployment, or an empty place for one. Neither its id nor its secret is returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct SystemConnection {
    /// Slug of the platform.
    pub platform: String,
    /// Use of the application.
    pub kind: SystemConnectionKind,
    /// True when there is an application of this kind.
    pub configured: bool,
    /// Last four characters of the client id. Null when there is none.
    pub client_id_hint: Option<String>,
    /// False when no configured key opens the secret. The credentials must then be entered again.
    pub decryptable: bool,
    /// Time of the last change. Null for one of the deployment's configuration, and when there is none.
    pub updated_at: Option<Timestamp>,
}

/// Application to save.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct UpsertSystemConnectionInput {
    /// 1 to 255 characters.
    #[schema(extensions(("maxLength" = json!(crate::stored_applications::MAX_CLIENT_ID_LENGTH))))]
    pub client_id: String,
    /// 1 to 1024 characters.
    #[schema(extensions(("maxLength" = json!(crate::stored_applications::MAX_CLIENT_SECRET_LENGTH))))]
    pub client_secret: String,
    /// Use of the application.
    pub kind: SystemConnectionKind,
}

/// Selection of the applications to delete.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeleteSystemConnectionQuery {
    /// Use of the application; every kind when absent.
    #[param(inline)]
    pub kind: Option<SystemConnectionKind>,
}

pub static ADMIN_SYSTEM_CONNECTIONS: Operation<Admin> =
    Operation::admin("adminSystemConnections", AdminPermission::SystemConnectionsRead, Grants::Nothing);

/// Lists the applications of the deployment: a row for each platform and kind, whether there is one or not.
///
/// Neither client ids nor secrets are returned.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn admin_system_connections(cx: &Cx) -> Result<Vec<SystemConnection>> {
    let admin = cx.authorize(&ADMIN_SYSTEM_CONNECTIONS).await?;
    let records = Whose::Deployment.list(&mut *admin.db().await?).await?;
    let mut rows = Vec::new();
    for platform in Platform::ALL {
        for &kind in kinds(platform) {
            let is_it =
                |record: &&Record| record.platform == platform.slug() && record.kind == kind.app().as_str();
            rows.push(match records.iter().find(is_it) {
                Some(record) => shown(cx, platform, kind, record)?,
                None => configured(cx, platform, kind),
            });
        }
    }
    Ok(rows)
}

pub static ADMIN_UPSERT_SYSTEM_CONNECTION: Operation<Admin> =
    Operation::admin("adminUpsertSystemConnection", AdminPermission::SystemConnectionsEdit, Grants::SignIn);

/// Saves an application of the deployment for a platform and kind.
///
/// It replaces the former one. Connections that the former application made must be made again when their
/// tokens expire.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown platform, a kind that the platform does not use, and a
/// text that is empty or too long.
#[api_core::operation]
pub async fn admin_upsert_system_connection(
    cx: &Cx,
    platform: &str,
    input: Input<UpsertSystemConnectionInput>,
) -> Result<SystemConnection> {
    let admin = cx.authorize(&ADMIN_UPSERT_SYSTEM_CONNECTION).await?;
    let platform = platform::one_of(&Platform::ALL, platform)?;
    let input = input?;
    check_kind(platform, input.kind)?;
    let entered = Entered::checked(&input.client_id, &input.client_secret)?;
    let (kind, state) = (input.kind.app().as_str(), cx.state());
    let record = admin
        .db()
        .await?
        .transaction(async |connection| {
            let (keyring, now) = (&state.keyring, state.clock.now());
            let record = Whose::Deployment.upsert(connection, keyring, platform, kind, &entered, now).await?;
            audit(cx, connection, "system_connection:saved", platform, &record).await?;
            Ok::<_, ApiError>(record)
        })
        .await?;
    shown(cx, platform, input.kind, &record)
}

pub static ADMIN_DELETE_SYSTEM_CONNECTION: Operation<Admin> =
    Operation::admin("adminDeleteSystemConnection", AdminPermission::SystemConnectionsDelete, Grants::SignIn);

/// Deletes the applications of the deployment on a platform, of one kind or of every kind.
///
/// Applications of the deployment's configuration stay. Connections that the deleted ones made must be made
/// again when their tokens expire.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown platform or kind; 404 when there is none.
#[api_core::operation]
pub async fn admin_delete_system_connection(
    cx: &Cx,
    platform: &str,
    query: Input<DeleteSystemConnectionQuery>,
) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_SYSTEM_CONNECTION).await?;
    let platform = platform::one_of(&Platform::ALL, platform)?;
    let kind = query?.kind.map(|kind| kind.app().as_str());
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let gone = Whose::Deployment.forget(connection, platform, kind).await?;
            if gone.is_empty() {
                return Err(ApiError::not_found("System connection not found"));
            }
            for record in &gone {
                audit(cx, connection, "system_connection:deleted", platform, record).await?;
            }
            Ok(())
        })
        .await
}

impl SystemConnectionKind {
    const fn app(self) -> AppKind {
        match self {
            Self::Channel => AppKind::Channel,
            Self::Bot => AppKind::Bot,
            Self::Login => AppKind::Login,
        }
    }
}

/// Kinds of application that a platform uses. Spotify has no sign-in and no bots; Discord has no channels.
const fn kinds(platform: Platform) -> &'static [SystemConnectionKind] {
    use SystemConnectionKind::{Bot, Channel, Login};
    match platform {
        Platform::Spotify => &[Channel],
        Platform::Discord => &[Bot, Login],
        _ => &[Channel, Bot, Login],
    }
}

fn check_kind(platform: Platform, kind: SystemConnectionKind) -> Result<()> {
    let kinds = kinds(platform);
    if kinds.contains(&kind) {
        return Ok(());
    }
    let names: Vec<&str> = kinds.iter().map(|kind| kind.app().as_str()).collect();
    Err(ApiError::invalid(format!("kind must be {} on {platform}", names.join(" or "))))
}

/// Returns an application that staff entered.
fn shown(
    cx: &Cx,
    platform: Platform,
    kind: SystemConnectionKind,
    record: &Record,
) -> Result<SystemConnection> {
    Ok(SystemConnection {
        platform: platform.slug().to_owned(),
        kind,
        configured: true,
        client_id_hint: Some(client_id_hint(&record.client_id)),
        decryptable: record.is_decryptable(&cx.state().keyring, Whose::Deployment)?,
        updated_at: Some(record.updated_at),
    })
}

/// Returns the application of the configuration, which can have only that for signing in.
fn configured(cx: &Cx, platform: Platform, kind: SystemConnectionKind) -> SystemConnection {
    let config = cx.state().config.platforms.get(platform);
    let client_id = match (&config.client_id, &config.client_secret) {
        (Some(client_id), Some(_)) if kind == SystemConnectionKind::Login => Some(client_id),
        _ => None,
    };
    SystemConnection {
        platform: platform.slug().to_owned(),
        kind,
        configured: client_id.is_some(),
        client_id_hint: client_id.map(|client_id| client_id_hint(client_id)),
        decryptable: client_id.is_some(),
        updated_at: None,
    }
}

async fn audit(
    cx: &Cx,
    connection: &mut diesel_async::AsyncPgConnection,
    action: &str,
    platform: Platform,
    record: &Record,
) -> Result<()> {
    let hint = client_id_hint(&record.client_id);
    let entry = Entry {
        metadata: json!({ "platform": platform, "kind": record.kind, "client_id_hint": hint }),
        ..cx.audit_system(action, "system_connection", record.id)
    };
    Ok(audit::record(connection, entry).await?)
}
