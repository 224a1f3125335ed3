//! Erasing what Redis holds of a person, family by family of its keys: rows that wait to be written, the replay window of
//! the event log, removals, what handlers keep, and every key that names the person.

use std::collections::BTreeSet;

use api_core::{Result, State};
use redis::Script;
use serde_json::Value;
use shared::{
    ingest::{ChatMessage, EventRow, RowBuffer},
    redis::{
        Redis,
        families::{People, family_of},
    },
};
use uuid::Uuid;

use super::{Identity, handlers, names::Person};

/// Entries of one read.
const PAGE: usize = 1000;
/// Keys that Redis looks at in one step.
const SCAN: usize = 1000;
/// The group that writes buffered rows.
const WRITERS: &str = "writers";

/// The entries of a stream that hold a text, so that only they travel. KEYS: stream. ARGV: text, after, page. Answers
/// the last position that was looked at, then position and value of each entry.
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

/// What is gone.
#[derive(Debug, Default)]
pub(super) struct Erased {
    /// Keys, and entries of keys that others share.
    pub keys: i64,
    /// Whose event logs held something.
    pub accounts: BTreeSet<Uuid>,
}

/// Erases rows that wait to be written.
pub(super) async fn erase_buffered(state: &State, identity: &Identity, erased: &mut Erased) -> Result<()> {
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

/// Erases everything else: one walk over the keys of the deployment.
pub(super) async fn erase_keys(state: &State, person: &Person<'_>, erased: &mut Erased) -> Result<()> {
    let identity = person.identity;
    let (redis, prefix) = (&state.redis, state.redis.key(""));
    let mut cursor: u64 = 0;
    loop {
        let mut scan = redis::cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(format!("{}*", escaped(&prefix))).arg("COUNT").arg(SCAN);
        let (next, keys): (u64, Vec<String>) = scan.query_async(&mut *redis.get().await?).await?;
        let mut cached = Vec::new();
        for key in keys {
            let name = key.strip_prefix(&prefix).unwrap_or(&key);
            // What no family is known of may be of another version.
            match family_of(name).map_or(People::InName, |family| family.people) {
                People::InName if identity.is_named_by(name) => {
                    redis::cmd("DEL").arg(&key).query_async::<()>(&mut *redis.get().await?).await?;
                    erased.keys += 1;
                }
                People::Events => {
                    let channel = name.split_once(':').map_or("", |(_, channel)| channel);
                    erase_events(redis, &key, channel, identity, erased).await?;
                }
                People::Removals => erase_removals(redis, &key, identity, erased).await?,
                People::HandlerNotes => handlers::erase_notes(redis, &key, identity, erased).await?,
                People::HandlerCache => cached.push(key),
                People::Telemetry => handlers::clear_telemetry(redis, &key, person, erased).await?,
                People::InName | People::Nobody | People::Passing | People::Rows => {}
            }
        }
        handlers::erase_cached(redis, cached, identity, erased).await?;
        if next == 0 {
            return Ok(());
        }
        cursor = next;
    }
}

/// Events of the log's replay window that name the person.
async fn erase_events(
    redis: &Redis,
    stream: &str,
    channel: &str,
    identity: &Identity,
    erased: &mut Erased,
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

async fn erase_removals(redis: &Redis, key: &str, identity: &Identity, erased: &mut Erased) -> Result<()> {
    let notes: Vec<String> =
        redis::cmd("ZRANGE").arg(key).arg(0).arg(-1).query_async(&mut *redis.get().await?).await?;
    // `{platform}:user:{platform_user_id}`
    let of_person = notes.into_iter().filter(|note| identity.is_named_by(note));
    for note in of_person {
        redis::cmd("ZREM").arg(key).arg(note).query_async::<()>(&mut *redis.get().await?).await?;
        erased.keys += 1;
    }
    Ok(())
}

/// The entries of a stream that hold the person's id somewhere: position and value.
async fn holding(redis: &Redis, stream: &str, identity: &Identity) -> Result<Vec<(String, Value)>> {
    let (mut found, mut after) = (Vec::new(), "-".to_owned());
    loop {
        let mut call = HOLDING.key(stream);
        call.arg(&identity.user_id).arg(&after).arg(PAGE);
        let page: Vec<String> = call.invoke_async(&mut *redis.get().await?).await?;
        let mut page = page.into_iter();
        let Some(last) = page.next().filter(|last| !last.is_empty()) else { return Ok(found) };
        while let (Some(position), Some(value)) = (page.next(), page.next()) {
            // What is no JSON was not written by us.
            found.extend(serde_json::from_str(&value).ok().map(|value| (position, value)));
        }
        after = format!("({last}");
    }
}

/// A text without a meaning of its own in a pattern.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| matches!(c, '*' | '?' | '[' | ']' | '\\').then_some('\\').into_iter().chain([c]))
        .collect()
}

impl Identity {
    /// Whether platform and id are segments of a key.
    fn is_named_by(&self, key: &str) -> bool {
        let has = |text: &str| key.split(':').any(|segment| segment == text);
        has(&self.user_id) && has(self.platform.slug())
    }

    /// Whether a row, an event or a note is about the person. That somebody else mentions them is not.
    pub(super) fn is_in(&self, said: &Value) -> bool {
        let is_them = |value: &Value| value.as_str() == Some(&self.user_id);
        said["platform"].as_str().is_none_or(|platform| platform == self.platform.slug())
            && (is_them(&said["platform_user_id"])
                || ["user_id", "recipient_user_id", "gifter_user_id"]
                    .into_iter()
                    .any(|key| is_them(&said["data"][key])))
    }
}
