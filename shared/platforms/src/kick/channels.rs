//! Title of the stream.

use serde_json::json;

use super::{KickClient, message};
use crate::{ChatCredentials, Result, http::authorization};

impl KickClient {
    pub(super) async fn change_title(&self, credentials: &ChatCredentials, title: &str) -> Result<()> {
        let request = self
            .http
            .patch(self.config.api_url.endpoint(&["public", "v1", "channels"]))
            .header("Authorization", authorization("Bearer", &credentials.access_token)?)
            .json(&json!({ "stream_title": title }));
        self.http.send("set_title", request).await?.success(message)?;
        Ok(())
    }
}
