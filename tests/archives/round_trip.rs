//! An account that is exported, imported into a new deployment and exported again (reference/archives.md#import).

use archive_model::{
    Error,
    import::{Imported, Options, import},
    manifest::{FILE, FILES, File, INDEX, MISSING, Manifest, SECRETS, VARYING},
    tables::tables,
};
use chrono::TimeDelta;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path};
use tempfile::TempDir;
use uuid::Uuid;

use super::{
    admin,
    audit::keys,
    content, execute, export, file,
    scene::{deployment_with_extensions_of, furnished, multiply},
    stores,
};

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

async fn count(app: &TestApp, what: &str, account: Uuid) -> i64 {
    let mut db = app.databases.postgres.get().await.unwrap();
    let sql = format!("SELECT count(*) AS rows FROM {what}");
    sql_query(sql).bind::<SqlUuid, _>(account).get_result::<Count>(&mut *db).await.unwrap().rows
}

pub(super) async fn imported(app: &TestApp, path: &Path, owner: Option<Uuid>) -> Result<Imported, Error> {
    // The plan that keeps chat for good.
    let chain_keys = keys(app);
    let options = Options {
        plan: "enterprise",
        owner,
        private_key: None,
        chain_keys: &chain_keys,
        now: app.clock.now(),
    };
    import(stores(app), path, options).await
}

/// Tables that the scene has no row of, which equality would say nothing about.
fn empty_tables(manifest: &Manifest) -> Vec<&'static str> {
    let rows = |name: String| manifest.files.iter().find(|file| file.name == name).and_then(|file| file.rows);
    tables()
        .filter(|table| table.exported_rows().is_some_and(|rows| !rows.is_credential))
        .filter(|table| rows(table.file()).unwrap_or_default() == 0)
        .map(|table| table.name)
        .collect()
}

/// Compares everything but the manifests and the secrets of two archives.
pub(super) fn are_equal(first: &BTreeMap<String, Vec<u8>>, second: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(second.keys().collect::<Vec<_>>(), first.keys().collect::<Vec<_>>());
    for (name, bytes) in first.iter().filter(|(name, _)| ![FILE, SECRETS].contains(&name.as_str())) {
        assert!(second[name] == *bytes, "{name}: {}", String::from_utf8_lossy(&second[name]));
    }
}

/// Manifest without the fields that vary.
fn constant(manifest: &[u8]) -> Value {
    let mut manifest: Value = serde_json::from_slice(manifest).unwrap();
    for field in VARYING {
        assert!(manifest.as_object_mut().unwrap().remove(field).is_some(), "{field}");
    }
    manifest
}

/// Names of the objects of an archive.
fn objects(archive: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    archive.keys().filter(|name| name.starts_with(FILES)).cloned().collect()
}

/// Names that the index of an archive states, in its order.
fn indexed(archive: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let lines = std::str::from_utf8(&archive[INDEX]).unwrap().lines();
    lines.map(|line| serde_json::from_str::<File>(line).unwrap().name).collect()
}

