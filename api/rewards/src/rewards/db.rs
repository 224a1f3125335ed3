//! Queries over `rewards`, and over what their actions and calls need. Each carries the account.

use api_core::{ApiError, Result, Timestamp, graphql::Json};
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{count_star, exists},
    insert_into,
    prelude::*,
    sql_query,
    sql_types::Text,
    update as change,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::rewards::RewardAction;
use serde_json::Value;
use shared::{
    id::{self, AccountId},
    platform::Platform,
    schema::{
        automations, channel_connections, overlay_layers,
        rewards::{self, dsl},
        sounds,
    },
};
use surfaces::object_access::{ObjectAccess, ObjectRole};
use uuid::Uuid;

use super::{
    MAX_REWARDS, Reward,
    channel::Channel,
    fields::{Change, Draft},
    full, not_found,
};

/// Row of a reward.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = rewards)]
pub(super) struct Row {
    id: Uuid,
    account_id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// The platform's id.
    pub platform_reward_id: String,
    /// True for a reward that Lumio created at the platform.
    pub is_managed: bool,
    /// Displayed text.
    pub title: String,
    cost: i32,
    enabled: bool,
    action: Value,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// Fields of a new reward that the caller does not give.
pub(super) struct New<'a> {
    /// The platform's id.
    pub platform_reward_id: &'a str,
    /// True for a reward that Lumio created at the platform.
    pub is_managed: bool,
    /// Time of the creation.
    pub now: DateTime<Utc>,
}

impl Row {
    /// Platform of the reward.
    ///
    /// # Errors
    /// A stored text that names no platform.
    pub fn platform(&self) -> Result<Platform> {
        self.platform.parse().map_err(ApiError::internal)
    }
}

impl From<Row> for Reward {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            account_id: row.account_id,
            platform: row.platform,
            platform_reward_id: row.platform_reward_id,
            title: row.title,
            cost: row.cost,
            enabled: row.enabled,
            action: Json(row.action),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// Lists the rewards of an account, oldest first.
pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Reward>> {
    let rows: Vec<Row> = dsl::rewards
        .filter(dsl::account_id.eq(account))
        .order((dsl::created_at, dsl::id))
        .limit(MAX_REWARDS)
        .select(Row::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(Reward::from).collect())
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Row>> {
    let own = dsl::rewards.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    Ok(own.select(Row::as_select()).first(connection).await.optional()?)
}

/// Inserts a reward. Must be called in a transaction.
///
/// # Errors
/// Those of [`must_have_target`]; 409 for a reward that is linked already; 403 for one reward too many.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    draft: &Draft,
    new: &New<'_>,
) -> Result<Reward> {
    let account = access.account();
    // Additions of an account follow each other, so that the limit holds.
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("rewards:{account}"))
        .execute(connection)
        .await?;
    must_have_target(connection, access, &draft.action.content).await?;
    let same = dsl::rewards
        .filter(dsl::account_id.eq(account).and(dsl::platform.eq(draft.platform.slug())))
        .filter(dsl::platform_reward_id.eq(new.platform_reward_id));
    if diesel::select(exists(same)).get_result(connection).await? {
        return Err(ApiError::conflict("Reward is linked already"));
    }
    must_have_room(connection, account).await?;
    let row: Row = insert_into(dsl::rewards)
        .values((
            dsl::id.eq(id::new()),
            dsl::account_id.eq(account),
            dsl::platform.eq(draft.platform.slug()),
            dsl::platform_reward_id.eq(new.platform_reward_id),
            dsl::is_managed.eq(new.is_managed),
            dsl::title.eq(&draft.title),
            dsl::cost.eq(draft.cost),
            dsl::enabled.eq(true),
            dsl::action.eq(&draft.action.stored),
            dsl::created_at.eq(new.now),
            dsl::updated_at.eq(new.now),
        ))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?;
    Ok(row.into())
}

/// Changes a reward.
///
/// # Errors
/// 404 without such a reward.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    given: &Change,
    now: DateTime<Utc>,
) -> Result<Reward> {
    let own = dsl::rewards.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    let fields = (
        given.at_platform.title.as_ref().map(|title| dsl::title.eq(title)),
        given.at_platform.cost.map(|cost| dsl::cost.eq(cost)),
        given.at_platform.is_enabled.map(|enabled| dsl::enabled.eq(enabled)),
        given.action.as_ref().map(|action| dsl::action.eq(&action.stored)),
        dsl::updated_at.eq(now),
    );
    let row: Option<Row> =
        change(own).set(fields).returning(Row::as_returning()).get_result(connection).await.optional()?;
    row.map(Reward::from).ok_or_else(not_found)
}

/// Deletes a reward with its redemptions, and returns it. `None` without such a reward.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Row>> {
    let own = dsl::rewards.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    Ok(diesel::delete(own).returning(Row::as_returning()).get_result(connection).await.optional()?)
}

/// Requires that the account has fewer rewards than it may have.
///
/// # Errors
/// 403 `PLAN_LIMIT_REACHED`.
pub(super) async fn must_have_room(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    let of_account = dsl::rewards.filter(dsl::account_id.eq(account));
    let count: i64 = of_account.select(count_star()).first(connection).await?;
    if count < MAX_REWARDS { Ok(()) } else { Err(full()) }
}

/// Requires that the target of an action belongs to the account, and that the caller may change the overlay of a
/// layer.
///
/// # Errors
/// 404 that names the kind of target; 403 without the access of an editor to the overlay.
pub(super) async fn must_have_target(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    action: &RewardAction,
) -> Result<()> {
    let account = access.account();
    let (is_there, missing) = match action {
        RewardAction::None | RewardAction::Chat { .. } => return Ok(()),
        RewardAction::Automation { automation_id } => {
            let of_account = automations::account_id.eq(account).and(automations::id.eq(automation_id));
            let own = exists(automations::table.filter(of_account));
            (diesel::select(own).get_result(connection).await?, ApiError::not_found("Automation not found"))
        }
        RewardAction::Sound { sound_id, .. } => {
            let of_account = sounds::account_id.eq(account).and(sounds::id.eq(sound_id));
            let own = exists(sounds::table.filter(of_account));
            (diesel::select(own).get_result(connection).await?, ApiError::not_found("Sound not found"))
        }
        RewardAction::Layer { layer_id, .. } => {
            let overlay = overlay_of(connection, account, *layer_id).await?;
            let overlay = overlay.ok_or_else(|| ApiError::not_found("Layer not found"))?;
            return access.check(connection, overlay, ObjectRole::Editor).await;
        }
    };
    if is_there { Ok(()) } else { Err(missing) }
}

async fn overlay_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    layer: Uuid,
) -> Result<Option<Uuid>> {
    let own = overlay_layers::table
        .filter(overlay_layers::account_id.eq(account).and(overlay_layers::id.eq(layer)));
    Ok(own.select(overlay_layers::overlay_id).first(connection).await.optional()?)
}

/// The account's channel on a platform.
pub(super) async fn channel(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Platform,
) -> Result<Option<Channel>> {
    let of_account =
        channel_connections::account_id.eq(account).and(channel_connections::platform.eq(platform.slug()));
    let found: Option<(Uuid, String)> = channel_connections::table
        .filter(of_account)
        .select((channel_connections::id, channel_connections::platform_channel_id))
        .first(connection)
        .await
        .optional()?;
    Ok(found.map(|(id, channel_id)| Channel { id, platform, channel_id }))
}
