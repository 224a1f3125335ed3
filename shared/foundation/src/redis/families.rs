//! Families of keys in Redis, and the data about chatters in each (reference/storage.md#redis-keys). The
//! erasure of a person searches by this list (reference/privacy.md#redis). A test compares it with the names
//! in the code.
//!
//! In a cluster the family decides the hash tag, so that keys that are used together have one slot
//! (reference/storage.md#hash-tags). Names on one server have no tags.
//!
//! The keys of queues begin with a brace and are not in the list: jobs are erased by their content.

use std::ops::Range;

/// Data of a family about chatters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum People {
    /// None: accounts, channels, installs, staff and counts.
    NoPerson,
    /// Data that expires within five minutes by itself.
    Passing,
    /// Platform and id of the chatter are segments of the key.
    InName,
    /// Entries of a stream of events.
    Events,
    /// Rows that wait to be written.
    Rows,
    /// Members of a sorted set of removals.
    Removals,
    /// Fields of a hash: actions that handlers requested.
    HandlerNotes,
    /// Names and values that handlers chose.
    HandlerCache,
    /// Entries of a list, with lines that handlers wrote to their logs.
    Telemetry,
}

/// Part of a name that is the hash tag in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashTag {
    /// None: each key is used alone and has a slot of its own.
    Alone,
    /// Name of the family: all its keys have one slot.
    Family,
    /// Everything after the name of the family.
    Rest,
    /// First segments after the name of the family.
    Segments(usize),
}

/// Keys whose names have the same beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// First segment or segments of the name.
    pub name: &'static str,
    /// Data about chatters.
    pub people: People,
    /// Hash tag.
    pub tag: HashTag,
}

const fn family(name: &'static str, people: People) -> Family {
    Family { name, people, tag: HashTag::Alone }
}

impl Family {
    const fn tagged(self, tag: HashTag) -> Self {
        Self { tag, ..self }
    }

    /// Returns the part of a name of this family that is its hash tag; `None` for a key that is used alone.
    fn tag_of(self, name: &str) -> Option<Range<usize>> {
        let rest = self.name.len() + 1;
        match self.tag {
            HashTag::Alone => None,
            HashTag::Family => Some(0..self.name.len()),
            HashTag::Rest | HashTag::Segments(_) if rest >= name.len() => None,
            HashTag::Rest => Some(rest..name.len()),
            HashTag::Segments(number) => {
                let ends = name.get(rest..)?.match_indices(':').map(|(end, _)| rest + end);
                Some(rest..ends.chain([name.len()]).nth(number.checked_sub(1)?).unwrap_or(name.len()))
            }
        }
    }
}

