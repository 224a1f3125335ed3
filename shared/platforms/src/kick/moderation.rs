//! Removal of messages. Bans and time-outs exist on the platform but are not offered
//! (reference/platforms.md#not-offered).

use super::{KickClient, message};
use crate::{ChatCredentials, Result, http::authorization};

impl KickClient {
    pub(super) async fn remove_message(&self, credentials: &ChatCredentials, message_id: &str) -> Result<()> {
        let request = self
            .http
            .delete(self.config.api_url.endpoint(&["public", "v1", "chat", message_id]))
            .header("Authorization", authorization("Bearer", &credentials.access_token)?);
        self.http.send("delete_message", request).await?.success(message)?;
        Ok(())
    }
}
