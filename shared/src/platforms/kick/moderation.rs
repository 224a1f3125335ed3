//! Removing messages. Bans and time-outs exist on the platform but are not offered (B §4.7 rule 2, D §8).

use super::{KickClient, message};
use crate::platforms::{ChatCredentials, Result, http::authorization};

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
