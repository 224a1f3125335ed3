//! The program as a process: exit codes and printed documents.

use std::collections::BTreeMap;

use lumio_tests::{Ended, TestApp, run};
use serde_json::Value;

/// Variables by which the program finds the engine.
fn variables() -> BTreeMap<String, String> {
    let names = ["HOME", "CARGO_TARGET_DIR", "LUMIO_ENGINE_DIR"];
    names.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))).collect()
}

async fn ext(arguments: &[&str]) -> Ended {
    run("lumio-ext", arguments, &variables()).await
}

#[tokio::test]
async fn program_exits_with_the_outcome_of_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("dice");
    let dir = dir.to_str().unwrap();
    let made = ext(&["init", dir, "--name", "Dice"]).await;
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stdout.contains("server.js") && made.stdout.contains("types/lumio.d.ts"), "{made:?}");
    for arguments in [&["check", dir][..], &["test", dir], &["dev", dir, "--once"]] {
        let ended = ext(arguments).await;
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
    }
    let bundle = folder.path().join("dice.tar.gz");
    let packed = ext(&["pack", dir, "-o", bundle.to_str().unwrap()]).await;
    assert_eq!((packed.code, packed.stdout.split_whitespace().next().map(str::len)), (Some(0), Some(64)));

    super::change_manifest(std::path::Path::new(dir), |manifest| manifest["version"] = "1".into());
    let found = ext(&["check", dir, "--json"]).await;
    assert_eq!(found.code, Some(1), "{found:?}");
    let findings: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(findings[0]["field"], "version");
    assert_eq!(ext(&["test", dir]).await.code, Some(1));

    for (arguments, problem) in [
        (&["init", dir][..], "is not empty"),
        (&["check", "/nonexistent"], "cannot read /nonexistent"),
        (&["replay", "/nonexistent"], "cannot read the recording"),
        (
            &["logs", "--install", "00000000-0000-0000-0000-000000000000", "--url", "http://localhost:1"],
            "LUMIO_TOKEN",
        ),
        (&["upload", dir, "--version", "1.0.0"], "--url"),
        (&["nothing"], "unrecognized subcommand"),
    ] {
        let ended = ext(arguments).await;
        assert_eq!(ended.code, Some(2), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains(problem), "{arguments:?}: {ended:?}");
    }
    for command in ["init", "check", "dev", "test", "pack", "upload", "logs", "replay", "types", "schema"] {
        let help = ext(&[command, "--help"]).await;
        assert!(help.code == Some(0) && help.stdout.contains("Usage: lumio-ext"), "{command}: {help:?}");
    }
}

#[tokio::test]
async fn program_prints_the_schema_that_the_api_serves() {
    let app = TestApp::builder().with("LUMIO_OPENAPI", "false").start().await;
    let served = app.anonymous().get("/v1/schemas/lumio.config.json").await;
    assert_eq!((served.status, served.header("content-type")), (200, "application/schema+json"));
    assert_eq!(ext(&["schema"]).await.stdout, served.text);
    assert_eq!(served.body["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let types = ext(&["types"]).await.stdout;
    assert!(types.contains("declare namespace Lumio {") && types.contains("interface Manifest {"));
}
