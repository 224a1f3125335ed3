//! Erasure of data about a person in Redis (reference/privacy.md#redis), by family of keys: buffered rows,
//! the replay window of the event log, removals, data of handlers, and every key that names the person.

use api_core::{ApiError, Result, State};
use foundation::redis::{
    Redis,
    families::{People, family_of},
};
use live_model::{ChatMessage, EventRow, RowBuffer};
use redis::{Script, aio::MultiplexedConnection};
use serde_json::Value;
use uuid::Uuid;

use super::{Identity, erased_keys::ErasedKeys, handlers, names::Person};

/// Entries of one read.
const PAGE_SIZE: usize = 1000;
/// Keys that Redis visits in one step.
const SCAN_COUNT: usize = 1000;
/// Number of walks of one attempt; the job is repeated later.
const MAX_WALKS: usize = 3;
/// Consumer group that writes buffered rows.
const WRITERS: &str = "writers";

/// Returns the entries of a stream that contain a text, so that only these are transferred. KEYS: stream.
/// ARGV: text, after, page. Returns the last position that was read, then position and value of each entry.
static HOLDING: std::sync::LazyLock<Script> = std::sync::LazyLock::new(|| {
    Script::new(
        "local page = redis.call('XRANGE', KEYS[1], ARGV[2], '+', 'COUNT', ARGV[3])
         local found = { '' }
         for _, entry in ipairs(page) do
             found[1] = entry[1]
             for index = 2, #entry[2], 2 do
                 if string.find(entry[2][index], ARGV[1], 1, true) then
                     table.insert(found, entry[1])
                     table.insert(found, entry[2][index])
                     break
                 end
             end
         end
         return found",
    )
});

/// Erases buffered rows.
pub(super) async fn erase_buffered(
    state: &State,
    identity: &Identity,
    erased: &mut ErasedKeys,
) -> Result<()> {
    let streams = [
        RowBuffer::<ChatMessage>::new(state.redis.clone()).stream(),
        RowBuffer::<EventRow>::new(state.redis.clone()).stream(),
    ];
    for stream in streams {
        for (position, row) in holding(&state.redis, &stream, identity).await? {
            if !identity.is_in(&row) {
                continue;
            }
            let mut pipe = redis::pipe();
            pipe.cmd("XACK").arg(&stream).arg(WRITERS).arg(&position).ignore();
            pipe.cmd("XDEL").arg(&stream).arg(&position).ignore();
            pipe.query_async::<()>(&mut *state.redis.get().await?).await?;
            erased.keys += 1;
        }
    }
    Ok(())
}

/// Erases all other data in one walk over the keys of the deployment. In a cluster keys may move to a server that was
/// walked already: then the walk is repeated.
pub(super) async fn erase_keys(state: &State, person: &Person<'_>, erased: &mut ErasedKeys) -> Result<()> {
    for _ in 0..MAX_WALKS {
        let epoch = state.redis.epoch().await?;
        walk(state, person, erased).await?;
        if state.redis.epoch().await? == epoch {
            return Ok(());
        }
    }
    Err(ApiError::internal("keys moved between the servers of Redis during each walk"))
}

async fn walk(state: &State, person: &Person<'_>, erased: &mut ErasedKeys) -> Result<()> {
    for mut server in state.redis.dedicated_to_all().await? {
        let mut cursor: u64 = 0;
        loop {
            let (next, keys) = page_of_keys(&mut server, state.redis.prefix(), cursor).await?;
            erase_among(&state.redis, keys, person, erased).await?;
            if next == 0 {
                break;
            }
            cursor = next;
        }
    }
    Ok(())
}

async fn page_of_keys(
    server: &mut MultiplexedConnection,
    prefix: &str,
    cursor: u64,
) -> shared::Result<(u64, Vec<String>)> {
    let mut scan = redis::cmd("SCAN");
    scan.arg(cursor).arg("MATCH").arg(format!("{}:*", escaped(prefix))).arg("COUNT").arg(SCAN_COUNT);
    Ok(scan.query_async(server).await?)
}

