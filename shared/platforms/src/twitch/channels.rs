//! Title of the stream, and clips of it.

use serde::Deserialize;
use serde_json::json;

use super::{TwitchClient, message};
use crate::{ChatCredentials, Clip, PlatformError, Result};

#[derive(Deserialize)]
struct Clips {
    data: Vec<CreatedClip>,
}

#[derive(Deserialize)]
struct CreatedClip {
    id: String,
    edit_url: Option<String>,
}

impl TwitchClient {
    pub(super) async fn change_title(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        title: &str,
    ) -> Result<()> {
        let request = self
            .http
            .patch(self.helix_url(&["channels"]))
            .query(&[("broadcaster_id", channel_id)])
            .json(&json!({ "title": title }));
        let request = self.acting(request, credentials)?;
        self.http.send("set_title", request).await?.success(message)?;
        Ok(())
    }

    pub(super) async fn clip(&self, credentials: &ChatCredentials, channel_id: &str) -> Result<Clip> {
        let request = self.http.post(self.helix_url(&["clips"])).query(&[("broadcaster_id", channel_id)]);
        let request = self.acting(request, credentials)?;
        let made: Clips = self.http.send("create_clip", request).await?.success(message)?.json()?;
        let made = made.data.into_iter().next();
        let made = made.ok_or_else(|| PlatformError::invalid("no clip in the answer"))?;
        Ok(Clip { id: made.id, edit_url: made.edit_url })
    }
}
