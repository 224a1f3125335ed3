//! `lumio-api admin rotate-encryption-key`: every stored secret under the new key, during normal operation
//! (reference/storage.md#encryption-at-rest).

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::TimeDelta;
use diesel::{QueryableByName, prelude::*, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use extension_model::opened;
use foundation::crypto::{Keyring, SecretLocation};
use lumio_api::cli::AdminCommand;
use lumio_api::rotation::{ENCRYPTED, Form, HASHED, rotate};
use lumio_tests::TestApp;
use platform_credentials::tokens::Holder;
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::{
    schema::extension_installs,
    secret::{NamedKey, Secret},
};
use uuid::Uuid;

use super::{
    sealed::one_everywhere,
    world::{channel_with, granted, login, reconnect, stored},
};

const DAY: TimeDelta = TimeDelta::days(1);

fn key(id: &str, byte: u8) -> NamedKey {
    NamedKey { id: id.into(), key: [byte; 32] }
}

fn variable(keys: &[NamedKey]) -> String {
    let texts = keys.iter().map(|key| format!("{}:{}", key.id, BASE64_STANDARD.encode(key.key)));
    texts.collect::<Vec<_>>().join(",")
}

fn ring(keys: &[NamedKey]) -> Keyring {
    Keyring::new(keys.to_vec()).unwrap()
}

async fn app_with(keys: &[NamedKey]) -> TestApp {
    TestApp::builder().with("LUMIO_ENCRYPTION_KEYS", variable(keys)).start().await
}

async fn execute(app: &TestApp, sql: &str) {
    let mut db = app.databases.postgres.get().await.unwrap();
    assert!(sql_query(sql).execute(&mut *db).await.unwrap() > 0, "{sql}");
}

#[tokio::test]
async fn rotation_knows_every_column_of_bytes() {
    #[derive(QueryableByName)]
    struct Column {
        #[diesel(sql_type = Text)]
        place: String,
    }
    let app = TestApp::start().await;
    let mut found = BTreeSet::new();
    for database in [&app.databases.postgres, &app.databases.timescaledb] {
        // Without partitions, which have the columns of their table.
        let columns: Vec<Column> = sql_query(
            "SELECT (relname || '.' || attname)::text AS place FROM pg_attribute \
             JOIN pg_class ON pg_class.oid = attrelid AND relkind IN ('r', 'p') AND NOT relispartition \
             WHERE relnamespace = 'public'::regnamespace AND atttypid = 'bytea'::regtype \
                 AND attnum > 0 AND NOT attisdropped",
        )
        .load(&mut *database.get().await.unwrap())
        .await
        .unwrap();
        found.extend(columns.into_iter().map(|column| column.place));
    }
    let sealed = ENCRYPTED.iter().filter(|place| place.form == Form::Bytes);
    let known: BTreeSet<String> = sealed
        .map(|place| format!("{}.{}", place.table, place.column))
        .chain(HASHED.iter().map(|(table, column)| format!("{table}.{column}")))
        .collect();
    assert_eq!(known, found, "api/server/src/rotation/places.rs (left) and the schema (right)");
    app.stop().await;
}

/// Plain text of a place under a key ring.
async fn read(app: &TestApp, ring: &Keyring, place: &str, named: &str) -> String {
    #[derive(QueryableByName)]
    struct Sealed {
        #[diesel(sql_type = diesel::sql_types::Bytea)]
        sealed: Vec<u8>,
    }
    let (table, column) = place.split_once('.').unwrap();
    let databases = &app.databases;
    let of_time_series = table == "extension_failed_runs";
    let database = if of_time_series { &databases.timescaledb } else { &databases.postgres };
    let mut db = database.get().await.unwrap();
    if column == "config" {
        let id: Uuid = named.parse().unwrap();
        let install = extension_installs::table.find(id).select(extension_installs::config);
        let config: Value = install.first(&mut *db).await.unwrap();
        let config = opened(ring, id, config.as_object().unwrap().clone()).unwrap();
        assert_eq!(config["name"], "n");
        return config["token"].as_str().unwrap().to_owned();
    }
    let key = match table {
        "developer_payout_settings" => "developer_id::text",
        "developer_team_payout_settings" => "team_id::text",
        "extension_secrets" => "extension_id::text || '/' || key",
        "obs_configs" => "account_id::text",
        "se_tokens" => "account_id::text || '/' || platform",
        _ => "id::text",
    };
    let found: Sealed = sql_query(format!("SELECT {column} AS sealed FROM {table} WHERE {key} = $1"))
        .bind::<Text, _>(named)
        .get_result(&mut *db)
        .await
        .unwrap();
    ring.open(SecretLocation { table, column, row: named }, &found.sealed).unwrap().expose().to_owned()
}

#[tokio::test]
async fn rotation_seals_every_place_under_the_new_key() {
    let (old, new) = (key("k1", 1), key("k2", 2));
    let app = app_with(std::slice::from_ref(&old)).await;
    let owner = app.owner().await;
    let values = one_everywhere(&app, &owner).await;
    let places: BTreeSet<String> =
        ENCRYPTED.iter().map(|place| format!("{}.{}", place.table, place.column)).collect();
    assert_eq!(places, values.keys().cloned().collect(), "a place without a value is not tested");

    let both = ring(&[new.clone(), old]);
    let report = rotate(&app.databases, &both, |_| {}).await.unwrap();
    assert!(report.places.iter().all(|place| (place.sealed, place.unreadable) == (1, 0)), "{report:?}");
    assert_eq!(
        (report.current_key.as_str(), report.removable.as_slice()),
        ("k2", ["k1".to_owned()].as_slice())
    );
    assert!(report.still_used.is_empty());
    let alone = ring(std::slice::from_ref(&new));
    for (place, (named, secret)) in &values {
        assert_eq!(read(&app, &alone, place, named).await, *secret, "{place}");
    }
    let again = rotate(&app.databases, &both, |_| {}).await.unwrap();
    assert!(again.places.iter().all(|place| (place.sealed, place.unreadable) == (0, 0)), "{again:?}");
    assert_eq!(again.removable, ["k1"]);
    app.stop().await;
}

#[tokio::test]
async fn rotation_keeps_and_counts_unreadable_values_and_names_their_key() {
    let (lost, old, new) = (key("k0", 7), key("k1", 1), key("k2", 2));
    let app = app_with(&[old.clone(), lost]).await;
    let owner = app.owner().await;
    let user = granted(&app, Platform::Twitch, "streamer");
    let readable = channel_with(&app, &owner, &user.user, "access", Some("refresh"), None).await;
    // The first bytes of a value name its key.
    let broken = login(&app, &owner, DAY).await;
    execute(
        &app,
        "UPDATE login_connections SET access_token = '\\x026b30'::bytea || substring(access_token FROM 4)",
    )
    .await;
    let ring = ring(&[new, old]);
    let report = rotate(&app.databases, &ring, |_| {}).await.unwrap();
    let of = |table: &str, column: &str| {
        let place = report.places.iter().find(|p| p.place.table == table && p.place.column == column);
        place.map(|place| (place.sealed, place.unreadable)).unwrap()
    };
    assert_eq!(of("login_connections", "access_token"), (0, 1));
    assert_eq!(of("login_connections", "refresh_token"), (1, 0));
    assert_eq!(of("channel_connections", "access_token"), (1, 0));
    assert_eq!((report.removable, report.still_used), (vec!["k1".to_owned()], vec!["k0".to_owned()]));
    let id = readable.id().to_string();
    assert_eq!(read(&app, &ring, "channel_connections.access_token", &id).await, "access");
    assert_ne!(broken.id(), readable.id());
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rotation_loses_no_concurrent_write() {
    const CHANNELS: usize = 450;
    let (old, new) = (key("k1", 1), key("k2", 2));
    let app = app_with(std::slice::from_ref(&old)).await;
    const PLATFORMS: [Platform; 5] =
        [Platform::Twitch, Platform::Kick, Platform::Trovo, Platform::Youtube, Platform::Spotify];
    let users = PLATFORMS.map(|platform| granted(&app, platform, "streamer").user);
    let mut holders: Vec<Holder> = Vec::new();
    for _ in 0..CHANNELS / PLATFORMS.len() {
        let owner = app.owner().await;
        for user in &users {
            holders.push(channel_with(&app, &owner, user, "before", Some("before"), None).await);
        }
    }
    assert_eq!(holders.len(), CHANNELS);

    let both = ring(&[new.clone(), old.clone()]);
    let is_replaced = AtomicBool::new(false);
    // A process of the old version: it writes under the old key until it is replaced.
    let writer = async {
        let mut written = 0;
        for holder in holders.iter().rev().step_by(3) {
            reconnect(&app, *holder, "after", "after").await;
            written += 1;
        }
        is_replaced.store(true, Ordering::SeqCst);
        written
    };
    let rotation = async {
        let mut rounds = 0;
        while rounds == 0 || !AtomicBool::load(&is_replaced, Ordering::SeqCst) {
            rotate(&app.databases, &both, |_| {}).await.unwrap();
            rounds += 1;
        }
    };
    let (written, ()) = tokio::join!(writer, rotation);
    assert_eq!(written, CHANNELS / 3);
    let mut progress = 0;
    let report = rotate(&app.databases, &both, |_| progress += 1).await.unwrap();
    assert_eq!((report.removable.as_slice(), report.still_used.len()), (["k1".to_owned()].as_slice(), 0));
    let alone = ring(std::slice::from_ref(&new));
    for (index, holder) in holders.iter().rev().enumerate() {
        let expected = if index % 3 == 0 { "after" } else { "before" };
        for column in ["access_token", "refresh_token"] {
            let place = format!("channel_connections.{column}");
            assert_eq!(read(&app, &alone, &place, &holder.id().to_string()).await, expected);
        }
    }
    app.stop().await;
}

#[tokio::test]
async fn rotation_runs_at_the_console() {
    let (old, new) = (key("k1", 1), key("k2", 2));
    let app = app_with(&[new, old.clone()]).await;
    let owner = app.owner().await;
    let user = granted(&app, Platform::Twitch, "streamer");
    let holder = channel_with(&app, &owner, &user.user, "access", None, None).await;
    // As a process wrote it before the new key was configured.
    let id = holder.id().to_string();
    let place = SecretLocation { table: "channel_connections", column: "access_token", row: &id };
    let sealed = ring(std::slice::from_ref(&old)).seal(place, &Secret::new("access")).unwrap();
    execute(&app, &format!("UPDATE channel_connections SET access_token = '\\x{}'", hex::encode(sealed)))
        .await;
    lumio_api::cli::admin(&app.state, &app.databases, AdminCommand::RotateEncryptionKey).await.unwrap();
    let entry = app.audited_once("encryption_key:rotated").await;
    assert_eq!((entry.scope.as_str(), entry.resource_id.as_deref()), ("system", Some("k2")));
    assert_eq!(entry.metadata, json!({ "by": "console", "sealed": 1, "unreadable": 0 }));
    assert_eq!(stored(&app, holder).await.access, "access");
    app.stop().await;
}
