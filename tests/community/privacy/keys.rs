//! The list of the families of keys in Redis is held against the names that the code makes.

use std::{collections::BTreeSet, fs, path::Path};

use shared::redis::families::{FAMILIES, family_of};

/// Files that make names of which the code does not show the beginning: in how many places, and of which families these
/// are. A place more may be of another family.
const MADE: &[(&str, usize, &[&str])] = &[
    ("api/core/src/http/rate_limit.rs", 2, &["rl"]),
    ("api/live/src/pace.rs", 2, &["chat_sends", "chat_moderation", "events_emits"]),
    ("api/server/src/tasks.rs", 1, &["invalidate"]),
    ("shared/src/bots/mod.rs", 1, &["bot_modules"]),
    ("shared/src/daemons.rs", 3, &["daemons"]),
    ("shared/src/events/log.rs", 1, &[]),
    ("shared/src/extensions/announce.rs", 4, &["bot_modules"]),
    ("shared/src/invalidation.rs", 1, &["invalidate"]),
    ("workers/src/runtime/feed/announcements.rs", 1, &["bot_modules", "invalidate"]),
    ("workers/src/runtime/gate/mod.rs", 2, &["runtime", "test_runs"]),
    ("workers/src/runtime/timers/lines.rs", 2, &["timer"]),
];
/// What only other versions make.
const OF_OTHER_VERSIONS: &[&str] = &["removals"];
/// How a name is asked for.
const CALL: &str = "redis.key(";

/// The names in a source: what stands between the quotation marks, or nothing where there are none.
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

/// What of a name is the same for every key.
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
fn every_key_in_redis_is_of_a_family_that_says_whether_people_are_in_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut files = Vec::new();
    for folder in ["api", "shared/src", "workers/src"] {
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
                // The beginning of all names is asked for by nothing.
                Some("") if name.as_deref() == Some("") => {}
                None | Some("") => unnamed += 1,
                Some(start) => {
                    let family = family_of(start).unwrap_or_else(|| {
                        panic!("`{start}` of {file} is of no family of shared/src/redis/families.rs")
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
