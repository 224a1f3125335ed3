//! Chains of the audit log while entries are written, erased and forgotten (reference/audit-chain.md).

use audit_chain::{
    ChainKeys, Removal, remove_expired, sign_open_chains,
    verify::{Fault, Finding},
};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{
    audit::{self, Actor, Entry, Scope},
    jobs::{Housekeep, HousekeepingTask},
};
use lumio_tests::{TestApp, eventually, world};
use lumio_worker::Daemon;
use serde_json::json;
use shared::{id, secret::NamedKey};
use uuid::Uuid;

use super::{
    admin,
    audit::{KEYS, audited, keys, links, verdict},
    execute,
};

fn entry(account: Uuid) -> Entry<'static> {
    Entry {
        scope: Scope::Account(account),
        actor: Actor::System,
        action: "account:updated",
        resource_type: "account",
        resource_id: Some(account.to_string()),
        metadata: json!({}),
        ip: None,
    }
}

async fn record(app: &TestApp, account: Uuid) {
    let mut db = app.databases.postgres.get().await.unwrap();
    audit::record(&mut db, entry(account)).await.unwrap();
}

/// Writes an entry of a time.
pub(super) async fn record_at(connection: &mut AsyncPgConnection, account: Uuid, at: DateTime<Utc>) {
    let sql = "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type, created_at)
        VALUES (gen_random_uuid(), 'account', $1, 'system', 'account:updated', 'account', $2)";
    let insert = sql_query(sql).bind::<SqlUuid, _>(account).bind::<Timestamptz, _>(at);
    assert_eq!(insert.execute(connection).await.unwrap(), 1);
}

