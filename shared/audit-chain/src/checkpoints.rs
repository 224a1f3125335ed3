//! Rows of checkpoints (reference/audit-chain.md#checkpoints).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Bytea, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::Result;
use uuid::Uuid;

use crate::{
    faults::{Fault, Finding},
    keys::{Beginning, ChainKeys, Statement},
    times,
};

/// Columns of a [`Checkpoint`].
pub(crate) fn checkpoint_columns() -> String {
    format!(
        "account_id, seq, hash, {} AS signed_at, CASE WHEN began_at IS NOT NULL THEN {} END AS began_at,
         is_anchor, public_key, signature",
        times::finite("signed_at"),
        times::finite("began_at")
    )
}

/// A stored checkpoint.
#[derive(Debug, Clone, QueryableByName)]
pub(crate) struct Checkpoint {
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    #[diesel(sql_type = BigInt)]
    pub seq: i64,
    #[diesel(sql_type = Bytea)]
    pub hash: Vec<u8>,
    #[diesel(sql_type = Timestamptz)]
    pub signed_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub began_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Bool)]
    pub is_anchor: bool,
    #[diesel(sql_type = Nullable<Bytea>)]
    pub public_key: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Bytea>)]
    pub signature: Option<Vec<u8>>,
}

/// Worth of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It has no signature.
    Unsigned,
    /// Its signature is not one of its key over what it states.
    Invalid,
    /// Its signature is valid.
    Signed {
        /// True for a signature of a trusted key.
        is_trusted: bool,
        /// Beginning that it states; `None` when it states none.
        beginning: Option<Beginning>,
    },
}

/// A link that was verified, and that a checkpoint is going to state.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub account_id: Uuid,
    pub seq: i64,
    pub hash: Vec<u8>,
    pub beginning: Beginning,
}

impl Checkpoint {
    /// Verifies the signature.
    pub fn proof(&self, keys: &ChainKeys) -> Proof {
        let (Some(public_key), Some(signature)) = (&self.public_key, &self.signature) else {
            return Proof::Unsigned;
        };
        let states = |beginning| {
            let statement = Statement {
                account_id: self.account_id,
                seq: self.seq,
                hash: &self.hash,
                signed_micros: self.signed_at.timestamp_micros(),
                is_anchor: self.is_anchor,
                beginning,
            };
            statement.is_signed_by(public_key, signature)
        };
        let whole = Some(self.began_at.map_or(Beginning::Whole, |at| Beginning::At(at.timestamp_micros())));
        // The form without a beginning has no time of it either.
        let forms = if self.began_at.is_some() { vec![whole] } else { vec![whole, None] };
        let is_trusted = keys.trusts(public_key);
        match forms.into_iter().find(|beginning| states(*beginning)) {
            Some(beginning) => Proof::Signed { is_trusted, beginning },
            None => Proof::Invalid,
        }
    }

    /// Objection to it as the last trusted state of a chain with this beginning.
    pub fn objection(&self, keys: &ChainKeys, begun: Beginning) -> Option<Finding> {
        match self.proof(keys) {
            Proof::Signed { is_trusted: true, beginning } => {
                beginning.is_some_and(|stated| begun > stated).then_some(Finding::BeginningMoved)
            }
            Proof::Signed { .. } | Proof::Invalid | Proof::Unsigned => Some(Finding::SignatureInvalid),
        }
    }
}

/// Checkpoint of each chain that names a trusted key, the next one from a link on or, with `newest`, the newest. Its
/// signature is not verified yet.
pub(crate) async fn of_trusted_keys(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    (accounts, from, newest): (&[Uuid], i64, bool),
) -> Result<Vec<Checkpoint>> {
    let (order, columns) = (if newest { "DESC" } else { "ASC" }, checkpoint_columns());
    Ok(sql_query(format!(
        "SELECT point.* FROM unnest($1) AS chain (account)
         CROSS JOIN LATERAL (SELECT {columns} FROM audit_checkpoints
             WHERE account_id = chain.account AND seq >= $2 AND public_key = ANY ($3)
             ORDER BY seq {order} LIMIT 1) AS point"
    ))
    .bind::<Array<SqlUuid>, _>(accounts)
    .bind::<BigInt, _>(from)
    .bind::<Array<Bytea>, _>(keys.trusted())
    .load(connection)
    .await?)
}

#[derive(QueryableByName)]
struct Stored {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

/// Points whose links are stored as they were read.
pub(crate) async fn still_stored(
    connection: &mut AsyncPgConnection,
    points: Vec<Point>,
) -> Result<Vec<Point>> {
    let stored: Vec<Stored> = sql_query(
        "SELECT point.account_id FROM unnest($1, $2, $3) AS point (account_id, seq, hash)
         JOIN audit_links AS links USING (account_id, seq, hash)",
    )
    .bind::<Array<SqlUuid>, _>(points.iter().map(|point| point.account_id).collect::<Vec<_>>())
    .bind::<Array<BigInt>, _>(points.iter().map(|point| point.seq).collect::<Vec<_>>())
    .bind::<Array<Bytea>, _>(points.iter().map(|point| point.hash.as_slice()).collect::<Vec<_>>())
    .load(connection)
    .await?;
    let is_stored = |point: &Point| stored.iter().any(|found| found.account_id == point.account_id);
    Ok(points.into_iter().filter(is_stored).collect())
}

#[derive(QueryableByName)]
struct Other {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = Timestamptz)]
    signed_at: DateTime<Utc>,
}

