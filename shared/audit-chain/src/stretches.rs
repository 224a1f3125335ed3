//! Stretches of chains that are recomputed before a checkpoint of their end is signed
//! (reference/audit-chain.md#checkpoints).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bytea, Nullable, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::Result;
use uuid::Uuid;

use crate::{
    checkpoints::Checkpoint,
    faults::{Fault, Finding},
    hashes::{Linked, beginning},
    keys::{Beginning, ChainKeys},
    times,
};

/// Links of one query, over all chains of it.
const LINKS_PER_QUERY: i64 = 20_000;

/// Part of a chain from a place whose hash is known.
#[derive(Debug)]
pub(crate) struct Stretch {
    pub account_id: Uuid,
    /// Number of the last link that was recomputed.
    pub seq: i64,
    /// Its hash; `None` before the link of the checkpoint was read.
    pub hash: Option<Vec<u8>>,
    /// Finding that ended it.
    pub fault: Option<Fault>,
    /// True when every link was read.
    pub is_complete: bool,
    /// True when a link was recomputed.
    pub has_links: bool,
    /// Hash that the first link must have, with the time of its signature.
    stated: Option<(Vec<u8>, DateTime<Utc>)>,
}

#[derive(QueryableByName)]
struct Link {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = SqlUuid)]
    entry_id: Uuid,
    #[diesel(sql_type = BigInt)]
    created_micros: i64,
    #[diesel(sql_type = Bytea)]
    content: Vec<u8>,
    #[diesel(sql_type = Bytea)]
    hash: Vec<u8>,
}

#[derive(QueryableByName)]
struct First {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = Nullable<Bytea>)]
    anchor: Option<Vec<u8>>,
}

impl Stretch {
    /// Stretch from a checkpoint on. Its link is compared, unless retention has removed it.
    pub fn from_checkpoint(checkpoint: &Checkpoint) -> Self {
        let Checkpoint { account_id, seq, hash, signed_at, is_anchor, .. } = checkpoint;
        match is_anchor {
            true => Self::after(*account_id, *seq, Some(hash.clone())),
            false => {
                Self { stated: Some((hash.clone(), *signed_at)), ..Self::after(*account_id, *seq - 1, None) }
            }
        }
    }

    fn after(account_id: Uuid, seq: i64, hash: Option<Vec<u8>>) -> Self {
        Self { account_id, seq, hash, fault: None, is_complete: false, has_links: false, stated: None }
    }

    /// Stretch from the first stored link on, which follows the beginning of the chain or an anchor.
    fn from_first(first: First) -> Self {
        let First { account_id, seq, anchor } = first;
        let hash = if seq == 1 { Some(beginning(account_id)) } else { anchor };
        let mut stretch = Self::after(account_id, seq - 1, hash);
        if stretch.hash.is_none() {
            stretch.refuse(seq - 1, Finding::LinksMissing { from: 1 });
        }
        stretch
    }

    /// Refuses a checkpoint that no trusted key signed, or that states an earlier beginning than the one of the chain.
    pub fn hold_against(&mut self, checkpoint: &Checkpoint, keys: &ChainKeys, begun: Beginning) {
        if let Some(finding) = checkpoint.objection(keys, begun) {
            self.refuse(checkpoint.seq, finding);
        }
    }

    /// Ends the stretch with a finding.
    pub fn refuse(&mut self, seq: i64, finding: Finding) {
        let account_id = self.account_id;
        self.fault.get_or_insert(Fault { account_id, seq: Some(seq), entry_id: None, finding });
    }

    const fn is_open(&self) -> bool {
        self.fault.is_none() && !self.is_complete
    }

