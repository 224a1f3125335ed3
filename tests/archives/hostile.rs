//! Archives that were made to harm other accounts of the deployment (reference/archives.md#trust).

use std::path::Path;

use archive_model::{
    import::{Options, import},
    manifest::{FILE, Manifest},
    sealing::KeyPair,
};
use audit_chain::sign_open_chains;
use chrono::TimeDelta;
use lumio_tests::{TestApp, eventually, world};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, twitch};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use uuid::Uuid;

use super::{
    admin,
    audit::{KEYS, audited, keys, links},
    content, execute, export, file,
    round_trip::{imported, rewrite},
    stores,
};

/// Makes an extension with a published version, and a later one without a review.
async fn extension(app: &TestApp, name: &str, visibility: &str) {
    execute(
        app,
        &format!(
            r#"WITH extension AS (INSERT INTO extensions (id, short_id, slug, name, visibility)
                 VALUES (gen_random_uuid(), '{name}', '{name}', '{name}', '{visibility}') RETURNING id)
             INSERT INTO extension_versions (id, extension_id, version, status, manifest, bundle_size_bytes)
             SELECT gen_random_uuid(), extension.id, given.version, given.status, given.manifest::jsonb, 0
             FROM extension CROSS JOIN (VALUES
                 ('1.0.0', 'approved', '{{"permissions": ["chat:read"]}}'),
                 ('2.0.0', 'pending', '{{"permissions": ["chat:read", "chat:ban"]}}')) AS given (version, status, manifest)"#
        ),
    )
    .await;
    execute(
        app,
        &format!(
            "UPDATE extensions SET current_version_id = versions.id FROM extension_versions AS versions
             WHERE versions.extension_id = extensions.id AND slug = '{name}' AND version = '1.0.0'"
        ),
    )
    .await;
}

async fn known(app: &TestApp, person: Uuid) {
    let insert =
        format!("INSERT INTO users (id, display_name, username) VALUES ('{person}', 'known', 'known')");
    assert_eq!(execute(app, &insert).await, 1);
}

