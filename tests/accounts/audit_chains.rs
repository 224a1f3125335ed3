//! Bounds of the upkeep and of the verification of chains of the audit log (reference/audit-chain.md).

use audit_chain::{
    ChainKeys, Removal, Signing, remove_expired, sign_open_chains,
    verify::{Finding, verify_account},
};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    sql_query,
    sql_types::{Integer, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use lumio_tests::{TestApp, eventually, world::count};
use uuid::Uuid;

/// Setting of a key that signs checkpoints.
const KEYS: (&str, &str) = ("LUMIO_AUDIT_KEYS", "one:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
/// More passes than any upkeep here needs.
const MAX_PASSES: usize = 20;

/// Writes entries of a time: of one account, or each of an account of its own. The accounts have ended.
async fn write(connection: &mut AsyncPgConnection, entries: i32, account: Option<Uuid>, at: DateTime<Utc>) {
    let sql = "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type, created_at)
        SELECT gen_random_uuid(), 'account', coalesce($1, gen_random_uuid()), 'system', 'account:updated',
            'account', $2
        FROM generate_series(1, $3)";
    let written = sql_query(sql)
        .bind::<Nullable<SqlUuid>, _>(account)
        .bind::<Timestamptz, _>(at)
        .bind::<Integer, _>(entries)
        .execute(connection)
        .await
        .unwrap();
    assert_eq!(i32::try_from(written).unwrap(), entries);
}

#[tokio::test]
async fn audit_chains_are_verified_signed_and_removed_beyond_one_batch() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let keys = ChainKeys::new(&app.state.config.secrets.audit_keys).unwrap();
    let (now, large, young) = (app.clock.now(), Uuid::now_v7(), Uuid::now_v7());
    let year = TimeDelta::days(365);
    let mut db = app.databases.postgres.get().await.unwrap();
    // One link more than a transaction removes, and one chain more than are signed together.
    write(&mut db, 5001, Some(large), now - year - TimeDelta::days(30)).await;
    write(&mut db, 101, None, now - year - TimeDelta::minutes(1)).await;
    write(&mut db, 1, Some(young), now - year + TimeDelta::minutes(1)).await;

    let whole = verify_account(&mut db, &keys, large, now).await.unwrap();
    assert_eq!(
        (whole.links, whole.is_intact(), whole.before),
        (5001, true, 0),
        "{:?}",
        whole.faults.as_slice().first()
    );
    let tampering = format!(
        "ALTER TABLE audit_log DISABLE TRIGGER USER;
         UPDATE audit_log SET action = 'account:updatee' WHERE account_id = '{large}'"
    );
    db.batch_execute(&tampering).await.unwrap();
    let altered = verify_account(&mut db, &keys, large, now).await.unwrap();
    let named: Vec<i64> = altered.faults.iter().filter_map(|fault| fault.seq).collect();
    assert_eq!((named, altered.further_faults), ((1..=1000).collect(), 4001));

    let mut signed = Vec::new();
    while signed.last() != Some(&0) && signed.len() < MAX_PASSES {
        signed.push(sign_open_chains(&mut db, &keys, now).await.unwrap().signed);
    }
    assert_eq!(signed, [100, 3, 0]);

    // The oldest chains are first, and the large one needs two passes.
    let mut removed = Vec::new();
    while removed.last() != Some(&0) && removed.len() < MAX_PASSES {
        removed.push(remove_expired(&mut db, &keys, now).await.unwrap().handled);
        if removed.len() == 1 {
            assert_eq!(count(&app, &format!("audit_links WHERE account_id = '{large}'")).await, 1);
        }
    }
    assert_eq!(removed, [20, 20, 20, 20, 20, 3, 0]);
    for table in ["audit_links", "audit_checkpoints", "audit_chains"] {
        assert_eq!(count(&app, &format!("{table} WHERE account_id <> '{young}'")).await, 0, "{table}");
        assert_eq!(count(&app, &format!("{table} WHERE account_id = '{young}'")).await, 1, "{table}");
    }
    drop(db);
    app.stop().await;
}

/// Waits until another connection waits for the lock of a table.
async fn waits_for(app: &TestApp, table: &str) {
    let waiting = format!(
        "pg_locks WHERE NOT granted AND relation = '{table}'::regclass
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    );
    eventually("a query waits for the table", async || count(app, &waiting).await > 0).await;
}

#[tokio::test]
async fn audit_chains_are_verified_with_every_checkpoint() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let keys = ChainKeys::new(&app.state.config.secrets.audit_keys).unwrap();
    let (now, account) = (app.clock.now(), Uuid::now_v7());
    let mut db = app.databases.postgres.get().await.unwrap();
    write(&mut db, 3, Some(account), now).await;
    assert_eq!(sign_open_chains(&mut db, &keys, now).await.unwrap().signed, 1);
    // More checkpoints after the one that counts than are read at a time.
    let garbage = "INSERT INTO audit_checkpoints (account_id, seq, hash, signed_at, public_key, signature)
        SELECT account_id, number, hash, signed_at, public_key, sha256('') || sha256('')
        FROM audit_checkpoints, generate_series(4, 10004) AS number";
    assert_eq!(sql_query(garbage).execute(&mut db).await.unwrap(), 10_001);
    let found = verify_account(&mut db, &keys, account, now).await.unwrap();
    assert_eq!((found.signed, found.faults.len(), found.further_faults), (1, 1_000, 9_001));
    assert_eq!((found.faults[0].seq, &found.faults[0].finding), (Some(4), &Finding::SignatureInvalid));
    db.batch_execute("UPDATE audit_checkpoints SET hash = sha256('') WHERE seq = 3").await.unwrap();
    let found = verify_account(&mut db, &keys, account, now).await.unwrap();
    assert_eq!((found.signed, found.further_faults), (0, 9_002));
    assert_eq!((found.faults[0].seq, &found.faults[0].finding), (Some(3), &Finding::SignatureInvalid));
    drop(db);
    app.stop().await;
}