/// Faults of the stored checkpoints of these links that state another hash.
pub(crate) async fn contradictions(
    connection: &mut AsyncPgConnection,
    points: &[Point],
) -> Result<Vec<Fault>> {
    let others: Vec<Other> = sql_query(format!(
        "SELECT stored.account_id, stored.seq, {} AS signed_at
         FROM unnest($1, $2, $3) AS point (account_id, seq, hash)
         JOIN audit_checkpoints AS stored ON stored.account_id = point.account_id AND stored.seq = point.seq
         WHERE stored.hash <> point.hash",
        times::finite("stored.signed_at")
    ))
    .bind::<Array<SqlUuid>, _>(points.iter().map(|point| point.account_id).collect::<Vec<_>>())
    .bind::<Array<BigInt>, _>(points.iter().map(|point| point.seq).collect::<Vec<_>>())
    .bind::<Array<Bytea>, _>(points.iter().map(|point| point.hash.as_slice()).collect::<Vec<_>>())
    .load(connection)
    .await?;
    let fault = |Other { account_id, seq, signed_at }| Fault {
        account_id,
        seq: Some(seq),
        entry_id: None,
        finding: Finding::CheckpointDiffers { signed_at },
    };
    Ok(others.into_iter().map(fault).collect())
}

/// Writes checkpoints. One of the same link is replaced only if it states the same hash.
pub(crate) async fn write(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    points: &[Point],
    is_anchor: bool,
    now: DateTime<Utc>,
) -> Result<()> {
    let signed: Vec<_> = points
        .iter()
        .map(|point| {
            keys.sign(Statement {
                account_id: point.account_id,
                seq: point.seq,
                hash: &point.hash,
                signed_micros: now.timestamp_micros(),
                is_anchor,
                beginning: Some(point.beginning),
            })
        })
        .collect();
    let public_keys: Vec<Option<&[u8]>> =
        signed.iter().map(|signed| signed.as_ref().map(|signed| signed.public_key.as_slice())).collect();
    let signatures: Vec<Option<&[u8]>> =
        signed.iter().map(|signed| signed.as_ref().map(|signed| signed.signature.as_slice())).collect();
    sql_query(
        "INSERT INTO audit_checkpoints AS stored
             (account_id, seq, hash, signed_at, is_anchor, public_key, signature, began_at)
         SELECT point.account_id, point.seq, point.hash, $1, $2, point.public_key, point.signature, point.began_at
         FROM unnest($3, $4, $5, $6, $7, $8) AS point (account_id, seq, hash, public_key, signature, began_at)
         ON CONFLICT (account_id, seq) DO UPDATE SET signed_at = EXCLUDED.signed_at,
             is_anchor = EXCLUDED.is_anchor, public_key = EXCLUDED.public_key, signature = EXCLUDED.signature,
             began_at = EXCLUDED.began_at
         WHERE stored.hash = EXCLUDED.hash",
    )
    .bind::<Timestamptz, _>(now)
    .bind::<Bool, _>(is_anchor)
    .bind::<Array<SqlUuid>, _>(points.iter().map(|point| point.account_id).collect::<Vec<_>>())
    .bind::<Array<BigInt>, _>(points.iter().map(|point| point.seq).collect::<Vec<_>>())
    .bind::<Array<Bytea>, _>(points.iter().map(|point| point.hash.as_slice()).collect::<Vec<_>>())
    .bind::<Array<Nullable<Bytea>>, _>(public_keys)
    .bind::<Array<Nullable<Bytea>>, _>(signatures)
    .bind::<Array<Nullable<Timestamptz>>, _>(
        points.iter().map(|point| point.beginning.at()).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct Anchor {
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = Bytea)]
    hash: Vec<u8>,
}

/// Signs the anchor that an imported chain begins at, after the chain was verified. Without a key it stays as it is.
///
/// # Errors
/// A failure of the database.
pub async fn adopt_anchor(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    account_id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    if keys.public_key().is_none() {
        return Ok(());
    }
    let anchors: Vec<Anchor> = sql_query(
        "SELECT seq, hash FROM audit_checkpoints WHERE account_id = $1 AND is_anchor
             AND seq = (SELECT min(seq) - 1 FROM audit_links WHERE account_id = $1)",
    )
    .bind::<SqlUuid, _>(account_id)
    .load(connection)
    .await?;
    let point = |Anchor { seq, hash }| Point { account_id, seq, hash, beginning: Beginning::Whole };
    let points: Vec<Point> = anchors.into_iter().map(point).collect();
    write(connection, keys, &points, true, now).await
}
