//! Families of Redis keys: the declared list is compared with the names that the sources build.

use std::{collections::BTreeSet, fs, path::Path};

use foundation::redis::families::{FAMILIES, family_of};

/// Files that build key names without a literal prefix: number of places and their families. An additional
/// place may belong to another family.
const MADE: &[(&str, usize, &[&str])] = &[
    ("api/core/src/http/rate_limit.rs", 3, &["rl"]),
    (
        "api/live/src/pace.rs",
        2,
        &[
            "chat_sends",
            "chat_sends:refused",
            "chat_moderation",
            "chat_moderation:refused",
            "events_emits",
            "events_emits:refused",
        ],
    ),
    ("shared/extension-model/src/bots/mod.rs", 1, &["bot_modules"]),
    ("shared/foundation/src/daemons.rs", 3, &["daemons"]),
    ("shared/extension-model/src/announce.rs", 4, &["bot_modules"]),
    ("shared/foundation/src/invalidation.rs", 2, &["invalidate"]),
    ("workers/extension-runtime/src/feed/announcements.rs", 1, &["bot_modules", "invalidate"]),
    ("workers/extension-runtime/src/gate/mod.rs", 1, &["runtime", "runtime:invocations", "test_runs"]),
    ("workers/extension-runtime/src/timers/lines.rs", 2, &["timer"]),
    ("workers/src/housekeeping/automation_runs.rs", 2, &["housekeeping"]),
    // One on each server.
    ("workers/src/outbox/checkpoint/servers.rs", 0, &["checkpoint"]),
];
/// Families that only other versions write.
const OF_OTHER_VERSIONS: &[&str] = &["removals"];
/// Call that builds a key name.
const CALL: &str = "redis.key(";

/// Key names in a source: the string literal, or `None` where there is no literal.
fn names(source: &str) -> Vec<Option<String>> {
    let source: String = source.split_whitespace().collect();
    let calls = source.match_indices(CALL).map(|(at, _)| &source[at + CALL.len()..]);
    calls
        .map(|rest| {
            let rest = rest.strip_prefix("format_args!(").unwrap_or(rest);
            let (name, _) = rest.strip_prefix('"')?.split_once('"')?;
            Some(name.to_owned())
        })
        .collect()
}

/// Constant prefix of a key name.
fn beginning(name: &str) -> &str {
    name.split('{').next().unwrap_or_default().trim_end_matches(':')
}

fn sources(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).expect("below the workspace").to_string_lossy().into_owned();
            found.push((name, fs::read_to_string(&path).expect("a source")));
        }
    }
}

#[test]
fn keys_in_redis_belong_to_a_declared_family() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut files = Vec::new();
    for folder in ["api", "shared", "workers"] {
        sources(root, &root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "the sources are not where they were");
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for (file, source) in &files {
        let made = MADE.iter().find(|(made, ..)| made == file);
        for family in made.into_iter().flat_map(|(_, _, families)| *families) {
            let family = family_of(family).unwrap_or_else(|| panic!("MADE names no family: {family}"));
            used.insert(family.name);
        }
        let mut unnamed = 0;
        for name in names(source) {
            match name.as_deref().map(beginning) {
                // The empty name, which is the prefix of all keys, belongs to no family.
                Some("") if name.as_deref() == Some("") => {}
                None | Some("") => unnamed += 1,
                Some(start) => {
                    let family = family_of(start).unwrap_or_else(|| {
                        panic!(
                            "`{start}` of {file} is of no family of shared/foundation/src/redis/families.rs"
                        )
                    });
                    used.insert(family.name);
                }
            }
        }
        let known = made.map_or(0, |(_, places, _)| *places);
        assert_eq!(
            unnamed, known,
            "{file} makes names that begin with nothing known: say in MADE how many, and of which families"
        );
    }
    for (made, ..) in MADE {
        assert!(files.iter().any(|(file, _)| file == made), "MADE names no file: {made}");
    }
    let listed = FAMILIES.iter().map(|family| family.name);
    let unused: Vec<&str> =
        listed.filter(|name| !used.contains(name) && !OF_OTHER_VERSIONS.contains(name)).collect();
    assert_eq!(unused, Vec::<&str>::new(), "nothing makes keys of these families");
}
