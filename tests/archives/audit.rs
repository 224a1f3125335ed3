//! Verification of the audit log: every change around the program is named (reference/audit-chain.md#verification).

use audit_chain::{
    ChainKeys, sign_open_chains,
    verify::{Fault, Finding, Verdict, verify_account},
};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use serde_json::json;
use uuid::Uuid;

use super::{admin, execute};

/// Setting of a key that signs checkpoints.
pub(super) const KEYS: (&str, &str) =
    ("LUMIO_AUDIT_KEYS", "one:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
const TABLES: [&str; 4] = ["audit_log", "audit_links", "audit_checkpoints", "audit_chains"];

#[derive(QueryableByName)]
pub(super) struct Link {
    #[diesel(sql_type = BigInt)]
    pub seq: i64,
    #[diesel(sql_type = SqlUuid)]
    pub entry_id: Uuid,
}

pub(super) async fn links(app: &TestApp, account: Uuid) -> Vec<Link> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let sql = "SELECT seq, entry_id FROM audit_links WHERE account_id = $1 ORDER BY seq";
    sql_query(sql).bind::<SqlUuid, _>(account).load(&mut *db).await.unwrap()
}

pub(super) fn keys(app: &TestApp) -> ChainKeys {
    ChainKeys::new(&app.state.config.secrets.audit_keys).unwrap()
}

pub(super) async fn verdict(app: &TestApp, keys: &ChainKeys, account: Uuid) -> Verdict {
    let mut db = app.databases.postgres.get().await.unwrap();
    verify_account(&mut db, keys, account, app.clock.now()).await.unwrap()
}

/// An owner whose account has some entries.
pub(super) async fn audited(app: &TestApp, entries: usize) -> Person {
    let owner = app.owner().await;
    for entry in 0..entries {
        let input = json!({ "name": format!("Name {entry}") });
        owner.patch(&format!("/v1/accounts/{}", owner.account_id), input).await.expect(200);
    }
    owner
}

/// Keeps the log as it is, and allows changes that the program does not make.
async fn begin_tampering(app: &TestApp) {
    for table in TABLES {
        execute(app, &format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}")).await;
    }
    execute(app, "ALTER TABLE audit_log DISABLE TRIGGER USER").await;
}

/// Undoes the changes.
async fn restore(app: &TestApp) {
    execute(app, "ALTER TABLE audit_log DISABLE TRIGGER USER").await;
    for table in TABLES {
        execute(app, &format!("DELETE FROM {table}")).await;
        execute(app, &format!("INSERT INTO {table} SELECT * FROM kept_{table}")).await;
    }
}

