//! Secrets of an archive (reference/archives.md#secrets).

use std::collections::BTreeMap;

use archive_model::{
    manifest::{FILE, Manifest, SECRETS},
    sealing::{KeyPair, Opener, Record},
    tables::tables,
};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Bytea, Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::crypto::SecretLocation;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use shared::secret::Secret;
use tempfile::TempDir;
use uuid::Uuid;

use super::{
    admin, content, execute, export, file,
    round_trip::are_equal,
    scene::{deployment_with_extensions_of, furnished, seal_everything},
};

#[derive(QueryableByName)]
struct Connection {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Bytea)]
    access_token: Vec<u8>,
    #[diesel(sql_type = Bool)]
    reconnect_required: bool,
}

#[derive(QueryableByName)]
struct Config {
    #[diesel(sql_type = Jsonb)]
    config: Value,
}

async fn connection(app: &TestApp, account: Uuid) -> Connection {
    let sql =
        "SELECT id, coalesce(access_token, '') AS access_token, reconnect_required FROM channel_connections
        WHERE account_id = $1";
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).bind::<SqlUuid, _>(account).get_result(&mut *db).await.unwrap()
}

async fn setting(app: &TestApp, install: Uuid) -> Value {
    let mut db = app.databases.postgres.get().await.unwrap();
    let sql = "SELECT config FROM extension_installs WHERE id = $1";
    let found: Config = sql_query(sql).bind::<SqlUuid, _>(install).get_result(&mut *db).await.unwrap();
    let config = found.config.as_object().unwrap().clone();
    json!(extension_model::opened(&app.state.keyring, install, config).unwrap())
}

#[tokio::test]
async fn import_account_opens_the_secrets_that_were_sealed_to_its_key() {
    let (app, folder) = (TestApp::start().await, TempDir::new().unwrap());
    let next = TestApp::builder()
        .with("LUMIO_ENCRYPTION_KEYS", "other:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
        .start()
        .await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let overlay = owner.post("/v1/overlays", json!({ "name": "o", "width": 10, "height": 10 })).await;
    let overlay = format!("/v1/overlays/{}/token", overlay.expect(201)["data"]["id"].as_str().unwrap());
    let token = owner.get(&overlay).await.data()["token"].clone();
    let endpoint = json!({ "url": "https://hooks.example/", "event_types": ["*"] });
    let endpoint = owner.post("/v1/webhook-endpoints", endpoint).await.expect(201)["data"].clone();
    let secret = format!("/v1/webhook-endpoints/{}/secret", endpoint["id"].as_str().unwrap());
    let key = app.service_key(account, &["account:read"]).await;

    // A connection with its token, and an install of a built-in extension with a secret setting.
    execute(
        &app,
        &format!(
            "INSERT INTO channel_connections (id, account_id, platform, platform_channel_id, channel_name, display_name,
                 credential_source, access_token, reconnect_required)
             VALUES (gen_random_uuid(), '{account}', 'twitch', 'c', 'c', 'C', 'system', '', true)"
        ),
    )
    .await;
    let channel = connection(&app, account).await.id;
    let row = channel.to_string();
    let place = SecretLocation { table: "channel_connections", column: "access_token", row: &row };
    let sealed = app.state.keyring.seal(place, &Secret::new("platform token")).unwrap();
    execute(&app, &format!("UPDATE channel_connections SET access_token = '\\x{}'", hex::encode(sealed)))
        .await;
    extension_model::system::install(&mut app.databases.postgres.get().await.unwrap(), Some(account))
        .await
        .unwrap();
    let install: Install = {
        let mut db = app.databases.postgres.get().await.unwrap();
        let sql = "SELECT id FROM extension_installs ORDER BY id LIMIT 1";
        sql_query(sql).get_result(&mut *db).await.unwrap()
    };
    let schema =
        serde_json::from_value(json!({ "s": { "type": "string", "label": "s", "secret": true } })).unwrap();
    let config = json!({ "s": "hidden setting" }).as_object().unwrap().clone();
    let config =
        extension_model::sealed(&app.state.keyring, &schema, install.id, config, &serde_json::Map::new())
            .unwrap();
    let sql = "UPDATE extension_installs SET config = $2::jsonb WHERE id = $1";
    let mut db = app.databases.postgres.get().await.unwrap();
    let update = sql_query(sql).bind::<SqlUuid, _>(install.id).bind::<Text, _>(json!(config).to_string());
    assert_eq!(update.execute(&mut *db).await.unwrap(), 1);
    drop(db);

    let ((private, private_text), (path, text)) = (file(&folder, "private"), file(&folder, "account.zip"));
    let pair = KeyPair::generate().unwrap();
    std::fs::write(&private, pair.private.expose()).unwrap();
    export(&app, account, &text, &["--secrets-key", &pair.public.text()]).await;
    let archived = content(&path);
    let whole: Vec<u8> = archived.values().flatten().copied().collect();
    let whole = String::from_utf8_lossy(&whole);
    for hidden in ["platform token", "hidden setting", "whsec_", "key_hash", token.as_str().unwrap()] {
        assert!(!whole.contains(hidden), "{hidden} is not sealed");
    }

    // Another key opens nothing, and nothing is left.
    let (other, other_text) = file(&folder, "other");
    std::fs::write(&other, KeyPair::generate().unwrap().private.expose()).unwrap();
    let error =
        admin(&next, &["import-account", "--private-key-file", &other_text, &text]).await.unwrap_err();
    assert!(error.contains("does not open the secrets of this archive"), "{error}");

    admin(&next, &["import-account", "--private-key-file", &private_text, &text]).await.unwrap();
    let moved = next.session(owner.user_id, account).await;
    assert_eq!(moved.get(&overlay).await.data()["token"], token);
    assert_eq!(moved.get(&secret).await.data()["secret"], endpoint["secret"]);
    key.at(next.url()).get(&format!("/v1/accounts/{account}")).await.expect(200);
    let stored = connection(&next, account).await;
    assert_eq!((stored.id, stored.reconnect_required), (channel, true), "its channel has to be confirmed");
    assert_eq!(next.state.keyring.open(place, &stored.access_token).unwrap().expose(), "platform token");
    assert_eq!(setting(&next, install.id).await, json!({ "s": "hidden setting" }));
    next.stop().await;
    app.stop().await;
}

