//! Trigger nodes that chat lines, events, commands and rewards start.

use std::sync::Arc;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use serde_json::Value;
use shared::Result;
use uuid::Uuid;

use crate::{
    conditions::Effort,
    model::{Node, Position},
    triggers::{self, Trigger},
};

/// Maximum number of enabled automations of an account that chat lines and events start, the first ones by
/// their ids (reference/automations.md#triggers).
const MAX_STARTED_AUTOMATIONS: i64 = 200;
/// Maximum number of trigger nodes that a line or event is compared with, the first ones by automation and place
/// in it (reference/automations.md#triggers).
const MAX_STARTED_NODES: i64 = 1_000;
/// Types of the nodes that a chat line or an event starts.
const TYPES: [&str; 6] =
    ["event", "chat_command", "chat_keyword", "reward_redeemed", "stream_online", "stream_offline"];

/// Trigger node of an enabled automation.
#[derive(Debug, Clone)]
pub struct TriggerNode {
    /// Automation of the node.
    pub automation_id: Uuid,
    /// Id of the node.
    pub node_id: Uuid,
    /// Trigger that the node describes.
    pub trigger: Trigger,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    automation_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    node_type: String,
    #[diesel(sql_type = Jsonb)]
    config: Value,
}

impl Row {
    /// Reads the trigger; `None` for a configuration that is not valid.
    fn read(self) -> Option<TriggerNode> {
        let node = Node {
            id: self.id,
            r#type: self.node_type,
            label: None,
            config: self.config,
            position: Position::default(),
            install_id: None,
        };
        let trigger = triggers::parse(&node).ok()?;
        Some(TriggerNode { automation_id: self.automation_id, node_id: node.id, trigger })
    }
}

/// Returns the nodes of the account's enabled automations that chat lines and events start, by automation and
/// place in it.
///
/// No regular expression is compiled here, but when its trigger has the type and platform of an event. The filters of
/// all nodes share an effort, so the nodes are for one line or event.
///
/// # Errors
/// A failure of the database.
pub async fn trigger_nodes(connection: &mut AsyncPgConnection, account_id: Uuid) -> Result<Vec<TriggerNode>> {
    let rows: Vec<Row> = sql_query(
        "SELECT node.automation_id, node.id, node.node_type, node.config
         FROM (SELECT id FROM automations WHERE account_id = $1 AND enabled ORDER BY id LIMIT $3) AS automation
         JOIN automation_nodes AS node ON node.automation_id = automation.id
         WHERE node.account_id = $1 AND node.node_type = ANY($2)
         ORDER BY node.automation_id, node.position, node.id
         LIMIT $4",
    )
    .bind::<SqlUuid, _>(account_id)
    .bind::<Array<Text>, _>(TYPES.as_slice())
    .bind::<BigInt, _>(MAX_STARTED_AUTOMATIONS)
    .bind::<BigInt, _>(MAX_STARTED_NODES)
    .prepared()
    .load(connection)
    .await?;
    let effort = Arc::new(Effort::of_start());
    let mut nodes: Vec<TriggerNode> = rows.into_iter().filter_map(Row::read).collect();
    for node in &mut nodes {
        node.trigger.share(&effort);
    }
    Ok(nodes)
}

/// Returns the trigger nodes of an automation that have a type, by their place in it.
async fn nodes_of_type(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    automation_id: Uuid,
    node_type: &str,
) -> Result<Vec<TriggerNode>> {
    let rows: Vec<Row> = sql_query(
        "SELECT automation_id, id, node_type, config FROM automation_nodes
         WHERE account_id = $1 AND automation_id = $2 AND node_type = $3 ORDER BY position, id",
    )
    .bind::<SqlUuid, _>(account_id)
    .bind::<SqlUuid, _>(automation_id)
    .bind::<Text, _>(node_type)
    .load(connection)
    .await?;
    Ok(rows.into_iter().filter_map(Row::read).collect())
}

/// Returns the node of an automation that a bot command with the response type `automation` starts: the
/// `bot_command` node of the command for the platform, else a `manual` one.
///
/// # Errors
/// A failure of the database.
pub async fn node_of_command(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    automation_id: Uuid,
    name: &str,
    platform: &str,
) -> Result<Option<TriggerNode>> {
    let nodes = nodes_of_type(connection, account_id, automation_id, "bot_command").await?;
    let found = nodes.into_iter().find(|node| node.trigger.fires_for_command(name, platform));
    match found {
        None => manual_node(connection, account_id, automation_id).await,
        found => Ok(found),
    }
}

/// Returns the node of an automation that a reward with the action `automation` starts: one for the reward, else
/// one for every reward, else a `manual` one.
///
/// # Errors
/// A failure of the database.
pub async fn node_of_reward(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    automation_id: Uuid,
    reward: Uuid,
) -> Result<Option<TriggerNode>> {
    let mut nodes = nodes_of_type(connection, account_id, automation_id, "reward_redeemed").await?;
    nodes.retain(|node| node.trigger.fires_for_redemption(reward));
    // False sorts first.
    nodes.sort_by_key(|node| matches!(node.trigger, Trigger::RewardRedeemed { reward_id: None }));
    match nodes.into_iter().next() {
        None => manual_node(connection, account_id, automation_id).await,
        found => Ok(found),
    }
}

async fn manual_node(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    automation_id: Uuid,
) -> Result<Option<TriggerNode>> {
    let nodes = nodes_of_type(connection, account_id, automation_id, "manual").await?;
    Ok(nodes.into_iter().next())
}