#[tokio::test]
async fn verify_audit_names_each_entry_that_was_changed_removed_or_moved() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let (owner, other) = (audited(&app, 6).await, audited(&app, 2).await);
    let account = owner.account_id;
    let links = links(&app, account).await;
    assert_eq!(links.iter().map(|link| link.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    let entry = |seq: usize| links[seq - 1].entry_id;
    let whole = verdict(&app, &keys(&app), account).await;
    assert_eq!((whole.is_intact(), whole.links, whole.before), (true, 6, 0), "{whole:?}");
    begin_tampering(&app).await;

    let (third, fourth, last) = (entry(3), entry(4), entry(6));
    let of = |id: Uuid, change: &str| format!("UPDATE audit_log SET {change} WHERE id = '{id}'");
    let named = |seq: i64, finding: Finding| {
        let entry_id =
            (finding != Finding::LinksMissing { from: seq }).then(|| entry(usize::try_from(seq).unwrap()));
        Fault { account_id: account, seq: Some(seq), entry_id, finding }
    };
    let changed = || vec![named(3, Finding::EntryChanged)];
    let move_link = |from: i64, to: i64| {
        format!("UPDATE audit_links SET seq = {to} WHERE account_id = '{account}' AND seq = {from}")
    };
    let cases: Vec<(&str, Vec<String>, Vec<Fault>)> = vec![
        ("a byte of the action", vec![of(third, "action = 'account:updatee'")], changed()),
        ("a detail", vec![of(third, "metadata = metadata || '{\"name\": \"x\"}'")], changed()),
        ("a detail that an erasure removes", vec![of(third, "metadata = metadata || '{\"reason\": \"x\"}'")], changed()),
        ("the actor", vec![of(third, "actor_id = NULL")], changed()),
        ("the time", vec![of(third, "created_at = created_at + interval '1 microsecond'")], changed()),
        ("an infinite time", vec![of(third, "created_at = 'infinity'")], changed()),
        ("the resource", vec![of(third, "resource_id = 'other'")], changed()),
        (
            "an erasure of no person",
            vec![format!("UPDATE audit_links SET salt = NULL WHERE entry_id = '{third}'")],
            changed(),
        ),
        (
            "a removed entry",
            vec![format!("DELETE FROM audit_log WHERE id = '{third}'")],
            vec![named(3, Finding::EntryMissing)],
        ),
        (
            "an entry removed with its link",
            vec![
                format!("DELETE FROM audit_log WHERE id = '{third}'"),
                format!("DELETE FROM audit_links WHERE entry_id = '{third}'"),
            ],
            vec![named(3, Finding::LinksMissing { from: 3 })],
        ),
        (
            "two entries in another order",
            vec![
                of(third, &format!("created_at = (SELECT created_at FROM kept_audit_log WHERE id = '{fourth}')")),
                of(fourth, &format!("created_at = (SELECT created_at FROM kept_audit_log WHERE id = '{third}')")),
            ],
            vec![named(3, Finding::EntryChanged), named(4, Finding::EntryChanged)],
        ),
        (
            "two links in another order",
            vec![move_link(3, 100), move_link(4, 3), move_link(100, 4)],
            [(3, fourth), (4, third), (5, entry(5))]
                .map(|(seq, id)| Fault { entry_id: Some(id), ..named(seq, Finding::LinkChanged) })
                .to_vec(),
        ),
        (
            "the entry of another account",
            vec![of(third, &format!("account_id = '{}'", other.account_id))],
            changed(),
        ),
        (
            "a changed entry whose link was computed anew",
            vec![
                of(third, "action = 'account:updatee'"),
                format!(
                    "UPDATE audit_links AS links SET
                         commitment = sha256(links.salt || convert_to(audit_erasable(entry)::text, 'UTF8')),
                         content = sha256(convert_to(audit_retained(entry)::text, 'UTF8')
                             || sha256(links.salt || convert_to(audit_erasable(entry)::text, 'UTF8')))
                     FROM audit_log AS entry WHERE entry.id = links.entry_id AND entry.id = '{third}'"
                ),
            ],
            vec![named(3, Finding::LinkChanged)],
        ),
        (
            "an entry around the chain",
            vec![format!(
                "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type)
                 VALUES ('00000000-0000-7000-8000-000000000001', 'account', '{account}', 'system', 'account:updated',
                     'account')"
            )],
            vec![Fault {
                account_id: account,
                seq: None,
                entry_id: Some(Uuid::from_u128(0x7000_8000_0000_0000_0001)),
                finding: Finding::EntryUnlinked,
            }],
        ),
        (
            "a checkpoint of the changed end, which signs nothing",
            vec![format!(
                "INSERT INTO audit_checkpoints (account_id, seq, hash, signed_at, public_key, signature)
                 SELECT account_id, seq, hash, now(), '\\x00', '\\x00' FROM audit_links WHERE entry_id = '{last}'"
            )],
            vec![Fault { entry_id: None, ..named(6, Finding::SignatureInvalid) }],
        ),
    ];
    for (case, statements, faults) in cases {
        for statement in statements {
            execute(&app, &statement).await;
        }
        assert_eq!(verdict(&app, &keys(&app), account).await.faults, faults, "{case}");
        let error = admin(&app, &["verify-audit", "--account", &account.to_string()]).await.unwrap_err();
        assert_eq!(error, format!("the audit log was altered: faults: {}", faults.len()), "{case}");
        restore(&app).await;
    }
    assert_eq!(
        named(3, Finding::EntryChanged).to_string(),
        format!("account {account}, link 3, entry {third}: the entry was changed")
    );
    admin(&app, &["verify-audit"]).await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn verify_audit_holds_the_chain_against_signed_checkpoints() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let account = audited(&app, 4).await.account_id;
    let (keys, none) = (keys(&app), ChainKeys::new(&[]).unwrap());
    let mut db = app.databases.postgres.get().await.unwrap();
    assert_eq!(sign_open_chains(&mut db, &none, app.clock.now()).await.unwrap().signed, 0, "there is no key");
    let before = app.clock.now();
    assert_eq!(sign_open_chains(&mut db, &keys, before).await.unwrap().signed, 1);
    assert_eq!(sign_open_chains(&mut db, &keys, app.clock.now()).await.unwrap().signed, 0, "nothing is new");
    drop(db);
    let (signed, untrusted) = (verdict(&app, &keys, account).await, verdict(&app, &none, account).await);
    assert_eq!((signed.is_intact(), signed.signed, signed.untrusted), (true, 1, 0), "{signed:?}");
    assert_eq!((untrusted.is_intact(), untrusted.signed, untrusted.untrusted), (true, 0, 1), "{untrusted:?}");
    let public = keys.public_key().unwrap().to_vec();
    let trusting = verdict(&app, &none.trusting([public.clone()]), account).await;
    assert_eq!((trusting.signed, trusting.untrusted), (1, 0));
    let public = hex::encode(public);
    admin(&app, &["verify-audit", "--account", &account.to_string(), "--public-key", &public]).await.unwrap();
    let error = admin(&app, &["verify-audit", "--public-key", "ab"]).await.unwrap_err();
    assert_eq!(error, "`ab` is no public key: 64 hexadecimal characters");
    begin_tampering(&app).await;

    // The end of the log is removed with its links.
    for table in ["audit_log WHERE id", "audit_links WHERE entry_id"] {
        let last = "(SELECT entry_id FROM kept_audit_links ORDER BY seq DESC LIMIT 1)";
        execute(&app, &format!("DELETE FROM {table} = {last}")).await;
    }
    let found = verdict(&app, &keys, account).await;
    let fault = |seq: i64, finding: Finding| (Some(seq), finding);
    assert_eq!(findings(found), [fault(4, Finding::LinksMissing { from: 4 })]);
    restore(&app).await;

    // The whole chain is written again over changed entries: it fits itself, but not what was signed.
    rewrite_log(&app).await;
    let signed_at = DateTime::from_timestamp_micros(before.timestamp_micros()).unwrap();
    let found = verdict(&app, &keys, account).await;
    assert_eq!(findings(found), [fault(4, Finding::CheckpointDiffers { signed_at })]);
    // A checkpoint cannot be fitted to it without the key.
    execute(
        &app,
        "UPDATE audit_checkpoints SET hash = (SELECT hash FROM audit_links ORDER BY seq DESC LIMIT 1)",
    )
    .await;
    assert_eq!(findings(verdict(&app, &keys, account).await), [fault(4, Finding::SignatureInvalid)]);
    app.stop().await;
}

/// Writes the whole log again over changed entries, so that it fits itself.
async fn rewrite_log(app: &TestApp) {
    for statement in [
        "DELETE FROM audit_log",
        "DELETE FROM audit_links",
        "ALTER TABLE audit_log ENABLE TRIGGER USER",
        "INSERT INTO audit_log SELECT (jsonb_populate_record(kept, '{\"resource_id\": \"x\"}')).*
         FROM kept_audit_log AS kept ORDER BY id",
    ] {
        execute(app, statement).await;
    }
}

async fn insert_entry(app: &TestApp, account: Uuid, id: Uuid) {
    let insert = format!(
        "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type)
         VALUES ('{id}', 'account', '{account}', 'system', 'account:updated', 'account')"
    );
    assert_eq!(execute(app, &insert).await, 1);
}

/// Findings of the chains that a pass refuses to sign, and the number of those that it signs.
async fn signing(
    app: &TestApp,
    keys: &ChainKeys,
    now: DateTime<Utc>,
) -> (usize, Vec<(Option<i64>, Finding)>) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let signing = sign_open_chains(&mut db, keys, now).await.unwrap();
    (signing.signed, signing.refused.into_iter().map(|fault| (fault.seq, fault.finding)).collect())
}

