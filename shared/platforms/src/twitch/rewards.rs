//! Rewards of channel points. Only the application that created a reward may change it, or end its
//! redemptions.

use reqwest::{RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::engagement::{NewReward, Redemption, RedemptionEnd, RewardChange};

use super::{TwitchClient, message};
use crate::{ChatCredentials, PlatformError, Result, http::Answer};

/// Beginning of the message of a 401 for a token without the scope of the call.
const MISSING_SCOPE: &str = "Missing scope";

#[derive(Deserialize)]
struct Rewards {
    data: Vec<Reward>,
}

#[derive(Deserialize)]
struct Reward {
    id: String,
}

impl TwitchClient {
    pub(super) async fn add_reward(
        &self,
        credentials: &ChatCredentials,
        reward: &NewReward,
    ) -> Result<String> {
        let body = json!({ "title": reward.title, "cost": reward.cost, "is_enabled": reward.is_enabled });
        let request = self.http.post(self.helix_url(&["channel_points", "custom_rewards"]));
        let request = request.query(&[("broadcaster_id", &reward.channel_id)]).json(&body);
        let answer = accepted(self.send_reward("create_reward", request, credentials).await?)?;
        let created = answer.json::<Rewards>()?.data.into_iter().next();
        Ok(created.ok_or_else(|| PlatformError::invalid("no reward in the answer"))?.id)
    }

    pub(super) async fn change_reward(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        reward_id: &str,
        change: &RewardChange,
    ) -> Result<()> {
        let RewardChange { title, cost, is_enabled } = change;
        let given = [
            ("title", title.as_deref().map(Value::from)),
            ("cost", cost.map(Value::from)),
            ("is_enabled", is_enabled.map(Value::from)),
        ];
        let given = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let request = self.http.patch(self.helix_url(&["channel_points", "custom_rewards"]));
        let request = request.query(&[("broadcaster_id", channel_id), ("id", reward_id)]);
        let request = request.json(&given.collect::<Map<_, _>>());
        accepted(self.send_reward("update_reward", request, credentials).await?).map(drop)
    }

    pub(super) async fn remove_reward(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        reward_id: &str,
    ) -> Result<()> {
        let request = self.http.delete(self.helix_url(&["channel_points", "custom_rewards"]));
        let request = request.query(&[("broadcaster_id", channel_id), ("id", reward_id)]);
        let answer = self.send_reward("delete_reward", request, credentials).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(());
        }
        accepted(answer).map(drop)
    }

    pub(super) async fn end_redemption(
        &self,
        credentials: &ChatCredentials,
        redemption: &Redemption,
        end: RedemptionEnd,
    ) -> Result<()> {
        let status = match end {
            RedemptionEnd::Fulfilled => "FULFILLED",
            RedemptionEnd::Refunded => "CANCELED",
        };
        let url = self.helix_url(&["channel_points", "custom_rewards", "redemptions"]);
        let request = self.http.patch(url).json(&json!({ "status": status })).query(&[
            ("id", &redemption.redemption_id),
            ("broadcaster_id", &redemption.channel_id),
            ("reward_id", &redemption.reward_id),
        ]);
        accepted(self.send_reward("update_redemption", request, credentials).await?).map(drop)
    }

    async fn send_reward(
        &self,
        call: &'static str,
        request: RequestBuilder,
        credentials: &ChatCredentials,
    ) -> Result<Answer> {
        self.http.send(call, self.acting(request, credentials)?).await
    }
}

/// Response of a success. A missing scope is a refusal: another token of the same grant lacks it too.
fn accepted(answer: Answer) -> Result<Answer> {
    if answer.status == StatusCode::UNAUTHORIZED
        && message(&answer.error_body()).is_some_and(|message| message.starts_with(MISSING_SCOPE))
    {
        return Err(PlatformError::rejected("The connection lacks the scope channel:manage:redemptions"));
    }
    answer.success(message)
}