#[tokio::test]
async fn import_account_gives_no_rights_over_others() {
    let (app, next, folder) = (TestApp::start().await, TestApp::start().await, TempDir::new().unwrap());
    let victim = next.owner().await;
    let streamer = world::connect(&next, victim.account_id, Platform::Twitch, "streamer").await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let member = app.member_as(account, "moderator").await;
    known(&next, member.user_id).await;
    for person in [&owner, &member] {
        app.popout(person, &["chat:read"]).await;
        let token = format!(
            "INSERT INTO surface_tokens (id, kind, account_id, subject, user_id, token_hash, token_prefix)
             VALUES (gen_random_uuid(), 'widget', '{account}', 'w', '{0}', sha256('{0}'), 'p')",
            person.user_id
        );
        execute(&app, &token).await;
    }
    for (name, visibility) in [("shown", "unlisted"), ("hidden", "private")] {
        extension(&app, name, visibility).await;
        extension(&next, name, visibility).await;
    }
    let installs = format!(
        "INSERT INTO extension_installs (id, account_id, extension_id, version_id, granted_permissions)
         SELECT gen_random_uuid(), '{account}', extension_id, id, '{{chat:read,chat:ban}}' FROM extension_versions
         WHERE version = '2.0.0' AND extension_id IN (SELECT id FROM extensions WHERE slug IN ('shown', 'hidden'))"
    );
    assert_eq!(execute(&app, &installs).await, 2);
    let channel = format!(
        "INSERT INTO channel_connections (id, account_id, platform, platform_channel_id, channel_name, display_name,
             credential_source)
         VALUES (gen_random_uuid(), '{account}', 'twitch', '{}', 'c', 'C', 'system')",
        streamer.id
    );
    assert_eq!(execute(&app, &channel).await, 1);
    let week =
        "SELECT timeseries_ensure('chat_messages', now() - interval '200 days', now() - interval '199 days')";
    execute(&app, week).await;
    let line = format!(
        "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
             display_name, text, sent_at)
         VALUES (gen_random_uuid(), '{account}', 'twitch', 'old', 'u', 'u', 'U', 'old', now() - interval '200 days')"
    );
    assert_eq!(execute(&app, &line).await, 1);
    // Events stay for 30 days on a plan that keeps chat for 7.
    let weeks = "SELECT timeseries_ensure('events', now() - interval '41 days', now() - interval '19 days')";
    execute(&app, weeks).await;
    let events = format!(
        "INSERT INTO events (id, account_id, event_type, platform_event_id, occurred_at)
         SELECT gen_random_uuid(), '{account}', 'twitch:follow', 'e' || days, now() - make_interval(days => days)
         FROM (VALUES (20), (40)) AS age (days)"
    );
    assert_eq!(execute(&app, &events).await, 2);

    let ((path, text), pair) = (file(&folder, "account.zip"), KeyPair::generate().unwrap());
    export(&app, account, &text, &["--secrets-key", &pair.public.text()]).await;
    let chain_keys = keys(&next);
    let options = Options {
        plan: "free",
        owner: None,
        private_key: Some(&pair.private),
        chain_keys: &chain_keys,
        now: next.clock.now(),
    };
    let result = import(stores(&next), &path, options).await.unwrap();
    let tables =
        ["memberships", "popout_tokens", "surface_tokens", "extension_installs", "chat_messages", "events"];
    for table in tables {
        assert_eq!(result.skipped.get(table), Some(&1), "{table}: {result:?}");
    }
    assert_eq!(result.rows.get("events"), Some(&1), "{result:?}");
    for table in ["memberships", "popout_tokens", "surface_tokens"] {
        for (person, rows) in [(&owner, 1), (&member, 0)] {
            let own = format!("{table} WHERE account_id = '{account}' AND user_id = '{}'", person.user_id);
            assert_eq!(world::count(&next, &own).await, rows, "{own}");
        }
    }
    let reviewed = format!(
        "extension_installs AS installs JOIN extension_versions AS versions ON versions.id = version_id
         JOIN extensions ON extensions.id = installs.extension_id
         WHERE account_id = '{account}' AND slug = 'shown' AND versions.version = '1.0.0'
             AND granted_permissions = '{{chat:read}}'"
    );
    assert_eq!(world::count(&next, &reviewed).await, 1);

    // The channel of another account is not heard before a sign-in, also when the flag is cleared.
    let waiting = format!("channel_connections WHERE account_id = '{account}' AND reconnect_required");
    assert_eq!(world::count(&next, &waiting).await, 1);
    execute(&next, "UPDATE channel_connections SET reconnect_required = false").await;
    let running = world::workers(&next, &[Daemon::Ingest]).await;
    let viewer = next.platforms.create_user(Platform::Twitch, "viewer").0;
    let event = twitch::Event::chat_message(&streamer, &viewer, "between us");
    let callback = format!("{}/v1/webhooks/twitch", next.url());
    let (secret, whole) = ("stand-in-eventsub-secret", DeliveryOptions::default());
    let delivery = next.platforms.deliver_twitch_to(&callback, secret, &event, &whole).await;
    assert!(delivery.statuses().iter().all(|status| *status == Some(200)), "{delivery:?}");
    eventually("the line is handled", async || {
        world::inbox(&next).await == 1 && world::open_deliveries(&next).await == 0
    })
    .await;
    running.stop().await.unwrap();
    assert_eq!(world::messages(&next, victim.account_id).await.len(), 1);
    assert_eq!(world::messages(&next, account).await, Vec::<Value>::new());
    next.stop().await;
    app.stop().await;
}

/// Change of the rows of a table.
type Change = Box<dyn Fn(&mut Vec<Value>)>;

/// Writes an archive with changed rows of a table, and hashes that fit.
fn plant(from: &Path, to: &Path, table: &str, change: &Change) {
    let name = format!("tables/{table}.ndjson");
    let lines = String::from_utf8(content(from)[&name].clone()).unwrap();
    let mut rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut rows);
    let planted = rows.iter().map(|row| format!("{row}\n")).collect::<String>().into_bytes();
    rewrite(from, to, |file, bytes| {
        if file == name {
            return Some(planted.clone());
        }
        if file != FILE {
            return Some(bytes);
        }
        let mut manifest: Manifest = serde_json::from_slice(&bytes).unwrap();
        let stated = manifest.files.iter_mut().find(|file| file.name == name).unwrap();
        stated.rows = stated.rows.map(|_| u64::try_from(rows.len()).unwrap());
        stated.bytes = u64::try_from(planted.len()).unwrap();
        stated.sha256 = hex::encode(Sha256::digest(&planted));
        Some(serde_json::to_vec_pretty(&manifest).unwrap())
    });
}

