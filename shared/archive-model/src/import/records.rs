//! Secrets of the archive: opened with the private key, and sealed for this deployment.

use std::io::Read;

use diesel::{
    sql_query,
    sql_types::{Bytea, Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::{ConfigSchema, sealed};
use foundation::crypto::{Keyring, SecretLocation};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use shared::{json::RESERVED, secret::Secret};
use uuid::Uuid;

use super::{archive::Emit, limits::Limits, reader::Reader, rows::Loader};
use crate::{
    Error, Result,
    manifest::{SECRETS, Sealed},
    sealing::{Opener, Record},
    sql, tables,
};

/// Writes the rows of credentials and the secrets of columns and settings. Returns the number of secrets.
pub(super) async fn write(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    reader: &Reader,
    loader: &mut Loader<'_>,
    private_key: &Secret,
) -> Result<u64> {
    let file = reader.file(SECRETS).ok_or_else(missing)?;
    let Sealed { encapsulated, .. } = reader.manifest().secrets.clone().ok_or_else(missing)?;
    let account = reader.manifest().account_id;
    let parse = read(account, private_key.clone(), encapsulated, Limits::default());
    let mut secrets = 0;
    let mut parts = reader.begin(file, parse);
    while let Some(record) = parts.next().await {
        secrets += 1;
        match record {
            Record::Row { table, line } => credential(connection, loader, &table, line).await?,
            Record::Column { table, column, row, value } => {
                put_column(connection, keyring, account, (&table, &column, &row), &Secret::new(value))
                    .await?;
            }
            Record::Setting { install, key, value } => {
                put_setting(connection, keyring, account, install, (key, value)).await?;
            }
            Record::End { .. } => {}
        }
    }
    parts.end().await?;
    Ok(secrets)
}

/// Reads the records of an account with the private key.
pub(super) fn read(
    account: Uuid,
    private_key: Secret,
    encapsulated: String,
    limits: Limits,
) -> impl FnOnce(&mut dyn Read, Emit<'_, Record>) -> Result<()> + Send + 'static {
    move |file, emit| {
        let opener = Opener::new(account, &private_key, &encapsulated, file)?;
        let mut opener = opener.limited(limits.record_bytes);
        while let Some(record) = opener.next_record()? {
            if !emit(record) {
                break;
            }
        }
        Ok(())
    }
}

/// Refusal of a key for an archive without secrets.
pub(super) fn missing() -> Error {
    Error::Refused("The archive has no secrets".to_owned())
}

async fn credential(
    connection: &mut AsyncPgConnection,
    loader: &mut Loader<'_>,
    name: &str,
    line: String,
) -> Result<()> {
    let unknown = || Error::Refused(format!("This version does not know the credentials {name}"));
    let table = tables::table(name).ok_or_else(unknown)?;
    let rows = table.exported_rows().filter(|rows| rows.is_credential).ok_or_else(unknown)?;
    loader.insert(connection, table, rows, &[line]).await
}

async fn put_column(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    account: Uuid,
    (name, column, row): (&str, &str, &str),
    value: &Secret,
) -> Result<()> {
    let unknown = || Error::Refused(format!("This version does not know the secret {name}.{column}"));
    let table = tables::table(name).ok_or_else(unknown)?;
    let rows = table.exported_rows().ok_or_else(unknown)?;
    let secret = rows.secrets().find(|secret| secret.name == column).ok_or_else(unknown)?;
    let sealed = keyring.seal(SecretLocation { table: table.name, column: secret.name, row }, value)?;
    sql_query(sql::update_secret(table, secret.name, secret.row, secret.also))
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(row)
        .bind::<Bytea, _>(sealed)
        .bind::<Bytea, _>(Sha256::digest(value.expose().as_bytes()).to_vec())
        .execute(connection)
        .await?;
    Ok(())
}

async fn put_setting(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    account: Uuid,
    install: Uuid,
    (key, value): (String, String),
) -> Result<()> {
    if key == RESERVED {
        return Err(Error::Refused(format!("The archive has a secret setting {RESERVED}")));
    }
    // The schema of the one setting: it is secret whatever the manifest of this deployment's version declares.
    let schema: ConfigSchema = serde_json::from_value(
        json!({ (key.as_str()): { "type": "string", "label": key, "secret": true } }),
    )?;
    let config = Map::from_iter([(key, Value::String(value))]);
    let sealed = sealed(keyring, &schema, install, config, &Map::new())?;
    sql_query("UPDATE extension_installs SET config = config || $3 WHERE account_id = $1 AND id = $2")
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(install)
        .bind::<Jsonb, _>(Value::Object(sealed))
        .execute(connection)
        .await?;
    Ok(())
}
