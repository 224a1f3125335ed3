//! Provides the commit to the build: from `LUMIO_COMMIT`, else from the checkout, else `unknown`.

use std::{path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=LUMIO_COMMIT");
    // Changes with every commit and checkout. Declared only where it exists: a missing file would cause a
    // rebuild every time.
    let journal = "../../.git/logs/HEAD";
    if Path::new(journal).exists() {
        println!("cargo:rerun-if-changed={journal}");
    } else {
        println!("cargo:rerun-if-changed=build.rs");
    }
    let commit = std::env::var("LUMIO_COMMIT").ok().filter(|commit| !commit.is_empty()).or_else(head);
    println!("cargo:rustc-env=LUMIO_BUILD_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

fn head() -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}