    fn step(&mut self, link: &Link) {
        if self.fault.is_some() {
            return;
        }
        if link.seq != self.seq + 1 {
            let finding = Finding::LinksMissing { from: self.seq + 1 };
            return self.refuse(link.seq - 1, finding);
        }
        let linked = Linked::new(link.seq, link.entry_id, link.created_micros, &link.content);
        let finding = match (&self.hash, &self.stated) {
            (Some(previous), _) => (!linked.follows(previous, &link.hash)).then_some(Finding::LinkChanged),
            (None, Some((hash, signed_at))) => {
                (*hash != link.hash).then_some(Finding::CheckpointDiffers { signed_at: *signed_at })
            }
            (None, None) => Some(Finding::LinksMissing { from: link.seq }),
        };
        match finding {
            Some(finding) => self.refuse(link.seq, finding),
            None => {
                (self.seq, self.hash, self.has_links) = (link.seq, Some(link.hash.clone()), true);
            }
        }
    }

    /// Ends the stretch at the last link. The link of its checkpoint must have been there, or one after its anchor:
    /// retention leaves the newest link.
    fn end(&mut self) {
        self.is_complete = true;
        if !self.has_links {
            let missing = self.seq + 1;
            self.refuse(missing, Finding::LinksMissing { from: missing });
        }
    }
}

/// Stretches from the first stored link of each chain. A chain without links has none.
pub(crate) async fn from_first_links(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<Vec<Stretch>> {
    let firsts: Vec<First> = sql_query(
        "SELECT chain.account_id, first.seq,
             (SELECT points.hash FROM audit_checkpoints AS points WHERE points.account_id = chain.account_id
                  AND points.seq = first.seq - 1 AND points.is_anchor) AS anchor
         FROM unnest($1) AS chain (account_id)
         CROSS JOIN LATERAL (SELECT links.seq FROM audit_links AS links
             WHERE links.account_id = chain.account_id ORDER BY links.seq LIMIT 1) AS first",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .load(connection)
    .await?;
    Ok(firsts.into_iter().map(Stretch::from_first).collect())
}

/// Recomputes the links of the stretches up to a number, in rounds of one query each. After `max_links` it stops, and
/// the stretches that are not through are neither complete nor refused. Returns the number of links that were read.
pub(crate) async fn recompute(
    connection: &mut AsyncPgConnection,
    stretches: &mut BTreeMap<Uuid, Stretch>,
    (until, max_links): (i64, usize),
) -> Result<usize> {
    let mut read = 0;
    while read < max_links {
        let open: Vec<(Uuid, i64)> = stretches
            .values()
            .filter(|stretch| stretch.is_open())
            .map(|stretch| (stretch.account_id, stretch.seq))
            .collect();
        let Some(chains) = i64::try_from(open.len()).ok().filter(|chains| *chains > 0) else { break };
        let limit = (LINKS_PER_QUERY / chains).max(1);
        let links = page(connection, &open, until, limit).await?;
        read += links.len();
        let mut found: BTreeMap<Uuid, i64> = BTreeMap::new();
        for link in &links {
            *found.entry(link.account_id).or_default() += 1;
            if let Some(stretch) = stretches.get_mut(&link.account_id) {
                stretch.step(link);
            }
        }
        for (account, _) in &open {
            let is_last = found.get(account).copied().unwrap_or_default() < limit;
            if let Some(stretch) = stretches.get_mut(account).filter(|_| is_last) {
                stretch.end();
            }
        }
    }
    Ok(read)
}

/// Links after the given ones in the order of their chains.
async fn page(
    connection: &mut AsyncPgConnection,
    open: &[(Uuid, i64)],
    until: i64,
    limit: i64,
) -> Result<Vec<Link>> {
    let (accounts, seqs): (Vec<Uuid>, Vec<i64>) = open.iter().copied().unzip();
    Ok(sql_query(format!(
        "SELECT link.* FROM unnest($1, $2) AS chain (account, after)
         CROSS JOIN LATERAL (SELECT account_id, seq, entry_id, {} AS created_micros, content, hash
             FROM audit_links WHERE account_id = chain.account AND seq > chain.after AND seq <= $3
             ORDER BY seq LIMIT $4) AS link
         ORDER BY link.account_id, link.seq",
        times::micros("created_at")
    ))
    .bind::<Array<SqlUuid>, _>(accounts)
    .bind::<Array<BigInt>, _>(seqs)
    .bind::<BigInt, _>(until)
    .bind::<BigInt, _>(limit)
    .load(connection)
    .await?)
}
