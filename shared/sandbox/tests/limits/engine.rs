#![expect(clippy::panic, clippy::expect_used, reason = "test code: a failed expectation is its result")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sandbox::{Engine, EngineConfig, EngineError};
use serde_json::json;
use tempfile::TempDir;

use crate::support::{TestHost, call, success};

fn real_engine_with_cache(cache: &Path) -> EngineConfig {
    let dir = EngineConfig::default_dir().expect("a folder for the engine");
    EngineConfig { cache_dir: cache.to_owned(), max_instances: 1, ..EngineConfig::new(dir) }
}

fn start_error(config: EngineConfig) -> EngineError {
    match Engine::new(config) {
        Ok(_) => panic!("the engine started"),
        Err(error) => error,
    }
}

fn only_machine_code(cache: &Path) -> std::path::PathBuf {
    let files = fs::read_dir(cache).expect("a cache folder").map(|entry| entry.expect("a file").path());
    let mut code: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|name| name == "cwasm")).collect();
    assert_eq!(code.len(), 1, "{code:?}");
    code.remove(0)
}

#[test]
fn engine_that_is_missing_names_the_script_that_builds_it() {
    let empty = TempDir::new().unwrap();

    let error = start_error(EngineConfig::new(empty.path()));

    assert!(matches!(error, EngineError::Missing { .. }), "{error:?}");
    assert!(error.to_string().ends_with("build it with scripts/engine"), "{error}");
}

#[test]
fn engine_other_than_the_pinned_one_is_refused() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("engine.wasm"), b"\0asm\x01\0\0\0").unwrap();

    let error = start_error(EngineConfig::new(dir.path()));

    assert!(matches!(error, EngineError::Unexpected { .. }), "{error:?}");
}

#[test]
fn engine_refuses_a_cache_that_others_can_write_to() {
    let cache = TempDir::new().unwrap();
    fs::set_permissions(cache.path(), fs::Permissions::from_mode(0o777)).unwrap();

    let error = start_error(real_engine_with_cache(cache.path()));

    assert!(matches!(error, EngineError::SharedCache { .. }), "{error:?}");
}

#[tokio::test]
async fn engine_builds_the_cache_once_and_again_when_it_is_unreadable() {
    let cache = TempDir::new().unwrap();
    let start = || Engine::new(real_engine_with_cache(cache.path())).unwrap();

    drop(start());
    let code = only_machine_code(cache.path());
    let built = fs::metadata(&code).unwrap().modified().unwrap();
    drop(start());
    assert_eq!(fs::metadata(&code).unwrap().modified().unwrap(), built);
    fs::write(&code, "no machine code").unwrap();
    let engine = start();

    assert_eq!(only_machine_code(cache.path()), code);
    let handler = engine.compile("export const run = () => 'runs'").await.unwrap();
    assert_eq!(success(handler.invoke(call(), TestHost::new()).await), json!("runs"));
}
