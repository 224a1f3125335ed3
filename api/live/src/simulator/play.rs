//! Execution of a plan at its pace.

use api_core::{ApiError, Result, State, access::SystemReason};
use automation_model::starts;
use chrono::SubsecRound;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::{events::Event, jobs::RunTriggers};
use live_model::{AccountEvent, EventType, Triggers};
use serde_json::{Map, Value, json};
use shared::{id::AccountId, schema::accounts};
use simulation::{Happening, Person, plan};
use tokio::time::Instant;

use super::{Played, Simulation};
use crate::events::{Draft, check_type, emit, triggers};

/// Plays a simulation to its end.
///
/// # Errors
/// 404 for an unknown account; 403 when a type of event is switched off for it; 500 when a database or Redis
/// fails, which ends the simulation.
pub async fn play(state: &State, simulation: &Simulation) -> Result<Played> {
    must_exist(state, simulation).await?;
    let (began, start) = (state.clock.now().trunc_subsecs(3), Instant::now());
    let mut played = Played::default();
    for step in plan(&simulation.plan, began) {
        tokio::time::sleep_until(start + step.after).await;
        match step.what {
            Happening::Event { event_type, data } => {
                check_type(state, simulation.account, &event_type).await?;
                emit(state, &event(state, simulation, &event_type, data)?).await?;
                played.events += 1;
            }
            Happening::Chat { person, text } => {
                say(state, simulation, &person, text).await?;
                played.messages += 1;
            }
        }
    }
    Ok(played)
}

async fn must_exist(state: &State, simulation: &Simulation) -> Result<()> {
    let found: Option<uuid::Uuid> = accounts::table
        .filter(accounts::id.eq(simulation.account))
        .select(accounts::id.into_sql::<diesel::sql_types::Uuid>())
        .first(&mut *state.system(SystemReason::Simulation).db().await?)
        .await
        .optional()?;
    found.map(drop).ok_or_else(|| ApiError::not_found("Account not found"))
}

fn event(
    state: &State,
    simulation: &Simulation,
    event_type: &str,
    data: Map<String, Value>,
) -> Result<AccountEvent> {
    let draft = match EventType::find(event_type) {
        Some(known) => Draft::of(known, &data, true)?,
        None => Draft::custom(event_type.to_owned(), Some(simulation.plan.platform().to_owned()), data, true),
    };
    Ok(draft.into_event(simulation.account, shared::id::new(), state.clock.now()))
}

/// Publishes a line and runs the handlers that it triggers. It is marked as a test and no row is stored.
async fn say(state: &State, simulation: &Simulation, person: &Person, text: &str) -> Result<()> {
    let now = state.clock.now().trunc_subsecs(3);
    let message = person.line(simulation.account.uuid(), simulation.plan.platform(), text, now);
    let mut announcement = message.announcement()?;
    announcement.data["is_test"] = json!(true);
    state.events.append(&announcement).await?;
    let account_id = simulation.account.uuid();
    start_automations(state, &announcement, simulation.account, &message.text).await?;
    if let Triggers::Run { channel_id } = triggers(state, account_id, Some(&message.platform)).await? {
        let key = format!("{}:{account_id}", announcement.id);
        let job = RunTriggers { account_id, event: announcement, channel_id };
        state.jobs.enqueue(&job, &key).await?;
    }
    Ok(())
}

/// Starts the automations that wait for a line.
async fn start_automations(
    state: &State,
    announcement: &Event,
    account: AccountId,
    text: &str,
) -> Result<()> {
    let mut connection = state.system(SystemReason::Simulation).db().await?;
    starts::add_for_line(&mut connection, account.uuid(), announcement, text).await?;
    Ok(())
}