/// All families.
pub static FAMILIES: &[Family] = &[
    family("automation:turn", People::NoPerson),
    // Cooldowns of nodes; some are those of a person.
    family("automation_cd", People::InName).tagged(HashTag::Segments(1)),
    // Counts of requests and notifications of automations.
    family("automation_limits", People::NoPerson),
    family("bot:action", People::NoPerson),
    family("bot:heartbeat", People::NoPerson),
    family("bot_modules", People::NoPerson),
    family("channel_status", People::NoPerson),
    family("chat_lines", People::NoPerson),
    family("chat_moderation", People::NoPerson).tagged(HashTag::Rest),
    family("chat_moderation:refused", People::NoPerson).tagged(HashTag::Rest),
    family("chat_sends", People::NoPerson).tagged(HashTag::Rest),
    family("chat_sends:refused", People::NoPerson).tagged(HashTag::Rest),
    family("checkpoint", People::NoPerson),
    family("cmd_cd", People::InName).tagged(HashTag::Segments(2)),
    family("cmd_uses", People::NoPerson).tagged(HashTag::Segments(1)),
    family("cmd_uses:changed", People::NoPerson),
    family("cmd_uses:line", People::NoPerson).tagged(HashTag::Segments(1)),
    // Format of earlier versions.
    family("cmd_uses:unwritten", People::NoPerson),
    // Budgets of calls, pauses and positions of the crawler, by platform.
    family("crawler", People::NoPerson).tagged(HashTag::Segments(1)),
    // Probes of the doctor of a deployment.
    family("doctor", People::NoPerson),
    family("emotes", People::NoPerson),
    family("events_emits", People::NoPerson).tagged(HashTag::Rest),
    family("events_emits:refused", People::NoPerson).tagged(HashTag::Rest),
    family("ext_cache", People::HandlerCache).tagged(HashTag::Segments(2)),
    family("ext_push", People::NoPerson),
    // Arguments and results of calls whose caller waits.
    family("functions", People::Passing).tagged(HashTag::Family),
    family("housekeeping", People::NoPerson),
    family("invalidate", People::NoPerson),
    family("log", People::Events).tagged(HashTag::Rest),
    family("log:ids", People::NoPerson).tagged(HashTag::Rest),
    family("music", People::NoPerson),
    family("music_polls", People::NoPerson).tagged(HashTag::Family),
    family("oauth:state", People::NoPerson),
    // State of OBS, commands and their outcomes: names of scenes.
    family("obs", People::NoPerson),
    // Lines of the account itself: a hash of the text, and the sender behind the account.
    family("own", People::InName),
    family("profile", People::InName),
    family("profile_breaker", People::NoPerson).tagged(HashTag::Segments(2)),
    family("profile_refresh", People::InName),
    // Readers of channels. Removing a lease would start a second reader.
    family("reader", People::NoPerson).tagged(HashTag::Rest),
    family("reader:nudge", People::NoPerson).tagged(HashTag::Rest),
    // Format of other versions. Members may be JSON, which is not searched: a key expires after an hour.
    family("removals", People::Removals),
    family("removed", People::Removals),
    // Leases of rewards that change at their platform.
    family("reward", People::NoPerson),
    // Counts of requests, some by address.
    family("rl", People::Passing),
    family("rows", People::Rows),
    family("runtime", People::NoPerson),
    family("runtime:failures", People::NoPerson).tagged(HashTag::Rest),
    family("runtime:invocations", People::NoPerson).tagged(HashTag::Segments(1)),
    family("runtime:paused", People::NoPerson).tagged(HashTag::Rest),
    family("runtime_done", People::HandlerNotes),
    family("runtime_telemetry_left", People::Telemetry),
    // End of a limit of Spotify.
    // Viewers of shared reports, by a salted hash.
    family("share_views", People::NoPerson),
    family("spotify_limits", People::NoPerson),
    family("subscriptions:turn", People::NoPerson),
    // Counts of one minute.
    family("test_runs", People::NoPerson),
    family("timer", People::NoPerson).tagged(HashTag::Segments(1)),
    // Leases of the sockets of accounts at StreamElements. Removing one would open a second socket.
    family("tips", People::NoPerson).tagged(HashTag::Rest),
    family("told", People::InName),
    // Process that handles the events of a channel, for seconds.
    family("turn", People::NoPerson),
    family("daemons", People::NoPerson),
    // Counts of accounts, extensions and keys.
    family("usage", People::NoPerson).tagged(HashTag::Segments(1)),
    family("worker", People::NoPerson),
    family("ws:places", People::NoPerson),
    family("youtube_streams", People::NoPerson),
];

