//! Bans, time-outs and removed messages.

use reqwest::{RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::{YoutubeClient, api_message, checked, is_limit};
use crate::{
    Ban, Banned, ChatCredentials, ModeratedChannel, PlatformError, Result,
    http::{Answer, authorization, clip},
};

/// Reason of a 403 that concerns the token and not the target of the call.
const MISSING_SCOPE: &str = "insufficientPermissions";

#[derive(Deserialize)]
struct InsertedBan {
    id: String,
}

impl YoutubeClient {
    pub(super) async fn remove_message(&self, credentials: &ChatCredentials, message_id: &str) -> Result<()> {
        let url = self.config.api_url.endpoint(&["youtube", "v3", "liveChat", "messages"]);
        let request = authorized(self.http.delete(url).query(&[("id", message_id)]), credentials)?;
        allowed(self.http.send("delete_message", request).await?)?;
        Ok(())
    }

    pub(super) async fn ban(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        ban: &Ban,
    ) -> Result<Banned> {
        let mut snippet = json!({
            "liveChatId": channel.channel_id,
            "type": if ban.duration.is_some() { "temporary" } else { "permanent" },
            "bannedUserDetails": { "channelId": ban.user_id },
        });
        if let Some(duration) = ban.duration {
            snippet["banDurationSeconds"] = json!(duration.as_secs());
        }
        let url = self.config.api_url.endpoint(&["youtube", "v3", "liveChat", "bans"]);
        let request = self.http.post(url).query(&[("part", "snippet")]).json(&json!({ "snippet": snippet }));
        let answer = self.http.send("ban", authorized(request, credentials)?).await?;
        let inserted: InsertedBan = allowed(answer)?.json()?;
        Ok(Banned { ban_id: Some(inserted.id) })
    }
}

fn authorized(request: RequestBuilder, credentials: &ChatCredentials) -> Result<RequestBuilder> {
    Ok(request.header("Authorization", authorization("Bearer", &credentials.access_token)?))
}

/// Maps a 403 to a protected target (the owner or a moderator), unless it concerns the token or the quota.
fn allowed(answer: Answer) -> Result<Answer> {
    if answer.status != StatusCode::FORBIDDEN || is_limit(&answer) {
        return checked(answer);
    }
    let body = answer.error_body();
    if body["error"]["errors"][0]["reason"] == MISSING_SCOPE {
        return checked(answer);
    }
    let message = clip(api_message(&body).unwrap_or("the target may not be moderated"));
    Err(PlatformError::Forbidden { message })
}
