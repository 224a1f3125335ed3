//! Rotation of the encryption key: seals everything again under the current key during operation
//! (reference/storage.md#encryption-at-rest).
//!
//! A value is exchanged only if it is still the one that was read, so that a concurrent writer wins. Finished
//! work stays: an interrupted rotation continues with the stale values that are left.

mod places;
mod settings;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bytea, Nullable, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use foundation::crypto::{Keyring, SecretLocation};
use shared::{Error, Result};

use foundation::db::{Database, Databases};
pub use places::{ENCRYPTED, Encrypted, Form, HASHED, Home, Row};

const BATCH_SIZE: i64 = 200;
/// Batch size for time series, whose values may be large.
const TIME_SERIES_BATCH_SIZE: i64 = 20;
/// Number of passes. Values that others wrote under an old key meanwhile are found by a further pass.
const MAX_PASSES: usize = 3;

/// Progress of a rotation in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The column.
    pub place: Encrypted,
    /// Values that are under the current key now.
    pub sealed: usize,
    /// Values that no configured key opens; they stay as they are.
    pub unreadable: usize,
}

/// Result of a rotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Id of the key that seals.
    pub current_key: String,
    /// One item a column, in the order of [`ENCRYPTED`].
    pub places: Vec<Progress>,
    /// Ids of configured keys that no value needs any more.
    pub removable: Vec<String>,
    /// Ids of keys that values still name, configured or not.
    pub still_used: Vec<String>,
}

#[derive(QueryableByName)]
struct Stale {
    #[diesel(sql_type = Text)]
    named: String,
    #[diesel(sql_type = Bytea)]
    sealed: Vec<u8>,
}

#[derive(QueryableByName)]
struct UsedKey {
    #[diesel(sql_type = Bytea)]
    id: Vec<u8>,
}

/// Seals every stale value under the current key, in batches. `on_progress` is called after every batch.
///
/// # Errors
/// An error when the database fails. Values that were sealed before stay sealed.
pub async fn rotate(
    databases: &Databases,
    keyring: &Keyring,
    mut on_progress: impl FnMut(&Progress),
) -> Result<Report> {
    let mut places = Vec::with_capacity(ENCRYPTED.len());
    for place in ENCRYPTED {
        let database = home_of(databases, place);
        places.push(match place.form {
            Form::Bytes => rotate_place(database, keyring, place, &mut on_progress).await?,
            Form::Settings => settings::rotate(database, keyring, place, &mut on_progress).await?,
        });
    }
    let still_used = used_keys(databases, keyring).await?;
    let old = keyring.retired().iter().map(|key| key.id.clone());
    Ok(Report {
        current_key: keyring.current().id.clone(),
        removable: old.filter(|id| !still_used.contains(id)).collect(),
        places,
        still_used,
    })
}

const fn home_of<'a>(databases: &'a Databases, place: &Encrypted) -> &'a Database {
    match place.home {
        Home::Primary => &databases.postgres,
        Home::TimeSeries => &databases.timescaledb,
    }
}

async fn rotate_place(
    database: &Database,
    keyring: &Keyring,
    place: &Encrypted,
    on_progress: &mut impl FnMut(&Progress),
) -> Result<Progress> {
    let mut progress = Progress { place: *place, sealed: 0, unreadable: 0 };
    for _ in 0..MAX_PASSES {
        progress.unreadable = 0;
        let mut after: Option<String> = None;
        let mut passed = 0;
        loop {
            let mut connection = database.get().await?;
            let stale = stale(&mut connection, keyring, place, after.as_deref()).await?;
            let Some(last) = stale.last() else { break };
            after = Some(last.named.clone());
            let (sealed, unreadable) = seal_again(&mut connection, keyring, place, &stale).await?;
            progress.sealed += sealed;
            progress.unreadable += unreadable;
            passed += stale.len() - unreadable;
            on_progress(&progress);
        }
        if passed == 0 {
            break;
        }
    }
    Ok(progress)
}

/// Next values that are not under the current key, found by their first bytes.
async fn stale(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    place: &Encrypted,
    after: Option<&str>,
) -> Result<Vec<Stale>> {
    let Encrypted { table, column, row, .. } = place;
    let (key, key_type) = row.key();
    let sql = format!(
        "SELECT {} AS named, {column} AS sealed FROM {table} \
         WHERE {column} IS NOT NULL AND substring({column} FROM 1 FOR {}) <> $1 \
             AND ($2::text IS NULL OR {key} > $2::text::{key_type}) \
         ORDER BY {key} LIMIT $3",
        row.text(),
        keyring.current_prefix().len()
    );
    Ok(sql_query(sql)
        .bind::<Bytea, _>(keyring.current_prefix())
        .bind::<Nullable<Text>, _>(after)
        .bind::<BigInt, _>(match place.home {
            Home::Primary => BATCH_SIZE,
            Home::TimeSeries => TIME_SERIES_BATCH_SIZE,
        })
        .load(connection)
        .await?)
}

/// Exchanges values. Returns the number of exchanged and of unreadable values.
async fn seal_again(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    place: &Encrypted,
    stale: &[Stale],
) -> Result<(usize, usize)> {
    let (mut rows, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for Stale { named, sealed } in stale {
        let at = SecretLocation { table: place.table, column: place.column, row: named };
        match keyring.open(at, sealed) {
            Ok(secret) => {
                rows.push(named.as_str());
                before.push(sealed.as_slice());
                after.push(keyring.seal(at, &secret)?);
            }
            Err(Error::Decryption(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let Encrypted { table, column, row, .. } = place;
    let (key, key_type) = row.key();
    let sql = format!(
        "UPDATE {table} SET {column} = new.after \
         FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS new (named, before, after) \
         WHERE {key} = new.named::{key_type} AND {table}.{column} = new.before"
    );
    let unreadable = stale.len() - rows.len();
    let exchanged = sql_query(sql)
        .bind::<Array<Text>, _>(rows)
        .bind::<Array<Bytea>, _>(before)
        .bind::<Array<Bytea>, _>(after)
        .execute(connection)
        .await?;
    Ok((exchanged, unreadable))
}

/// Ids of the keys that values are under, without the current one.
async fn used_keys(databases: &Databases, keyring: &Keyring) -> Result<Vec<String>> {
    let mut used = settings::used_keys(&databases.postgres, keyring).await?;
    for place in ENCRYPTED.iter().filter(|place| place.form == Form::Bytes) {
        let Encrypted { table, column, .. } = place;
        let mut connection = home_of(databases, place).get().await?;
        // An empty value has no first byte.
        let sql = format!(
            "SELECT DISTINCT substring({column} FROM 2 FOR get_byte({column}, 0)) AS id FROM {table} \
             WHERE length({column}) > 0 AND substring({column} FROM 1 FOR {}) <> $1 LIMIT 100",
            keyring.current_prefix().len()
        );
        let found: Vec<UsedKey> =
            sql_query(sql).bind::<Bytea, _>(keyring.current_prefix()).load(&mut connection).await?;
        used.extend(found.iter().map(|key| String::from_utf8_lossy(&key.id).into_owned()));
    }
    used.sort_unstable();
    used.dedup();
    Ok(used)
}
