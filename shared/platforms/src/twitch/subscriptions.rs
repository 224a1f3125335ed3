//! Existing EventSub subscriptions (reference/platforms.md#eventsub).

use super::{
    TwitchClient,
    eventsub::{EventSubSubscription, Subscriptions},
    message,
};
use crate::Result;
use shared::secret::Secret;

impl TwitchClient {
    /// Lists the subscriptions of an application to a channel, whatever their state; `token` is one of the application,
    /// or of the channel for subscriptions of WebSockets. One page is enough: there are fewer topics than rows of a page.
    ///
    /// # Errors
    /// Any [`PlatformError`](crate::PlatformError).
    pub async fn eventsub_subscriptions_of(
        &self,
        client_id: &str,
        token: &Secret,
        channel_id: &str,
    ) -> Result<Vec<EventSubSubscription>> {
        let url = self.config.api_url.endpoint(&["helix", "eventsub", "subscriptions"]);
        let request = self.http.get(url).query(&[("user_id", channel_id)]);
        let request = self.helix(request, token, client_id)?;
        let answer = self.http.send("eventsub_subscriptions", request).await?.success(message)?;
        let found = answer.json::<Subscriptions>()?.data;
        Ok(found.into_iter().filter(|one| one.concerns(channel_id)).collect())
    }
}

impl EventSubSubscription {
    /// True when the condition names the user.
    fn concerns(&self, user_id: &str) -> bool {
        let mut named = self.condition.as_object().into_iter().flat_map(serde_json::Map::values);
        named.any(|value| value == user_id)
    }
}
