//! An account with rows of every table, for exports and imports.

use archive_model::tables::{Rows, Secret as SecretColumn, Table, tables};
use audit_chain::{ChainKeys, sign_open_chains};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bytea, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use extension_model::system;
use foundation::crypto::SecretLocation;
use lumio_tests::{Person, TestApp};
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::secret::{NamedKey, Secret};
use uuid::Uuid;

use super::execute;

/// An account with a row of everything, built-in extensions, objects, a member, and a log of audited changes.
pub(super) async fn furnished(app: &TestApp) -> Person {
    let owner = app.owner().await;
    let account = owner.account_id;
    app.one_of_everything(&owner).await;
    system::install(&mut app.databases.postgres.get().await.unwrap(), Some(account)).await.unwrap();
    app.member_as(account, "moderator").await;
    for (table, folder) in
        [("uploads", "uploads"), ("sounds", "sounds"), ("extension_uploads", "extension-uploads")]
    {
        let key = format!("accounts/{account}/{folder}/one");
        execute(app, &format!("UPDATE {table} SET storage_key = '{key}' WHERE account_id = '{account}'"))
            .await;
        app.state.storage.put(&key, format!("content of {folder}").into()).await.unwrap();
    }
    for name in ["One", "Two"] {
        owner.patch(&format!("/v1/accounts/{account}"), json!({ "name": name })).await.expect(200);
    }
    execute(
        app,
        &format!(
            "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type, resource_id, metadata)
             VALUES (gen_random_uuid(), 'account', '{account}', 'system', 'chat:user_banned', 'chat_user', 'person',
                 '{{\"target\": \"person\", \"platform\": \"twitch\"}}')"
        ),
    )
    .await;
    execute(
        app,
        "UPDATE audit_log SET resource_id = 'erased',
             metadata = metadata - '{target,reason,details,author_id}'::text[] WHERE resource_type = 'chat_user'",
    )
    .await;
    // Rows that `one_of_everything` has elsewhere, or in a state in which no archive has them.
    for statement in [
        format!(
            "INSERT INTO discord_guild_channels (discord_guild_id, feature, channel_id)
             SELECT id, 'event_feed', 'c' FROM discord_guilds WHERE account_id = '{account}'"
        ),
        format!(
            "INSERT INTO usage_budgets (id, account_id, subject_kind, subject_id, unit, period, maximum, is_stopping,
                 created_by, created_at, updated_at)
             SELECT gen_random_uuid(), '{account}', subject.kind, subject.id, 'fetches', 'day', 9, true, '{}', now(), now()
             FROM (SELECT 'account' AS kind, '{account}'::uuid AS id
                 UNION ALL SELECT 'extension', id FROM extensions WHERE slug = 'rows-{account}') AS subject",
            owner.user_id
        ),
        format!(
            "UPDATE automation_runs SET status = 'succeeded', finished_at = now() WHERE account_id = '{account}'"
        ),
        format!(
            "UPDATE surface_tokens AS tokens SET subject = overlays.key FROM overlays
             WHERE overlays.account_id = tokens.account_id AND tokens.account_id = '{account}' AND tokens.kind = 'overlay'"
        ),
    ] {
        assert!(execute(app, &statement).await > 0, "{statement}");
    }
    // A line of a week that a new deployment has no partition for, and a document of a person.
    execute(
        app,
        "SELECT timeseries_ensure('chat_messages', now() - interval '200 days', now() - interval '199 days')",
    )
    .await;
    execute(
        app,
        &format!(
            "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
                 display_name, text, sent_at)
             VALUES (gen_random_uuid(), '{account}', 'twitch', 'old', 'u', 'u', 'U', 'long ago',
                 now() - interval '200 days')"
        ),
    )
    .await;
    execute(
        app,
        &format!(
            "INSERT INTO uploads (id, account_id, filename, content_type, size_bytes, storage_key, purpose, sha256)
             VALUES (gen_random_uuid(), '{account}', 'passport.pdf', 'application/pdf', 1, 'k', 'developer_document', 's')"
        ),
    )
    .await;
    // A checkpoint with the key of a deployment.
    let chain_keys = ChainKeys::new(&[NamedKey { id: "first".to_owned(), key: [1; 32] }]).unwrap();
    let mut db = app.databases.postgres.get().await.unwrap();
    assert!(sign_open_chains(&mut db, &chain_keys, app.clock.now()).await.unwrap().signed > 0);
    drop(db);
    owner
}

