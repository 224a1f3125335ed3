//! The configuration of an install at rest: settings that the manifest marks secret are sealed each by itself.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::ConfigSchema;
use crate::{
    Error, Result,
    crypto::{Keyring, Place},
    secret::Secret,
};

/// What is shown in place of a secret setting. Sent back, it leaves the setting as it is.
pub const MASK: &str = "********";

/// The one field of a sealed setting.
pub(crate) const SEALED: &str = "$sealed";

/// Seals the secret settings of a configuration. `stored` is the configuration before: a setting that comes as
/// [`MASK`] keeps its value.
///
/// # Errors
/// When the cipher refuses.
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

/// The configuration with its secret settings in clear, for handlers.
///
/// # Errors
/// When a sealed setting cannot be opened.
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

/// What a rotation of the key did to a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Resealed {
    /// Settings that are under the current key now.
    pub sealed: usize,
    /// Settings that no configured key opens.
    pub unreadable: usize,
}

/// Seals settings that are under another key than the current one again, in place.
///
/// # Errors
/// When the cipher refuses.
pub(crate) fn reseal(keyring: &Keyring, install: Uuid, config: &mut Map<String, Value>) -> Result<Resealed> {
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

/// The ids of the keys that the settings of a configuration are under.
pub(crate) fn key_ids(config: &Map<String, Value>) -> impl Iterator<Item = String> {
    config.values().filter_map(|value| Keyring::key_id(&sealed_bytes(value)?))
}

fn sealed_bytes(value: &Value) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(sealed_text(value)?).ok()
}

/// The configuration as accounts see it.
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

const fn place(row: &str) -> Place<'_> {
    Place { table: "extension_installs", column: "config", row }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::NamedKey;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn secret_settings_are_sealed_shown_masked_and_kept_when_the_mask_comes_back() {
        let keyring = Keyring::new(vec![NamedKey { id: "k".into(), key: [7; 32] }]).unwrap();
        let schema: ConfigSchema = serde_json::from_value(json!({
            "token": { "type": "string", "label": "Token", "secret": true },
            "name": { "type": "string", "label": "Name" },
        }))
        .unwrap();
        let install = crate::id::new();
        let given = object(json!({ "token": "hush", "name": "n" }));

        let stored = sealed(&keyring, &schema, install, given.clone(), &Map::new()).unwrap();
        assert!(!serde_json::to_string(&stored).unwrap().contains("hush"));
        assert_eq!(opened(&keyring, install, stored.clone()).unwrap(), given);
        assert!(opened(&keyring, crate::id::new(), stored.clone()).is_err());

        let shown = masked(stored.clone());
        assert_eq!(Value::Object(shown.clone()), json!({ "token": MASK, "name": "n" }));
        assert_eq!(sealed(&keyring, &schema, install, shown, &stored).unwrap(), stored);
    }
}
