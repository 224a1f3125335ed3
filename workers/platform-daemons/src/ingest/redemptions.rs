//! Redemptions of rewards whose action is to run (reference/rewards.md#redemptions). Whether it ran is known
//! to the row of the redemption, so that a repeated delivery has no second effect.

use std::collections::HashMap;

use account_model::features;
use foundation::{jobs::RedeemReward, outbox};
use live_model::{
    AccountEvent, EventRow,
    rewards::{self, MAX_INPUT_LENGTH, MAX_REDEMPTION_ID_LENGTH, MAX_VIEWER_LENGTH},
};
use shared::{Result, catalogue::Feature, platform::Platform};
use uuid::Uuid;

use crate::PlatformContext;

/// Writes a job for each account that has an enabled reward with an action for the redeemed one. `rows` are
/// the event of the redemption in the accounts for which it happened.
pub(super) async fn enqueue(
    context: &PlatformContext,
    platform: Platform,
    redemption_id: &str,
    rows: &[EventRow],
) -> Result<()> {
    let events: HashMap<Uuid, &AccountEvent> =
        rows.iter().map(|row| (row.event.account_id, &row.event)).collect();
    let reward_id = rows.first().and_then(|row| row.event.data["reward_id"].as_str());
    let Some(reward_id) = reward_id.filter(|_| redemption_id.len() <= MAX_REDEMPTION_ID_LENGTH) else {
        return Ok(());
    };
    let accounts: Vec<Uuid> = events.keys().copied().collect();
    let mut connection = context.databases.postgres.get().await?;
    let found = rewards::with_action(&mut connection, &accounts, platform, reward_id).await?;
    if found.is_empty() {
        return Ok(());
    }
    let off = features::accounts_without(&mut connection, &accounts, Feature::Rewards.key()).await?;
    let jobs: Vec<(RedeemReward, String)> = found
        .into_iter()
        .filter(|(account, _)| !off.contains(account))
        .filter_map(|(account, reward)| Some(job(platform, redemption_id, reward, events.get(&account)?)))
        .collect();
    if !jobs.is_empty() {
        outbox::add_each(&mut connection, &jobs).await?;
    }
    Ok(())
}

fn job(
    platform: Platform,
    redemption_id: &str,
    reward_id: Uuid,
    event: &AccountEvent,
) -> (RedeemReward, String) {
    let name = event.display_name.as_ref().or(event.username.as_ref()).map(String::as_str);
    let job = RedeemReward {
        account_id: event.account_id,
        reward_id,
        platform: platform.slug().to_owned(),
        redemption_id: redemption_id.to_owned(),
        platform_user_id: event.platform_user_id.as_deref().map(|id| clipped(id, MAX_VIEWER_LENGTH)),
        user_name: clipped(name.unwrap_or_default(), MAX_VIEWER_LENGTH),
        input: clipped(event.message.as_deref().unwrap_or_default(), MAX_INPUT_LENGTH),
        cost: event.amount.and_then(|cost| i32::try_from(cost).ok()).unwrap_or_default().max(0),
        redeemed_at: event.occurred_at,
    };
    (job, format!("{reward_id}:{redemption_id}"))
}

fn clipped(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}
