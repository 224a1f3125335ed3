//! Audit entries of each operation: the list in `audited.txt` is compared with the published operations and
//! with the action names in the sources (reference/accounts.md#audit-log).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::published::{Route, every_route, fields};

const LIST: &str = include_str!("audited.txt");
/// Beginnings of the expressions that write an audit entry in the sources.
const WRITTEN: [&str; 6] =
    ["audit(", "audit_system(", "audit(cx, connection, ", "record(cx, connection, ", "entry(cx, ", "action:"];

/// Actions by operation; empty for an operation that writes no audit entry.
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

/// Operations that change something: mutations, and routes with a changing method, also those that the
/// OpenAPI document leaves out.
fn changing() -> BTreeSet<String> {
    let methods = every_route().into_iter().filter(|route| route.method != "GET");
    let mutations = fields().into_values().filter(|field| field.is_mutation);
    methods.map(|route| route.operation_id).chain(mutations.map(|field| field.name)).collect()
}

/// Source files of some folders of the workspace, with their text.
fn sources(folders: &[&str]) -> BTreeMap<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut texts = BTreeMap::new();
    for folder in folders {
        read(&root.join(folder), &mut texts);
    }
    assert!(texts.len() > 100, "the sources are not where they were");
    texts
}

fn read(folder: &Path, texts: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            texts.insert(path, text);
        }
    }
}

/// Action name at the start of a text that follows one of `WRITTEN`.
fn action(text: &str) -> Option<&str> {
    let (name, _) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    let (area, verb) = name.split_once(':')?;
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (is_word(area) && is_word(verb)).then_some(name)
}

#[test]
fn audited_list_has_a_line_for_every_changing_operation() {
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
fn audited_list_holds_exactly_the_actions_that_the_sources_write() {
    let listed: BTreeSet<&str> = listed().into_values().flatten().collect();
    let sources = sources(&["api", "shared", "workers"]);
    let mut written = BTreeSet::new();
    for source in sources.values() {
        for start in WRITTEN {
            written.extend(source.split(start).skip(1).filter_map(action));
        }
    }
    for name in &written {
        assert!(listed.contains(name), "`{name}` is written but not in tests/accounts/audited.txt");
    }
    for name in &listed {
        let literal = format!("\"{name}\"");
        let is_written = sources.values().any(|source| source.contains(&literal));
        assert!(is_written, "`{name}` is in tests/accounts/audited.txt but no source writes it");
    }
    assert!(written.len() > 30, "{written:?}");
}

/// Attributes that start a test.
const TEST: [&str; 2] = ["#[test]", "#[tokio::test"];
/// Files of a test folder that hold the helpers that call operations.
const HELPERS: [&str; 2] = ["mod.rs", "world.rs"];

/// File of tests.
struct Tests {
    /// Text of the file and of the helpers of its folder.
    text: String,
    /// Text from each test to the next, without white space.
    each: Vec<String>,
}

fn tests() -> Vec<Tests> {
    let sources = sources(&["tests"]);
    let split = |text: &str| -> Vec<String> {
        let mut tests = vec![text.to_owned()];
        for start in TEST {
            tests = tests.iter().flat_map(|text| text.split(start)).map(str::to_owned).collect();
        }
        tests.into_iter().map(|test| test.split_whitespace().collect()).collect()
    };
    let with_helpers = |path: &Path, text: &str| {
        let helpers = HELPERS.iter().filter_map(|name| sources.get(&path.with_file_name(name)));
        helpers.fold(text.to_owned(), |texts, helper| texts + helper)
    };
    sources.iter().map(|(path, text)| Tests { text: with_helpers(path, text), each: split(text) }).collect()
}

/// Names by which a test calls an operation: its GraphQL field, or the beginning of its path.
fn names_of(operation: &str, routes: &[Route]) -> Vec<String> {
    let routes = routes.iter().filter(|route| route.operation_id == operation);
    let beginning = |path: &str| path.split('{').next().unwrap_or_default().trim_end_matches('/').to_owned();
    std::iter::once(operation.to_owned()).chain(routes.map(|route| beginning(&route.path))).collect()
}

/// True when a text contains a name as a whole word.
fn has(text: &str, name: &str) -> bool {
    let is_name_character = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_name_character) && !text[at + name.len()..].starts_with(is_name_character)
    })
}

/// True when a test reads the audit entries of an action, other than to assert that there is none.
fn mentions(test: &str, action: &str) -> bool {
    let reads = |reader: &str| {
        let call = format!("{reader}(\"{action}\")");
        test.split(call.as_str()).skip(1).any(|after| !after.starts_with(".await.is_empty()"))
    };
    reads(".audited") || reads(".audited_once")
}

#[test]
fn audited_operations_have_a_test_that_reads_their_action() {
    let (files, routes) = (tests(), every_route());
    let mut operations: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (operation, actions) in listed() {
        for action in actions {
            operations.entry(action).or_default().push(operation);
        }
    }
    for (action, operations) in operations {
        let count = |file: &Tests| file.each.iter().filter(|test| mentions(test, action)).count();
        let looking: Vec<(&Tests, usize)> =
            files.iter().map(|file| (file, count(file))).filter(|(_, found)| *found > 0).collect();
        let found: usize = looking.iter().map(|(_, found)| found).sum();
        assert!(
            found >= operations.len(),
            "{found} tests look for `{action}` in the trail, of {operations:?}"
        );
        for operation in operations.iter().filter(|operation| !operation.starts_with('(')) {
            let names = names_of(operation, &routes);
            let is_called = looking.iter().any(|(file, _)| names.iter().any(|name| has(&file.text, name)));
            assert!(
                is_called,
                "no file with a test that looks for `{action}` calls `{operation}`: {names:?}"
            );
        }
    }
}

#[test]
fn audited_actions_that_are_only_mentioned_do_not_count_as_read() {
    for mention in [
        r#"insert("a:b")"#,
        r#"assert!(app.audited("a:b").await.is_empty());"#,
        r#"foractionin["a:b"]{app.audited(action)}"#,
        r#"app.audited("a:bc").await.len()"#,
    ] {
        assert!(!mentions(mention, "a:b"), "{mention}");
    }
    for read in [r#"app.audited_once("a:b").await;"#, r#"assert_eq!(app.audited("a:b").await.len(),1);"#] {
        assert!(mentions(read, "a:b"), "{read}");
    }
}
