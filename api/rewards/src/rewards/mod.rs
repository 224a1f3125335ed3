//! Rewards of an account (reference/rewards.md#rewards): those that Lumio created at Twitch, and those of a
//! platform that are linked by their id.

mod action;
mod channel;
mod db;
mod fields;
pub mod graphql;
mod lease;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Json,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    engagement::RewardChange,
    id::AccountId,
    platform::Platform,
};
use surfaces::object_access::{ObjectAccess, ObjectKind};
use utoipa::ToSchema;
use uuid::Uuid;

use channel::Channel;
use fields::{Change, Draft, MAX_COST, MAX_PLATFORM_REWARD_ID_LENGTH, MAX_TITLE_LENGTH, MIN_COST, PLATFORMS};
use lease::exclusively;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&REWARDS, &REWARD, &CREATE_REWARD, &UPDATE_REWARD, &DELETE_REWARD];

/// Number of rewards of an account (reference/rewards.md#rewards).
const MAX_REWARDS: i64 = 200;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "rewards",
        MAX_REWARDS,
        "SELECT count(*) FROM rewards WHERE account_id = $1",
    )
}

/// Reward of channel points.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Reward {
    /// Identifier.
    pub id: Uuid,
    /// Identifier of the account.
    pub account_id: Uuid,
    /// `twitch` or `kick`.
    pub platform: String,
    /// The platform's id of the reward.
    pub platform_reward_id: String,
    /// Displayed text.
    pub title: String,
    /// Price in channel points.
    pub cost: i32,
    /// True when a redemption runs the action.
    pub enabled: bool,
    /// Action of a redemption: `{}` or `{ type: none }`, `{ type: automation, automation_id }`,
    /// `{ type: sound, sound_id, volume }`, `{ type: chat, template }`,
    /// `{ type: layer, layer_id, visible, duration_secs }`.
    #[schema(value_type = Object)]
    pub action: Json,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// New reward.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({
    "platform": "twitch",
    "platform_reward_id": "92af127c-7326-4483-a52b-b0da0be61c01",
    "title": "Say hello",
    "cost": 500,
    "action": { "type": "chat", "template": "{user} says hello: {input}" },
}))]
pub struct CreateRewardInput {
    /// `twitch` or `kick`.
    #[schema(extensions(("enum" = json!(PLATFORMS))))]
    pub platform: String,
    /// Id of a reward that exists at the platform, 1 to 255 characters. Absent or null: Lumio creates the reward
    /// at Twitch.
    #[schema(extensions(("maxLength" = json!(MAX_PLATFORM_REWARD_ID_LENGTH))))]
    pub platform_reward_id: Option<String>,
    /// 1 to 45 characters.
    #[schema(extensions(("maxLength" = json!(MAX_TITLE_LENGTH))))]
    pub title: String,
    /// 1 to 1,000,000 channel points.
    #[schema(extensions(("minimum" = json!(MIN_COST)), ("maximum" = json!(MAX_COST))))]
    pub cost: i32,
    /// Action of a redemption in one of the forms of a reward; none when absent. A reward of `kick` has none.
    #[schema(value_type = Option<Object>)]
    pub action: Option<Json>,
}

/// Change of a reward. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "title": "Say hi", "enabled": false }))]
pub struct UpdateReward {
    /// 1 to 45 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_TITLE_LENGTH))))]
    pub title: Patch<String>,
    /// 1 to 1,000,000 channel points.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(MIN_COST)), ("maximum" = json!(MAX_COST))))]
    pub cost: Patch<i32>,
    /// True lets a redemption run the action.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
    /// Action of a redemption in one of the forms of a reward. It replaces the whole action.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub action: Patch<Json>,
}

pub static REWARDS: Operation<AccountCaller> =
    Operation::account("rewards", AccountPermission::RewardsRead, Grants::Nothing)
        .feature(Feature::Rewards)
        .polled();

/// Lists the account's rewards, oldest first.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn rewards(cx: &Cx) -> Result<Vec<Reward>> {
    let caller = cx.authorize(&REWARDS).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

pub static REWARD: Operation<AccountCaller> =
    Operation::account("reward", AccountPermission::RewardsRead, Grants::Nothing).feature(Feature::Rewards);