#[tokio::test]
async fn audit_log_link_orders_writers_at_their_commit() {
    let app = TestApp::start().await;
    let (account, other) = (app.owner().await.account_id, app.owner().await.account_id);
    let mut open = app.databases.postgres.get().await.unwrap();
    open.transaction(async |connection| {
        audit::record(connection, entry(account)).await?;
        // Writers do not wait for a transaction that is open.
        record(&app, account).await;
        record(&app, other).await;
        assert_eq!((links(&app, account).await.len(), links(&app, other).await.len()), (1, 1));
        Ok::<_, shared::Error>(())
    })
    .await
    .unwrap();
    // A transaction that fails leaves no gap.
    let failed: Result<(), shared::Error> = open
        .transaction(async |connection| {
            audit::record_each(connection, vec![entry(account), entry(other)]).await?;
            Err(shared::Error::Internal("undone".to_owned()))
        })
        .await;
    assert!(failed.is_err());
    drop(open);
    assert_eq!(links(&app, account).await.len(), 2);

    let (writers, each) = (8, 5);
    let both = |writer: usize| if writer.is_multiple_of(2) { [account, other] } else { [other, account] };
    let (app_ref, both) = (&app, &both);
    let writing = (0..writers).map(|writer| async move {
        for _ in 0..each {
            let mut db = app_ref.databases.postgres.get().await.unwrap();
            let entries = both(writer).map(entry).to_vec();
            audit::record_each(&mut db, entries).await.unwrap();
        }
    });
    futures::future::join_all(writing).await;
    for (account, written) in [(account, 2), (other, 1)] {
        let links = links(&app, account).await;
        let expected: Vec<i64> =
            (1..=(written + writers * each)).map(|seq| i64::try_from(seq).unwrap()).collect();
        assert_eq!(links.iter().map(|link| link.seq).collect::<Vec<_>>(), expected);
        let verdict = verdict(&app, &keys(&app), account).await;
        assert!(verdict.is_intact(), "{verdict:?}");
    }
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_keeps_the_chain_whole() {
    let app = TestApp::start().await;
    let account = audited(&app, 1).await.account_id;
    execute(
        &app,
        &format!(
            "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type, resource_id, metadata)
             VALUES (gen_random_uuid(), 'account', '{account}', 'system', 'chat:user_banned', 'chat_user', '4711470001',
                 '{{\"platform\": \"twitch\", \"reason\": \"because of 4711470001\", \"success\": true}}')"
        ),
    )
    .await;
    record(&app, account).await;
    let staff = app.admin_with(&["admin:privacy-erase"]).await;
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    staff.post("/v1/admin/privacy/chat/erase", subject).await.expect(200);
    let erased = "audit_log JOIN audit_links ON entry_id = audit_log.id WHERE resource_id = 'erased'";
    for (rows, condition) in [(1, ""), (0, " AND salt IS NOT NULL"), (0, " AND metadata ? 'reason'")] {
        assert_eq!(world::count(&app, &format!("{erased}{condition}")).await, rows, "{condition}");
    }
    let found = verdict(&app, &keys(&app), account).await;
    assert_eq!((found.is_intact(), found.erased), (true, 1), "{found:?}");

    // An erased entry is still bound to the rest of its content.
    execute(&app, "ALTER TABLE audit_log DISABLE TRIGGER USER").await;
    execute(&app, "UPDATE audit_log SET action = 'chat:user_unbanned' WHERE resource_id = 'erased'").await;
    let found = verdict(&app, &keys(&app), account).await;
    assert_eq!(found.faults.iter().map(|fault| fault.seq).collect::<Vec<_>>(), [Some(2)]);
    app.stop().await;
}

#[derive(QueryableByName)]
struct Definition {
    #[diesel(sql_type = Text)]
    definition: String,
}

#[tokio::test]
async fn audit_log_is_append_only_for_everything_else() {
    let app = TestApp::start().await;
    let account = audited(&app, 1).await.account_id;
    let mut db = app.databases.postgres.get().await.unwrap();
    let update = sql_query("UPDATE audit_log SET resource_id = 'erased' WHERE account_id = $1");
    let error = update.bind::<SqlUuid, _>(account).execute(&mut *db).await.unwrap_err();
    assert_eq!(error.to_string(), "audit_log is append-only");
    // The trigger that writes links runs at the commit.
    let sql = "SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE tgname = 'audit_log_chain'";
    let trigger: Definition = sql_query(sql).get_result(&mut *db).await.unwrap();
    assert!(trigger.definition.contains("DEFERRABLE INITIALLY DEFERRED"), "{}", trigger.definition);
    drop(db);
    app.stop().await;
}

#[tokio::test]
async fn chain_whose_entries_expire_follows_a_signed_anchor() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let account = app.owner().await.account_id;
    let gone = Uuid::now_v7();
    let old = app.clock.now() - chrono::TimeDelta::days(366);
    let mut db = app.databases.postgres.get().await.unwrap();
    for _ in 0..3 {
        record_at(&mut db, account, old).await;
        record_at(&mut db, gone, old).await;
    }
    drop(db);
    record(&app, account).await;
    record(&app, account).await;
    let run = async |task: HousekeepingTask| {
        assert!(app.state.jobs.enqueue(&Housekeep { task }, &id::new().to_string()).await.unwrap());
    };
    let running = world::workers(&app, &[Daemon::Housekeeping]).await;
    run(HousekeepingTask::SignAuditLog).await;
    let signed = format!("audit_checkpoints WHERE account_id = '{account}' AND seq = 5 AND NOT is_anchor");
    eventually("the chains are signed", async || world::count(&app, &signed).await == 1).await;
    run(HousekeepingTask::ForgetAudit).await;
    let old_links =
        format!("audit_links WHERE account_id = '{gone}' OR (account_id = '{account}' AND seq < 4)");
    eventually("the links go", async || world::count(&app, &old_links).await == 0).await;
    running.stop().await.unwrap();

    let found = verdict(&app, &keys(&app), account).await;
    assert_eq!((found.is_intact(), found.links, found.signed), (true, 2, 2), "{found:?}");
    for table in ["audit_links", "audit_checkpoints", "audit_chains"] {
        let ended = format!("{table} WHERE account_id = '{gone}'");
        assert_eq!(
            world::count(&app, &ended).await,
            0,
            "{table}: the account is gone, and so are its entries"
        );
    }
    // The next entry follows the last one, and a chain without its anchor has lost its beginning.
    record(&app, account).await;
    admin(&app, &["verify-audit"]).await.unwrap();
    execute(&app, "DELETE FROM audit_checkpoints WHERE is_anchor").await;
    let found = verdict(&app, &keys(&app), account).await;
    assert_eq!(
        found.faults[0].to_string(),
        format!("account {account}, link 3: the links from 1 up to this number were removed")
    );
    app.stop().await;
}