async fn erase_among(
    redis: &Redis,
    keys: Vec<String>,
    person: &Person<'_>,
    erased: &mut ErasedKeys,
) -> Result<()> {
    let identity = person.identity;
    let mut cached = Vec::new();
    for key in keys {
        let name = redis.name_of(&key).unwrap_or_else(|| key.clone());
        // A key of an unknown family may be of another version.
        match family_of(&name).map_or(People::InName, |family| family.people) {
            People::InName if identity.is_named_by(&name) => {
                redis::cmd("DEL").arg(&key).query_async::<()>(&mut *redis.get().await?).await?;
                erased.keys += 1;
            }
            People::Events => {
                let channel = name.split_once(':').map_or("", |(_, channel)| channel);
                erase_events(redis, &key, channel, identity, erased).await?;
            }
            People::Removals => erase_removals(redis, &key, identity, erased).await?,
            People::HandlerNotes => handlers::erase_progress(redis, &key, identity, erased).await?,
            People::HandlerCache => cached.push(key),
            People::Telemetry => handlers::clear_telemetry(redis, &key, person, erased).await?,
            People::InName | People::NoPerson | People::Passing | People::Rows => {}
        }
    }
    handlers::erase_cached(redis, cached, identity, erased).await
}

/// Erases the events of the replay window that name the person.
async fn erase_events(
    redis: &Redis,
    stream: &str,
    channel: &str,
    identity: &Identity,
    erased: &mut ErasedKeys,
) -> Result<()> {
    let ids = redis.key(format_args!("log:ids:{channel}"));
    for (position, event) in holding(redis, stream, identity).await? {
        if !identity.is_in(&event["data"]) {
            continue;
        }
        let mut pipe = redis::pipe();
        pipe.cmd("XDEL").arg(stream).arg(&position).ignore();
        pipe.cmd("ZREM").arg(&ids).arg(event["id"].as_str().unwrap_or_default()).ignore();
        pipe.query_async::<()>(&mut *redis.get().await?).await?;
        erased.keys += 1;
        let account = channel.rsplit_once(':').and_then(|(_, id)| Uuid::try_parse(id).ok());
        erased.accounts.extend(account);
    }
    Ok(())
}

async fn erase_removals(
    redis: &Redis,
    key: &str,
    identity: &Identity,
    erased: &mut ErasedKeys,
) -> Result<()> {
    let notes: Vec<String> =
        redis::cmd("ZRANGE").arg(key).arg(0).arg(-1).query_async(&mut *redis.get().await?).await?;
    // Form of an entry: `{platform}:user:{platform_user_id}`.
    let of_person = notes.into_iter().filter(|note| identity.is_named_by(note));
    for note in of_person {
        redis::cmd("ZREM").arg(key).arg(note).query_async::<()>(&mut *redis.get().await?).await?;
        erased.keys += 1;
    }
    Ok(())
}

/// Returns the entries of a stream that contain the person's id: position and value.
async fn holding(redis: &Redis, stream: &str, identity: &Identity) -> Result<Vec<(String, Value)>> {
    let (mut found, mut after) = (Vec::new(), "-".to_owned());
    loop {
        let mut call = HOLDING.key(stream);
        call.arg(&identity.user_id).arg(&after).arg(PAGE_SIZE);
        let page: Vec<String> = call.invoke_async(&mut *redis.get().await?).await?;
        let mut page = page.into_iter();
        let Some(last) = page.next().filter(|last| !last.is_empty()) else { return Ok(found) };
        while let (Some(position), Some(value)) = (page.next(), page.next()) {
            // An entry that is not JSON was not written by the service.
            found.extend(serde_json::from_str(&value).ok().map(|value| (position, value)));
        }
        after = format!("({last}");
    }
}

/// Escapes a text for a pattern.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| matches!(c, '*' | '?' | '[' | ']' | '\\').then_some('\\').into_iter().chain([c]))
        .collect()
}

impl Identity {
    /// Returns true when platform and id are segments of a key.
    fn is_named_by(&self, key: &str) -> bool {
        let has = |text: &str| key.split(':').any(|segment| segment == text);
        has(&self.user_id) && has(self.platform.slug())
    }

    /// Returns true when a row, an event or a request is about the person. A mention by another person does
    /// not count.
    pub(super) fn is_in(&self, row: &Value) -> bool {
        let is_them = |value: &Value| value.as_str() == Some(&self.user_id);
        row["platform"].as_str().is_none_or(|platform| platform == self.platform.slug())
            && (is_them(&row["platform_user_id"])
                || ["user_id", "recipient_user_id", "gifter_user_id"]
                    .into_iter()
                    .any(|key| is_them(&row["data"][key])))
    }
}
