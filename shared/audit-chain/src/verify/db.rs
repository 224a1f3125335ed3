//! Queries of a verification.

use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Bytea, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::Result;
use uuid::Uuid;

use crate::{
    checkpoints::{Checkpoint, checkpoint_columns},
    keys::{Beginning, began_micros},
    times,
};

/// Entries without a link that are read. After the first year there are none.
const MAX_UNLINKED: i64 = 100_000;

/// A link with its entry.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Link {
    #[diesel(sql_type = BigInt)]
    pub seq: i64,
    #[diesel(sql_type = SqlUuid)]
    pub entry_id: Uuid,
    #[diesel(sql_type = BigInt)]
    pub created_micros: i64,
    /// False for an entry that a person was erased from.
    #[diesel(sql_type = Bool)]
    pub is_salted: bool,
    #[diesel(sql_type = Bytea)]
    pub commitment: Vec<u8>,
    #[diesel(sql_type = Bytea)]
    pub content: Vec<u8>,
    #[diesel(sql_type = Bytea)]
    pub hash: Vec<u8>,
    /// Commitment of the entry as it is now; `None` without an entry or a salt.
    #[diesel(sql_type = Nullable<Bytea>)]
    pub entry_commitment: Option<Vec<u8>>,
    /// Hash of the rest of the entry as it is now, and of the stored commitment; `None` without an entry.
    #[diesel(sql_type = Nullable<Bytea>)]
    pub entry_content: Option<Vec<u8>>,
    /// True for an entry in the form of one that a person was erased from.
    #[diesel(sql_type = Bool)]
    pub is_erased: bool,
}

/// An entry without a link.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Unlinked {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// True when it is older than the chain.
    #[diesel(sql_type = Bool)]
    pub is_before: bool,
}

/// Links of an account in the order of the chain. The texts are made here and not by the functions of the schema, so
/// that an altered function hides nothing. They are hashed where they are made: an entry may be large, a hash is not.
pub(super) async fn links(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    after: i64,
    limit: i64,
) -> Result<Vec<Link>> {
    let (created_micros, entry_micros) =
        (times::micros("links.created_at"), times::micros("entry.created_at"));
    Ok(sql_query(format!(
        "SELECT links.seq, links.entry_id, {created_micros} AS created_micros,
             links.salt IS NOT NULL AS is_salted, links.commitment, links.content, links.hash,
             CASE WHEN entry.id IS NOT NULL THEN pg_catalog.sha256(links.salt || pg_catalog.convert_to(
                 pg_catalog.jsonb_build_array(entry.resource_id, parts.erasable)::text, 'UTF8'))
                 END AS entry_commitment,
             CASE WHEN entry.id IS NOT NULL THEN pg_catalog.sha256(pg_catalog.convert_to(
                 pg_catalog.jsonb_build_array(entry.id, entry.scope, entry.account_id, entry.actor_type,
                     entry.actor_id, entry.action, entry.resource_type, entry.ip, {entry_micros},
                     parts.retained)::text, 'UTF8')
                 || links.commitment) END AS entry_content,
             coalesce(entry.resource_type IN ('chat_user', 'raid', 'chat_message') AND entry.resource_id = 'erased'
                 AND parts.erasable = '{{}}' AND entry.created_at = links.created_at, false) AS is_erased
         FROM audit_links AS links
         LEFT JOIN audit_log AS entry ON entry.id = links.entry_id
         CROSS JOIN LATERAL (SELECT
             CASE WHEN pg_catalog.jsonb_typeof(entry.metadata) = 'object' THEN
                 (SELECT coalesce(pg_catalog.jsonb_object_agg(part.key, part.value), '{{}}')
                  FROM pg_catalog.jsonb_each(entry.metadata) AS part
                  WHERE part.key IN ('target', 'reason', 'details', 'author_id'))
                 ELSE '{{}}' END AS erasable,
             CASE WHEN pg_catalog.jsonb_typeof(entry.metadata) = 'object'
                 THEN entry.metadata - '{{target,reason,details,author_id}}'::text[]
                 ELSE entry.metadata END AS retained) AS parts
         WHERE links.account_id = $1 AND links.seq > $2 ORDER BY links.seq LIMIT $3"
    ))
    .bind::<SqlUuid, _>(account)
    .bind::<BigInt, _>(after)
    .bind::<BigInt, _>(limit)
    .load(connection)
    .await?)
}

/// Checkpoints of an account after one link and up to another, in the order of the chain.
pub(super) async fn checkpoints(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    (after, until): (i64, i64),
    limit: i64,
) -> Result<Vec<Checkpoint>> {
    let columns = checkpoint_columns();
    Ok(sql_query(format!(
        "SELECT {columns} FROM audit_checkpoints WHERE account_id = $1 AND seq > $2 AND seq <= $3
         ORDER BY seq LIMIT $4"
    ))
    .bind::<SqlUuid, _>(account)
    .bind::<BigInt, _>(after)
    .bind::<BigInt, _>(until)
    .bind::<BigInt, _>(limit)
    .load(connection)
    .await?)
}

#[derive(QueryableByName)]
struct Began {
    #[diesel(sql_type = Nullable<BigInt>)]
    began_micros: Option<i64>,
}

/// Beginning of the chain of an account; `None` without a chain.
pub(super) async fn beginning(
    connection: &mut AsyncPgConnection,
    account: Uuid,
) -> Result<Option<Beginning>> {
    let chain: Option<Began> = sql_query(format!(
        "SELECT {} AS began_micros FROM audit_chains WHERE account_id = $1",
        began_micros()
    ))
    .bind::<SqlUuid, _>(account)
    .get_result(connection)
    .await
    .optional()?;
    Ok(chain.map(|chain| Beginning::of(chain.began_micros)))
}

/// Entries of an account without a link. An account without a chain is compared with the first chain of the deployment,
/// and a chain with the beginning that was signed.
pub(super) async fn unlinked(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    signed: Option<Beginning>,
) -> Result<Vec<Unlinked>> {
    Ok(sql_query(
        "SELECT entry.id, entry.created_at < least(coalesce(
                 (SELECT began_at FROM audit_chains WHERE account_id = $1),
                 (SELECT min(began_at) FROM audit_chains WHERE began_at > '-infinity'), 'infinity'), $3) AS is_before
         FROM audit_log AS entry
         WHERE entry.account_id = $1
             AND NOT EXISTS (SELECT FROM audit_links AS links WHERE links.entry_id = entry.id)
         ORDER BY entry.created_at, entry.id LIMIT $2",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<BigInt, _>(MAX_UNLINKED)
    .bind::<Nullable<Timestamptz>, _>(signed.and_then(Beginning::at))
    .load(connection)
    .await?)
}

#[derive(QueryableByName)]
struct Account {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

/// Account after the given one, by the indexes of the three tables.
pub(super) async fn next_account(connection: &mut AsyncPgConnection, after: Uuid) -> Result<Option<Uuid>> {
    let next: Option<Account> = sql_query(
        "SELECT account_id FROM (
             (SELECT account_id FROM audit_log WHERE account_id > $1 ORDER BY account_id LIMIT 1)
             UNION ALL (SELECT account_id FROM audit_links WHERE account_id > $1 ORDER BY account_id LIMIT 1)
             UNION ALL (SELECT account_id FROM audit_checkpoints WHERE account_id > $1 ORDER BY account_id LIMIT 1)
         ) AS next ORDER BY account_id LIMIT 1",
    )
    .bind::<SqlUuid, _>(after)
    .get_result(connection)
    .await
    .optional()?;
    Ok(next.map(|next| next.account_id))
}
