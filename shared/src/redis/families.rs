//! Every family of keys in Redis, and whether people who chat stand in it. Who is erased is looked for by this list
//! (specification C B20); a test holds it against the names that the code makes.
//!
//! The keys of queues begin with a brace and are not in it: jobs are erased by what they say.

/// What of a family is about people who chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum People {
    /// Nothing: accounts, channels, installs, staff and counts.
    Nobody,
    /// Something that is gone within five minutes by itself.
    Passing,
    /// A key is somebody's: platform and id are segments of its name.
    InName,
    /// Entries of a stream of events.
    Events,
    /// Rows that wait to be written.
    Rows,
    /// Members of a sorted set of removals.
    Removals,
    /// Fields of a hash: what handlers want done.
    HandlerNotes,
    /// Names and values that handlers chose.
    HandlerCache,
    /// Entries of a list, with what handlers wrote to their logs.
    Telemetry,
}

/// Keys whose names begin alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// The first segment, or the first ones.
    pub name: &'static str,
    pub people: People,
}

const fn family(name: &'static str, people: People) -> Family {
    Family { name, people }
}

/// All of them.
pub static FAMILIES: &[Family] = &[
    family("automation:turn", People::Nobody),
    family("bot:action", People::Nobody),
    family("bot:heartbeat", People::Nobody),
    family("bot_modules", People::Nobody),
    family("channel_status", People::Nobody),
    family("chat_lines", People::Nobody),
    family("chat_moderation", People::Nobody),
    family("chat_sends", People::Nobody),
    family("checkpoint", People::Nobody),
    family("cmd_cd", People::InName),
    family("cmd_uses", People::Nobody),
    family("emotes", People::Nobody),
    family("events_emits", People::Nobody),
    family("ext_cache", People::HandlerCache),
    family("ext_push", People::Nobody),
    // Arguments and answers of calls that somebody waits for.
    family("functions", People::Passing),
    family("housekeeping", People::Nobody),
    family("invalidate", People::Nobody),
    family("log", People::Events),
    family("log:ids", People::Nobody),
    family("oauth:state", People::Nobody),
    // The account's own lines: a hash of the text, and who sent it for the account.
    family("own", People::InName),
    family("profile", People::InName),
    family("profile_breaker", People::Nobody),
    family("profile_refresh", People::InName),
    // Readers of channels. A lease that is taken away has two of them read.
    family("reader", People::Nobody),
    // As other versions keep them. Members may be JSON, in which nobody is looked for: a key is gone after an hour.
    family("removals", People::Removals),
    family("removed", People::Removals),
    // Counts of requests, some by address.
    family("rl", People::Passing),
    family("rows", People::Rows),
    family("runtime", People::Nobody),
    family("runtime_done", People::HandlerNotes),
    family("runtime_telemetry_left", People::Telemetry),
    family("subscriptions:turn", People::Nobody),
    // Counts of a minute.
    family("test_runs", People::Nobody),
    family("timer", People::Nobody),
    family("told", People::InName),
    // Which process handles what a channel tells, for seconds.
    family("turn", People::Nobody),
    family("daemons", People::Nobody),
    family("worker", People::Nobody),
    family("ws:places", People::Nobody),
    family("youtube_streams", People::Nobody),
];

/// The family of a key, by its name without the deployment's prefix; the one that says most of it.
#[must_use]
pub fn family_of(name: &str) -> Option<&'static Family> {
    let is_of = |family: &&Family| {
        name.strip_prefix(family.name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    FAMILIES.iter().filter(is_of).max_by_key(|family| family.name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_the_family_that_says_most_of_its_name() {
        let name_of = |key: &str| family_of(key).map(|family| family.name);
        assert_eq!(name_of("log:chat:1"), Some("log"));
        assert_eq!(name_of("log:ids:chat:1"), Some("log:ids"));
        assert_eq!(name_of("runtime_done:1:2"), Some("runtime_done"));
        assert_eq!(name_of("profile_refresh:1"), Some("profile_refresh"));
        assert_eq!(name_of("runtime_telemetry_left"), Some("runtime_telemetry_left"));
        assert_eq!(name_of("bot:other"), None);
    }
}
