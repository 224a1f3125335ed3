//! Consequences of the rows of an imported account: counts, secrets that are made anew, built-in extensions and the
//! entry of the operators' audit log (reference/archives.md#import).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Bytea, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::system;
use foundation::{
    audit::{self, Actor, Entry, Scope},
    crypto::{Keyring, SecretLocation},
};
use rand::RngExt;
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{id, secret::Secret};
use uuid::Uuid;
use webhook_model::secrets::{SecretColumn, generate, seal};

use crate::{Result, manifest::Manifest};

/// Beginning of the token of an overlay (reference/credentials.md#kinds).
const OVERLAY_TOKEN: &str = "lm_overlay_";
/// Characters of the random part in the display prefix.
const DISPLAY_CHARACTERS: usize = 6;

/// Statements over the account `$1`: counts that are derived, and rows that are of no use without a secret.
const DERIVED: [&str; 9] = [
    "INSERT INTO account_usage (account_id, quota, used)
     SELECT $1, 'overlays', count(*) FROM overlays WHERE account_id = $1 HAVING count(*) > 0",
    // Content that several uploads share is stored and counted once.
    "INSERT INTO account_usage (account_id, quota, used)
     SELECT $1, 'storage_bytes', sum(size_bytes) FROM (
         (SELECT DISTINCT ON (sha256) size_bytes FROM uploads WHERE account_id = $1 ORDER BY sha256)
         UNION ALL SELECT size_bytes FROM sounds WHERE account_id = $1
         UNION ALL SELECT size_bytes FROM extension_uploads WHERE account_id = $1) AS stored
     HAVING sum(size_bytes) > 0",
    "INSERT INTO account_usage (account_id, quota, used)
     SELECT $1, 'integrations', count(*) FROM integration_configs WHERE account_id = $1 AND enabled HAVING count(*) > 0",
    // Values and rows of extensions are counted as compact JSON, which is at least half as long as the text of `jsonb`. Who
    // states less than that has no further room by it.
    "INSERT INTO extension_usage AS known (extension_id, scope, subject, owner, account_id, bytes, keys)
     SELECT extension_id, scope, subject, owner, $1, sum(bytes), sum(keys) FROM (
         SELECT extension_id, scope, subject, owner, octet_length(value::text) AS bytes, 1 AS keys
         FROM extension_values WHERE account_id = $1
         UNION ALL
         SELECT extension_id, CASE WHEN install_id IS NULL THEN 'account' ELSE 'install' END,
             coalesce(install_id, account_id), '', octet_length(data::text), 0
         FROM extension_rows WHERE account_id = $1) AS stored
     GROUP BY extension_id, scope, subject, owner
     ON CONFLICT (extension_id, scope, subject, owner) DO UPDATE
         SET bytes = greatest(known.bytes, excluded.bytes), keys = greatest(known.keys, excluded.keys)
         WHERE known.bytes < excluded.bytes / 2 OR known.keys < excluded.keys",
    "UPDATE extensions SET install_count = install_count + own.installs
     FROM (SELECT extension_id, count(*)::integer AS installs FROM extension_installs WHERE account_id = $1
           GROUP BY extension_id) AS own
     WHERE extensions.id = own.extension_id AND visibility <> 'system'",
    "DELETE FROM app_credentials WHERE account_id = $1 AND client_secret = ''",
    "DELETE FROM se_tokens WHERE account_id = $1 AND token = ''",
    // It follows its page. Without a token nothing opens it until the owner makes one.
    "DELETE FROM surface_tokens AS tokens WHERE account_id = $1 AND kind IN ('overlay', 'share')
         AND NOT EXISTS (SELECT FROM overlays WHERE overlays.account_id = $1 AND overlays.key = tokens.subject)",
    "UPDATE audit_chains SET oldest_at = links.created_at
     FROM (SELECT created_at FROM audit_links WHERE account_id = $1 ORDER BY seq LIMIT 1) AS links
     WHERE account_id = $1",
];

