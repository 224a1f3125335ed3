//! Commands that call the API.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex},
};

use chrono::Duration;
use lumio_ext::{
    Outcome,
    check::{CheckOptions, check},
    init::{InitOptions, Template, init},
    pack,
    remote::{LogOptions, RemoteOptions, UploadOptions, logs, upload},
};
use lumio_tests::{Caller, TestApp, eventually, world};
use serde_json::{Value, json};
use uuid::Uuid;

use super::change_manifest;

/// Output that a test reads while a command writes it.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn remote(app: &TestApp, key: &Caller, folder: &Path) -> RemoteOptions {
    let token_file = folder.join("token");
    std::fs::write(&token_file, format!("{}\n", key.token())).unwrap();
    RemoteOptions { url: app.url().parse().unwrap(), token_file: Some(token_file) }
}

fn version(text: &str) -> UploadOptions {
    UploadOptions { version: text.to_owned(), extension: None, changelog: "New.".to_owned(), breaking: false }
}

#[tokio::test]
async fn remote_upload_of_a_new_extension_is_accepted_from_init_to_pack() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let extension = studio.extension("Dice").await;
    let folder = tempfile::tempdir().unwrap();
    let (dir, key) = (folder.path().join("dice"), remote(&app, &studio.key, folder.path()));
    for template in [Template::Command, Template::Layer] {
        std::fs::remove_dir_all(&dir).ok();
        init(&InitOptions { dir: dir.clone(), name: None, template }, &mut Vec::new()).unwrap();
        let number = if template == Template::Command { "1.0.0" } else { "1.1.0" };
        change_manifest(&dir, |manifest| {
            manifest["extensionId"] = json!(extension);
            manifest["version"] = json!(number);
        });
        assert_eq!(check(&dir, &CheckOptions::default()).await.unwrap(), []);
        let packed = folder.path().join("bundle.tar.gz");
        assert_eq!(pack::write(&dir, &packed).unwrap(), pack::write(&dir, &packed).unwrap());
        let mut out = Vec::new();
        // The folder and what it was packed into are the same upload.
        let source = if template == Template::Command { &dir } else { &packed };
        assert_eq!(upload(source, &version(number), &key, &mut out).await.unwrap(), Outcome::Good);
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with(&format!("{number} pending (")), "{text}");
    }
    let versions = studio.key.get(&format!("/developer/v1/extensions/{extension}/versions")).await;
    assert_eq!(versions.expect(200)["versions"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn remote_upload_prints_findings_with_their_places() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let extension = studio.extension("Dice").await;
    let folder = tempfile::tempdir().unwrap();
    let (dir, key) = (folder.path().join("dice"), remote(&app, &studio.key, folder.path()));
    init(&InitOptions { dir: dir.clone(), name: None, template: Template::Command }, &mut Vec::new())
        .unwrap();
    let unnamed = upload(&dir, &version("1.0.0"), &key, &mut Vec::new()).await.unwrap_err();
    assert!(unnamed.to_string().contains("--extension"), "{unnamed}");
    let options = UploadOptions { extension: Some(extension), ..version("2.0.0") };
    let mut out = Vec::new();
    assert_eq!(upload(&dir, &options, &key, &mut out).await.unwrap(), Outcome::Bad);
    let text = String::from_utf8(out).unwrap();
    let expected = "lumio.config.json:6:14: version must be 2.0.0 as the field of the upload says\n";
    assert!(text.ends_with(expected), "{text}");
    let foreign = UploadOptions { extension: Some(Uuid::nil()), ..version("1.0.0") };
    let refused = upload(&dir, &foreign, &key, &mut Vec::new()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the upload is refused: 404 Extension not found");
    let weak = app.personal_key(&studio.person, &["extension-dev:read"]).await;
    let weak = remote(&app, &weak, folder.path());
    let refused = upload(&dir, &options, &weak, &mut Vec::new()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the upload is refused: 403 Missing permission: extension-dev:publish");
}

#[tokio::test]
async fn remote_logs_are_printed_once_and_followed() {
    let app = TestApp::start().await;
    let (owner, system) = (app.owner().await, app.system_key().await);
    let install = world::install(&app, &owner, &["chat:read"]).await;
    let folder = tempfile::tempdir().unwrap();
    let key = app.personal_key(&owner, &["bot-modules:read"]).await;
    let key = remote(&app, &key, folder.path());
    let now = app.clock.now();
    let send = async |lines: &[(&str, i64)]| {
        let line = |(message, ago): &(&str, i64)| -> Value {
            json!({ "id": Uuid::now_v7(), "install_id": install, "level": "info", "message": message,
                    "trigger_type": "command", "execution_ms": 3, "created_at": now - Duration::seconds(*ago) })
        };
        let batch = json!({ "logs": lines.iter().map(line).collect::<Vec<_>>() });
        system.post("/v1/internal/telemetry", batch).await.expect(202);
    };
    send(&[("first", 5), ("second", 4)]).await;
    let mut options = LogOptions { install, follow: false, level: None };
    let mut out = Vec::new();
    logs(&options, &key, &mut out).await.unwrap();
    let text = String::from_utf8(out).unwrap();
    let messages: Vec<_> = text.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(messages, ["first", "second"], "{text}");
    assert!(text.lines().all(|line| line.contains(" info  command ")), "{text}");

    options.follow = true;
    let shared = Shared::default();
    let mut out = shared.clone();
    tokio::select! {
        ended = logs(&options, &key, &mut out) => panic!("following ends by an interrupt only: {ended:?}"),
        () = async {
            eventually("the present lines", async || shared.text().contains("second")).await;
            send(&[("third", 1), ("late", 9)]).await;
            eventually("the new lines", async || shared.text().contains("third")).await;
        } => {}
    }
    let text = shared.text();
    for message in ["first", "second", "third", "late"] {
        assert_eq!(text.matches(&format!(" {message}\n")).count(), 1, "{message}: {text}");
    }
    options.install = Uuid::nil();
    let refused = logs(&options, &key, &mut Vec::new()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the log is refused: 404 Extension install not found");
}
