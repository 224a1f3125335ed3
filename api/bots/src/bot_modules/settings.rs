//! Settings of built-in modules in inputs (reference/bots.md#built-in-modules).

use api_core::{ApiError, Result, graphql::Json};
use extension_model::{
    ConfigError,
    system::{self, DEFAULT_EXEMPT_ROLES, SystemModule},
};
use serde_json::{Map, Value};

use super::{ExemptRoles, ExemptRolesInput};

/// Checks settings against the schema of the module.
///
/// # Errors
/// 400 that names the setting and the allowed values.
pub(super) fn checked(module: &SystemModule, config: Option<Json>) -> Result<Map<String, Value>> {
    let mut config = match config.map(|config| config.0) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(config)) => config,
        Some(_) => return Err(ApiError::invalid("config must be an object")),
    };
    config.retain(|_, value| !value.is_null());
    module.manifest()?.config_schema.check(&config).map_err(refused)?;
    system::check(module.extension_id, &config).map_err(refused)?;
    Ok(config)
}

fn refused(ConfigError { key, message }: ConfigError) -> ApiError {
    let dot = if key.is_empty() { "" } else { "." };
    ApiError::invalid(format!("config{dot}{key} {message}"))
}

/// Returns the names of the skipped roles in their stored form.
pub(super) fn exempt(given: Option<ExemptRolesInput>) -> Vec<String> {
    let Some(given) = given else { return DEFAULT_EXEMPT_ROLES.map(str::to_owned).to_vec() };
    [("moderator", given.moderator), ("vip", given.vip), ("subscriber", given.subscriber)]
        .into_iter()
        .filter(|(_, is_exempt)| is_exempt.unwrap_or_default())
        .map(|(role, _)| role.to_owned())
        .collect()
}

impl ExemptRoles {
    /// Parses the stored names.
    pub(super) fn of(names: &[String]) -> Self {
        let has = |role: &str| names.iter().any(|name| name == role);
        Self { moderator: has("moderator"), vip: has("vip"), subscriber: has("subscriber") }
    }
}
