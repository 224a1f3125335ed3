//! Emission of events, by the account or the simulator.

use api_core::{ApiError, Result, State, access::SystemReason};
use automation_model::starts::{self, Emitter};
use foundation::outbox;
use live_model::{AccountEvent, EventRow, RowBuffer, Triggers, publish};
use uuid::Uuid;
use webhook_model::queue::{self, Occurrence};

use super::db;

/// Stores an event, publishes it and runs the handlers that it triggers. It is published only when it is
/// certain to be stored: its row is queued before. It is also written at once, so that the caller can read
/// it; while the database is away the queued row suffices.
///
/// # Errors
/// An error when Redis fails or the queue of rows is full.
pub(crate) async fn emit(state: &State, event: &AccountEvent) -> Result<()> {
    let triggers = triggers(state, event.account_id, event.platform.as_deref()).await?;
    start_automations(state, event).await?;
    emit_with(state, row(event).traced(), triggers).await
}

/// Like [`emit`], for an event of an automation's run: the runs that it starts are one deeper. It runs no
/// handlers: their events start automations, and the two would trigger each other without end.
///
/// # Errors
/// As [`emit`].
pub(crate) async fn emit_of_run(state: &State, event: &AccountEvent, run: Emitter) -> Result<()> {
    let mut connection = state.system(SystemReason::EventEmission).db().await?;
    starts::add_for_event(&mut connection, event, Some(run)).await?;
    drop(connection);
    emit_with(state, row(event), Triggers::None).await
}

/// Stores an event and publishes it, and runs no handlers.
///
/// # Errors
/// As [`emit`].
pub(crate) async fn show(state: &State, event: &AccountEvent) -> Result<()> {
    emit_with(state, row(event), Triggers::None).await
}

/// Row of an event whose source is Lumio. Runs of automations have no trace of a caller.
fn row(event: &AccountEvent) -> EventRow {
    EventRow::new(event.clone(), format!("emitted:{}", event.id))
}

async fn emit_with(state: &State, row: EventRow, triggers: Triggers) -> Result<()> {
    let event = &row.event;
    let pushed = RowBuffer::new(state.redis.clone()).push(std::slice::from_ref(&row)).await?;
    if pushed.shed > 0 {
        return Err(ApiError::internal("an event cannot be stored: as much waits as may"));
    }
    publish(&state.events, &state.jobs, event, triggers.clone()).await?;
    if let Err(error) = keep_job(state, event, triggers).await {
        tracing::warn!(event_id = %event.id, %error, "the job of an event is stored in Redis only");
    }
    if let Err(error) = write(state, &row).await {
        tracing::warn!(event_id = %event.id, %error, "an event is not written yet; its row stays queued");
    }
    Ok(())
}

/// Starts the automations that wait for an event. The job is stored, and repeated calls have no second effect.
///
/// # Errors
/// A failure of the database.
pub(crate) async fn start_automations(state: &State, event: &AccountEvent) -> Result<()> {
    let mut connection = state.system(SystemReason::EventEmission).db().await?;
    starts::add_for_event(&mut connection, event, None).await?;
    Ok(())
}

/// Stores the job that runs the handlers, because Redis may lose it.
async fn keep_job(state: &State, event: &AccountEvent, triggers: Triggers) -> Result<()> {
    if let Some((job, key)) = triggers.job(event)? {
        let mut connection = state.system(SystemReason::EventEmission).db().await?;
        outbox::add_relayed(&mut connection, &job, &key, state.clock.now()).await?;
    }
    Ok(())
}

/// Writes a row and adds its deliveries of webhooks, because Redis may lose the queued row. Who writes the queued row
/// adds them too, without a second effect (reference/webhooks.md#sources).
async fn write(state: &State, row: &EventRow) -> Result<()> {
    let system = state.system(SystemReason::EventEmission);
    db::insert(&mut *system.timeseries().await?, row).await?;
    let occurrence = Occurrence::of_event(row);
    queue::add(&mut *system.db().await?, &[occurrence], state.clock.now()).await?;
    Ok(())
}

/// Handlers that an event triggers. The bot responds only where the account has enabled it, as for events of
/// a platform. Events of no platform, and of one that is not connected, have no such switch.
pub(crate) async fn triggers(state: &State, account: Uuid, platform: Option<&str>) -> Result<Triggers> {
    let Some(platform) = platform else { return Ok(Triggers::Run { channel_id: None }) };
    let mut connection = state.system(SystemReason::EventEmission).db().await?;
    Ok(match db::channel(&mut connection, account, platform).await? {
        Some(channel) if !channel.bot_enabled => Triggers::None,
        channel => Triggers::Run { channel_id: channel.map(|channel| channel.platform_channel_id) },
    })
}
