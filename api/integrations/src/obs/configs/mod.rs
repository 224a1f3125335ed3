//! Address of the OBS of an account (reference/obs.md#configuration). The password is stored encrypted and never
//! returned.

mod db;
pub mod graphql;
pub mod rest;

use account_model::limits::{Quota, release};
use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    limits, validate,
};
use diesel_async::AsyncConnection;
use foundation::{
    audit::{self, Entry},
    egress::{HostRule, MAX_HOST_LENGTH, host_text, parse_host},
};
use juniper::{GraphQLInputObject, GraphQLObject};
use live_model::obs::{DEFAULT_PORT, ObsExchange, Wake, seal_password};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
    secret::Secret,
};
use utoipa::ToSchema;

pub(super) use db::{Row, find};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&OBS_CONFIG, &SAVE_OBS_CONFIG, &DELETE_OBS_CONFIG];

/// Lowest port (reference/obs.md#configuration).
const MIN_PORT: i32 = 1;
/// Highest port (reference/obs.md#configuration).
const MAX_PORT: i32 = 65_535;
/// Length of a password, in characters (reference/obs.md#configuration).
const MAX_PASSWORD_LENGTH: usize = 256;

/// Address of the OBS of an account. Without a stored configuration: the defaults, and no times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ObsConfig {
    /// Port of obs-websocket.
    pub port: i32,
    /// True when a password is stored.
    pub has_password: bool,
    /// True when the service connects to OBS itself; false when a page of the account does.
    pub remote_enabled: bool,
    /// Host that the service connects to: a name or an address. Null: none.
    pub remote_host: Option<String>,
    /// Time of the first save. Null: nothing is stored.
    pub created_at: Option<Timestamp>,
    /// Time of the last save. Null: nothing is stored.
    pub updated_at: Option<Timestamp>,
}

/// Configuration that replaces the stored one.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "port": 4455, "password": "correct horse", "remote_enabled": false }))]
pub struct SaveObsConfigInput {
    /// 1 to 65,535. Null or absent: 4455.
    #[schema(extensions(("minimum" = json!(MIN_PORT)), ("maximum" = json!(MAX_PORT))))]
    pub port: Option<i32>,
    /// Password of obs-websocket, 1 to 256 characters. Absent: the stored one stays. Null: none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_PASSWORD_LENGTH))))]
    pub password: Patch<String>,
    /// True: the service connects to `remote_host`. Null or absent: false.
    pub remote_enabled: Option<bool>,
    /// Name or address of a public host, without scheme and port; at most 253 characters. Null or absent: none.
    #[schema(extensions(("maxLength" = json!(MAX_HOST_LENGTH))))]
    pub remote_host: Option<String>,
}

/// Checked values of a configuration.
struct Checked {
    port: i32,
    password: Patch<Secret>,
    remote_enabled: bool,
    remote_host: Option<String>,
}

pub static OBS_CONFIG: Operation<AccountCaller> =
    Operation::account("obsConfig", AccountPermission::ObsRead, Grants::Nothing).feature(Feature::ObsRemote);

/// Returns how the account reaches its OBS.
///
/// The password is not returned. Without a stored configuration the defaults are returned.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`.
#[api_core::operation]
pub async fn obs_config(cx: &Cx) -> Result<ObsConfig> {
    let caller = cx.authorize(&OBS_CONFIG).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let row = find(&mut *caller.db().await?, caller.account).await?;
    Ok(row.map_or_else(ObsConfig::absent, ObsConfig::from))
}

// Commands to OBS need the same permission.
pub static SAVE_OBS_CONFIG: Operation<AccountCaller> =
    Operation::account("saveObsConfig", AccountPermission::ObsEdit, Grants::Nothing)
        .feature(Feature::ObsRemote);

/// Saves how the account reaches its OBS.
///
/// The configuration replaces the stored one. Only the password stays when it is absent, which needs the same host
/// and port. A changed configuration
/// takes effect within seconds: the present connection ends.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 400 for an invalid
/// field, for `remote_enabled` without a host and for a host that is not public; 403 `PLAN_LIMIT_REACHED` when the
/// account has no further integration.
#[api_core::operation]
pub async fn save_obs_config(cx: &Cx, input: Input<SaveObsConfigInput>) -> Result<ObsConfig> {
    let caller = cx.authorize(&SAVE_OBS_CONFIG).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let checked = check(cx, input?)?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let sealed = checked
        .password
        .clone()
        .try_map(|password| seal_password(&cx.state().keyring, account, &password))?;
    let row = caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock(connection, account).await?;
            let found = find(connection, account).await?;
            if found.as_ref().is_some_and(|found| checked.keeps_password_elsewhere(found)) {
                return Err(ApiError::invalid("password must be given again for another host or port"));
            }
            if found.is_none() {
                limits::take(connection, account, Quota::Integrations, 1).await?;
            }
            let row = db::save(connection, account, &checked, sealed, now).await?;
            audit::record(connection, entry(cx, "obs_config:saved", account, &checked)).await?;
            Ok::<_, ApiError>(row)
        })
        .await?;
    announce(cx, account).await;
    Ok(row.into())
}