fn findings(found: Verdict) -> Vec<(Option<i64>, Finding)> {
    found.faults.into_iter().map(|fault| (fault.seq, fault.finding)).collect()
}

#[tokio::test]
async fn verify_audit_finds_an_altered_chain_after_the_next_signatures() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let account = audited(&app, 4).await.account_id;
    let keys = keys(&app);
    let now = DateTime::from_timestamp_micros(app.clock.now().timestamp_micros()).unwrap();
    let (second, third) = (now + TimeDelta::hours(1), now + TimeDelta::hours(2));
    assert_eq!(signing(&app, &keys, now).await, (1, vec![]));
    let signed_at = now;
    begin_tampering(&app).await;

    // The rewritten chain is as long as the signed one, then longer, and then follows a forged checkpoint.
    rewrite_log(&app).await;
    let differs = vec![(Some(4), Finding::CheckpointDiffers { signed_at })];
    assert_eq!(signing(&app, &keys, now).await, (0, differs.clone()));
    assert_eq!(signing(&app, &keys, now).await, (0, vec![]), "it is refused once in an hour");
    insert_entry(&app, account, Uuid::now_v7()).await;
    assert_eq!(signing(&app, &keys, second).await, (0, differs.clone()));
    assert_eq!(findings(verdict(&app, &keys, account).await), differs);
    execute(&app, "UPDATE audit_checkpoints SET hash = (SELECT hash FROM audit_links WHERE seq = 4)").await;
    let invalid = vec![(Some(4), Finding::SignatureInvalid)];
    assert_eq!(signing(&app, &keys, third).await, (0, invalid.clone()));
    assert_eq!(findings(verdict(&app, &keys, account).await), invalid);
    admin(&app, &["verify-audit"]).await.unwrap_err();
    restore(&app).await;

    // The chain as it was signed is signed on.
    execute(&app, "ALTER TABLE audit_log ENABLE TRIGGER USER").await;
    insert_entry(&app, account, Uuid::now_v7()).await;
    assert_eq!(signing(&app, &keys, third).await, (1, vec![]));
    let found = verdict(&app, &keys, account).await;
    assert_eq!((found.is_intact(), found.links, found.signed), (true, 5, 2), "{found:?}");
    app.stop().await;
}

