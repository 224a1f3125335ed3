//! `lumio-ext check` and the upload find the same.

use lumio_ext::check::{CheckOptions, Finding, check};
use lumio_tests::{
    Answer, TestApp,
    extensions::{SERVER, Studio, archive, manifest},
};
use serde_json::{Value, json};
use uuid::Uuid;

/// Bundle that breaks rules: changes of the manifest, the code, and further files.
struct Bad {
    name: &'static str,
    changes: Value,
    server: Option<&'static str>,
    files: Vec<(&'static str, Vec<u8>)>,
}

fn changed(name: &'static str, changes: Value) -> Bad {
    Bad { name, changes, server: Some(SERVER), files: Vec::new() }
}

fn with_file(name: &'static str, path: &'static str, content: impl Into<Vec<u8>>) -> Bad {
    Bad { files: vec![(path, content.into())], ..changed(name, json!({})) }
}

/// Bytes of a xorshift generator: gzip makes them no smaller.
fn incompressible(length: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn corpus() -> Vec<Bad> {
    let module = |part: &str, value: Value| json!({ "bot_module": { part: value } });
    let random = incompressible(6_000_000);
    vec![
        changed("an unknown key", json!({ "permisions": [] })),
        changed("an unknown permission", json!({ "permissions": ["chat:wirte"] })),
        changed("a repeated permission", json!({ "permissions": ["chat:read", "chat:read"] })),
        changed("a category without its section", json!({ "category": "automation_node" })),
        changed("a widget without targets", json!({ "category": "widget" })),
        changed("a target without code", json!({ "targets": ["layer"] })),
        changed(
            "an empty name and a long description",
            json!({ "name": "", "description": "x".repeat(1001) }),
        ),
        changed("another version", json!({ "version": "1.0.1" })),
        changed("another extension", json!({ "extensionId": Uuid::nil() })),
        changed(
            "an address as a host",
            json!({ "egress": { "allowHosts": ["https://a.example"], "allowPorts": [80] } }),
        ),
        changed("a price", json!({ "pricing": { "type": "one_time" } })),
        changed(
            "a default out of range",
            json!({ "config_schema": { "sides": { "type": "number", "label": "S", "default": 1, "min": 2 } } }),
        ),
        changed(
            "a missing sound",
            json!({ "sounds": [{ "key": "a", "file": "sounds/a.mp3", "label": "A" }] }),
        ),
        changed("a wrong table", json!({ "tables": { "user": { "columns": { "id": "date" } } } })),
        changed(
            "a declarative function on no table",
            json!({ "functions": { "top": { "kind": "query", "declarative": { "operation": "deleteRow", "table": "t", "id": "x", "where": 1 } } } }),
        ),
        changed(
            "a command with its prefix",
            module("commands", json!([{ "name": "!a", "handler": "hello" }, { "name": "b" }])),
        ),
        changed(
            "a pattern that looks back",
            module("patterns", json!([{ "regex": "(a)\\1", "handler": "hello" }])),
        ),
        changed(
            "an unknown event",
            module("events", json!([{ "event_type": "twitch:folower", "handler": "hello" }])),
        ),
        changed(
            "a quick timer",
            module("timers", json!([{ "name": "t", "interval_secs": 1, "handler": "hello" }])),
        ),
        changed(
            "a handler that is not exported",
            module("commands", json!([{ "name": "a", "handler": "helo" }])),
        ),
        Bad { server: None, ..changed("code that is missing", json!({})) },
        Bad { server: Some("export function hello( {"), ..changed("code that does not parse", json!({})) },
        Bad {
            server: Some("import x from 'lodash'; export const hello = x;"),
            ..changed("another import", json!({}))
        },
        with_file("a path that leads out", "../evil", "x"),
        with_file("a name that is there twice", "SERVER.js", "x"),
        with_file("no sound", "sounds/a.mp3", "no sound"),
        with_file("a large layer", "layer.js", random),
    ]
}

fn of_findings(findings: &[Finding]) -> Value {
    findings.iter().map(|finding| json!({ "field": finding.field, "message": finding.message })).collect()
}

async fn uploaded(studio: &Studio, extension: Uuid, bad: &Bad) -> (Answer, Vec<u8>) {
    let text = format!("{:#}", manifest(extension, "1.0.0", &bad.changes));
    let mut files = vec![("lumio.config.json", text.as_bytes())];
    files.extend(bad.server.map(|server| ("server.js", server.as_bytes())));
    files.extend(bad.files.iter().map(|(path, content)| (*path, content.as_slice())));
    let packed = archive(&files);
    (studio.upload(extension, "1.0.0", &packed).await, packed)
}

#[tokio::test]
async fn check_finds_what_the_upload_refuses_word_for_word() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let extension = studio.extension("Wrong").await;
    let (folder, corpus) = (tempfile::tempdir().unwrap(), corpus());
    assert!(corpus.len() >= 20);
    let options =
        CheckOptions { extension: Some(extension), version: Some("1.0.0".into()), ..CheckOptions::default() };
    for bad in &corpus {
        let (answer, packed) = uploaded(&studio, extension, bad).await;
        assert_eq!(answer.status, 422, "{}: {}", bad.name, answer.text);
        let path = folder.path().join("bundle.tar.gz");
        std::fs::write(&path, packed).unwrap();
        let found = check(&path, &options).await.unwrap();
        assert_eq!(of_findings(&found), answer.body["error"]["fields"], "{}", bad.name);
        assert!(found.iter().all(|finding| finding.line >= 1 && finding.column >= 1), "{}", bad.name);
    }
    let good = changed("nothing", json!({}));
    let (answer, packed) = uploaded(&studio, extension, &good).await;
    answer.expect(202);
    let path = folder.path().join("bundle.tar.gz");
    std::fs::write(&path, packed).unwrap();
    assert_eq!(check(&path, &options).await.unwrap(), []);
}

#[tokio::test]
async fn check_gives_the_place_of_each_finding() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\n  \"name\": \"Greeter\",\n  \"description\": \"Greets.\",\n  \"category\": \"bot_module\",\n  \"version\": \"1.0.0\",\n  \"server\": true,\n  \"permisions\": [],\n  \"bot_module\": {\n    \"commands\": [{ \"name\": \"!hello\", \"handler\": \"hello\" }]\n  }\n}\n";
    super::write(folder.path(), &[("lumio.config.json", text), ("server.js", SERVER)]);
    let places = async || -> Vec<(String, usize, usize)> {
        let found = check(folder.path(), &CheckOptions::default()).await.unwrap();
        let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
        found.into_iter().map(|finding| (name(&finding.path), finding.line, finding.column)).collect()
    };
    let manifest = |line, column| ("lumio.config.json".to_owned(), line, column);
    assert_eq!(places().await, [manifest(7, 3), manifest(9, 28)]);
    let text = text.replace("  \"permisions\": [],\n", "").replace("!hello", "hello");
    super::write(
        folder.path(),
        &[("lumio.config.json", &text.replace("\"handler\": \"hello\"", "\"handler\": \"helo\""))],
    );
    assert_eq!(places().await, [manifest(8, 48)]);
    super::write(
        folder.path(),
        &[("lumio.config.json", &text), ("server.js", "export function hello() {\n  return (;\n}\n")],
    );
    let found = places().await;
    assert_eq!((found[0].0.as_str(), found[0].1), ("server.js", 2), "{found:?}");
    super::write(folder.path(), &[("server.js", SERVER)]);
    assert_eq!(places().await, []);
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("assets.txt")).unwrap();
    let found = check(folder.path(), &CheckOptions::default()).await.unwrap();
    assert_eq!(found[0].message, "`assets.txt` is a link; only files and folders are allowed");
}