#[tokio::test]
async fn import_account_refuses_what_would_stop_daemons_and_owners_who_exist() {
    let (app, next, folder) = (TestApp::start().await, TestApp::start().await, TempDir::new().unwrap());
    let owner = audited(&app, 2).await;
    let account = owner.account_id;
    let member = app.member_as(account, "moderator").await;
    let line = format!(
        "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
             display_name, text, sent_at)
         VALUES (gen_random_uuid(), '{account}', 'twitch', 'm', 'u', 'u', 'U', 'hello', now())"
    );
    assert_eq!(execute(&app, &line).await, 1);
    let ((path, text), (planted, _)) = (file(&folder, "account.zip"), file(&folder, "planted.zip"));
    app.clock.advance(TimeDelta::seconds(10));
    export(&app, account, &text, &[]).await;
    let absurd = "has a row with a time that is infinite, before 2000 or more than ten years away";
    let broken = "The chain of the audit log has gaps, or numbers that are too large";
    let tomorrow = json!(shared::clock::rfc3339(next.clock.now() + TimeDelta::days(2)));
    let far = json!(shared::clock::rfc3339(next.clock.now() + TimeDelta::days(3_660)));
    let set = |row: usize, column: &'static str, value: Value| -> Change {
        Box::new(move |rows: &mut Vec<Value>| rows[row][column] = value.clone())
    };
    let cases: [(&str, Change, &str); 8] = [
        ("accounts", set(0, "created_at", far), absurd),
        ("accounts", set(0, "created_at", json!("infinity")), absurd),
        ("audit_links", set(1, "created_at", json!("-infinity")), absurd),
        ("audit_log", set(0, "created_at", json!("1999-12-31T00:00:00Z")), absurd),
        (
            "chat_messages",
            set(0, "sent_at", tomorrow),
            "chat_messages has a row with no time, or a time in the future",
        ),
        ("chat_messages", set(0, "sent_at", Value::Null), "chat_messages has a row with no time"),
        ("audit_links", set(1, "seq", json!(3)), broken),
        (
            "audit_links",
            Box::new(|rows| {
                for row in rows {
                    row["seq"] = json!(row["seq"].as_i64().unwrap() + 9_007_199_254_740_000);
                }
            }),
            broken,
        ),
    ];
    for (table, change, message) in cases {
        plant(&path, &planted, table, &change);
        let error = imported(&next, &planted, None).await.unwrap_err().to_string();
        assert!(error.contains(message), "{table}: {error}");
    }

    // A person who exists does not get the account unless named. A named member has the row of the archived owner.
    known(&next, owner.user_id).await;
    known(&next, member.user_id).await;
    let error = imported(&next, &path, None).await.unwrap_err().to_string();
    assert_eq!(error, format!("The person {} exists here: name the owner of the account", owner.user_id));
    // A line of more than five years ago is skipped.
    let old = json!(shared::clock::rfc3339(next.clock.now() - TimeDelta::days(1_831)));
    plant(&path, &planted, "chat_messages", &set(0, "sent_at", old));
    let result = imported(&next, &planted, Some(member.user_id)).await.unwrap();
    assert_eq!((result.placeholders, result.skipped.get("memberships")), (0, Some(&1)));
    assert_eq!(result.skipped.get("chat_messages"), Some(&1), "{:?}", result.skipped);
    let merged = format!(
        "memberships JOIN account_roles AS roles ON roles.id = role_id
         WHERE memberships.account_id = '{account}' AND user_id = '{}' AND roles.slug = 'owner'",
        member.user_id
    );
    assert_eq!(world::count(&next, &merged).await, 1);
    next.stop().await;
    app.stop().await;
}

/// A text whose last hexadecimal digit has another last bit.
fn flipped(text: &str) -> Value {
    let (rest, last) = text.split_at(text.len() - 1);
    let digit = last.chars().next().and_then(|digit| digit.to_digit(16)).expect("a digit") ^ 1;
    json!(format!("{rest}{}", char::from_digit(digit, 16).unwrap()))
}

/// Makes a checkpoint an anchor of another link.
fn unsigned_anchor(row: &mut Value, seq: i64) {
    (row["seq"], row["is_anchor"]) = (json!(seq), json!(true));
    (row["public_key"], row["signature"]) = (Value::Null, Value::Null);
}