#[tokio::test]
async fn import_account_gives_an_account_whose_archive_is_equal() {
    let (app, folder) = (TestApp::start().await, TempDir::new().unwrap());
    let (owner, other) = (furnished(&app).await, app.owner().await);
    let account = owner.account_id;
    multiply(&app, account).await;
    let foreign = app.one_of_everything(&other).await;
    let ((first, first_text), (second, second_text)) =
        (file(&folder, "first.zip"), file(&folder, "second.zip"));
    export(&app, account, &first_text, &[]).await;
    let entry = app.audited_once("account:exported").await;
    assert_eq!((entry.scope.as_str(), entry.resource_id), ("system", Some(account.to_string())));
    let archived = content(&first);

    // Everything of the account, nothing of another one, no credential, and no document of a person.
    let whole: Vec<u8> = archived.values().flatten().copied().collect();
    let whole = String::from_utf8_lossy(&whole);
    for id in foreign.values().chain([&other.account_id, &other.user_id]) {
        assert!(!whole.contains(&id.to_string()), "{id} is of another account");
    }
    for absent in ["lm_svc_rows", "lm_pop_rows", "lm_usr_rows", "token_hash", "passport.pdf"] {
        assert!(!whole.contains(absent), "{absent}");
    }
    for present in ["long ago", "content of uploads", "content of sounds", "account:updated", "moderator"] {
        assert!(whole.contains(present), "{present}");
    }
    let manifest: Manifest = serde_json::from_slice(&archived[FILE]).unwrap();
    assert_eq!((manifest.account_id, &manifest.secrets), (account, &None));
    assert_eq!(
        (indexed(&archived), String::from_utf8_lossy(&archived[MISSING])),
        (objects(&archived), "".into())
    );
    assert_eq!(empty_tables(&manifest), [""; 0], "tables without a row in `furnished`: add one");

    let next = deployment_with_extensions_of(&app, account).await;
    let result = imported(&next, &first, None).await.unwrap();
    assert_eq!((result.account_id, result.placeholders, result.objects), (account, 2, 3));
    assert!(result.skipped.is_empty(), "{result:?}");
    let links = manifest.files.iter().find(|file| file.name == "tables/audit_links.ndjson").unwrap();
    assert_eq!((Some(result.audit.links), result.audit.signed, result.audit.untrusted), (links.rows, 0, 1));
    export(&next, account, &second_text, &[]).await;
    let again = content(&second);
    are_equal(&archived, &again);
    assert_eq!(constant(&again[FILE]), constant(&archived[FILE]));

    // The log is whole, the counts are right, and the account works.
    admin(&next, &["verify-audit", "--account", &account.to_string()]).await.unwrap();
    assert_eq!(next.audited_once("account:imported").await.resource_id, Some(account.to_string()));
    let used = "account_usage WHERE account_id = $1 AND quota = 'overlays' AND used = 1";
    assert_eq!(count(&next, used, account).await, 1);
    let moved = next.session(owner.user_id, account).await;
    assert_eq!(moved.get(&format!("/v1/accounts/{account}")).await.data()["name"], "Two");
    let overlay = moved.get("/v1/overlays").await.data()[0]["id"].clone();
    let token = moved.get(&format!("/v1/overlays/{}/token", overlay.as_str().unwrap())).await;
    assert!(
        token.data()["token"].as_str().unwrap().starts_with("lm_overlay_"),
        "a new token: {}",
        token.text
    );

    let refused = imported(&next, &first, None).await.unwrap_err();
    assert_eq!(refused.to_string(), format!("The account {account} exists already"));
    assert_eq!(count(&next, "chat_messages WHERE account_id = $1", account).await, 1_003, "it lost nothing");
    // The audit log of a dissolved account stays, so the account does not come back beside it.
    let name = json!({ "confirm_name": "Two" });
    moved.post(&format!("/v1/accounts/{account}/dissolve"), name).await.expect(200);
    let refused = imported(&next, &first, None).await.unwrap_err();
    let kept = format!("The account {account} was dissolved here, and its audit log is still kept");
    assert_eq!(refused.to_string(), kept);
    next.stop().await;
    app.stop().await;
}

#[tokio::test]
async fn import_account_skips_what_does_not_exist_and_gives_the_account_to_a_named_person() {
    let (app, next, folder) = (TestApp::start().await, TestApp::start().await, TempDir::new().unwrap());
    let owner = furnished(&app).await;
    let (path, text) = file(&folder, "account.zip");
    let absent = format!("accounts/{}/sounds/one", owner.account_id);
    app.state.storage.delete(&absent).await.unwrap();
    export(&app, owner.account_id, &text, &[]).await;
    let archived = content(&path);
    let missing: Value = serde_json::from_slice(&archived[MISSING]).unwrap();
    assert_eq!((missing, indexed(&archived).len()), (json!({ "key": absent }), 2));
    let person = next.user("mover").await;
    let result = imported(&next, &path, Some(person)).await.unwrap();
    assert_eq!(result.objects, 2);
    for table in ["extension_installs", "extension_rows", "extension_uploads"] {
        assert_eq!(result.skipped.get(table), Some(&1), "{table}: {result:?}");
    }
    assert_eq!(result.placeholders, 1, "the moderator");
    let moved = next.session(person, owner.account_id).await;
    assert_eq!(moved.get("/v1/accounts").await.data()[0]["owner_id"], json!(person));
    assert_eq!(count(&next, "users WHERE id = $1", owner.user_id).await, 0);
    let own = "extension_installs WHERE account_id = $1";
    assert!(count(&next, own, owner.account_id).await > 0, "built-in extensions are installed");
    next.stop().await;
    app.stop().await;
}

