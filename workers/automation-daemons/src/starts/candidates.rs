//! Trigger nodes that a line or event may match.

use account_model::features;
use automation_model::{
    starts::{TriggerNode, command_prefix, trigger_nodes},
    triggers::{self, Trigger},
};
use diesel_async::AsyncPgConnection;
use foundation::jobs::StartAutomations;
use live_model::{AccountEvent, is_custom};
use serde_json::Value;
use shared::{Result, catalogue::Feature};
use uuid::Uuid;

use super::{occurrence::Occurrence, reward::RedeemedReward};

/// Trigger nodes of an account, and what the comparison with a line or event needs besides them.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// In the order of their automations.
    nodes: Vec<TriggerNode>,
    /// Prefix of commands; empty for an event.
    prefix: String,
    /// Reward of an event that is a redemption.
    reward: Option<RedeemedReward>,
    /// Automation that the action of the reward starts.
    started_by_action: Option<Uuid>,
}

impl Candidates {
    /// Reads the nodes; none while automations are switched off for the account.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn read(
        connection: &mut AsyncPgConnection,
        job: &StartAutomations,
        occurrence: &Occurrence,
    ) -> Result<Self> {
        let account_id = job.account_id;
        let keys = [Feature::Automations.key(), Feature::Rewards.key()];
        let off = features::switched_off(connection, &[account_id], &keys).await?;
        let is_off = |feature: Feature| off.contains(&(account_id, feature.key().to_owned()));
        if is_off(Feature::Automations) {
            return Ok(Self::default());
        }
        let nodes = trigger_nodes(connection, account_id).await?;
        Ok(match occurrence {
            Occurrence::Line(_) => {
                let prefix = command_prefix(connection, account_id).await?;
                Self { nodes, prefix, ..Self::default() }
            }
            Occurrence::Event(_) if job.is_update => Self { nodes, ..Self::default() },
            Occurrence::Event(event) => {
                let reward = RedeemedReward::of(connection, event).await?;
                let by_action = reward.filter(|_| !is_off(Feature::Rewards));
                let started_by_action = by_action.and_then(|reward| reward.started_automation);
                Self { nodes, reward, started_by_action, ..Self::default() }
            }
        })
    }

    /// True when the comparison evaluates regular expressions.
    pub fn have_patterns(&self, occurrence: &Occurrence) -> bool {
        let Occurrence::Event(event) = occurrence else { return false };
        let (event_type, platform) = (&event.event_type, event.platform.as_deref());
        self.nodes.iter().any(|node| node.trigger.has_patterns_for_event(event_type, platform))
    }

    /// Returns the nodes that a line or event matches, one of each automation.
    pub fn matching(self, occurrence: &Occurrence) -> Vec<TriggerNode> {
        let Self { mut nodes, prefix, reward, started_by_action } = self;
        match occurrence {
            Occurrence::Line(line) => {
                let line = triggers::Line::read(&line.message.text, &prefix, &line.message.platform);
                nodes.retain(|node| node.trigger.fires_for_line(&line));
            }
            Occurrence::Event(event) => {
                let published = occurrence.event();
                nodes.retain(|node| is_started(&node.trigger, event, &published, reward.as_ref()));
                // A reward whose action starts an automation starts it once.
                nodes.retain(|node| {
                    started_by_action != Some(node.automation_id) || !is_of_rewards(&node.trigger)
                });
            }
        }
        // Nodes are in the order of their automations: the first that matches starts its automation.
        nodes.dedup_by_key(|node| node.automation_id);
        nodes
    }
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