#[tokio::test]
async fn import_account_refuses_an_altered_audit_log_and_names_the_entry() {
    let app = TestApp::builder().with(KEYS.0, KEYS.1).start().await;
    let (next, folder) = (TestApp::start().await, TempDir::new().unwrap());
    let owner = audited(&app, 4).await;
    let account = owner.account_id;
    let line = format!(
        "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
             display_name, text, sent_at)
         VALUES (gen_random_uuid(), '{account}', 'twitch', 'm', 'u', 'u', 'U', 'hello', now())"
    );
    assert_eq!(execute(&app, &line).await, 1);
    let mut db = app.databases.postgres.get().await.unwrap();
    assert_eq!(sign_open_chains(&mut db, &keys(&app), app.clock.now()).await.unwrap().signed, 1);
    drop(db);
    let links = links(&app, account).await;
    let (third, last) = (links[2].entry_id, links[3].entry_id);
    let ((path, text), (planted, planted_text)) =
        (file(&folder, "account.zip"), file(&folder, "planted.zip"));
    app.clock.advance(TimeDelta::seconds(10));
    export(&app, account, &text, &[]).await;

    let of_third = move |row: &Value| row["id"] == json!(third);
    let flip = |row: usize, column: &'static str| -> Change {
        Box::new(move |rows: &mut Vec<Value>| {
            rows[row][column] = flipped(rows[row][column].as_str().unwrap());
        })
    };
    let named = |place: String, finding: &str| {
        format!("The audit log was altered: account {account}, link {place}: {finding}")
    };
    let changed = "the entry was changed";
    let of_a_link = "Checkpoint 4 of the audit log is out of place: only an anchor is before the first link";
    let cases: [(&str, Change, String); 9] = [
        (
            "audit_log",
            // One bit of the last letter of the action.
            Box::new(move |rows| {
                let row = rows.iter_mut().find(|row| of_third(row)).unwrap();
                assert_eq!(row["action"], "account:updated");
                row["action"] = json!("account:updatee");
            }),
            named(format!("3, entry {third}"), changed),
        ),
        (
            "audit_log",
            Box::new(move |rows| rows.retain(|row| !of_third(row))),
            named(format!("3, entry {third}"), "the entry was removed"),
        ),
        ("audit_links", flip(2, "salt"), named(format!("3, entry {third}"), changed)),
        ("audit_links", flip(2, "commitment"), named(format!("3, entry {third}"), changed)),
        (
            "audit_links",
            flip(3, "hash"),
            named(format!("4, entry {last}"), "the link was changed or moved; account"),
        ),
        (
            "audit_checkpoints",
            flip(0, "signature"),
            named("4".to_owned(), "the signature of the checkpoint is not valid"),
        ),
        (
            "audit_links",
            Box::new(|rows| rows[1]["hash"] = json!("\\x00")),
            "Link 2 of the audit log has a hash, a key or a signature of another length".to_owned(),
        ),
        // An anchor without a signature in place of the checkpoint, and one in the middle of the chain.
        ("audit_checkpoints", Box::new(|rows| unsigned_anchor(&mut rows[0], 4)), of_a_link.to_owned()),
        (
            "audit_checkpoints",
            Box::new(|rows| {
                rows.insert(0, rows[0].clone());
                unsigned_anchor(&mut rows[0], 2);
            }),
            of_a_link.replace('4', "2"),
        ),
    ];
    for (table, change, message) in cases {
        plant(&path, &planted, table, &change);
        let error = admin(&next, &["import-account", &planted_text]).await.unwrap_err();
        assert!(error.starts_with(&message), "{table}: {error}, not {message}");
        let logged = ["audit_log", "audit_links", "audit_checkpoints", "audit_chains", "chat_messages"]
            .map(|stored| format!("{stored} WHERE account_id = '{account}'"));
        let others =
            [format!("accounts WHERE id = '{account}'"), format!("users WHERE id = '{}'", owner.user_id)];
        for stored in logged.iter().chain(&others) {
            assert_eq!(world::count(&next, stored).await, 0, "{stored}: {message}");
        }
    }
    // The key of the other deployment is not trusted here, but what it signed is as it was signed.
    let audit = imported(&next, &path, None).await.unwrap().audit;
    assert_eq!((audit.links, audit.signed, audit.untrusted), (4, 0, 1));
    next.stop().await;
    app.stop().await;
}
