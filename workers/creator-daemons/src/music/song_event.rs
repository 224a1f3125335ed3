//! Event of another song in the player: stored, published on `events:`, and run by handlers like every event of
//! the account (reference/music.md#events-of-music).

use account_model::features;
use automation_model::starts;
use chrono::SubsecRound;
use foundation::events::id_of_source;
use live_model::{
    AccountEvent, EventRow, RowBuffer, Triggers,
    music::{Playback, TRACK},
};
use serde_json::json;
use shared::Result;
use uuid::Uuid;

use super::Poller;

/// Prefix of the event's source, and its platform.
const SPOTIFY: &str = "spotify";

/// Publishes and stores the song of a poll. A repetition with the same poll has no second effect.
pub(super) async fn report(poller: &Poller, account: Uuid, playback: &Playback) -> Result<()> {
    let Some(row) = row_of(account, playback) else { return Ok(()) };
    let context = &poller.context;
    if is_switched_off(poller, account).await? {
        return Ok(());
    }
    let triggers = Triggers::Run { channel_id: None };
    live_model::publish(&context.events, &context.jobs, &row.event, triggers).await?;
    let mut connection = context.databases.postgres.get().await?;
    starts::add_for_event(&mut connection, &row.event, None).await?;
    drop(connection);
    let pushed = RowBuffer::new(context.redis.clone()).push(&[row]).await?;
    if pushed.shed > 0 {
        tracing::warn!(account_id = %account, "the event of a song is not stored: as much waits as may");
    }
    Ok(())
}

async fn is_switched_off(poller: &Poller, account: Uuid) -> Result<bool> {
    let mut connection = poller.context.databases.postgres.get().await?;
    let off = features::accounts_without(&mut connection, &[account], &features::of_event(TRACK)).await?;
    Ok(off.contains(&account))
}

fn row_of(account: Uuid, playback: &Playback) -> Option<EventRow> {
    let song = playback.song.as_ref()?;
    let occurred_at = playback.seen_at.trunc_subsecs(3);
    let source = format!("{SPOTIFY}:{account}:{}:{}", song.uri, occurred_at.timestamp_millis());
    let event = AccountEvent {
        id: id_of_source(&source, occurred_at),
        account_id: account,
        event_type: TRACK.to_owned(),
        platform: Some(SPOTIFY.to_owned()),
        platform_user_id: None,
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data: json!({
            "track_id": song.track_id,
            "title": song.title,
            "artist": song.artist(),
            "album": song.album,
            "duration_ms": song.duration_ms,
        }),
        is_test: false,
        occurred_at,
    };
    Some(EventRow::new(event, source))
}
