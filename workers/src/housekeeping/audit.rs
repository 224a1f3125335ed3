//! Upkeep of the audit log: signed checkpoints of its chains, and the end of entries and links beyond their retention
//! (reference/audit-chain.md).

use std::time::Duration;

use audit_chain::{ChainKeys, remove_expired, sign_open_chains, verify::Fault};
use foundation::telemetry::Metrics;
use prometheus::IntCounter;
use shared::Result;
use tokio::time::sleep;

use super::{
    budget::{Progress, TimeBudget},
    handled,
};
use worker_core::Context;

/// Pause after a step that could lock no chain.
const LOCKED_PAUSE: Duration = Duration::from_secs(1);

/// Counters of signed checkpoints and of refused chains. Cheap to clone.
#[derive(Clone)]
pub(super) struct AuditMetrics {
    signings: IntCounter,
    checkpoints: IntCounter,
    refusals: IntCounter,
}

impl AuditMetrics {
    /// Registers the counters.
    pub fn new(metrics: &Metrics) -> Result<Self> {
        let signings = metrics.counters(
            "lumio_audit_signings_total",
            "Passes after which no chain of the audit log waited for a signed checkpoint.",
            &[],
        )?;
        let checkpoints = metrics.counters(
            "lumio_audit_checkpoints_total",
            "Signed checkpoints of chains of the audit log.",
            &[],
        )?;
        let refusals = metrics.counters(
            "lumio_audit_refusals_total",
            "Chains of the audit log that were altered, and so were not signed or not shortened.",
            &[],
        )?;
        Ok(Self {
            signings: signings.with_label_values::<&str>(&[]),
            checkpoints: checkpoints.with_label_values::<&str>(&[]),
            refusals: refusals.with_label_values::<&str>(&[]),
        })
    }

    /// Logs and counts the chains that were refused.
    fn report(&self, refused: &[Fault]) {
        for fault in refused {
            tracing::error!(account = %fault.account_id, "the audit log was altered: {fault}");
        }
        self.refusals.inc_by(refused.len() as u64);
    }
}

/// Signs the chains that have new links. Without a key there is nothing to do.
pub(super) async fn sign(
    context: &Context,
    metrics: &AuditMetrics,
    budget: &mut TimeBudget,
) -> Result<Progress> {
    let keys = ChainKeys::new(&context.config.secrets.audit_keys)?;
    if keys.public_key().is_none() {
        tracing::warn!("the audit log gets no checkpoints: LUMIO_AUDIT_KEYS is not set");
        return Ok(Progress::Completed);
    }
    let mut signed = 0;
    while budget.allows_step() {
        let mut connection = context.databases.postgres.get().await?;
        let step = sign_open_chains(&mut connection, &keys, context.clock.now()).await?;
        drop(connection);
        metrics.report(&step.refused);
        if step.is_over() {
            tracing::info!(checkpoints = signed, "chains of the audit log signed");
            metrics.signings.inc();
            return Ok(Progress::Completed);
        }
        metrics.checkpoints.inc_by(step.signed as u64);
        signed += step.signed;
        if step.handled == 0 {
            // All are written at the moment.
            sleep(LOCKED_PAUSE).await;
        }
    }
    Ok(Progress::Pending)
}

/// Deletes the entries beyond their retention, and then their links.
pub(super) async fn forget(
    context: &Context,
    metrics: &AuditMetrics,
    budget: &mut TimeBudget,
) -> Result<Progress> {
    if handled::forget_audit(context, budget).await? == Progress::Pending {
        return Ok(Progress::Pending);
    }
    let keys = ChainKeys::new(&context.config.secrets.audit_keys)?;
    while budget.allows_step() {
        let mut connection = context.databases.postgres.get().await?;
        let step = remove_expired(&mut connection, &keys, context.clock.now()).await?;
        drop(connection);
        metrics.report(&step.refused);
        if step.due == 0 {
            return Ok(Progress::Completed);
        }
        if step.handled == 0 {
            // All are written at the moment, or were shortened by another copy.
            sleep(LOCKED_PAUSE).await;
        }
    }
    Ok(Progress::Pending)
}
