//! Secrets: they are present, have the right form, and open what is stored.

use api_core::{
    access::{Claims, Jwt, TokenType},
    token::{self, TokenKind},
};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Bytea, Text},
};
use diesel_async::RunQueryDsl;
use foundation::crypto::{Keyring, SecretLocation};
use shared::{Result, config::EventSubTransport, id, schema::system_keys, secret::Secret};
use uuid::Uuid;

use super::{Deployment, Finding};
use crate::rotation::{ENCRYPTED, Encrypted, Form, Home};

/// Values of one column that are opened.
const SAMPLE_SIZE: usize = 3;
/// Lifetime of the signed token of the check, in seconds.
const TOKEN_SECS: i64 = 60;

/// Checks of the configured secrets.
pub(super) async fn forms(this: &Deployment<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        signing(this).into_iter().chain(checkpoints(this)).chain(deliveries(this)).collect();
    findings.extend(system_key(this).await);
    findings
}

/// Signs and reads a token.
fn signing(this: &Deployment<'_>) -> Option<Finding> {
    let now = this.clock.now();
    let claims = Claims::new(TokenType::Session, id::new(), id::new(), None, now, TOKEN_SECS);
    let works = Jwt::new(&this.config.secrets)
        .map_err(|error| error.to_string())
        .and_then(|jwt| Ok((jwt.sign(&claims).map_err(|error| error.to_string())?, jwt)))
        .map(|(text, jwt)| jwt.read(&text, now).is_some());
    let problem = match works {
        Ok(true) => return None,
        Ok(false) => "a signed token is not accepted".to_owned(),
        Err(error) => error,
    };
    let message = format!("session tokens cannot be signed: {problem}");
    let remedy = "Set LUMIO_JWT_SECRET to at least 32 characters, or LUMIO_JWT_ED25519_PEM to a private key in PKCS#8 PEM.";
    Some(Finding::error("signing_key", message, remedy))
}

/// Key without which a rewritten audit log is not found.
fn checkpoints(this: &Deployment<'_>) -> Option<Finding> {
    if !this.config.secrets.audit_keys.is_empty() {
        return None;
    }
    let message = "LUMIO_AUDIT_KEYS is not set: the audit log has no signed checkpoints";
    let remedy =
        "Set it to id:base64 of 32 random bytes on workers and console, or run `lumio-api init-env`.";
    Some(Finding::warning("audit_keys_missing", message, remedy))
}

/// Secrets without which a platform delivers nothing.
fn deliveries(this: &Deployment<'_>) -> Vec<Finding> {
    let (platforms, ingest) = (&this.config.platforms, &this.config.ingest);
    let by_webhook = ingest.twitch_transport == EventSubTransport::Webhook;
    let lacks_twitch =
        by_webhook && platforms.twitch.client_id.is_some() && platforms.twitch_eventsub_secret.is_none();
    let twitch = lacks_twitch.then(|| {
        let message = "LUMIO_TWITCH_EVENTSUB_SECRET is not set: nothing is requested from Twitch";
        let remedy = "Set it to 10 to 100 ASCII characters, and restart API and workers.";
        Finding::error("eventsub_secret", message, remedy)
    });
    let keys_missing = this.keyring.is_none().then(|| {
        let message = "LUMIO_ENCRYPTION_KEYS cannot be used";
        Finding::error(
            "encryption_keys",
            message,
            "Give each key an id of its own, of at most 64 characters.",
        )
    });
    twitch.into_iter().chain(keys_missing).collect()
}

/// Credential of the workers.
async fn system_key(this: &Deployment<'_>) -> Option<Finding> {
    let remedy = "Create one with `lumio-api admin create-system-key --label worker`, and set LUMIO_SYSTEM_KEY or \
                  LUMIO_SYSTEM_KEY_FILE.";
    let Some(source) = &this.config.workers.system_key else {
        let message = "no system key is set here: workers with this configuration cannot call the API";
        return Some(Finding::warning("system_key_missing", message, remedy));
    };
    let key = match source.read() {
        Ok(key) => key,
        Err(error) => return Some(Finding::error("system_key_unreadable", error.to_string(), remedy)),
    };
    match is_accepted(this, &key).await {
        Ok(true) => None,
        Ok(false) => {
            let message = "the API does not accept the system key: the workers do nothing";
            Some(Finding::error("system_key_refused", message, remedy))
        }
        Err(error) => {
            let message = format!("the system key cannot be checked: {error}");
            Some(Finding::warning("system_key_unchecked", message, "Repair the database first."))
        }
    }
}

async fn is_accepted(this: &Deployment<'_>, key: &Secret) -> Result<bool> {
    if TokenKind::of(key.expose()) != Some(TokenKind::System) {
        return Ok(false);
    }
    let found: Option<Uuid> = system_keys::table
        .filter(system_keys::key_hash.eq(token::hash(key.expose())))
        .select(system_keys::id)
        .first(&mut *this.databases.postgres.get().await?)
        .await
        .optional()?;
    Ok(found.is_some())
}

#[derive(QueryableByName)]
struct Sample {
    #[diesel(sql_type = Text)]
    named: String,
    #[diesel(sql_type = Bytea)]
    sealed: Vec<u8>,
}

/// Opens some values of every column of sealed values.
pub(super) async fn samples(this: &Deployment<'_>) -> Vec<Finding> {
    let Some(keyring) = &this.keyring else { return Vec::new() };
    let mut findings = Vec::new();
    for place in ENCRYPTED.iter().filter(|place| place.form == Form::Bytes) {
        match read(this, place).await {
            Ok(samples) => findings.extend(unreadable(keyring, place, &samples)),
            Err(error) => {
                let message = format!("{}.{} cannot be read: {error}", place.table, place.column);
                findings.push(Finding::error(
                    "samples_unread",
                    message,
                    "Repair the database, or run `lumio-api migrate`.",
                ));
                // The same is true of every other column of the database.
                break;
            }
        }
    }
    findings
}

async fn read(this: &Deployment<'_>, place: &Encrypted) -> Result<Vec<Sample>> {
    let database = match place.home {
        Home::Primary => &this.databases.postgres,
        Home::TimeSeries => &this.databases.timescaledb,
    };
    let sql = format!(
        "SELECT {} AS named, {column} AS sealed FROM {} WHERE {column} IS NOT NULL LIMIT {SAMPLE_SIZE}",
        place.row.text(),
        place.table,
        column = place.column,
    );
    Ok(sql_query(sql).load(&mut *database.get().await?).await?)
}

fn unreadable(keyring: &Keyring, place: &Encrypted, samples: &[Sample]) -> Option<Finding> {
    let is_lost = |sample: &&Sample| {
        let location = SecretLocation { table: place.table, column: place.column, row: &sample.named };
        keyring.open(location, &sample.sealed).is_err()
    };
    let lost = samples.iter().find(is_lost)?;
    let key = Keyring::key_id(&lost.sealed).unwrap_or_else(|| "unknown".to_owned());
    let message = format!(
        "{}.{} holds values that cannot be decrypted, under the key `{key}`",
        place.table, place.column
    );
    let remedy = format!(
        "Add the key `{key}` to LUMIO_ENCRYPTION_KEYS again. If it is lost, the owners enter or connect these again."
    );
    Some(Finding::error("undecryptable", message, remedy))
}