pub static DELETE_OBS_CONFIG: Operation<AccountCaller> =
    Operation::account("deleteObsConfig", AccountPermission::ObsDelete, Grants::Nothing)
        .feature(Feature::ObsRemote);

/// Deletes how the account reaches its OBS, with the password.
///
/// A connection of the service ends within seconds.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 404 when nothing is
/// stored.
#[api_core::operation]
pub async fn delete_obs_config(cx: &Cx) -> Result<()> {
    let caller = cx.authorize(&DELETE_OBS_CONFIG).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let account = caller.account;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock(connection, account).await?;
            if !db::delete(connection, account).await? {
                return Err(ApiError::not_found("OBS configuration not found"));
            }
            release(connection, account, Quota::Integrations, 1).await?;
            audit::record(connection, cx.audit("obs_config:deleted", "obs_config", account)).await?;
            Ok(())
        })
        .await?;
    announce(cx, account).await;
    Ok(())
}

impl Checked {
    /// True when a stored password would be used at another address than it was given for. Whoever may change
    /// the address need not know the password, and must not have it sent to a host of their own.
    fn keeps_password_elsewhere(&self, stored: &Row) -> bool {
        let is_moved = stored.remote_host != self.remote_host || stored.port != self.port;
        stored.has_password && is_moved && matches!(self.password, Patch::Absent)
    }
}

fn check(cx: &Cx, input: SaveObsConfigInput) -> Result<Checked> {
    let port = input.port.unwrap_or(DEFAULT_PORT.into());
    let number = u16::try_from(port).ok().filter(|port| *port > 0);
    let number =
        number.ok_or_else(|| ApiError::invalid(format!("port must be between {MIN_PORT} and {MAX_PORT}")))?;
    let password = input.password.try_map(|password| {
        // Spaces at the ends belong to it.
        validate::text("password", &password, 1, MAX_PASSWORD_LENGTH).map(|_trimmed| Secret::new(password))
    })?;
    let remote_enabled = input.remote_enabled.unwrap_or_default();
    let remote_host = input.remote_host.map(|host| checked_host(cx, &host, number)).transpose()?;
    if remote_enabled && remote_host.is_none() {
        return Err(ApiError::invalid("Missing field: remote_host"));
    }
    Ok(Checked { port, password, remote_enabled, remote_host })
}

/// Checks a host. The addresses of a name are checked when the daemon connects (reference/obs.md#hosts).
fn checked_host(cx: &Cx, text: &str, port: u16) -> Result<String> {
    let host = parse_host(text.trim()).ok_or_else(|| {
        ApiError::invalid("remote_host must be a host name or an address, without scheme and port")
    })?;
    let config = &cx.state().config.workers;
    if !HostRule::new(config.obs_allow_private, &config.egress_test_hosts).may_name(&host, port) {
        return Err(ApiError::invalid("remote_host must be on the public internet"));
    }
    Ok(host_text(&host))
}

fn entry<'a>(cx: &Cx, action: &'a str, account: AccountId, checked: &Checked) -> Entry<'a> {
    let password = match checked.password {
        Patch::Absent => "kept",
        Patch::Null => "removed",
        Patch::Value(_) => "set",
    };
    let metadata = json!({
        "port": checked.port,
        "remote_enabled": checked.remote_enabled,
        "remote_host": checked.remote_host,
        "password": password,
    });
    Entry { metadata, ..cx.audit(action, "obs_config", account) }
}

/// Announces a changed configuration to the daemon, which else finds it when it polls.
async fn announce(cx: &Cx, account: AccountId) {
    let wake = Wake::Config { account_id: account.uuid() };
    if let Err(error) = ObsExchange::new(cx.state().redis.clone()).wake(wake).await {
        tracing::debug!(%error, "a changed configuration of OBS waits until the daemon polls");
    }
}

impl ObsConfig {
    fn absent() -> Self {
        Self {
            port: DEFAULT_PORT.into(),
            has_password: false,
            remote_enabled: false,
            remote_host: None,
            created_at: None,
            updated_at: None,
        }
    }
}

impl From<Row> for ObsConfig {
    fn from(row: Row) -> Self {
        let Row { port, has_password, remote_enabled, remote_host, created_at, updated_at } = row;
        let (created_at, updated_at) = (Some(created_at), Some(updated_at));
        Self { port, has_password, remote_enabled, remote_host, created_at, updated_at }
    }
}