#[tokio::test]
async fn audit_chains_that_are_written_are_left_to_the_next_step() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let keys = ChainKeys::new(&app.state.config.secrets.audit_keys).unwrap();
    let (now, account) = (app.clock.now(), Uuid::now_v7());
    let mut db = app.databases.postgres.get().await.unwrap();
    let mut writer = app.databases.postgres.get().await.unwrap();
    write(&mut db, 1, Some(account), now).await;
    writer.batch_execute("BEGIN; SELECT FROM audit_chains FOR NO KEY UPDATE").await.unwrap();
    let waiting = sign_open_chains(&mut db, &keys, now).await.unwrap();
    assert_eq!(waiting, Signing { open: 1, ..Signing::default() });
    assert!(!waiting.is_over());
    writer.batch_execute("COMMIT").await.unwrap();
    let signed = sign_open_chains(&mut db, &keys, now).await.unwrap();
    assert_eq!(signed, Signing { open: 1, handled: 1, signed: 1, refused: vec![] });
    assert!(sign_open_chains(&mut db, &keys, now).await.unwrap().is_over());
    drop((db, writer));
    app.stop().await;
}

#[tokio::test]
async fn audit_chains_are_read_in_one_snapshot_before_they_are_signed() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let keys = ChainKeys::new(&app.state.config.secrets.audit_keys).unwrap();
    let (now, account) = (app.clock.now(), Uuid::now_v7());
    let mut db = app.databases.postgres.get().await.unwrap();
    let mut remover = app.databases.postgres.get().await.unwrap();
    write(&mut db, 1, Some(account), now).await;
    assert_eq!(sign_open_chains(&mut db, &keys, now).await.unwrap().signed, 1);
    write(&mut db, 4, Some(account), now).await;
    // The beginning of the chain goes after the signer has read its last checkpoint.
    remover.batch_execute("BEGIN; LOCK TABLE audit_links IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let cut = async {
        waits_for(&app, "audit_links").await;
        let removal = "INSERT INTO audit_checkpoints (account_id, seq, hash, signed_at, is_anchor)
                SELECT account_id, seq, hash, now(), true FROM audit_links WHERE seq = 3;
            DELETE FROM audit_links WHERE seq < 4;
            DELETE FROM audit_checkpoints WHERE seq < 3;
            COMMIT";
        remover.batch_execute(removal).await.unwrap();
    };
    let (signing, ()) = tokio::join!(sign_open_chains(&mut db, &keys, now), cut);
    assert_eq!(signing.unwrap(), Signing { open: 1, handled: 1, signed: 1, refused: vec![] });
    assert_eq!(count(&app, "audit_checkpoints WHERE seq = 5 AND NOT is_anchor").await, 1);
    drop((db, remover));
    app.stop().await;
}

#[tokio::test]
async fn audit_chains_are_not_locked_while_they_are_verified_before_a_removal() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let keys = ChainKeys::new(&app.state.config.secrets.audit_keys).unwrap();
    let (now, account) = (app.clock.now(), Uuid::now_v7());
    let mut db = app.databases.postgres.get().await.unwrap();
    let mut other = app.databases.postgres.get().await.unwrap();
    let mut writer = app.databases.postgres.get().await.unwrap();
    write(&mut db, 3, Some(account), now - TimeDelta::days(366)).await;
    write(&mut db, 1, Some(account), now).await;
    assert_eq!(sign_open_chains(&mut db, &keys, now).await.unwrap().signed, 1);
    // While the checkpoints cannot be read, an entry is written and another copy cuts off the first link.
    writer.batch_execute("SET lock_timeout = '5s'").await.unwrap();
    other.batch_execute("BEGIN; LOCK TABLE audit_checkpoints IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let change = async {
        waits_for(&app, "audit_checkpoints").await;
        write(&mut writer, 1, Some(account), now).await;
        let removal = "INSERT INTO audit_checkpoints (account_id, seq, hash, signed_at, is_anchor)
                SELECT account_id, seq, hash, now(), true FROM audit_links WHERE seq = 1;
            DELETE FROM audit_links WHERE seq = 1;
            COMMIT";
        other.batch_execute(removal).await.unwrap();
    };
    let (removal, ()) = tokio::join!(remove_expired(&mut db, &keys, now), change);
    assert_eq!(removal.unwrap(), Removal { due: 1, ..Removal::default() }, "it has changed");
    assert_eq!(count(&app, "audit_links").await, 4);
    let removal = remove_expired(&mut db, &keys, now).await.unwrap();
    assert_eq!(removal, Removal { due: 1, handled: 1, refused: vec![] });
    assert_eq!(count(&app, "audit_links").await, 2);
    drop((db, other, writer));
    app.stop().await;
}
