//! Erasure of data about a person that handlers of extensions keep in Redis, in texts of their own format.

use std::sync::LazyLock;

use api_core::{ApiError, Result};
use extension_model::feeds::TelemetryBatch;
use foundation::redis::Redis;
use redis::Script;

use super::{Identity, erased_keys::ErasedKeys, names::Person};

/// Infix before the name of a value that a handler keeps.
const VALUE: &str = ":v:";
/// Suffix of the key that lists the names of a namespace.
const INDEX: &str = ":index";

/// Returns those of the keys whose name or text contains a text, so that only these are transferred. KEYS:
/// any. ARGV: text. Returns pairs of key and text.
static HOLDING: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local found = {}
         for _, key in ipairs(KEYS) do
             local text = redis.call('GET', key)
             if text and (string.find(text, ARGV[1], 1, true) or string.find(key, ARGV[1], 1, true)) then
                 table.insert(found, key)
                 table.insert(found, text)
             end
         end
         return found",
    )
});

/// Replaces an entry of a list, unless the entry was removed meanwhile. The list is never empty in between,
/// else it would lose its expiry. KEYS: list. ARGV: old, new.
static REPLACE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local place = redis.call('LPOS', KEYS[1], ARGV[1])
         if place then
             redis.call('LSET', KEYS[1], place, ARGV[2])
         end",
    )
});

/// Erases the requests of handlers that name the person. They would be requested again, but their job is
/// erased too.
pub(super) async fn erase_progress(
    redis: &Redis,
    key: &str,
    identity: &Identity,
    erased: &mut ErasedKeys,
) -> Result<()> {
    let notes: Vec<(String, String)> =
        redis::cmd("HGETALL").arg(key).query_async(&mut *redis.get().await?).await?;
    for (invocation_id, _) in notes.iter().filter(|(_, note)| identity.is_mentioned_in(note)) {
        let mut remove = redis::cmd("HDEL");
        remove.arg(key).arg(invocation_id).query_async::<()>(&mut *redis.get().await?).await?;
        erased.keys += 1;
    }
    Ok(())
}

/// Erases the values of handlers whose name or text mentions the person: a cache may lose any value at any
/// time. An id that is long enough counts whatever platform is named with it. The keys are some of those of
/// all namespaces.
pub(super) async fn erase_cached(
    redis: &Redis,
    keys: Vec<String>,
    identity: &Identity,
    erased: &mut ErasedKeys,
) -> Result<()> {
    let (values, others): (Vec<String>, Vec<String>) = keys.into_iter().partition(|key| key.contains(VALUE));
    for index in &others {
        let Some(namespace) = index.strip_suffix(INDEX) else { continue };
        // Names stay in the index when their values have expired.
        let names: Vec<String> =
            redis::cmd("ZRANGE").arg(index).arg(0).arg(-1).query_async(&mut *redis.get().await?).await?;
        for name in names.iter().filter(|name| identity.is_mentioned_in(name)) {
            delete_cached(redis, namespace, name, erased).await?;
        }
    }
    if values.is_empty() {
        return Ok(());
    }
    for values in redis.by_slot(values, |key| key) {
        erase_values(redis, &values, identity, erased).await?;
    }
    Ok(())
}

/// Erases values whose keys one script can use.
async fn erase_values(
    redis: &Redis,
    values: &[String],
    identity: &Identity,
    erased: &mut ErasedKeys,
) -> Result<()> {
    let mut call = HOLDING.prepare_invoke();
    for key in values {
        call.key(key);
    }
    let found: Vec<String> = call.arg(&identity.user_id).invoke_async(&mut *redis.get().await?).await?;
    let (found, _) = found.as_chunks::<2>();
    for [key, text] in found {
        let Some((namespace, name)) = key.split_once(VALUE) else { continue };
        // The name may be the part that marks the value as an id of a person.
        if identity.is_mentioned_in(&format!("{name}:{text}")) {
            delete_cached(redis, namespace, name, erased).await?;
        }
    }
    Ok(())
}

/// Deletes a value with its name and its size, as a handler does.
async fn delete_cached(redis: &Redis, namespace: &str, name: &str, erased: &mut ErasedKeys) -> Result<()> {
    let mut pipe = redis::pipe();
    pipe.atomic();
    pipe.cmd("DEL").arg(format!("{namespace}{VALUE}{name}")).ignore();
    pipe.cmd("ZREM").arg(format!("{namespace}{INDEX}")).arg(name).ignore();
    pipe.cmd("HDEL").arg(format!("{namespace}:sizes")).arg(name).ignore();
    pipe.query_async::<()>(&mut *redis.get().await?).await?;
    erased.keys += 1;
    Ok(())
}

/// Replaces the id and names in records that wait to be logged. Records have ids of their own: a record that
/// is sent unchanged meanwhile counts once, and is then cleared in the tables.
pub(super) async fn clear_telemetry(
    redis: &Redis,
    key: &str,
    person: &Person<'_>,
    erased: &mut ErasedKeys,
) -> Result<()> {
    let batches: Vec<String> =
        redis::cmd("LRANGE").arg(key).arg(0).arg(-1).query_async(&mut *redis.get().await?).await?;
    let wanted = person.wanted();
    for text in batches.iter().filter(|text| wanted.iter().any(|wanted| text.contains(wanted))) {
        // A batch that cannot be parsed is of another version, and no process will read it.
        let Ok(mut batch) = serde_json::from_str::<TelemetryBatch>(text) else { continue };
        if !clear(&mut batch, person) {
            continue;
        }
        let cleared = serde_json::to_string(&batch).map_err(ApiError::internal)?;
        let mut call = REPLACE.key(key);
        call.arg(text).arg(cleared);
        call.invoke_async::<()>(&mut *redis.get().await?).await?;
        erased.keys += 1;
    }
    Ok(())
}

/// Clears a batch. Returns true when a text was changed.
fn clear(batch: &mut TelemetryBatch, person: &Person<'_>) -> bool {
    let of_errors = batch
        .errors
        .iter_mut()
        .flat_map(|error| [Some(&mut error.message), error.stack_trace.as_mut()].into_iter().flatten());
    let of_logs = batch.logs.iter_mut().map(|line| &mut line.message);
    let mut is_changed = false;
    for text in of_errors.chain(of_logs) {
        if let Some(without) = person.taken_out_of(text, None) {
            *text = without;
            is_changed = true;
        }
    }
    is_changed
}
