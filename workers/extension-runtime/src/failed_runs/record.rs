//! Record of a failed run.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use foundation::{
    crypto::{self, Keyring, SecretLocation},
    redis::milliseconds,
};
use sandbox::{Failure, FunctionKind, Limits, Recording};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::secret::Secret;
use uuid::Uuid;

use super::persons::persons;
use crate::run::{Run, Runnable};

/// Minimum length of a setting that is removed, in characters, as in the sandbox.
const MIN_LENGTH: usize = 4;
/// Text in place of a secret.
const BLANK: &str = "[secret]";

/// Failed run on its way into the store.
#[derive(Debug, Clone)]
pub struct FailedRun {
    /// Id of its error.
    pub id: Uuid,
    /// Extension of the install.
    pub extension_id: Uuid,
    /// Install whose handler failed.
    pub install_id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
    /// Version whose code failed.
    pub version_id: Uuid,
    /// Name of the export.
    pub handler: Arc<str>,
    /// Platform of the trigger; null for none.
    pub platform: Option<String>,
    /// Platform's id of the user behind the trigger; null for none.
    pub platform_user_id: Option<String>,
    /// Lumio user who called it; null for none.
    pub user_id: Option<Uuid>,
    /// Time of the failure.
    pub failed_at: DateTime<Utc>,
    stored: StoredRun,
}

/// Stored part of a failed run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredRun {
    pub handler: String,
    pub kind: FunctionKind,
    pub auth: Value,
    pub config: Value,
    #[serde(default)]
    pub user: Option<Value>,
    pub input: Value,
    /// As text: JSON numbers do not hold it.
    pub seed: String,
    pub wall_ms: u64,
    pub cpu_ms: u64,
    pub recording: Recording,
    pub failure: Failure,
}

impl FailedRun {
    /// Returns the record of a run, without its secret settings.
    pub fn new(
        id: Uuid,
        install: &Runnable,
        run: Run,
        failure: Failure,
        recording: Recording,
        failed_at: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            extension_id: install.extension_id,
            install_id: install.install_id,
            account_id: install.account_id,
            version_id: install.source.version_id,
            handler: run.handler.clone(),
            platform: run.platform.clone(),
            platform_user_id: run.platform_user_id.clone(),
            user_id: run.user_id,
            failed_at,
            stored: StoredRun::new(run, &install.secret_settings, failure, recording),
        }
    }

    /// Returns the people that the record names. Clock readings name none.
    pub(super) fn person_ids(&self) -> shared::Result<Vec<String>> {
        let StoredRun { auth, config, user, input, recording, failure, .. } = &self.stored;
        let answers = serde_json::to_value(recording)?["answers"].take();
        let failure = serde_json::to_value(failure)?;
        Ok(persons([auth, config, input, &answers, &failure].into_iter().chain(user), self.failed_at))
    }

    /// Returns the record, sealed for its row.
    pub(super) fn sealed(&self, keyring: &Keyring) -> shared::Result<Vec<u8>> {
        let record = Secret::new(serde_json::to_string(&self.stored)?);
        keyring.seal(place(&crypto::row(self.id)), &record)
    }
}

/// Returns the location that the record of a row is sealed for.
pub(super) const fn place(row: &str) -> SecretLocation<'_> {
    SecretLocation { table: "extension_failed_runs", column: "run", row }
}

impl StoredRun {
    /// Returns the record of a run, without the secret settings.
    pub fn new(run: Run, secrets: &[String], failure: Failure, recording: Recording) -> Self {
        let blank = |value: Value| without(value, secrets);
        Self {
            handler: run.handler.to_string(),
            kind: run.kind,
            auth: blank(run.context.auth),
            config: blank(run.context.config),
            user: run.context.user.map(blank),
            input: blank(run.input),
            seed: run.seed.to_string(),
            wall_ms: milliseconds(run.limits.wall),
            cpu_ms: milliseconds(run.limits.cpu),
            recording,
            failure,
        }
    }

    /// Opens the record of a row.
    ///
    /// # Errors
    /// No configured key that opens it, or another shape.
    pub fn open(id: Uuid, sealed: &[u8], keyring: &Keyring) -> shared::Result<Self> {
        let record = keyring.open(place(&crypto::row(id)), sealed)?;
        Ok(serde_json::from_str(record.expose())?)
    }

    /// Returns the limits of the run.
    pub fn limits(&self) -> Limits {
        Limits {
            wall: Duration::from_millis(self.wall_ms),
            cpu: Duration::from_millis(self.cpu_ms),
            ..Limits::default()
        }
    }
}

/// Returns the value without the secret settings, wherever they occur.
fn without(value: Value, secrets: &[String]) -> Value {
    match value {
        Value::String(mut text) => {
            for secret in
                secrets.iter().filter(|secret| secret.chars().take(MIN_LENGTH).count() == MIN_LENGTH)
            {
                if text.contains(secret.as_str()) {
                    text = text.replace(secret.as_str(), BLANK);
                }
            }
            Value::String(text)
        }
        Value::Array(items) => items.into_iter().map(|item| without(item, secrets)).collect(),
        Value::Object(fields) => {
            let fields: Map<String, Value> =
                fields.into_iter().map(|(name, value)| (name, without(value, secrets))).collect();
            Value::Object(fields)
        }
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn record_blanks_secret_settings_everywhere() {
        let value = json!({ "key": "hush-hush", "list": ["say hush-hush", 7], "short": "abc" });
        let blanked = without(value, &["hush-hush".to_owned(), "abc".to_owned()]);
        assert_eq!(blanked, json!({ "key": "[secret]", "list": ["say [secret]", 7], "short": "abc" }));
    }
}
