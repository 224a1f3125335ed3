//! Names of tests.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::{
    bars::Bars,
    checkout::{Checkout, is_in},
    row::{Place, Row},
    text::names::{begins_with, numbers, snake_case},
};

/// Words that name no subject although a function is called so.
const NO_SUBJECTS: [&str; 22] = [
    "a", "all", "an", "any", "as", "at", "by", "for", "from", "in", "into", "is", "new", "no", "not", "of",
    "on", "one", "the", "to", "with", "without",
];

/// Returns the tests whose name begins with no subject, and the operations after which no test is named.
#[must_use]
pub fn rows(checkout: &Checkout, bars: &Bars) -> (Row, Row) {
    let operations = operations(checkout, &bars.access.folder);
    let mut without_subject = Vec::new();
    let mut tested: HashSet<&str> = HashSet::new();
    for source in checkout.sources.values().filter(|source| !source.facts.tests.is_empty()) {
        let subjects = subjects_of(checkout, bars, &source.path);
        for test in &source.facts.tests {
            let operation = operations
                .keys()
                .filter(|operation| begins_with(&test.name, operation))
                .max_by_key(|operation| operation.len());
            tested.extend(operation.map(String::as_str));
            let inline: Vec<String> =
                test.modules.iter().flat_map(|module| module_subjects(module)).collect();
            let has_subject = operation.is_some()
                || subjects.iter().chain(&inline).any(|subject| begins_with(&test.name, subject));
            if !has_subject {
                without_subject.push(Place::new(&source.path, test.line, &test.name));
            }
        }
    }
    let untested = operations.iter().filter(|(name, _)| !tested.contains(name.as_str()));
    let untested = untested.map(|(_, place)| place.clone()).collect();
    (
        Row::of("test-names", "tests whose name begins with no operation or subject", without_subject),
        Row::of("untested-operations", "operations after which no test is named", untested),
    )
}

/// Operations in snake_case with their place.
fn operations(checkout: &Checkout, folder: &str) -> BTreeMap<String, Place> {
    let sources = checkout.product().filter(|source| is_in(&source.path, folder));
    let found = sources.flat_map(|source| {
        source.facts.operations.iter().map(|operation| {
            let place = Place::new(&source.path, operation.line, &operation.name);
            (snake_case(&operation.name), place)
        })
    });
    found.collect()
}

fn subjects_of(checkout: &Checkout, bars: &Bars, path: &str) -> BTreeSet<String> {
    let mut subjects: BTreeSet<String> = bars.names.subjects.iter().cloned().collect();
    for (tree, module) in checkout.forest.modules_of(path) {
        subjects.extend(module.path.iter().flat_map(|name| module_subjects(name)));
        subjects.extend(module_subjects(&snake_case(&tree.package)));
        if module.parent.is_none() {
            subjects.extend(module_subjects(target_name(path)));
        }
        // The file under test is the test's own, or its parent for a file of tests.
        let parent = module.parent.map(|parent| tree.modules[parent].file.as_str());
        for file in [Some(path), parent].into_iter().flatten() {
            let names = checkout.sources.get(file).into_iter().flat_map(|source| &source.facts.subjects);
            subjects.extend(names.filter(|name| !NO_SUBJECTS.contains(&name.as_str())).cloned());
        }
    }
    subjects
}

/// Name of the target whose root a file is: its own, or that of the folder of `main.rs`, `mod.rs` or `lib.rs`.
fn target_name(path: &str) -> &str {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut parts = path.rsplit('/').filter(|part| !matches!(*part, "main" | "mod" | "lib" | "src"));
    parts.next().unwrap_or_default()
}

/// A module's name and its last segment, each in singular and plural.
fn module_subjects(name: &str) -> Vec<String> {
    if matches!(name, "tests" | "test" | "mod" | "unit") {
        return Vec::new();
    }
    let last = name.rsplit('_').next().unwrap_or(name);
    numbers(name).into_iter().chain(numbers(last)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_subjects_have_both_numbers() {
        let found = module_subjects("chat_polls");
        for expected in ["chat_polls", "chat_poll", "polls", "poll"] {
            assert!(found.contains(&expected.to_owned()), "{expected}");
        }
        assert!(module_subjects("tests").is_empty());
    }

    #[test]
    fn target_name_is_that_of_the_file_or_its_folder() {
        let names = ["tests/corpora.rs", "tests/live/mod.rs", "queue/tests/faults/main.rs"].map(target_name);
        assert_eq!(names, ["corpora", "live", "faults"]);
    }
}
