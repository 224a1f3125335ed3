//! Starts of other automations of the account.

use automation_model::{
    effects::RunAutomation,
    node_types::{Kind, NODE_TYPES},
    runs::{self, MAX_DEPTH, NewRun, SKIPPED},
    starts::{context, trigger_value},
};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use shared::Result;
use uuid::Uuid;

use super::{Effects, Failure, Outcome, RunIdentity, features::must_be_on};

#[derive(QueryableByName)]
struct TriggerNode {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    node_type: String,
}

impl Effects {
    /// Starts another automation of the account and does not wait for it.
    pub(super) async fn run_automation(
        &self,
        run: &RunIdentity,
        position: u32,
        given: &RunAutomation,
    ) -> Outcome {
        let depth = run.depth.saturating_add(1);
        if depth > MAX_DEPTH {
            return Err(Failure::new(format!(
                "Automations start each other at most {MAX_DEPTH} times in a row"
            )));
        }
        let mut connection = self.context.databases.postgres.get().await?;
        must_be_on(&mut connection, run, "run_automation").await?;
        let trigger = trigger_of(&mut connection, run, given).await?.ok_or_else(not_startable)?;
        let new_run = NewRun {
            account: run.account_id,
            automation: given.automation_id,
            trigger: trigger_value(trigger.id, &trigger.node_type, given.input.clone()),
            context: context(Value::Null, Value::Null),
            dedupe_key: format!("run:{}:{position}", run.run_id),
            depth,
            parent_run_id: Some(run.run_id),
            is_test: run.is_test,
            now: self.context.clock.now(),
        };
        let started = runs::start(&mut connection, new_run).await?;
        match started {
            Some(started) if started.status == SKIPPED => {
                Err(Failure::new("The automation was started too often"))
            }
            Some(started) => Ok(json!({ "run_id": started.id })),
            None => Err(not_startable()),
        }
    }
}

/// Trigger node that a run begins at: the first manual one, else the first one.
async fn trigger_of(
    connection: &mut AsyncPgConnection,
    run: &RunIdentity,
    given: &RunAutomation,
) -> Result<Option<TriggerNode>> {
    let triggers: Vec<&str> = NODE_TYPES
        .iter()
        .filter(|known| known.kind == Kind::Trigger && known.name != "extension")
        .map(|known| known.name)
        .collect();
    let sql = "
        SELECT id, node_type FROM automation_nodes
        WHERE account_id = $1 AND automation_id = $2 AND node_type = ANY ($3)
        ORDER BY node_type <> 'manual', position, id LIMIT 1";
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(run.account_id)
        .bind::<SqlUuid, _>(given.automation_id)
        .bind::<Array<Text>, _>(triggers)
        .get_result(connection)
        .await
        .optional()?)
}

fn not_startable() -> Failure {
    Failure::new("The automation is switched off or does not exist")
}