/// Change of a file of an archive; `None` leaves it away.
type Change = Box<dyn Fn(&str, Vec<u8>) -> Option<Vec<u8>>>;

/// Writes an archive with changed files.
pub(super) fn rewrite(from: &Path, to: &Path, change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(std::fs::File::create(to).unwrap());
    for (name, bytes) in content(from) {
        let Some(bytes) = change(&name, bytes) else { continue };
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&bytes).unwrap();
    }
    writer.finish().unwrap();
}

/// Bytes in which one text stands for another.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert!(text.contains(from), "{from}: {text}");
    text.replace(from, to).into_bytes()
}

#[tokio::test]
async fn import_account_refuses_an_archive_that_was_changed_and_leaves_nothing() {
    let (app, next, folder) = (TestApp::start().await, TestApp::start().await, TempDir::new().unwrap());
    let owner = furnished(&app).await;
    let account = owner.account_id;
    let ((path, text), (changed, changed_text)) =
        (file(&folder, "account.zip"), file(&folder, "changed.zip"));
    export(&app, account, &text, &[]).await;
    let own_prefix = format!("accounts/{account}/uploads");
    // The last table, so that everything before it was written.
    const LAST: &str = "tables/youtube_membership_tiers.ndjson";
    let cases: [(&str, &str, Change); 10] = [
        (
            "a changed row",
            "is not the file that was stated",
            Box::new(|name, bytes| {
                Some(if name == LAST { replaced(&bytes, "New member", "Old member") } else { bytes })
            }),
        ),
        (
            "a missing file",
            "is missing, or is not in the manifest",
            Box::new(|name, bytes| (name != LAST).then_some(bytes)),
        ),
        (
            "a missing object",
            "The file files/sounds/one is missing, not in objects.ndjson or out of order",
            Box::new(|name, bytes| (name != "files/sounds/one").then_some(bytes)),
        ),
        (
            "a missing line of the index",
            "The file files/extension-uploads/one is missing, not in objects.ndjson or out of order",
            Box::new(|name, bytes| {
                let second = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                Some(if name == INDEX { bytes[second..].to_vec() } else { bytes })
            }),
        ),
        (
            "an altered line of the index",
            "objects.ndjson is not the file that was stated",
            Box::new(|name, bytes| {
                Some(if name == INDEX { replaced(&bytes, "\"bytes\":18", "\"bytes\":19") } else { bytes })
            }),
        ),
        (
            "a line of the index with a number of rows",
            "objects.ndjson has a number of rows of the object files/extension-uploads/one",
            Box::new(|name, bytes| {
                Some(if name == INDEX { replaced(&bytes, "\"rows\":null", "\"rows\":0") } else { bytes })
            }),
        ),
        (
            "a later version",
            "has version 2 of the format",
            Box::new(|name, bytes| {
                Some(if name == FILE { replaced(&bytes, "\"version\": 1", "\"version\": 2") } else { bytes })
            }),
        ),
        (
            "an unknown file",
            "does not know the file tables/x.ndjson",
            Box::new(|name, bytes| {
                Some(if name == FILE { replaced(&bytes, LAST, "tables/x.ndjson") } else { bytes })
            }),
        ),
        ("no manifest", "has no manifest.json", Box::new(|name, bytes| (name != FILE).then_some(bytes))),
        (
            "another format",
            "is not a lumio-account-archive",
            Box::new(|name, bytes| {
                Some(if name == FILE {
                    replaced(&bytes, "lumio-account-archive", "something")
                } else {
                    bytes
                })
            }),
        ),
    ];
    for (case, message, change) in cases {
        rewrite(&path, &changed, change);
        let error = admin(&next, &["import-account", &changed_text]).await.unwrap_err();
        assert!(error.contains(message), "{case}: {error}");
        assert_eq!(count(&next, "accounts WHERE id = $1", account).await, 0, "{case}");
        assert_eq!(count(&next, "chat_messages WHERE account_id = $1", account).await, 0, "{case}");
    }
    // An object of another account is not reached by a row, with hashes that fit.
    rewrite(&path, &changed, |name, bytes| {
        let stolen = |bytes: &[u8]| replaced(bytes, &own_prefix, "accounts/other/uploads/x");
        Some(match name {
            "tables/uploads.ndjson" => stolen(&bytes),
            FILE => {
                let mut manifest: Manifest = serde_json::from_slice(&bytes).unwrap();
                let rows = stolen(&content(&path)["tables/uploads.ndjson"]);
                let file =
                    manifest.files.iter_mut().find(|file| file.name == "tables/uploads.ndjson").unwrap();
                file.bytes = u64::try_from(rows.len()).unwrap();
                file.sha256 = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&rows));
                serde_json::to_vec_pretty(&manifest).unwrap()
            }
            _ => bytes,
        })
    });
    let error = admin(&next, &["import-account", &changed_text]).await.unwrap_err();
    assert!(error.contains("uploads names an object of another account"), "{error}");
    for (arguments, message) in [
        (vec!["import-account", "--plan", "none", &text], "There is no plan `none`"),
        (
            vec!["import-account", "--owner", "00000000-0000-7000-8000-00000000000f", &text],
            "There is no person",
        ),
        (
            vec!["export-account", "--account", "00000000-0000-7000-8000-00000000000f", "/nowhere/x"],
            "cannot be made",
        ),
    ] {
        let error = admin(&next, &arguments).await.unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    next.clock.advance(TimeDelta::days(2));
    let removed = foundation::unclaimed::sweep(
        &next.databases.postgres,
        &next.state.storage,
        next.clock.now() - TimeDelta::days(1),
    );
    assert_eq!(removed.await.unwrap(), 3, "objects of failed imports are removed");
    next.stop().await;
    app.stop().await;
}

