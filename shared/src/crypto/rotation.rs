//! Sealing everything again under the current key, while everything goes on.
//!
//! Each value is exchanged only if it is still the one that was read, so that a writer in between wins. What is done
//! stays done: a rotation that was cut off goes on where stale values are left.

mod settings;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bytea, Nullable, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{ENCRYPTED, Encrypted, Form, Home, Keyring, Place};
use crate::{
    Error, Result,
    db::{Database, Databases},
};

const BATCH: i64 = 200;
/// Values of time series may be large.
const BATCH_OF_TIME_SERIES: i64 = 20;
/// Values that others wrote under an old key meanwhile are found by another pass.
const PASSES: usize = 3;

/// How far a rotation has come in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub place: Encrypted,
    /// Values that are under the current key now.
    pub sealed: usize,
    /// Values that no configured key opens; they stay as they are.
    pub unreadable: usize,
}

/// What a rotation left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub current_key: String,
    /// A row a column, in the order of [`ENCRYPTED`].
    pub places: Vec<Progress>,
    /// Configured keys that no value needs any more.
    pub removable: Vec<String>,
    /// Keys that values still name, configured or not.
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

/// Seals every stale value under the current key, in batches. `tell` hears of every batch.
///
/// # Errors
/// When the database fails; what was sealed until then stays sealed.
pub async fn rotate(
    databases: &Databases,
    keyring: &Keyring,
    mut tell: impl FnMut(&Progress),
) -> Result<Report> {
    let mut places = Vec::with_capacity(ENCRYPTED.len());
    for place in ENCRYPTED {
        let database = home_of(databases, place);
        places.push(match place.form {
            Form::Bytes => rotate_place(database, keyring, place, &mut tell).await?,
            Form::Settings => settings::rotate(database, keyring, place, &mut tell).await?,
        });
    }
    let still_used = used_keys(databases, keyring).await?;
    let old = keyring.keys.iter().skip(1).map(|key| key.id.clone());
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
    tell: &mut impl FnMut(&Progress),
) -> Result<Progress> {
    let mut progress = Progress { place: *place, sealed: 0, unreadable: 0 };
    for _ in 0..PASSES {
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
            tell(&progress);
        }
        if passed == 0 {
            break;
        }
    }
    Ok(progress)
}

/// The next values that are not under the current key: their first bytes say so.
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
            Home::Primary => BATCH,
            Home::TimeSeries => BATCH_OF_TIME_SERIES,
        })
        .load(connection)
        .await?)
}

/// How many values were exchanged, and how many cannot be read.
async fn seal_again(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    place: &Encrypted,
    stale: &[Stale],
) -> Result<(usize, usize)> {
    let (mut rows, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for Stale { named, sealed } in stale {
        let at = Place { table: place.table, column: place.column, row: named };
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

/// The ids of the keys that values are under, without the current one.
async fn used_keys(databases: &Databases, keyring: &Keyring) -> Result<Vec<String>> {
    let mut used = settings::used_keys(&databases.postgres, keyring).await?;
    for place in ENCRYPTED.iter().filter(|place| place.form == Form::Bytes) {
        let Encrypted { table, column, .. } = place;
        let mut connection = home_of(databases, place).get().await?;
        // A value of no bytes has no first one.
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
