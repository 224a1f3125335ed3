//! Configuration of an install at rest. Settings that the manifest marks as secret are sealed one by one.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::ConfigSchema;
use foundation::crypto::{Keyring, SecretLocation};
use shared::{Error, Result, secret::Secret};

/// Placeholder of a secret setting in responses. A setting sent as the placeholder keeps its value.
pub const MASK: &str = "********";

/// Only field of a sealed setting.
pub const SEALED: &str = "$sealed";

/// Seals the secret settings of a configuration. `stored` is the configuration before the change: a setting
/// sent as [`MASK`] keeps its value.
///
/// # Errors
/// Failure of the cipher.
pub fn sealed(
    keyring: &Keyring,
    schema: &ConfigSchema,
    install: Uuid,
    mut config: Map<String, Value>,
    stored: &Map<String, Value>,
) -> Result<Map<String, Value>> {
    for (key, value) in config.iter_mut().filter(|(key, _)| schema.is_secret(key)) {
        *value = match value {
            Value::String(text) if text == MASK => stored.get(key).cloned().unwrap_or(Value::Null),
            Value::String(text) => {
                let row = row(install, key);
                let bytes = keyring.seal(place(&row), &Secret::new(text.as_str()))?;
                json!({ SEALED: BASE64_STANDARD.encode(bytes) })
            }
            _ => Value::Null,
        };
    }
    Ok(config)
}

/// Returns the configuration with its secret settings decrypted, for handlers.
///
/// # Errors
/// A sealed setting that cannot be opened.
pub fn opened(
    keyring: &Keyring,
    install: Uuid,
    mut config: Map<String, Value>,
) -> Result<Map<String, Value>> {
    for (key, value) in &mut config {
        let Some(text) = sealed_text(value) else { continue };
        let bytes = BASE64_STANDARD
            .decode(text)
            .map_err(|_malformed| Error::Decryption("extension_installs.config: not base64".into()))?;
        let row = row(install, key);
        *value = Value::String(keyring.open(place(&row), &bytes)?.expose().to_owned());
    }
    Ok(config)
}

/// Result of resealing a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resealed {
    /// Settings that are sealed with the current key now.
    pub sealed: usize,
    /// Settings that no configured key opens.
    pub unreadable: usize,
}

/// Seals settings of another key than the current one again, in place.
///
/// # Errors
/// Failure of the cipher.
pub fn reseal(keyring: &Keyring, install: Uuid, config: &mut Map<String, Value>) -> Result<Resealed> {
    let mut done = Resealed::default();
    for (key, value) in config {
        let Some(bytes) = sealed_bytes(value).filter(|bytes| keyring.is_stale(bytes)) else { continue };
        let row = row(install, key);
        match keyring.open(place(&row), &bytes) {
            Ok(secret) => {
                *value = json!({ SEALED: BASE64_STANDARD.encode(keyring.seal(place(&row), &secret)?) });
                done.sealed += 1;
            }
            Err(Error::Decryption(_)) => done.unreadable += 1,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Ids of the keys that a configuration's settings are sealed with.
pub fn key_ids(config: &Map<String, Value>) -> impl Iterator<Item = String> {
    config.values().filter_map(|value| Keyring::key_id(&sealed_bytes(value)?))
}

fn sealed_bytes(value: &Value) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(sealed_text(value)?).ok()
}

/// Returns the configuration as accounts see it.
#[must_use]
pub fn masked(mut config: Map<String, Value>) -> Map<String, Value> {
    for value in config.values_mut().filter(|value| sealed_text(value).is_some()) {
        *value = Value::String(MASK.to_owned());
    }
    config
}

fn sealed_text(value: &Value) -> Option<&str> {
    value.as_object()?.get(SEALED)?.as_str()
}

fn row(install: Uuid, key: &str) -> String {
    format!("{install}/{key}")
}

const fn place(row: &str) -> SecretLocation<'_> {
    SecretLocation { table: "extension_installs", column: "config", row }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::secret::NamedKey;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn install_config_seals_secrets_and_keeps_them_if_the_mask_returns() {
        let keyring = Keyring::new(vec![NamedKey { id: "k".into(), key: [7; 32] }]).unwrap();
        let schema: ConfigSchema = serde_json::from_value(json!({
            "token": { "type": "string", "label": "Token", "secret": true },
            "name": { "type": "string", "label": "Name" },
        }))
        .unwrap();
        let install = shared::id::new();
        let given = object(json!({ "token": "hush", "name": "n" }));

        let stored = sealed(&keyring, &schema, install, given.clone(), &Map::new()).unwrap();
        assert!(!serde_json::to_string(&stored).unwrap().contains("hush"));
        assert_eq!(opened(&keyring, install, stored.clone()).unwrap(), given);
        assert!(opened(&keyring, shared::id::new(), stored.clone()).is_err());

        let shown = masked(stored.clone());
        assert_eq!(Value::Object(shown.clone()), json!({ "token": MASK, "name": "n" }));
        assert_eq!(sealed(&keyring, &schema, install, shown, &stored).unwrap(), stored);
    }
}
