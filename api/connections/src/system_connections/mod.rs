//! The deployment's applications on the platforms (specification A §4.7, C §9). The secret is stored encrypted and read
//! back never.

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit::{self, Entry},
    catalogue::AdminPermission,
    connections::{AppKind, applications::client_id_hint},
    platforms::Platform,
};
use utoipa::{IntoParams, ToSchema};

use crate::{
    platform,
    stored_applications::{Entered, Record, Whose},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&ADMIN_SYSTEM_CONNECTIONS, &ADMIN_UPSERT_SYSTEM_CONNECTION, &ADMIN_DELETE_SYSTEM_CONNECTION];

/// What an application is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SystemConnectionKind {
    Channel,
    Bot,
    Login,
}

/// An application of the deployment, or the place of one. Neither its id nor its secret is read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct SystemConnection {
    pub platform: String,
    pub kind: SystemConnectionKind,
    /// Whether there is one of this kind.
    pub configured: bool,
    /// The last four characters of the client id; null when there is none.
    pub client_id_hint: Option<String>,
    /// False when the encryption key was changed: the credentials have to be entered again.
    pub decryptable: bool,
    /// Null for one that stands in the deployment's configuration, and when there is none.
    pub updated_at: Option<Timestamp>,
}

/// An application to keep.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct UpsertSystemConnectionInput {
    /// 1 to 255 characters.
    #[schema(extensions(("maxLength" = json!(crate::stored_applications::MAX_CLIENT_ID_LENGTH))))]
    pub client_id: String,
    /// 1 to 1024 characters.
    #[schema(extensions(("maxLength" = json!(crate::stored_applications::MAX_CLIENT_SECRET_LENGTH))))]
    pub client_secret: String,
    pub kind: SystemConnectionKind,
}

/// Which application to forget.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeleteSystemConnectionQuery {
    /// Every kind when absent.
    #[param(inline)]
    pub kind: Option<SystemConnectionKind>,
}

/// The deployment's applications.
pub static ADMIN_SYSTEM_CONNECTIONS: Operation<Admin> =
    Operation::admin("adminSystemConnections", AdminPermission::SystemConnectionsRead, Grants::Nothing);

/// Lists the deployment's applications: a row for each platform and kind that it may have one of.
///
/// # Errors
/// As the rule.
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

/// Keeping an application.
pub static ADMIN_UPSERT_SYSTEM_CONNECTION: Operation<Admin> =
    Operation::admin("adminUpsertSystemConnection", AdminPermission::SystemConnectionsEdit, Grants::SignIn);

/// Keeps an application of the deployment, in place of the one of that platform and kind. Connections that the other
/// one made have to be made again once their tokens expire.
///
/// # Errors
/// As the rule; 400 for an unknown platform, a kind that it has no use for, and an empty or too long text.
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
            let record = Whose::Deployment.keep(connection, keyring, platform, kind, &entered, now).await?;
            audit(cx, connection, "system_connection:saved", platform, &record).await?;
            Ok::<_, ApiError>(record)
        })
        .await?;
    shown(cx, platform, input.kind, &record)
}

/// Forgetting an application.
pub static ADMIN_DELETE_SYSTEM_CONNECTION: Operation<Admin> =
    Operation::admin("adminDeleteSystemConnection", AdminPermission::SystemConnectionsDelete, Grants::SignIn);

/// Forgets the applications of the deployment on a platform, of one kind or of every kind. Connections that they made
/// have to be made again once their tokens expire.
///
/// # Errors
/// As the rule; 400 for an unknown platform or kind; 404 when there is none.
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

/// The kinds of application that a platform has a use for: nobody signs in with Spotify, and it has no bot; Discord has
/// no channels.
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

/// An application that staff entered.
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

/// The application that people sign in with may stand in the deployment's configuration.
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
