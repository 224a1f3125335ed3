//! Bounds of the upkeep and of the verification of chains of the audit log (reference/audit-chain.md).

use audit_chain::{ChainKeys, remove_expired, sign_open_chains, verify::verify_account};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    sql_query,
    sql_types::{Integer, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use lumio_tests::{TestApp, world::count};
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
        removed.push(remove_expired(&mut db, &keys, now).await.unwrap().checked);
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
