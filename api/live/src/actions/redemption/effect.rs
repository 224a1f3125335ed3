//! Effects of the actions of rewards (reference/rewards.md#actions).

use std::borrow::Cow;

use api_core::{Cx, Result, access::SystemReason};
use automation_model::{
    runs::{self, NewRun},
    starts,
};
use chrono::TimeDelta;
use diesel_async::AsyncConnection;
use extension_model::{actions::Send, bots::fill};
use foundation::{jobs::RestoreLayer, media_links::MediaLinks};
use live_model::{
    rewards::{RewardAction, layers},
    sounds::{find_playable, publish_play},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    super::{ActionErrorCode, Refusal, send},
    RewardRedemptionInput,
    db::Reward,
};

/// Runs the action of a reward.
///
/// # Errors
/// An error when a store fails. The action had no effect then.
pub(super) async fn run(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
) -> Result<Result<(), Refusal>> {
    match &reward.action {
        RewardAction::None => Ok(Ok(())),
        RewardAction::Automation { automation_id } => {
            start_automation(cx, reward, redemption, *automation_id).await
        }
        RewardAction::Sound { sound_id, volume } => play_sound(cx, reward, *sound_id, *volume).await,
        RewardAction::Chat { template } => send_message(cx, reward, redemption, template).await,
        RewardAction::Layer { layer_id, visible, duration_secs } => {
            let change =
                LayerChange { layer_id: *layer_id, visible: *visible, duration_secs: *duration_secs };
            change_layer(cx, reward, redemption, &change).await
        }
    }
}

async fn send_message(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
    template: &str,
) -> Result<Result<(), Refusal>> {
    let message = reward.platform.cut_chat_message(&filled_in(template, reward, redemption));
    if message.is_empty() {
        return Ok(Ok(()));
    }
    let send = Send { message, platform: Some(reward.platform), reply_to: None };
    Ok(send::send(cx, reward.account.uuid(), &send).await?.map(drop))
}

/// Text with its variables filled in. The choices of `{random:…}` are the same for the same redemption.
fn filled_in(template: &str, reward: &Reward, redemption: &RewardRedemptionInput) -> String {
    let seed = redemption.redemption_id.bytes();
    let seed = seed.fold(0_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let value = |name: &str| {
        Some(match name {
            "user" => Cow::Borrowed(redemption.user_name.as_str()),
            "reward" => Cow::Borrowed(reward.title.as_str()),
            "cost" => Cow::Owned(redemption.cost.to_string()),
            "input" => Cow::Borrowed(redemption.input.as_str()),
            _ => return None,
        })
    };
    fill(template, value, seed)
}

async fn play_sound(cx: &Cx, reward: &Reward, sound: Uuid, volume: f64) -> Result<Result<(), Refusal>> {
    let (state, now) = (cx.state(), cx.state().clock.now());
    let mut connection = state.system(SystemReason::HandlerAction).db().await?;
    let sound = find_playable(&mut connection, reward.account, sound).await?;
    drop(connection);
    let Some(sound) = sound else {
        return Ok(Err(Refusal::new(ActionErrorCode::NotFound, "the sound of the reward was deleted")));
    };
    let links = MediaLinks::new(&state.config);
    publish_play(&state.events, &links, reward.account, &sound, (volume, None), now).await?;
    Ok(Ok(()))
}

struct LayerChange {
    layer_id: Uuid,
    visible: bool,
    duration_secs: Option<i32>,
}

async fn change_layer(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
    change: &LayerChange,
) -> Result<Result<(), Refusal>> {
    let LayerChange { layer_id, visible, duration_secs } = *change;
    let (account_id, now) = (reward.account.uuid(), cx.state().clock.now());
    let restore = duration_secs.map(|secs| RestoreLayer {
        account_id,
        layer_id,
        visible: !visible,
        due_at: now + TimeDelta::seconds(secs.into()),
    });
    let key = format!("{}:{}", reward.id, redemption.redemption_id);
    let mut connection = cx.state().system(SystemReason::HandlerAction).db().await?;
    let is_there = connection
        .transaction(async |connection| match &restore {
            Some(job) => layers::change_for_a_time(connection, job, &key, now).await,
            None => {
                let changed = layers::set_visible(connection, account_id, layer_id, visible, now).await;
                changed.map(|changed| changed.is_some())
            }
        })
        .await?;
    if is_there {
        return Ok(Ok(()));
    }
    Ok(Err(Refusal::new(ActionErrorCode::NotFound, "the layer of the reward was deleted")))
}

async fn start_automation(
    cx: &Cx,
    reward: &Reward,
    redemption: &RewardRedemptionInput,
    automation: Uuid,
) -> Result<Result<(), Refusal>> {
    let mut connection = cx.state().system(SystemReason::HandlerAction).db().await?;
    let node = starts::node_of_reward(&mut connection, reward.account.uuid(), automation, reward.id);
    let Some(node) = node.await? else {
        let why = "the automation of the reward has no trigger for it";
        return Ok(Err(Refusal::new(ActionErrorCode::NotSupported, why)));
    };
    let (platform, user_id) = (reward.platform.slug(), redemption.platform_user_id.as_deref());
    let user = starts::user(Some(platform), user_id, None, Some(&redemption.user_name), &[]);
    let payload = json!({
        "reward_id": reward.id,
        "reward_title": reward.title,
        "platform": reward.platform,
        "redemption_id": redemption.redemption_id,
        "user_id": redemption.platform_user_id,
        "user_name": redemption.user_name,
        "input": redemption.input,
        "cost": redemption.cost,
        "user": user,
    });
    let run = NewRun {
        account: reward.account.uuid(),
        automation,
        trigger: starts::trigger_value(node.node_id, node.trigger.type_name(), payload),
        context: starts::context(Value::Null, user),
        dedupe_key: format!("redemption:{}", redemption.redemption_id),
        depth: 0,
        parent_run_id: None,
        is_test: false,
        now: cx.state().clock.now(),
    };
    Ok(match runs::start(&mut connection, run).await? {
        Some(run) if run.status == runs::SKIPPED => {
            let why = "the automation of the reward was started too often";
            Err(Refusal::new(ActionErrorCode::RateLimited, why))
        }
        Some(_started) => Ok(()),
        None => {
            let why = "the automation of the reward is switched off or was deleted";
            Err(Refusal::new(ActionErrorCode::NotSupported, why))
        }
    })
}