#[tokio::test]
async fn chain_keeps_its_expired_links_until_a_checkpoint_confirms_them() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let (account, keys, now) = (app.owner().await.account_id, keys(&app), app.clock.now());
    let mut db = app.databases.postgres.get().await.unwrap();
    for _ in 0..3 {
        record_at(&mut db, account, now - TimeDelta::days(366)).await;
    }
    record(&app, account).await;
    let links = format!("audit_links WHERE account_id = '{account}'");
    let none = Removal::default();
    let handled = Removal { due: 1, handled: 1, ..none.clone() };
    assert_eq!(remove_expired(&mut db, &keys, now).await.unwrap(), handled, "nothing is signed");
    assert_eq!(remove_expired(&mut db, &keys, now).await.unwrap(), none, "it is checked once in an hour");
    assert_eq!(world::count(&app, &links).await, 4);
    assert_eq!(sign_open_chains(&mut db, &keys, now).await.unwrap().signed, 1);

    execute(&app, "CREATE TABLE kept_links AS SELECT * FROM audit_links").await;
    execute(&app, "UPDATE audit_links SET content = sha256('other') WHERE seq = 2").await;
    let altered = Fault { account_id: account, seq: Some(2), entry_id: None, finding: Finding::LinkChanged };
    let next = now + TimeDelta::hours(1);
    let removal = remove_expired(&mut db, &keys, next).await.unwrap();
    assert_eq!(removal, Removal { refused: vec![altered], ..handled.clone() });
    assert_eq!(world::count(&app, &links).await, 4);

    let restored = "UPDATE audit_links AS links SET content = kept.content FROM kept_links AS kept
        WHERE kept.entry_id = links.entry_id";
    execute(&app, restored).await;
    execute(&app, "DELETE FROM audit_links WHERE seq = 3").await;
    let finding = Finding::LinksMissing { from: 3 };
    let gap = Fault { account_id: account, seq: Some(3), entry_id: None, finding };
    for keys in [&keys, &ChainKeys::new(&[]).unwrap()] {
        execute(&app, "UPDATE audit_chains SET oldest_at = '2000-01-01Z' WHERE oldest_at < now()").await;
        let removal = remove_expired(&mut db, keys, next).await.unwrap();
        assert_eq!(removal, Removal { refused: vec![gap.clone()], ..handled.clone() });
        assert_eq!(world::count(&app, &links).await, 3, "the link that would be the anchor is gone");
    }
    execute(&app, "INSERT INTO audit_links SELECT * FROM kept_links WHERE seq = 3").await;
    let last = now + TimeDelta::hours(3);
    assert_eq!(remove_expired(&mut db, &keys, last).await.unwrap(), handled);
    assert_eq!(world::count(&app, &links).await, 1);
    drop(db);
    execute(&app, "ALTER TABLE audit_log DISABLE TRIGGER USER").await;
    execute(&app, "DELETE FROM audit_log WHERE created_at < now() - interval '365 days'").await;
    let found = verdict(&app, &keys, account).await;
    assert_eq!((found.is_intact(), found.links, found.signed), (true, 1, 2), "{found:?}");
    app.stop().await;
}

#[tokio::test]
async fn chain_that_no_key_vouches_for_any_more_is_signed_anew_before_it_is_shortened() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let (account, old, now) = (app.owner().await.account_id, keys(&app), app.clock.now());
    let new = ChainKeys::new(&[NamedKey { id: "new".to_owned(), key: [2; 32] }]).unwrap();
    let mut db = app.databases.postgres.get().await.unwrap();
    for _ in 0..3 {
        record_at(&mut db, account, now - TimeDelta::days(366)).await;
    }
    assert_eq!(sign_open_chains(&mut db, &old, now).await.unwrap().signed, 1);
    assert!(sign_open_chains(&mut db, &new, now).await.unwrap().is_over(), "nothing is new");
    let links = format!("audit_links WHERE account_id = '{account}'");
    let kept = remove_expired(&mut db, &new, now).await.unwrap();
    assert_eq!((kept.handled, kept.refused, world::count(&app, &links).await), (1, vec![], 3));
    assert_eq!(sign_open_chains(&mut db, &new, now).await.unwrap().signed, 1);
    let next = now + TimeDelta::hours(1);
    assert_eq!(remove_expired(&mut db, &new, next).await.unwrap().handled, 1);
    assert_eq!(world::count(&app, &links).await, 1);
    drop(db);
    execute(&app, "ALTER TABLE audit_log DISABLE TRIGGER USER").await;
    execute(&app, "DELETE FROM audit_log WHERE id NOT IN (SELECT entry_id FROM audit_links)").await;
    let found = verdict(&app, &new, account).await;
    assert_eq!((found.is_intact(), found.signed, found.untrusted), (true, 2, 0), "{found:?}");
    app.stop().await;
}