/// Family of a key, by its name without the prefix of the deployment. The longest match wins.
#[must_use]
pub fn family_of(name: &str) -> Option<&'static Family> {
    let is_of = |family: &&Family| {
        name.strip_prefix(family.name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    FAMILIES.iter().filter(is_of).max_by_key(|family| family.name.len())
}

/// Puts the hash tag into a name. A name of no family stays as it is.
#[must_use]
pub fn with_hash_tag(name: String) -> String {
    let tag = family_of(&name).and_then(|family| family.tag_of(&name));
    match tag {
        Some(tag) => format!("{}{{{}}}{}", &name[..tag.start], &name[tag.clone()], &name[tag.end..]),
        None => name,
    }
}

/// Takes the hash tag out of a name that [`with_hash_tag`] returned.
#[must_use]
pub fn without_hash_tag(name: &str) -> String {
    let without = name.replacen('{', "", 1).replacen('}', "", 1);
    if with_hash_tag(without.clone()) == name { without } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use redis_servers::Slot;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn families_decide_the_hash_tags_of_their_keys() {
        for (name, expected) in [
            ("log:chat:1", "log:{chat:1}"),
            ("log:ids:chat:1", "log:ids:{chat:1}"),
            ("reader:twitch:7", "reader:{twitch:7}"),
            ("reader:nudge:twitch:7", "reader:nudge:{twitch:7}"),
            ("cmd_cd:a:c:user:kick:9", "cmd_cd:{a:c}:user:kick:9"),
            ("cmd_cd:a:c", "cmd_cd:{a:c}"),
            ("cmd_uses:a:c", "cmd_uses:{a}:c"),
            ("cmd_uses:line:a:l", "cmd_uses:line:{a}:l"),
            ("functions:body:1", "{functions}:body:1"),
            ("functions:waiting", "{functions}:waiting"),
            ("music_polls:due", "{music_polls}:due"),
            ("usage:3:process:p", "usage:{3}:process:p"),
            ("music:1", "music:1"),
            ("runtime:invocations:i:5", "runtime:invocations:{i}:5"),
            ("ext_cache:e:a:value:{x}", "ext_cache:{e:a}:value:{x}"),
            ("rl:session:u:1", "rl:session:u:1"),
            ("cmd_uses:changed", "cmd_uses:changed"),
            ("log:", "log:"),
            ("no_family:{1}", "no_family:{1}"),
        ] {
            assert_eq!(with_hash_tag(name.to_owned()), expected);
            assert_eq!(without_hash_tag(expected), name);
        }
    }

    #[test]
    fn families_of_a_script_share_a_slot() {
        let slot = |name: &str| Slot::for_key(format!("lumio:{}", with_hash_tag(name.to_owned())));
        let groups: [&[&str]; 12] = [
            &["usage:3:open", "usage:3:open_id", "usage:3:batch", "usage:3:batch_id", "usage:3:process:p"],
            &["log:chat:1", "log:ids:chat:1"],
            &["reader:twitch:7", "reader:nudge:twitch:7"],
            &["chat_sends:1", "chat_sends:refused:1"],
            &["cmd_cd:a:c:global", "cmd_cd:a:c:user:kick:9"],
            &["cmd_uses:a:c", "cmd_uses:line:a:l"],
            &["functions:waiting", "functions:body:1", "functions:taken:1"],
            &["music_polls:due", "music_polls:claims", "music_polls:targets"],
            &["runtime:paused:i", "runtime:failures:i", "runtime:invocations:i:5"],
            &["profile_breaker:a:kick:state", "profile_breaker:a:kick:failures"],
            &["timer:i:hourly:kick:slot:5", "timer:i:hourly:kick:said"],
            &["crawler:twitch:budget:a:b", "crawler:twitch:pause", "crawler:twitch:failures"],
        ];
        for group in groups {
            assert!(group.iter().all(|name| slot(name) == slot(group[0])), "{group:?}");
        }
        assert_eq!(slot("log:chat:1"), Slot::for_key("lumio:{chat:1}"), "the topic of a channel and its log");
    }

    /// Three masters have equal ranges of slots.
    #[test]
    fn families_of_a_thousand_accounts_lie_evenly_on_three_masters() {
        let thirds: HashMap<Slot, usize> =
            (0..16384).filter_map(|slot| Some((Slot::new(slot)?, usize::from(slot / 5462)))).collect();
        let mut keys = [0_usize; 3];
        for number in 0..1000 {
            let account =
                Uuid::from_u128(u128::wrapping_mul(number, 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
            for name in
                ["log:chat:", "log:ids:chat:", "log:events:", "removed:", "cmd_uses:", "runtime:failures:"]
            {
                keys[thirds
                    [&Slot::for_key(format!("lumio:{}", with_hash_tag(format!("{name}{account}"))))]] += 1;
            }
        }
        assert!(keys.iter().all(|number| (1600..=2400).contains(number)), "{keys:?}");
    }

    #[test]
    fn family_of_a_key_has_the_maximum_common_prefix() {
        let name_of = |key: &str| family_of(key).map(|family| family.name);
        assert_eq!(name_of("log:chat:1"), Some("log"));
        assert_eq!(name_of("log:ids:chat:1"), Some("log:ids"));
        assert_eq!(name_of("runtime_done:1:2"), Some("runtime_done"));
        assert_eq!(name_of("profile_refresh:1"), Some("profile_refresh"));
        assert_eq!(name_of("runtime_telemetry_left"), Some("runtime_telemetry_left"));
        assert_eq!(name_of("bot:other"), None);
    }
}