/// Returns a reward of the account.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such reward.
#[api_core::operation]
pub async fn reward(cx: &Cx, id: Input<Uuid>) -> Result<Reward> {
    let caller = cx.authorize(&REWARD).await?;
    Ok(found(&caller, id?).await?.into())
}

pub static CREATE_REWARD: Operation<AccountCaller> =
    Operation::account("createReward", AccountPermission::RewardsCreate, Grants::Nothing)
        .feature(Feature::Rewards)
        .idempotent_by_claim();

/// Adds a reward: links one that exists at its platform, or creates one at Twitch.
///
/// A linked reward is not changed at its platform. A created one follows later changes and is deleted there with
/// the reward here; its redemptions end as fulfilled, or with the points returned when the action fails.
///
/// # Errors
/// Refusals of the access rule; 400 for fields out of bounds, an action of a reward of Kick, a refusal of the
/// platform, or a connection without the scope `channel:manage:redemptions`; 404 for a target of the action that
/// the account does not have; 403 for a layer of an overlay whose access entries do not let the caller change it;
/// 409 for a reward that is linked already, or when the account is not connected; 403 `PLAN_LIMIT_REACHED` beyond
/// 200 rewards.
#[api_core::operation]
pub async fn create_reward(cx: &Cx, input: Input<CreateRewardInput>) -> Result<Reward> {
    let caller = cx.authorize(&CREATE_REWARD).await?;
    let draft = Draft::check(input?)?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    if let Some(linked) = &draft.platform_reward_id {
        let new = db::New { platform_reward_id: linked, is_managed: false, now: cx.state().clock.now() };
        return add(cx, &caller, &access, &draft, &new).await;
    }
    let channel = channel_for(&caller, &access, &draft).await?;
    let own = cx.clone();
    cx.detached(async move {
        let id = channel.create(&own, &draft).await?;
        let new = db::New { platform_reward_id: &id, is_managed: true, now: own.state().clock.now() };
        let stored = add(&own, &caller, &access, &draft, &new).await;
        if stored.is_err() {
            channel.undo(&own, &id).await;
        }
        stored
    })
    .await
}

/// Channel in which a reward may be created.
///
/// # Errors
/// Those of a reward that may not be added.
async fn channel_for(caller: &AccountCaller, access: &ObjectAccess, draft: &Draft) -> Result<Channel> {
    let connection = &mut *caller.db().await?;
    db::must_have_target(connection, access, &draft.action.content).await?;
    let channel = channel(connection, caller.account, draft.platform).await?;
    db::must_have_room(connection, caller.account).await?;
    Ok(channel)
}

/// Stores a new reward, with its audit entry.
async fn add(
    cx: &Cx,
    caller: &AccountCaller,
    access: &ObjectAccess,
    draft: &Draft,
    new: &db::New<'_>,
) -> Result<Reward> {
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let reward = db::insert(connection, access, draft, new).await?;
            let entry = audit::Entry {
                metadata: json!({ "platform": reward.platform, "title": reward.title }),
                ..cx.audit("reward:created", "reward", reward.id)
            };
            audit::record(connection, entry).await?;
            Ok(reward)
        })
        .await
}

pub static UPDATE_REWARD: Operation<AccountCaller> =
    Operation::account("updateReward", AccountPermission::RewardsEdit, Grants::Nothing)
        .feature(Feature::Rewards);

/// Changes a reward.
///
/// Title, cost and `enabled` of a reward that Lumio created change at its platform too.
///
/// # Errors
/// Refusals of the access rule; 400 for fields out of bounds, an action of a reward of Kick or a refusal of the
/// platform; 404 when the account has no such reward or no such target of the action; 403 for a layer of an
/// overlay whose access entries do not let the caller change it; 409 when the account is not connected to the
/// platform of a reward that changes there, or while another request changes the reward there.
#[api_core::operation]
pub async fn update_reward(cx: &Cx, id: Input<Uuid>, input: Input<UpdateReward>) -> Result<Reward> {
    let caller = cx.authorize(&UPDATE_REWARD).await?;
    let (id, change) = (id?, Change::check(input?)?);
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    if at_platform(&caller, &access, id, &change).await?.is_none() {
        return store(cx, &caller, id, &change).await;
    }
    let own = cx.clone();
    cx.detached(async move {
        let change_both = async {
            // Another request may have deleted it meanwhile.
            if let Some((channel, platform_reward_id)) = at_platform(&caller, &access, id, &change).await? {
                channel.update(&own, &platform_reward_id, &change.at_platform).await?;
            }
            store(&own, &caller, id, &change).await
        };
        exclusively(&own, id, change_both).await
    })
    .await
}

