//! Command that verifies the audit log.

use anyhow::{Context, ensure};
use api_core::State;
use audit_chain::{
    ChainKeys,
    verify::{Verdict, next_account, verify_account},
};
use foundation::db::Databases;
use uuid::Uuid;

use super::output::print;

/// Bytes of a public key.
const KEY_BYTES: usize = 32;

/// Verifies the chain of one account or of all, and prints a line for each fault and the sums.
///
/// # Errors
/// An error when a chain is broken, a key is malformed, or the database fails.
pub async fn verify_audit(
    state: &State,
    databases: &Databases,
    account: Option<Uuid>,
    public_keys: &[String],
    allows_untrusted: bool,
) -> anyhow::Result<()> {
    let public_keys = public_keys.iter().map(|key| parse(key)).collect::<anyhow::Result<Vec<_>>>()?;
    let keys = ChainKeys::new(&state.config.secrets.audit_keys)?
        .trusting(public_keys)
        .allowing_untrusted(allows_untrusted);
    let (mut sums, mut accounts, mut after) = (Verdict::default(), 0_u64, Uuid::nil());
    loop {
        let mut connection = databases.postgres.get().await?;
        let next = match account {
            Some(account) => (accounts == 0).then_some(account),
            None => next_account(&mut connection, after).await?,
        };
        let Some(next) = next else { break };
        let verdict = verify_account(&mut connection, &keys, next, state.clock.now()).await?;
        drop(connection);
        for fault in &verdict.faults {
            print(fault)?;
        }
        if verdict.further_faults > 0 {
            print(format_args!("account {next}: {} further faults", verdict.further_faults))?;
        }
        add(&mut sums, &verdict);
        (accounts, after) = (accounts + 1, next);
    }
    print(format_args!(
        "{accounts} accounts: {} links verified, {} entries erased in part, {} expired, {} from before the chain; \
         {} checkpoints signed, {} not by a trusted key",
        sums.links, sums.erased, sums.expired, sums.before, sums.signed, sums.untrusted
    ))?;
    let faults = sums.further_faults;
    ensure!(faults == 0, "the audit log was altered: faults: {faults}");
    Ok(())
}

/// Adds a verdict to the sums. All faults count as further ones there.
fn add(sums: &mut Verdict, verdict: &Verdict) {
    sums.links += verdict.links;
    sums.erased += verdict.erased;
    sums.expired += verdict.expired;
    sums.before += verdict.before;
    sums.signed += verdict.signed;
    sums.untrusted += verdict.untrusted;
    sums.further_faults += verdict.further_faults + u64::try_from(verdict.faults.len()).unwrap_or(u64::MAX);
}

fn parse(key: &str) -> anyhow::Result<Vec<u8>> {
    let bytes = hex::decode(key).ok().filter(|bytes| bytes.len() == KEY_BYTES);
    bytes.with_context(|| format!("`{key}` is no public key: 64 hexadecimal characters"))
}
