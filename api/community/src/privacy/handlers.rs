//! Erasing what handlers of extensions keep of a person in Redis, in texts of their own making.

use std::sync::LazyLock;

use api_core::{ApiError, Result};
use redis::Script;
use shared::{feeds::TelemetryBatch, redis::Redis};

use super::{Identity, names::Person, redis_keys::Erased};

/// What stands before the name of a value that a handler keeps.
const VALUE: &str = ":v:";
/// What stands at the end of the key that lists the names of a namespace.
const INDEX: &str = ":index";

/// Those of some keys whose name or text holds a text, so that only they travel. KEYS: any. ARGV: text. Answers key and
/// text.
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

/// Puts a text of a list in the place of another, unless that was taken off meanwhile. The list is never empty between,
/// else it would lose its expiry. KEYS: list. ARGV: old, new.
static REPLACE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local place = redis.call('LPOS', KEYS[1], ARGV[1])
         if place then
             redis.call('LSET', KEYS[1], place, ARGV[2])
         end",
    )
});

/// Forgets what handlers wanted done, where it names the person. They would be asked again, if their job were not gone too.
pub(super) async fn erase_notes(
    redis: &Redis,
    key: &str,
    identity: &Identity,
    erased: &mut Erased,
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

/// Forgets what handlers keep under a name or with a value that mentions the person: a cache may lose everything at any
/// time. An id that is long enough counts whatever platform is named with it. The keys are some of those of all namespaces.
pub(super) async fn erase_cached(
    redis: &Redis,
    keys: Vec<String>,
    identity: &Identity,
    erased: &mut Erased,
) -> Result<()> {
    let (values, others): (Vec<String>, Vec<String>) = keys.into_iter().partition(|key| key.contains(VALUE));
    for index in &others {
        let Some(namespace) = index.strip_suffix(INDEX) else { continue };
        // Names stay in the index when their values have ended.
        let names: Vec<String> =
            redis::cmd("ZRANGE").arg(index).arg(0).arg(-1).query_async(&mut *redis.get().await?).await?;
        for name in names.iter().filter(|name| identity.is_mentioned_in(name)) {
            forget_cached(redis, namespace, name, erased).await?;
        }
    }
    if values.is_empty() {
        return Ok(());
    }
    let mut call = HOLDING.prepare_invoke();
    for key in &values {
        call.key(key);
    }
    let found: Vec<String> = call.arg(&identity.user_id).invoke_async(&mut *redis.get().await?).await?;
    let (found, _) = found.as_chunks::<2>();
    for [key, text] in found {
        let Some((namespace, name)) = key.split_once(VALUE) else { continue };
        // The name may be what says that a value is somebody's id.
        if identity.is_mentioned_in(&format!("{name}:{text}")) {
            forget_cached(redis, namespace, name, erased).await?;
        }
    }
    Ok(())
}

/// As a handler would delete it: the value, its name and its size.
async fn forget_cached(redis: &Redis, namespace: &str, name: &str, erased: &mut Erased) -> Result<()> {
    let mut pipe = redis::pipe();
    pipe.atomic();
    pipe.cmd("DEL").arg(format!("{namespace}{VALUE}{name}")).ignore();
    pipe.cmd("ZREM").arg(format!("{namespace}{INDEX}")).arg(name).ignore();
    pipe.cmd("HDEL").arg(format!("{namespace}:sizes")).arg(name).ignore();
    pipe.query_async::<()>(&mut *redis.get().await?).await?;
    erased.keys += 1;
    Ok(())
}

/// Takes the id and names out of what waits to be logged. Records have ids of their own, so one that is sent as it was
/// meanwhile counts once, and what is in the tables then is cleared there.
pub(super) async fn clear_telemetry(
    redis: &Redis,
    key: &str,
    person: &Person<'_>,
    erased: &mut Erased,
) -> Result<()> {
    let batches: Vec<String> =
        redis::cmd("LRANGE").arg(key).arg(0).arg(-1).query_async(&mut *redis.get().await?).await?;
    let wanted = person.wanted();
    for text in batches.iter().filter(|text| wanted.iter().any(|wanted| text.contains(wanted))) {
        // What cannot be read is of another version, and nobody will read it.
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

/// Whether something was taken out.
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
