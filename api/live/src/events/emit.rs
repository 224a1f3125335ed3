//! What happens to an event that is emitted, whoever emits it: the account, or the simulator.

use api_core::{ApiError, Result, State};
use shared::{
    ingest::{AccountEvent, EventRow, RowBuffer, Triggers, tell},
    outbox,
};
use uuid::Uuid;

use super::db;

/// Stores an event, then tells sockets of it and runs what it triggers. Nobody hears of an event that is not sure to be
/// stored: its row waits to be written before it is told. It is written at once as well, so that whoever is answered
/// finds it; while the database is away the waiting row must do.
///
/// # Errors
/// When Redis fails or as much waits as may.
pub(crate) async fn emit(state: &State, event: &AccountEvent) -> Result<()> {
    let triggers = triggers(state, event.account_id, event.platform.as_deref()).await?;
    let row = EventRow { event: event.clone(), platform_event_id: format!("emitted:{}", event.id) };
    let pushed = RowBuffer::new(state.redis.clone()).push(std::slice::from_ref(&row)).await?;
    if pushed.shed > 0 {
        return Err(ApiError::internal("an event cannot be stored: as much waits as may"));
    }
    tell(&state.events, &state.jobs, event, triggers.clone()).await?;
    if let Err(error) = keep_job(state, event, triggers).await {
        tracing::warn!(event_id = %event.id, %error, "the handlers of an event wait in Redis alone");
    }
    if let Err(error) = write(state, &row).await {
        tracing::warn!(event_id = %event.id, %error, "an event is written later");
    }
    Ok(())
}

/// Keeps the job that runs the handlers, because Redis may lose it.
async fn keep_job(state: &State, event: &AccountEvent, triggers: Triggers) -> Result<()> {
    if let Some((job, key)) = triggers.job(event)? {
        let mut connection = state.databases.postgres.get().await?;
        outbox::keep(&mut connection, &job, &key, state.clock.now()).await?;
    }
    Ok(())
}

async fn write(state: &State, row: &EventRow) -> Result<()> {
    db::insert(&mut *state.databases.timescaledb.get().await?, row).await
}

/// As with events of a platform, the bot answers only where the account has switched it on. Events of no platform,
/// and of one that is not connected, have nowhere else to be switched off.
pub(crate) async fn triggers(state: &State, account: Uuid, platform: Option<&str>) -> Result<Triggers> {
    let Some(platform) = platform else { return Ok(Triggers::Run { channel_id: None }) };
    let mut connection = state.databases.postgres.get().await?;
    Ok(match db::channel(&mut connection, account, platform).await? {
        Some(channel) if !channel.bot_enabled => Triggers::None,
        channel => Triggers::Run { channel_id: channel.map(|channel| channel.platform_channel_id) },
    })
}