/// Channel and id of a reward that changes at its platform; `None` for one that changes here only.
///
/// # Errors
/// Those of a change that may not be made.
async fn at_platform(
    caller: &AccountCaller,
    access: &ObjectAccess,
    id: Uuid,
    change: &Change,
) -> Result<Option<(Channel, String)>> {
    let connection = &mut *caller.db().await?;
    let stored = db::find(connection, caller.account, id).await?.ok_or_else(not_found)?;
    if let Some(action) = &change.action {
        action.must_run_on(stored.platform()?)?;
        db::must_have_target(connection, access, &action.content).await?;
    }
    if !stored.is_managed || change.at_platform == RewardChange::default() {
        return Ok(None);
    }
    let channel = channel(connection, caller.account, stored.platform()?).await?;
    Ok(Some((channel, stored.platform_reward_id)))
}

/// Stores a change, with its audit entry.
async fn store(cx: &Cx, caller: &AccountCaller, id: Uuid, change: &Change) -> Result<Reward> {
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let reward = db::update(connection, caller.account, id, change, now).await?;
            let entry = audit::Entry {
                metadata: json!({ "title": reward.title, "fields": change.names() }),
                ..cx.audit("reward:updated", "reward", id)
            };
            audit::record(connection, entry).await?;
            Ok(reward)
        })
        .await
}

pub static DELETE_REWARD: Operation<AccountCaller> =
    Operation::account("deleteReward", AccountPermission::RewardsDelete, Grants::Nothing)
        .feature(Feature::Rewards);

/// Deletes a reward.
///
/// A reward that Lumio created is deleted at its platform too, unless the account is no longer connected there. A
/// linked one stays there.
///
/// # Errors
/// Refusals of the access rule; 400 for a refusal of the platform; 404 when the account has no such reward; 409
/// when the channel must be connected again, or while another request changes the reward at its platform.
#[api_core::operation]
pub async fn delete_reward(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_REWARD).await?;
    let id = id?;
    if !found(&caller, id).await?.is_managed {
        return remove(cx, &caller, id).await;
    }
    let own = cx.clone();
    cx.detached(async move {
        let delete_both = async {
            let stored = found(&caller, id).await?;
            let channel = db::channel(&mut *caller.db().await?, caller.account, stored.platform()?).await?;
            if let Some(channel) = channel {
                channel.delete(&own, &stored.platform_reward_id).await?;
            }
            remove(&own, &caller, id).await
        };
        exclusively(&own, id, delete_both).await
    })
    .await
}

/// Deletes a reward here, with its audit entry.
async fn remove(cx: &Cx, caller: &AccountCaller, id: Uuid) -> Result<()> {
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let deleted = db::delete(connection, caller.account, id).await?.ok_or_else(not_found)?;
            let entry = audit::Entry {
                metadata: json!({ "platform": deleted.platform, "title": deleted.title }),
                ..cx.audit("reward:deleted", "reward", id)
            };
            audit::record(connection, entry).await?;
            Ok(())
        })
        .await
}

async fn found(caller: &AccountCaller, id: Uuid) -> Result<db::Row> {
    db::find(&mut *caller.db().await?, caller.account, id).await?.ok_or_else(not_found)
}

/// The account's channel on a platform.
async fn channel(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Platform,
) -> Result<Channel> {
    let found = db::channel(connection, account, platform).await?;
    found.ok_or_else(|| channel::not_connected(platform))
}

fn not_found() -> ApiError {
    ApiError::not_found("Reward not found")
}

fn full() -> ApiError {
    ApiError::new(Code::PlanLimitReached, "Reward limit reached")
}