#[tokio::test]
async fn verify_audit_requires_a_trusted_anchor() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let account = audited(&app, 4).await.account_id;
    let keys = keys(&app);
    assert_eq!(signing(&app, &keys, app.clock.now()).await, (1, vec![]));
    begin_tampering(&app).await;
    // The first two entries are cut off, although they have not expired.
    for statement in [
        "INSERT INTO audit_checkpoints (account_id, seq, hash, signed_at, is_anchor)
         SELECT account_id, seq, hash, now(), true FROM audit_links WHERE seq = 2",
        "DELETE FROM audit_log WHERE id IN (SELECT entry_id FROM audit_links WHERE seq < 3)",
        "DELETE FROM audit_links WHERE seq < 3",
    ] {
        execute(&app, statement).await;
    }
    let untrusted = vec![(Some(2), Finding::AnchorUntrusted { public_key: None })];
    assert_eq!(findings(verdict(&app, &keys, account).await), untrusted);
    let error = admin(&app, &["verify-audit"]).await.unwrap_err();
    assert_eq!(error, "the audit log was altered: faults: 1");
    admin(&app, &["verify-audit", "--allow-untrusted"]).await.unwrap();
    restore(&app).await;
    admin(&app, &["verify-audit"]).await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn verify_audit_knows_the_beginning_that_was_signed() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let account = audited(&app, 2).await.account_id;
    let keys = keys(&app);
    assert_eq!(signing(&app, &keys, app.clock.now()).await, (1, vec![]));
    begin_tampering(&app).await;
    insert_entry(&app, account, Uuid::now_v7()).await;
    execute(&app, "UPDATE audit_chains SET began_at = 'infinity', is_signed = false").await;
    assert_eq!(signing(&app, &keys, app.clock.now()).await, (0, vec![(Some(2), Finding::BeginningMoved)]));
    let found = verdict(&app, &keys, account).await;
    assert_eq!(found.before, 0, "{found:?}");
    assert_eq!(findings(found), [(None, Finding::BeginningMoved), (None, Finding::EntryUnlinked)]);
    admin(&app, &["verify-audit"]).await.unwrap_err();
    app.stop().await;
}
