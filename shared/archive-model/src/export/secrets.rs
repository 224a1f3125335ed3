//! Secrets of an account, sealed to a key (reference/archives.md#secrets).

use diesel_async::AsyncPgConnection;
use extension_model::{SEALED, opened};
use foundation::crypto::{Keyring, SecretLocation};
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::cursor::{Cursor, SealedValue};
use crate::{
    Result,
    manifest::{SECRETS, Sealed},
    sealing::{PublicKey, Record, SUITE_NAME, Sealer},
    sql,
    tables::{Secret, exported},
    writer::ArchiveWriter,
};

/// Installs with sealed settings. `$1` is the account.
const SETTINGS: &str =
    "SELECT jsonb_build_object('install', id, 'config', config)::text AS line FROM extension_installs
    WHERE account_id = $1 AND jsonb_path_exists(config, '$.*.\"$sealed\"') ORDER BY id";

#[derive(Deserialize)]
struct Install {
    install: Uuid,
    config: Map<String, Value>,
}

/// Output of the records.
struct Records<'a> {
    sealer: Sealer,
    /// Secrets that no key of the deployment opens.
    unreadable: u64,
    writer: &'a mut ArchiveWriter,
}

/// Writes the file of secrets: rows of credentials, secrets in columns, and secret settings of installs.
pub(super) async fn write(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    account: Uuid,
    key: &PublicKey,
    writer: &mut ArchiveWriter,
) -> Result<Sealed> {
    writer.begin_bytes(SECRETS).await?;
    let mut records = Records { sealer: Sealer::new(account, key)?, unreadable: 0, writer };
    for (table, rows) in exported(true) {
        records.rows(connection, account, table.name, &sql::select(table, rows)).await?;
    }
    for (table, rows) in exported(false).chain(exported(true)) {
        for secret in rows.secrets() {
            let statement = sql::select_secrets(table, rows, secret.name, secret.row);
            records.column(connection, keyring, account, (table.name, secret), &statement).await?;
        }
    }
    records.settings(connection, keyring, account).await?;
    let sealed = records.finish().await?;
    writer.end().await?;
    Ok(Sealed { public_key: key.text(), ..sealed })
}

impl Records<'_> {
    async fn put(&mut self, record: &Record) -> Result<()> {
        let mut bytes = Vec::new();
        self.sealer.append(record, &mut bytes)?;
        self.writer.bytes(&bytes).await
    }

    async fn rows(
        &mut self,
        connection: &mut AsyncPgConnection,
        account: Uuid,
        table: &str,
        statement: &str,
    ) -> Result<()> {
        let mut cursor = Cursor::open(connection, statement, account).await?;
        loop {
            let lines = cursor.lines().await?;
            if lines.is_empty() {
                return cursor.close().await;
            }
            for line in lines {
                self.put(&Record::Row { table: table.to_owned(), line }).await?;
            }
        }
    }

    async fn column(
        &mut self,
        connection: &mut AsyncPgConnection,
        keyring: &Keyring,
        account: Uuid,
        (table, secret): (&str, &Secret),
        statement: &str,
    ) -> Result<()> {
        let mut cursor = Cursor::open(connection, statement, account).await?;
        loop {
            let values = cursor.sealed().await?;
            if values.is_empty() {
                return cursor.close().await;
            }
            for SealedValue { name: row, sealed } in values {
                let place = SecretLocation { table, column: secret.name, row: &row };
                let Ok(value) = keyring.open(place, &sealed) else {
                    self.unreadable += 1;
                    continue;
                };
                let (table, column) = (table.to_owned(), secret.name.to_owned());
                let value = value.expose().to_owned();
                self.put(&Record::Column { table, column, row, value }).await?;
            }
        }
    }

    async fn settings(
        &mut self,
        connection: &mut AsyncPgConnection,
        keyring: &Keyring,
        account: Uuid,
    ) -> Result<()> {
        let mut cursor = Cursor::open(connection, SETTINGS, account).await?;
        loop {
            let lines = cursor.lines().await?;
            if lines.is_empty() {
                return cursor.close().await;
            }
            for line in lines {
                let Install { install, config } = serde_json::from_str(&line)?;
                for (key, value) in config.into_iter().filter(|(_, value)| value.get(SEALED).is_some()) {
                    self.setting(keyring, install, key, value).await?;
                }
            }
        }
    }

    async fn setting(&mut self, keyring: &Keyring, install: Uuid, key: String, value: Value) -> Result<()> {
        let one = Map::from_iter([(key.clone(), value)]);
        match opened(keyring, install, one).map(|mut one| one.remove(&key)) {
            Ok(Some(Value::String(value))) => self.put(&Record::Setting { install, key, value }).await,
            _ => {
                self.unreadable += 1;
                Ok(())
            }
        }
    }

    /// Ends the records. The public key is filled in by the caller.
    async fn finish(mut self) -> Result<Sealed> {
        let mut bytes = Vec::new();
        self.sealer.finish(&mut bytes)?;
        self.writer.bytes(&bytes).await?;
        Ok(Sealed {
            suite: SUITE_NAME.to_owned(),
            public_key: String::new(),
            encapsulated: self.sealer.encapsulated(),
            records: self.sealer.records(),
            unreadable: self.unreadable,
        })
    }
}
