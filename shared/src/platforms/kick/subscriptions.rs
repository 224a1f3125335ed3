//! What Kick delivers: it drops what could not be delivered for a day, and everything when webhooks are switched off in
//! the application, without a word (specification D §4).

use serde::Deserialize;

use super::{KickClient, data};
use crate::{
    platforms::{Result, http::authorization},
    secret::Secret,
};

/// A subscription that stands at Kick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingSubscription {
    pub id: String,
    /// Such as `chat.message.sent`.
    pub event: String,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    event: String,
    broadcaster_user_id: u64,
}

impl KickClient {
    /// Lists the event subscriptions of a channel that stand, asked with the channel's own token.
    ///
    /// # Errors
    /// Any [`PlatformError`](crate::platforms::PlatformError).
    pub async fn event_subscriptions(
        &self,
        token: &Secret,
        broadcaster_user_id: &str,
    ) -> Result<Vec<StandingSubscription>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["public", "v1", "events", "subscriptions"]))
            .header("Authorization", authorization("Bearer", token)?)
            .query(&[("broadcaster_user_id", broadcaster_user_id)]);
        let rows: Vec<Row> = data(self.http.send("event_subscriptions", request).await?)?;
        let own = rows.into_iter().filter(|row| row.broadcaster_user_id.to_string() == broadcaster_user_id);
        Ok(own.map(|row| StandingSubscription { id: row.id, event: row.event }).collect())
    }
}
