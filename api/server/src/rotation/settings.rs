//! Secret settings of installs: sealed values inside JSON.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use uuid::Uuid;

use super::{BATCH_SIZE, Encrypted, MAX_PASSES, Progress};
use extension_model::{SEALED, key_ids, reseal};
use foundation::{crypto::Keyring, db::Database};
use shared::Result;

#[derive(QueryableByName)]
struct Install {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Jsonb)]
    config: Value,
}

pub(super) async fn rotate(
    database: &Database,
    keyring: &Keyring,
    place: &Encrypted,
    on_progress: &mut impl FnMut(&Progress),
) -> Result<Progress> {
    let mut progress = Progress { place: *place, sealed: 0, unreadable: 0 };
    for _ in 0..MAX_PASSES {
        progress.unreadable = 0;
        let (mut after, mut stale) = (Uuid::nil(), 0);
        loop {
            let mut connection = database.get().await?;
            let installs = page(&mut connection, after).await?;
            let Some(last) = installs.last() else { break };
            after = last.id;
            for install in &installs {
                stale += seal_again(&mut connection, keyring, install, &mut progress).await?;
            }
            on_progress(&progress);
        }
        if stale == 0 {
            break;
        }
    }
    Ok(progress)
}

/// Ids of the keys that settings are under, without the current one.
pub(super) async fn used_keys(database: &Database, keyring: &Keyring) -> Result<Vec<String>> {
    let (mut connection, mut after) = (database.get().await?, Uuid::nil());
    let mut used = Vec::new();
    loop {
        let installs = page(&mut connection, after).await?;
        let Some(last) = installs.last() else { return Ok(used) };
        after = last.id;
        let configs = installs.iter().filter_map(|install| install.config.as_object());
        used.extend(configs.flat_map(key_ids).filter(|id| *id != keyring.current().id));
        used.sort_unstable();
        used.dedup();
    }
}

/// Installs with sealed settings, by id.
async fn page(connection: &mut AsyncPgConnection, after: Uuid) -> Result<Vec<Install>> {
    let sql = "SELECT id, config FROM extension_installs WHERE id > $1 AND strpos(config::text, $2) > 0 \
               ORDER BY id LIMIT $3";
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(after)
        .bind::<Text, _>(SEALED)
        .bind::<BigInt, _>(BATCH_SIZE)
        .load(connection)
        .await?)
}

/// Seals settings again, each configuration only if it is still the one that was read. Returns the number of
/// sealed and of unreadable settings.
async fn seal_again(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    install: &Install,
    progress: &mut Progress,
) -> Result<usize> {
    let Some(mut config) = install.config.as_object().cloned() else { return Ok(0) };
    let done = reseal(keyring, install.id, &mut config)?;
    progress.unreadable += done.unreadable;
    if done.sealed == 0 {
        return Ok(0);
    }
    let exchanged = sql_query("UPDATE extension_installs SET config = $3 WHERE id = $1 AND config = $2")
        .bind::<SqlUuid, _>(install.id)
        .bind::<Jsonb, _>(&install.config)
        .bind::<Jsonb, _>(Value::Object(config))
        .execute(connection)
        .await?;
    if exchanged > 0 {
        progress.sealed += done.sealed;
    }
    Ok(done.sealed)
}
