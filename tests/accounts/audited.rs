//! Which operation writes which entry into the audit trail (C §14): the list in `audited.txt` is held against the
//! published operations and against the names that the sources write.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const LIST: &str = include_str!("audited.txt");
/// What an entry of the trail begins with in the sources.
const WRITTEN: [&str; 6] =
    ["audit(", "audit_system(", "audit(cx, connection, ", "record(cx, connection, ", "entry(cx, ", "action:"];

/// Actions by operation; none for one that changes nothing that the trail tells of.
fn listed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let lines = LIST.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| {
            let (operation, rest) = line.split_once(' ').unwrap_or((line, ""));
            let words: Vec<&str> = rest.split_whitespace().collect();
            if words.first() == Some(&"-") {
                assert!(words.len() > 1, "audited.txt: `{line}` gives no reason");
                return (operation, Vec::new());
            }
            assert!(!words.is_empty(), "audited.txt: `{line}` names no action");
            (operation, words)
        })
        .collect()
}

/// Operations of the OpenAPI document that change something.
fn changing() -> BTreeSet<String> {
    let document = lumio_api::openapi::document();
    let paths = document["paths"].as_object().expect("paths");
    let methods = paths.values().flat_map(|path| path.as_object().expect("a path item"));
    methods
        .filter(|(method, _)| *method != "get")
        .filter_map(|(_, operation)| operation["operationId"].as_str().map(str::to_owned))
        .collect()
}

/// The text of every source file of the API, the workers and what they share.
fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut texts = Vec::new();
    for folder in ["api", "shared", "workers"] {
        read(&root.join(folder), &mut texts);
    }
    assert!(texts.len() > 100, "the sources are not where they were");
    texts
}

fn read(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(fs::read_to_string(&path).expect("a source"));
        }
    }
}

/// The action that a text begins with, after the place where an entry begins.
fn action(text: &str) -> Option<&str> {
    let (name, _) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    let (area, verb) = name.split_once(':')?;
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (is_word(area) && is_word(verb)).then_some(name)
}

#[test]
fn every_operation_that_changes_something_says_what_it_writes() {
    let (listed, changing) = (listed(), changing());
    for operation in &changing {
        assert!(
            listed.contains_key(operation.as_str()),
            "tests/accounts/audited.txt has no line for `{operation}`: name its actions, or `-` with the reason"
        );
    }
    for operation in listed.keys().filter(|operation| !operation.starts_with('(')) {
        assert!(
            changing.contains(*operation),
            "tests/accounts/audited.txt: there is no operation `{operation}`"
        );
    }
}

#[test]
fn the_sources_write_the_listed_actions_and_no_other() {
    let listed: BTreeSet<&str> = listed().into_values().flatten().collect();
    let sources = sources();
    let mut written = BTreeSet::new();
    for source in &sources {
        for start in WRITTEN {
            written.extend(source.split(start).skip(1).filter_map(action));
        }
    }
    for name in &written {
        assert!(listed.contains(name), "`{name}` is written but not in tests/accounts/audited.txt");
    }
    for name in &listed {
        let literal = format!("\"{name}\"");
        let is_written = sources.iter().any(|source| source.contains(&literal));
        assert!(is_written, "`{name}` is in tests/accounts/audited.txt but no source writes it");
    }
    assert!(written.len() > 30, "{written:?}");
}
