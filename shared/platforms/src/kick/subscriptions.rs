//! Existing event subscriptions. Kick drops them without notice after a day of failed deliveries, and all of
//! them when webhooks are switched off in the application (reference/platforms.md#kick-subscriptions).

use serde::Deserialize;

use super::{KickClient, data};
use crate::{Result, http::authorization};
use shared::secret::Secret;

/// Subscription that exists at Kick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveSubscription {
    /// Id of the subscription.
    pub id: String,
    /// Event type, such as `chat.message.sent`.
    pub event: String,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    event: String,
    broadcaster_user_id: u64,
}

impl KickClient {
    /// Lists the existing event subscriptions of a channel, with the token of the channel.
    ///
    /// # Errors
    /// Any [`PlatformError`](crate::PlatformError).
    pub async fn event_subscriptions(
        &self,
        token: &Secret,
        broadcaster_user_id: &str,
    ) -> Result<Vec<ActiveSubscription>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["public", "v1", "events", "subscriptions"]))
            .header("Authorization", authorization("Bearer", token)?)
            .query(&[("broadcaster_user_id", broadcaster_user_id)]);
        let rows: Vec<Row> = data(self.http.send("event_subscriptions", request).await?)?;
        let own = rows.into_iter().filter(|row| row.broadcaster_user_id.to_string() == broadcaster_user_id);
        Ok(own.map(|row| ActiveSubscription { id: row.id, event: row.event }).collect())
    }
}
