//! Chain of the audit log of an imported account (reference/archives.md#trust).

use audit_chain::{
    ChainKeys, adopt_anchor,
    verify::{Verdict, verify_in_transaction},
};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Nullable, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use uuid::Uuid;

use crate::{Error, Result};

/// Number that no imported link reaches: half of the numbers stay for the entries to come.
const MAX_LINK: i64 = 1 << 52;
/// Faults that an error names. Further ones are counted.
const MAX_NAMED_FAULTS: usize = 10;

/// Chain of the audit log that was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct VerifiedChain {
    /// Links.
    pub links: u64,
    /// Checkpoints with a signature of a trusted key.
    pub signed: u64,
    /// Checkpoints with a signature of another key, and anchors without a signature.
    pub untrusted: u64,
}

#[derive(QueryableByName)]
struct Chain {
    #[diesel(sql_type = Bool)]
    is_whole: bool,
}

#[derive(QueryableByName)]
struct Odd {
    #[diesel(sql_type = Nullable<BigInt>)]
    seq: Option<i64>,
}

/// Begins the chain of the audit log before its entries are written. All of them have a link: those of the archive, and
/// others get one now.
pub(super) async fn begin(connection: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    sql_query(
        "INSERT INTO audit_chains (account_id, began_at, oldest_at) VALUES ($1, '-infinity', 'infinity')
         ON CONFLICT (account_id) DO NOTHING",
    )
    .bind::<SqlUuid, _>(account)
    .execute(connection)
    .await?;
    Ok(())
}

/// Verifies the chain whose entries are written, as the command for the whole log does. Checkpoints may have the
/// signature of another deployment, but a valid one. The anchor is then signed with the key of this deployment, because it
/// vouches for the chain from here on.
pub(super) async fn verify(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    keys: &ChainKeys,
    now: DateTime<Utc>,
) -> Result<VerifiedChain> {
    check_numbers(connection, account).await?;
    check_places(connection, account).await?;
    check_lengths(connection, account).await?;
    let verdict = verify_in_transaction(connection, keys, account, now).await?;
    if verdict.is_intact() {
        adopt_anchor(connection, keys, account, now).await?;
        let Verdict { links, signed, untrusted, .. } = verdict;
        return Ok(VerifiedChain { links, signed, untrusted });
    }
    Err(Error::Refused(format!("The audit log was altered: {}", named(&verdict))))
}

/// Refuses a chain that cannot be continued: one with gaps, one whose numbers come to an end, and checkpoints of links
/// that do not exist yet.
async fn check_numbers(connection: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    let chain: Chain = sql_query(
        "SELECT count(*) = 0 OR max(seq) - min(seq) + 1 = count(*) AND max(seq) < $2
             AND max(seq) >= (SELECT coalesce(max(seq), 0) FROM audit_checkpoints WHERE account_id = $1) AS is_whole
         FROM audit_links WHERE account_id = $1",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<BigInt, _>(MAX_LINK)
    .get_result(connection)
    .await?;
    if chain.is_whole {
        return Ok(());
    }
    Err(Error::Refused("The chain of the audit log has gaps, or numbers that are too large".to_owned()))
}

/// Refuses anchors that are not right before the first link, and other checkpoints that are before it. The chain would
/// be continued from there.
async fn check_places(connection: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    let odd: Odd = sql_query(
        "SELECT min(points.seq) AS seq FROM audit_checkpoints AS points
         CROSS JOIN (SELECT min(seq) AS seq FROM audit_links WHERE account_id = $1) AS first
         WHERE points.account_id = $1
             AND (points.is_anchor <> (points.seq < first.seq) OR points.seq < first.seq - 1)",
    )
    .bind::<SqlUuid, _>(account)
    .get_result(connection)
    .await?;
    match odd.seq {
        Some(seq) => Err(Error::Refused(format!(
            "Checkpoint {seq} of the audit log is out of place: only an anchor is before the first link, and only there"
        ))),
        None => Ok(()),
    }
}

/// Refuses hashes, keys and signatures of another length: whoever verifies the chain reads many of them at a time.
async fn check_lengths(connection: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    let odd: Odd = sql_query(
        "SELECT min(seq) AS seq FROM (
             SELECT seq FROM audit_links WHERE account_id = $1 AND (octet_length(salt) <> 32
                 OR octet_length(commitment) <> 32 OR octet_length(content) <> 32 OR octet_length(hash) <> 32)
             UNION ALL SELECT seq FROM audit_checkpoints WHERE account_id = $1 AND (octet_length(hash) <> 32
                 OR octet_length(public_key) <> 32 OR octet_length(signature) <> 64)) AS odd",
    )
    .bind::<SqlUuid, _>(account)
    .get_result(connection)
    .await?;
    match odd.seq {
        Some(seq) => Err(Error::Refused(format!(
            "Link {seq} of the audit log has a hash, a key or a signature of another length"
        ))),
        None => Ok(()),
    }
}

/// Faults as the command prints them.
fn named(verdict: &Verdict) -> String {
    let named: Vec<String> = verdict.faults.iter().take(MAX_NAMED_FAULTS).map(ToString::to_string).collect();
    let others = u64::try_from(verdict.faults.len().saturating_sub(named.len())).unwrap_or(u64::MAX);
    match others.saturating_add(verdict.further_faults) {
        0 => named.join("; "),
        further => format!("{}; further faults: {further}", named.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use audit_chain::verify::{Fault, Finding};

    use super::*;

    #[test]
    fn named_faults_are_a_number_of_them_and_the_count_of_the_others() {
        let fault = |seq| Fault {
            account_id: Uuid::nil(),
            seq: Some(seq),
            entry_id: None,
            finding: Finding::EntryChanged,
        };
        let of = |number| {
            let faults = (1..=number).map(fault).collect();
            named(&Verdict { faults, ..Verdict::default() })
        };
        assert_eq!(of(1), format!("account {}, link 1: the entry was changed", Uuid::nil()));
        assert!(!of(10).contains("further"), "{}", of(10));
        assert!(of(11).ends_with("link 10: the entry was changed; further faults: 1"), "{}", of(11));
    }
}
