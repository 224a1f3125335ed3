//! What happens to an event that is emitted, whoever emits it: the account, or the simulator.

use api_core::{Result, State};
use diesel_async::AsyncConnection;
use shared::ingest::{AccountEvent, Triggers, tell};
use uuid::Uuid;

use super::db;

/// Stores an event, tells sockets of it and runs what it triggers. Nothing of it is there when one of these fails:
/// the row is committed after the rest, whose repetition would have no second effect.
///
/// # Errors
/// When a database or Redis fails.
pub(crate) async fn emit(state: &State, event: &AccountEvent) -> Result<()> {
    let triggers = triggers(state, event.account_id, event.platform.as_deref()).await?;
    state
        .databases
        .timescaledb
        .get()
        .await?
        .transaction(async |connection| {
            db::insert(connection, event).await?;
            tell(&state.events, &state.jobs, event, triggers).await?;
            Ok::<_, api_core::ApiError>(())
        })
        .await
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
