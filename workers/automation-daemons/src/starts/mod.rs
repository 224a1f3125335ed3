//! Starts of automations by chat lines and events (reference/automations.md#triggers): a job holds the line or
//! event, and starts a run for each trigger node that it matches.

mod occurrence;
mod reward;

use std::sync::Arc;

use account_model::features;
use apalis::prelude::{AbortError, BoxDynError, Data};
use automation_model::{
    runs::{self, MAX_DEPTH, NewRun},
    starts::{TriggerNode, command_prefix, context, trigger_nodes, trigger_value},
    triggers::{self, Trigger},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::jobs::StartAutomations;
use live_model::{AccountEvent, is_custom};
use prometheus::IntCounterVec;
use serde_json::Value;
use shared::{Error, Result, catalogue::Feature};
use tokio_util::sync::CancellationToken;
use worker_core::{Context, JOB_DRAIN_TIMEOUT};

use crate::engine::Engine;
use occurrence::{Occurrence, Unreadable};
use reward::RedeemedReward;

/// Handler of the jobs. Cheap to clone.
#[derive(Clone)]
struct Starter {
    context: Context,
    engine: Arc<Engine>,
    /// Starts by outcome.
    starts: IntCounterVec,
}

/// Reason why a job failed.
#[derive(Debug, thiserror::Error)]
enum JobFailure {
    /// Retry: another run may succeed.
    #[error(transparent)]
    Store(#[from] Error),
    /// Permanent: no run can succeed.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

/// Runs until `shutdown` is cancelled.
///
/// # Errors
/// A failure of the queue.
pub(crate) async fn run(
    context: &Context,
    engine: Arc<Engine>,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let starts = context.metrics.counters(
        "lumio_automation_starts_total",
        "Starts of automations by chat lines and events, by outcome.",
        &["outcome"],
    )?;
    let starter = Starter { context: context.clone(), engine, starts };
    let queue = context.queue::<StartAutomations>()?;
    queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| queue.worker().data(starter.clone()).build(start_automations))
        .run_with_signal(async move {
            shutdown.cancelled_owned().await;
            Ok(())
        })
        .await?;
    Ok(())
}

async fn start_automations(job: StartAutomations, starter: Data<Starter>) -> Result<(), BoxDynError> {
    match starter.start(&job).await {
        Ok(()) => Ok(()),
        Err(failure @ JobFailure::Store(_)) => Err(failure.into()),
        Err(failure @ JobFailure::Unreadable(_)) => Err(AbortError::new(failure).into()),
    }
}

impl Starter {
    /// Starts a run for each node that the line or event of a job matches. A repeated job starts nothing more.
    async fn start(&self, job: &StartAutomations) -> Result<(), JobFailure> {
        let occurrence = Occurrence::of(&job.event, job.channel_id.as_deref())?;
        if job.depth > MAX_DEPTH {
            // Automations that emit the events which start them end here.
            self.starts.with_label_values(&["too_deep"]).inc();
            return Ok(());
        }
        let mut connection = self.context.databases.postgres.get().await?;
        let matching = matching_nodes(&mut connection, job, &occurrence).await?;
        if matching.is_empty() {
            self.starts.with_label_values(&["unmatched"]).inc();
            return Ok(());
        }
        let runs: Vec<NewRun> = matching.iter().map(|node| self.new_run(job, &occurrence, node)).collect();
        let statuses = connection.transaction(async |connection| start_each(connection, runs).await).await?;
        if !statuses.is_empty() {
            // The job of the run comes by the outbox, up to half a second later.
            self.engine.wake(job.account_id);
        }
        for status in statuses {
            self.starts.with_label_values(&[status.as_str()]).inc();
        }
        Ok(())
    }

    fn new_run(&self, job: &StartAutomations, occurrence: &Occurrence, node: &TriggerNode) -> NewRun {
        NewRun {
            account: job.account_id,
            automation: node.automation_id,
            trigger: trigger_value(node.node_id, node.trigger.type_name(), occurrence.payload(node)),
            context: context(occurrence.event(), occurrence.user()),
            dedupe_key: format!("event:{}", job.event.id),
            depth: job.depth,
            parent_run_id: job.parent_run_id,
            is_test: occurrence.is_test(),
            now: self.context.clock.now(),
        }
    }
}

/// Starts runs in one transaction. Returns the statuses of the new ones.
async fn start_each(connection: &mut AsyncPgConnection, runs: Vec<NewRun>) -> Result<Vec<String>> {
    let mut statuses = Vec::new();
    // In the order of the automations, so that two jobs lock them in the same order.
    for run in runs {
        let started = runs::start(connection, run).await?;
        statuses.extend(started.filter(|started| started.is_new).map(|started| started.status));
    }
    Ok(statuses)
}

/// Returns the nodes that a line or event matches; none while automations are switched off for the account.
async fn matching_nodes(
    connection: &mut AsyncPgConnection,
    job: &StartAutomations,
    occurrence: &Occurrence,
) -> Result<Vec<TriggerNode>> {
    let account_id = job.account_id;
    let keys = [Feature::Automations.key(), Feature::Rewards.key()];
    let off = features::switched_off(connection, &[account_id], &keys).await?;
    let is_off = |feature: Feature| off.contains(&(account_id, feature.key().to_owned()));
    if is_off(Feature::Automations) {
        return Ok(Vec::new());
    }
    let mut nodes = trigger_nodes(connection, account_id).await?;
    match occurrence {
        Occurrence::Line(line) => {
            let prefix = command_prefix(connection, account_id).await?;
            let line = triggers::Line::read(&line.message.text, &prefix, &line.message.platform);
            nodes.retain(|node| node.trigger.fires_for_line(&line));
        }
        Occurrence::Event(event) => {
            let reward = match job.is_update {
                true => None,
                false => RedeemedReward::of(connection, event).await?,
            };
            let published = occurrence.event();
            nodes.retain(|node| is_started(&node.trigger, event, &published, reward.as_ref()));
            // A reward whose action starts an automation starts it once.
            let by_action = reward.filter(|_| !is_off(Feature::Rewards));
            let by_action = by_action.and_then(|reward| reward.started_automation);
            nodes.retain(|node| by_action != Some(node.automation_id) || !is_of_rewards(&node.trigger));
        }
    }
    // Nodes are in the order of their automations: the first that matches starts its automation.
    nodes.dedup_by_key(|node| node.automation_id);
    Ok(nodes)
}

/// True when an event starts a trigger. `published` is its published form, and `reward` that of a redemption.
fn is_started(
    trigger: &Trigger,
    event: &AccountEvent,
    published: &Value,
    reward: Option<&RedeemedReward>,
) -> bool {
    if is_of_rewards(trigger) {
        return reward.is_some_and(|reward| trigger.fires_for_redemption(reward.id.unwrap_or_default()));
    }
    // An event of the account's own may have the name of one of a platform.
    let is_allowed = matches!(trigger, Trigger::Event { .. }) || !is_custom(&event.event_type);
    is_allowed && trigger.fires_for_event(&event.event_type, event.platform.as_deref(), published)
}

const fn is_of_rewards(trigger: &Trigger) -> bool {
    matches!(trigger, Trigger::RewardRedeemed { .. })
}
