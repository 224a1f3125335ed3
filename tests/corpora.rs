//! Seed inputs of the fuzz targets, and every input that failed: each property of `tests/properties` holds for all of
//! its corpus in `fuzz/corpus`. Properties of short texts also hold for variations of them.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use properties::{ALL, Property};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};

/// Number of inputs that are made from a corpus.
const VARIATIONS: usize = 4_000;
/// Largest number of changes that lead from an input of the corpus to such a one.
const MAX_CHANGES: usize = 4;

fn property(name: &str) -> Property {
    ALL.iter().find(|(known, _)| *known == name).expect("a property").1
}

/// Inputs of a corpus with their files, by name.
fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("a corpus").map(|entry| entry.expect("an input").path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let input = fs::read(&path).expect("a readable input");
        (path, input)
    };
    files.into_iter().map(read).collect()
}

fn holds(property: Property, input: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| property(input))).is_ok()
}

/// Checks a property with its corpus; names every input that fails.
fn replay(name: &str) {
    let (property, inputs) = (property(name), corpus(name));
    assert!(inputs.len() >= 10, "the corpus of {name} has {} inputs", inputs.len());
    let failing: Vec<_> =
        inputs.iter().filter(|(_, input)| !holds(property, input)).map(|(path, _)| path).collect();
    assert!(failing.is_empty(), "{name} does not hold for {failing:?}");
}

/// Checks a property with inputs that differ from those of its corpus in a few places, the same at each run. An input
/// that fails belongs to the corpus.
fn vary(name: &str) {
    let property = property(name);
    let inputs: Vec<Vec<u8>> = corpus(name).into_iter().map(|(_, input)| input).collect();
    let mut random = StdRng::seed_from_u64(21);
    for _ in 0..VARIATIONS {
        let input = variation(&mut random, &inputs);
        assert!(holds(property, &input), "{name} does not hold for {}", input.escape_ascii());
    }
}

fn variation(random: &mut StdRng, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut input = inputs.choose(random).expect("an input").clone();
    for _ in 0..random.random_range(0..=MAX_CHANGES) {
        let (place, other) = (random.random_range(0..=input.len()), inputs.choose(random).expect("an input"));
        let byte = other.choose(random).copied().unwrap_or_else(|| random.random());
        match random.random_range(0..5) {
            0 => input.insert(place, byte),
            1 => input.truncate(place),
            2 => input.extend_from_slice(other),
            3 if place < input.len() => input[place] = byte,
            4 if place < input.len() => {
                input.remove(place);
            }
            _ => {}
        }
    }
    input
}

#[test]
fn corpora_belong_to_a_property_each() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let mut names: Vec<String> = fs::read_dir(corpora)
        .expect("the corpora")
        .map(|entry| entry.expect("a folder").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert_eq!(names, ALL.map(|(name, _)| name));
}

#[test]
fn corpora_of_archives_are_what_their_manifests_state_or_refused() {
    replay("archive");
}

#[test]
fn corpora_of_sounds_are_left_as_they_are_once_their_metadata_is_removed() {
    replay("audio");
}

#[test]
fn corpora_of_bundles_are_read_within_limits_and_as_others_read_them() {
    replay("bundle");
}

#[test]
fn corpora_of_cursors_are_continued_by_their_own_list_alone() {
    replay("cursors");
    vary("cursors");
}

#[test]
fn corpora_of_directories_have_storable_channels_or_none() {
    replay("directories");
}

#[test]
fn corpora_of_frames_mean_the_same_however_they_arrive() {
    replay("frames");
}

#[test]
fn corpora_of_idempotency_keys_are_read_when_they_follow_the_grammar() {
    replay("idempotency");
    vary("idempotency");
}

#[test]
fn corpora_of_images_are_read_alike_however_they_arrive() {
    replay("images");
    vary("images");
}

#[test]
fn corpora_of_accepted_manifests_are_accepted_again() {
    replay("manifest");
}

#[test]
fn corpora_of_accepted_patterns_are_matched_in_time() {
    replay("patterns");
}

#[test]
fn corpora_of_credentials_are_of_one_kind_or_none() {
    replay("tokens");
}

#[test]
fn corpora_of_traces_are_continued_when_the_standard_calls_them_valid() {
    replay("traces");
    vary("traces");
}

#[test]
fn corpora_of_webhook_bodies_are_understood_or_refused() {
    replay("webhooks");
}
