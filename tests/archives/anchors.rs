//! Imported chains that begin at an anchor of another deployment (reference/archives.md#import).

use std::collections::BTreeMap;

use archive_model::import::{Options, import};
use audit_chain::{
    ChainKeys, remove_expired, sign_open_chains,
    verify::{Fault, Finding},
};
use chrono::TimeDelta;
use lumio_tests::{TestApp, world::count};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    admin,
    audit::{KEYS, audited, keys, verdict},
    chains::record_at,
    content, execute, export, file,
    round_trip::imported,
    stores,
};

/// Setting of the key of the next deployment.
const NEXT_KEYS: (&str, &str) = ("LUMIO_AUDIT_KEYS", "next:OTg3NjU0MzIxMDk4NzY1NDMyMTA5ODc2NTQzMjEwOTg=");

fn checkpoints(archive: &BTreeMap<String, Vec<u8>>) -> Vec<Value> {
    let rows = std::str::from_utf8(&archive["tables/audit_checkpoints.ndjson"]).unwrap();
    rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

#[tokio::test]
async fn import_account_signs_the_anchor_that_the_chain_begins_at() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let next = TestApp::builder().with(NEXT_KEYS.0, NEXT_KEYS.1).start().await;
    let other = TestApp::builder().with(NEXT_KEYS.0, NEXT_KEYS.1).start().await;
    let folder = TempDir::new().unwrap();
    let account = app.owner().await.account_id;
    let (old, now) = (keys(&app), app.clock.now());
    let mut db = app.databases.postgres.get().await.unwrap();
    for days in [366, 366, 1] {
        record_at(&mut db, account, now - TimeDelta::days(days)).await;
    }
    assert_eq!(sign_open_chains(&mut db, &old, now).await.unwrap().signed, 1);
    assert_eq!(remove_expired(&mut db, &old, now).await.unwrap().handled, 1);
    drop(db);
    execute(&app, "ALTER TABLE audit_log DISABLE TRIGGER USER").await;
    execute(&app, "DELETE FROM audit_log WHERE id NOT IN (SELECT entry_id FROM audit_links)").await;
    app.clock.advance(TimeDelta::seconds(10));
    let ((path, text), (again, again_text)) = (file(&folder, "account.zip"), file(&folder, "again.zip"));
    export(&app, account, &text, &[]).await;

    let audit = imported(&next, &path, None).await.unwrap().audit;
    assert_eq!((audit.links, audit.signed, audit.untrusted), (1, 0, 2));
    let argument = account.to_string();
    let verify = ["verify-audit", "--account", &argument];
    admin(&next, &verify).await.unwrap();
    let found = verdict(&next, &keys(&next), account).await;
    assert_eq!((found.is_intact(), found.signed, found.untrusted), (true, 1, 1), "{found:?}");
    // Only the anchor differs, and only in what is signed.
    export(&next, account, &again_text, &[]).await;
    let (first, second) = (content(&path), content(&again));
    for table in ["tables/audit_links.ndjson", "tables/audit_log.ndjson"] {
        assert_eq!(first[table], second[table], "{table}");
    }
    let (first, second) = (checkpoints(&first), checkpoints(&second));
    assert_eq!((first.len(), &first[1..]), (2, &second[1..]));
    for field in ["seq", "hash", "is_anchor"] {
        assert_eq!(first[0][field], second[0][field], "{field}");
    }
    assert_eq!(second[0]["is_anchor"], json!(true));
    assert_ne!(first[0]["public_key"], second[0]["public_key"]);

    // Without the key at the console the anchor stays the one of the other deployment.
    let none = ChainKeys::new(&[]).unwrap();
    let options = Options {
        plan: "enterprise",
        owner: None,
        private_key: None,
        chain_keys: &none,
        now: other.clock.now(),
    };
    import(stores(&other), &path, options).await.unwrap();
    let public_key = old.public_key().unwrap().to_vec();
    let foreign = hex::encode(&public_key);
    let finding = Finding::AnchorUntrusted { public_key: Some(public_key) };
    let fault = Fault { account_id: account, seq: Some(2), entry_id: None, finding };
    assert_eq!(verdict(&other, &keys(&other), account).await.faults, [fault]);
    admin(&other, &verify).await.unwrap_err();
    admin(&other, &[&verify[..], &["--public-key", &foreign]].concat()).await.unwrap();
    for app in [app, next, other] {
        app.stop().await;
    }
}

#[tokio::test]
async fn anchors_of_a_link_that_are_unsigned_are_replaced() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let account = audited(&app, 3).await.account_id;
    let keys = keys(&app);
    for seq in [2, 3] {
        let planted = format!(
            "INSERT INTO audit_checkpoints (account_id, seq, hash, signed_at, is_anchor)
             SELECT account_id, seq, hash, now(), true FROM audit_links
             WHERE account_id = '{account}' AND seq = {seq}"
        );
        assert_eq!(execute(&app, &planted).await, 1);
    }
    let mut db = app.databases.postgres.get().await.unwrap();
    let signing = sign_open_chains(&mut db, &keys, app.clock.now()).await.unwrap();
    assert_eq!((signing.open, signing.handled, signing.signed, signing.refused), (1, 1, 1, vec![]));
    assert!(sign_open_chains(&mut db, &keys, app.clock.now()).await.unwrap().is_over());
    drop(db);
    let found = verdict(&app, &keys, account).await;
    assert_eq!((found.is_intact(), found.signed, found.untrusted), (true, 1, 1), "{found:?}");
    app.stop().await;
}

#[tokio::test]
async fn anchors_without_links_after_them_are_refused() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let (account, keys, now) = (app.owner().await.account_id, keys(&app), app.clock.now());
    let mut db = app.databases.postgres.get().await.unwrap();
    for _ in 0..2 {
        record_at(&mut db, account, now - TimeDelta::days(366)).await;
    }
    assert_eq!(sign_open_chains(&mut db, &keys, now).await.unwrap().signed, 1);
    assert_eq!(remove_expired(&mut db, &keys, now).await.unwrap().handled, 1);
    for statement in [
        "DELETE FROM audit_links",
        "DELETE FROM audit_checkpoints WHERE NOT is_anchor",
        "UPDATE audit_chains SET is_signed = false",
    ] {
        assert_eq!(execute(&app, statement).await, 1, "{statement}");
    }
    let finding = Finding::LinksMissing { from: 2 };
    let fault = Fault { account_id: account, seq: Some(2), entry_id: None, finding };
    let signing = sign_open_chains(&mut db, &keys, now).await.unwrap();
    assert_eq!((signing.handled, signing.signed, signing.refused), (1, 0, vec![fault]));
    assert_eq!(count(&app, "audit_checkpoints WHERE is_anchor AND seq = 1").await, 1);
    drop(db);
    app.stop().await;
}
