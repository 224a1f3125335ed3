//! Bans, time-outs and removed messages.

use reqwest::{Method, RequestBuilder};
use serde_json::json;

use super::{TwitchClient, message};
use crate::{Ban, ChatCredentials, ModeratedChannel, PlatformError, Result};

impl TwitchClient {
    pub(super) async fn remove_message(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        message_id: &str,
    ) -> Result<()> {
        let request = self.moderation(Method::DELETE, &["chat"], credentials, channel)?;
        self.http
            .send("delete_message", request.query(&[("message_id", message_id)]))
            .await?
            .success(message)?;
        Ok(())
    }

    pub(super) async fn ban(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        ban: &Ban,
    ) -> Result<()> {
        let mut data = json!({ "user_id": ban.user_id });
        if let Some(duration) = ban.duration {
            data["duration"] = json!(duration.as_secs());
        }
        if let Some(reason) = &ban.reason {
            data["reason"] = json!(reason);
        }
        let request =
            self.moderation(Method::POST, &["bans"], credentials, channel)?.json(&json!({ "data": data }));
        match self.http.send("ban", request).await?.success(message) {
            // The requested state exists already.
            Err(PlatformError::Rejected { message })
                if ban.duration.is_none() && says_already_banned(&message) =>
            {
                Ok(())
            }
            other => other.map(drop),
        }
    }

    pub(super) async fn lift_ban(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        user_id: &str,
    ) -> Result<()> {
        let request = self.moderation(Method::DELETE, &["bans"], credentials, channel)?;
        self.http.send("unban", request.query(&[("user_id", user_id)])).await?.success(message)?;
        Ok(())
    }

    fn moderation(
        &self,
        method: Method,
        path: &[&str],
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
    ) -> Result<RequestBuilder> {
        let path: Vec<&str> = ["moderation"].into_iter().chain(path.iter().copied()).collect();
        let url = self.helix_url(&path);
        let request = if method == Method::DELETE { self.http.delete(url) } else { self.http.post(url) };
        let request = request.query(&[
            ("broadcaster_id", channel.channel_id.as_str()),
            ("moderator_id", channel.moderator_id.as_str()),
        ]);
        self.acting(request, credentials)
    }
}

fn says_already_banned(message: &str) -> bool {
    message.contains("already banned")
}