#[tokio::test]
async fn import_account_leaves_no_rows_after_a_failed_commit() {
    let (app, next, folder) = (TestApp::start().await, TestApp::start().await, TempDir::new().unwrap());
    let account = app.owner().await.account_id;
    let line = format!(
        "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
             display_name, text, sent_at)
         VALUES (gen_random_uuid(), '{account}', 'twitch', 'm', 'u', 'u', 'U', 'hello', now())"
    );
    assert_eq!(execute(&app, &line).await, 1);
    app.clock.advance(TimeDelta::seconds(10));
    let (path, text) = file(&folder, "account.zip");
    export(&app, account, &text, &[]).await;

    for statement in [
        "CREATE FUNCTION refuse_commit() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'the commit fails'; END $$",
        "CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT ON accounts DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION refuse_commit()",
    ] {
        execute(&next, statement).await;
    }
    let error = imported(&next, &path, None).await.unwrap_err().to_string();
    assert!(error.contains("the commit fails"), "{error}");
    for table in ["accounts WHERE id = $1", "chat_messages WHERE account_id = $1"] {
        assert_eq!(count(&next, table, account).await, 0, "{table}");
    }
    execute(&next, "DROP TRIGGER refuse_commit ON accounts").await;
    imported(&next, &path, None).await.unwrap();
    assert_eq!(count(&next, "chat_messages WHERE account_id = $1", account).await, 1);
    next.stop().await;
    app.stop().await;
}