/// Adds more rows, and more bytes of an object, than an export, an import and a verification read at a time.
pub(super) async fn multiply(app: &TestApp, account: Uuid) {
    let lines = format!(
        "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
             display_name, text, sent_at)
         SELECT gen_random_uuid(), '{account}', 'twitch', 'm' || n, 'u', 'u', 'U', 'one of many', now()
         FROM generate_series(1, 1001) AS n"
    );
    let entries = format!(
        "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type)
         SELECT gen_random_uuid(), 'account', '{account}', 'system', 'account:updated', 'account'
         FROM generate_series(1, 1001)"
    );
    for statement in [lines, entries] {
        assert_eq!(execute(app, &statement).await, 1_001);
    }
    let content = format!("content of sounds{}", ".".repeat(1_100_000));
    app.state.storage.put(&format!("accounts/{account}/sounds/one"), content.into()).await.unwrap();
}

#[derive(QueryableByName)]
struct Named {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Gives every secret of the rows of an account a value.
pub(super) async fn seal_everything(app: &TestApp, account: Uuid) {
    for table in tables() {
        let Some(rows) = table.exported_rows() else { continue };
        for secret in rows.secrets() {
            seal(app, account, (table, rows, secret)).await;
        }
    }
}

async fn seal(app: &TestApp, account: Uuid, (table, rows, secret): (&Table, &Rows, &SecretColumn)) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let select = format!("SELECT {} AS name FROM {} AS t WHERE {}", secret.row, table.name, rows.condition);
    let named: Vec<Named> = sql_query(select).bind::<SqlUuid, _>(account).load(&mut *db).await.unwrap();
    let update = format!(
        "UPDATE {} AS t SET {} = $3{} WHERE t.account_id = $1 AND {} = $2",
        table.name, secret.name, secret.also, secret.row
    );
    for Named { name } in named {
        let text = format!("{}.{} of {name}", table.name, secret.name);
        let place = SecretLocation { table: table.name, column: secret.name, row: &name };
        let sealed = app.state.keyring.seal(place, &Secret::new(text.as_str())).unwrap();
        let updated = sql_query(&update)
            .bind::<SqlUuid, _>(account)
            .bind::<Text, _>(&name)
            .bind::<Bytea, _>(sealed)
            .bind::<Bytea, _>(Sha256::digest(text.as_bytes()).to_vec())
            .execute(&mut *db)
            .await;
        assert_eq!(updated.unwrap(), 1, "{text}");
    }
}

/// A deployment that has the extensions of the other one, under ids of its own.
pub(super) async fn deployment_with_extensions_of(app: &TestApp, account: Uuid) -> TestApp {
    let next = TestApp::start().await;
    let short_id = account.to_string()[..13].to_owned();
    execute(
        &next,
        &format!(
            "WITH extension AS (INSERT INTO extensions (id, short_id, slug, name, visibility)
                 VALUES (gen_random_uuid(), '{short_id}', 'moved', 'Moved', 'unlisted') RETURNING id)
             INSERT INTO extension_versions (id, extension_id, version, status, manifest, bundle_size_bytes)
             SELECT gen_random_uuid(), id, '1.0.0', 'approved', '{{}}', 0 FROM extension"
        ),
    )
    .await;
    execute(
        &next,
        "UPDATE extensions SET current_version_id = versions.id FROM extension_versions AS versions
         WHERE versions.extension_id = extensions.id AND slug = 'moved'",
    )
    .await;
    next.clock.advance(app.clock.now() - next.clock.now());
    next
}