#[derive(QueryableByName)]
struct Install {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[tokio::test]
async fn create_archive_key_writes_a_key_that_opens_an_archive() {
    let (app, next, folder) = (TestApp::start().await, TestApp::start().await, TempDir::new().unwrap());
    let owner = app.owner().await;
    let ((private, private_text), (_, text)) = (file(&folder, "private"), file(&folder, "account.zip"));
    admin(&app, &["create-archive-key", "--file", &private_text]).await.unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&private).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let again = admin(&app, &["create-archive-key", "--file", &private_text]).await.unwrap_err();
    assert!(again.contains("cannot be made"), "{again}");

    let account = owner.account_id.to_string();
    let wrong = ["export-account", "--account", &account, "--secrets-key", "abc", &text];
    let error = admin(&app, &wrong).await.unwrap_err();
    assert!(error.contains("must be an X25519 public key"), "{error}");
    // Without secrets in the archive a key is of no use.
    export(&app, owner.account_id, &text, &[]).await;
    let with_key = ["import-account", "--private-key-file", &private_text, &text];
    let error = admin(&next, &with_key).await.unwrap_err();
    assert!(error.contains("The archive has no secrets"), "{error}");
    next.stop().await;
    app.stop().await;
}

/// Records of the secrets of an archive.
fn records(archive: &BTreeMap<String, Vec<u8>>, pair: &KeyPair) -> Vec<Record> {
    let manifest: Manifest = serde_json::from_slice(&archive[FILE]).unwrap();
    let sealed = manifest.secrets.unwrap();
    assert_eq!(sealed.unreadable, 0);
    let file = archive[SECRETS].as_slice();
    let mut opener = Opener::new(manifest.account_id, &pair.private, &sealed.encapsulated, file).unwrap();
    std::iter::from_fn(|| opener.next_record().unwrap()).collect()
}

#[tokio::test]
async fn import_account_with_secrets_gives_an_account_with_equal_records() {
    let (app, folder) = (TestApp::start().await, TempDir::new().unwrap());
    let account = furnished(&app).await.account_id;
    seal_everything(&app, account).await;
    let next = deployment_with_extensions_of(&app, account).await;
    let ((private, private_text), pair) = (file(&folder, "private"), KeyPair::generate().unwrap());
    // What follows after the maximum of a file with a key is not read.
    let blank = "\n".repeat(4_096);
    std::fs::write(&private, format!("{}{blank}no key", pair.private.expose())).unwrap();
    let ((first, first_text), (second, second_text)) =
        (file(&folder, "first.zip"), file(&folder, "second.zip"));
    let public = pair.public.text();
    export(&app, account, &first_text, &["--secrets-key", &public]).await;
    let with_key =
        ["import-account", "--plan", "enterprise", "--private-key-file", &private_text, &first_text];
    admin(&next, &with_key).await.unwrap();
    export(&next, account, &second_text, &["--secrets-key", &public]).await;
    let (first, second) = (content(&first), content(&second));
    are_equal(&first, &second);
    let (first, second) = (records(&first, &pair), records(&second, &pair));
    assert_eq!(second, first);

    // Every table of credentials has a row in the scene, and every secret a value.
    for table in tables() {
        let Some(rows) = table.exported_rows() else { continue };
        let is_row = first.iter().any(|record| match record {
            Record::Row { table: name, .. } => name == table.name,
            _ => false,
        });
        assert_eq!(is_row, rows.is_credential, "{}", table.name);
        for secret in rows.secrets() {
            let is_sealed = first.iter().any(|record| match record {
                Record::Column { table: name, column, .. } => name == table.name && column == secret.name,
                _ => false,
            });
            assert!(is_sealed, "{}.{}", table.name, secret.name);
        }
    }
    next.stop().await;
    app.stop().await;
}
