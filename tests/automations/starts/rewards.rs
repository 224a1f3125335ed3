//! Starts by redemptions of rewards.

use super::*;

impl Stage {
    /// Links a reward of the channel with an action. Returns the id at Twitch, and its own.
    async fn reward(&self, title: &str, action: Value) -> (String, Uuid) {
        let of_streamer = self.app.platforms.add_twitch_reward(&self.streamer, title, 10);
        let reward = id::new();
        let mut db = self.app.databases.postgres.get().await.unwrap();
        sql_query(
            "INSERT INTO rewards (id, account_id, platform, platform_reward_id, is_managed, title, cost, action)
             VALUES ($1, $2, 'twitch', $3, false, $4, 10, $5)",
        )
        .bind::<SqlUuid, _>(reward)
        .bind::<SqlUuid, _>(self.owner.account_id)
        .bind::<Text, _>(&of_streamer.id)
        .bind::<Text, _>(title)
        .bind::<Jsonb, _>(action)
        .execute(&mut *db)
        .await
        .unwrap();
        (of_streamer.id, reward)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_by_redemptions_match_the_reward_and_ignore_its_status() {
    let stage = Stage::start().await;
    let (hydrate, hydrate_id) = stage.reward("Hydrate", json!({})).await;
    let (stretch, stretch_id) = stage.reward("Stretch", json!({})).await;
    let (automation, node) = stage.automate("reward_redeemed", json!({ "reward_id": hydrate_id })).await;
    let (other, _) = stage.automate("reward_redeemed", json!({ "reward_id": stretch_id })).await;
    let (any, _) = stage.automate("reward_redeemed", json!({ "reward_id": null })).await;
    let event = stage.app.platforms.redeem_on_twitch(&stage.streamer, &stage.viewer, &hydrate, "now");
    stage.deliver(&event).await;
    eventually("both start", async || stage.runs().await.len() == 2).await;
    let found = stage.runs().await;
    let run = found.iter().find(|run| run.automation_id == automation).expect("a run");
    assert_eq!((&run.trigger["node_id"], &run.trigger["type"]), (&json!(node), &json!("reward_redeemed")));
    assert_eq!(
        (&run.trigger["payload"]["reward_id"], &run.trigger["payload"]["input"]),
        (&json!(hydrate), &json!("now"))
    );
    // Its end is another event, and no redemption.
    stage.deliver(&event.redemption_update("fulfilled")).await;
    assert_eq!((stage.runs_of(automation).await, stage.runs_of(any).await), (1, 1));
    let event = stage.app.platforms.redeem_on_twitch(&stage.streamer, &stage.viewer, &stretch, "");
    stage.deliver(&event).await;
    eventually("both start", async || stage.runs().await.len() == 4).await;
    assert_eq!((stage.runs_of(other).await, stage.runs_of(automation).await), (1, 1));
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_by_redemptions_leave_the_automation_of_the_action_to_it() {
    let stage = Stage::start().await;
    stage.app.override_feature(stage.owner.account_id, "feature:rewards", true).await;
    let (automation, _) = stage.automate("reward_redeemed", json!({ "reward_id": null })).await;
    let (beside, _) = stage.automate("reward_redeemed", json!({ "reward_id": null })).await;
    let action = json!({ "type": "automation", "automation_id": automation });
    let (reward, _) = stage.reward("Start", action).await;
    let event = stage.app.platforms.redeem_on_twitch(&stage.streamer, &stage.viewer, &reward, "");
    stage.deliver(&event).await;
    eventually("the other one starts", async || stage.runs_of(beside).await == 1).await;
    assert_eq!(stage.runs_of(automation).await, 0, "its action starts it");
    stage.stop().await;
}