#[derive(QueryableByName)]
struct Overlay {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    key: String,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Completes an account whose rows are written.
pub(super) async fn complete(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    manifest: &Manifest,
    now: DateTime<Utc>,
) -> Result<()> {
    let account = manifest.account_id;
    for statement in DERIVED {
        sql_query(statement).bind::<SqlUuid, _>(account).execute(connection).await?;
    }
    make_overlay_tokens(connection, keyring, account, now).await?;
    make_webhook_secrets(connection, keyring, account).await?;
    system::install(connection, Some(account)).await?;
    let entry = Entry {
        scope: Scope::System,
        actor: Actor::System,
        action: "account:imported",
        resource_type: "account",
        resource_id: Some(account.to_string()),
        metadata: json!({ "by": "console", "deployment": manifest.deployment, "exported_at": manifest.exported_at }),
        ip: None,
    };
    audit::record(connection, entry).await?;
    Ok(())
}

/// Makes tokens of overlays that came without one.
async fn make_overlay_tokens(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    account: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let overlays: Vec<Overlay> =
        sql_query("SELECT id, key FROM overlays WHERE account_id = $1 AND token = '' ORDER BY id")
            .bind::<SqlUuid, _>(account)
            .load(connection)
            .await?;
    let mut made = Made::default();
    for overlay in overlays {
        made.add(keyring, overlay)?;
    }
    sql_query(
        "WITH made AS (
             SELECT * FROM unnest($2, $3, $4, $5, $6, $7) AS made (overlay_id, id, subject, hash, prefix, sealed)),
         tokens AS (
             INSERT INTO surface_tokens (id, kind, account_id, subject, token_hash, token_prefix, created_at)
             SELECT id, 'overlay', $1, subject, hash, prefix, $8 FROM made)
         UPDATE overlays SET token = made.sealed FROM made WHERE account_id = $1 AND overlays.id = made.overlay_id",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<Array<SqlUuid>, _>(made.overlays)
    .bind::<Array<SqlUuid>, _>(made.ids)
    .bind::<Array<Text>, _>(made.keys)
    .bind::<Array<Bytea>, _>(made.hashes)
    .bind::<Array<Text>, _>(made.prefixes)
    .bind::<Array<Bytea>, _>(made.sealed)
    .bind::<Timestamptz, _>(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// New tokens of overlays, by column.
#[derive(Default)]
struct Made {
    overlays: Vec<Uuid>,
    ids: Vec<Uuid>,
    keys: Vec<String>,
    hashes: Vec<Vec<u8>>,
    prefixes: Vec<String>,
    sealed: Vec<Vec<u8>>,
}

impl Made {
    fn add(&mut self, keyring: &Keyring, Overlay { id, key }: Overlay) -> Result<()> {
        let token = format!("{OVERLAY_TOKEN}{}", hex::encode(rand::rng().random::<[u8; 32]>()));
        let row = id.to_string();
        let place = SecretLocation { table: "overlays", column: "token", row: &row };
        self.sealed.push(keyring.seal(place, &Secret::new(token.as_str()))?);
        self.prefixes.push(token.chars().take(OVERLAY_TOKEN.len() + DISPLAY_CHARACTERS).collect());
        self.hashes.push(Sha256::digest(token.as_bytes()).to_vec());
        self.overlays.push(id);
        self.ids.push(id::new());
        self.keys.push(key);
        Ok(())
    }
}

/// Makes secrets of webhook endpoints that came without one.
async fn make_webhook_secrets(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    account: Uuid,
) -> Result<()> {
    let endpoints: Vec<Row> =
        sql_query("SELECT id FROM webhook_endpoints WHERE account_id = $1 AND secret = '' ORDER BY id")
            .bind::<SqlUuid, _>(account)
            .load(connection)
            .await?;
    let ids: Vec<Uuid> = endpoints.into_iter().map(|endpoint| endpoint.id).collect();
    let sealed = ids.iter().map(|id| seal(keyring, *id, SecretColumn::Current, &generate()));
    let sealed = sealed.collect::<shared::Result<Vec<_>>>()?;
    sql_query(
        "UPDATE webhook_endpoints AS endpoints SET secret = made.sealed FROM unnest($2, $3) AS made (id, sealed)
         WHERE account_id = $1 AND endpoints.id = made.id",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<Array<SqlUuid>, _>(ids)
    .bind::<Array<Bytea>, _>(sealed)
    .execute(connection)
    .await?;
    Ok(())
}
