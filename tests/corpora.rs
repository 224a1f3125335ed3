//! Seed inputs of the fuzz targets, and every input that failed: each property of `tests/properties` holds for all of
//! its corpus in `fuzz/corpus`.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use properties::{ALL, Property};

/// Checks a property with its corpus; names every input that fails.
fn replay(name: &str) {
    let (_, property): (_, Property) = *ALL.iter().find(|(known, _)| *known == name).expect("a property");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut inputs: Vec<_> =
        fs::read_dir(&folder).expect("a corpus").map(|entry| entry.expect("an input").path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "the corpus of {name} has {} inputs", inputs.len());
    let fails = |path: &&std::path::PathBuf| {
        let input = fs::read(path).expect("a readable input");
        catch_unwind(AssertUnwindSafe(|| property(&input))).is_err()
    };
    let failing: Vec<_> = inputs.iter().filter(fails).collect();
    assert!(failing.is_empty(), "{name} does not hold for {failing:?}");
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
fn corpora_of_bundles_are_read_within_limits_and_as_others_read_them() {
    replay("bundle");
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
fn corpora_of_webhook_bodies_are_understood_or_refused() {
    replay("webhooks");
}
