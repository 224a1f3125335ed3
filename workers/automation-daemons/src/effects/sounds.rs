//! Sounds in the browser sources of the account.

use automation_model::effects::{PlaySound, StopSound};
use live_model::sounds::{find_playable, publish_play, publish_stop};
use serde_json::json;

use super::{Effects, Failure, Outcome, RunIdentity, features::must_be_on, nothing};

impl Effects {
    /// Plays a sound of the account or of one of its installs.
    pub(super) async fn play_sound(&self, run: &RunIdentity, play: &PlaySound) -> Outcome {
        let volume = play.volume.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&volume) {
            return Err(Failure::new("volume must be between 0 and 1"));
        }
        let mut connection = self.context.databases.postgres.get().await?;
        must_be_on(&mut connection, run, "play_sound").await?;
        let sound = find_playable(&mut connection, run.account(), play.sound_id).await?;
        drop(connection);
        let sound = sound.ok_or_else(|| Failure::new("Sound not found"))?;
        let (events, now) = (&self.context.events, self.context.clock.now());
        publish_play(events, &self.links, run.account(), &sound, (volume, None), now).await?;
        Ok(json!({ "sound_id": sound.id }))
    }

    /// Ends a sound, or all.
    pub(super) async fn stop_sound(&self, run: &RunIdentity, stop: &StopSound) -> Outcome {
        let mut connection = self.context.databases.postgres.get().await?;
        must_be_on(&mut connection, run, "stop_sound").await?;
        if let Some(id) = stop.sound_id
            && find_playable(&mut connection, run.account(), id).await?.is_none()
        {
            return Err(Failure::new("Sound not found"));
        }
        drop(connection);
        let now = self.context.clock.now();
        publish_stop(&self.context.events, run.account(), stop.sound_id, None, now).await?;
        Ok(nothing())
    }
}
