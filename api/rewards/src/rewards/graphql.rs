//! GraphQL fields of `rewards`.

use api_core::{Cx, Patch, Result, graphql::Json, http::Success};
use juniper::{GraphQLInputObject, graphql_object};
use uuid::Uuid;

use super::{CreateRewardInput, Reward, UpdateReward};

/// Query fields.
pub struct RewardQueries;
/// Mutation fields.
pub struct RewardMutations;

/// Change of a reward. Absent fields stay.
#[derive(Debug, Clone, GraphQLInputObject)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct UpdateRewardInput {
    /// Identifier of the reward.
    pub id: Uuid,
    /// 1 to 45 characters.
    pub title: Patch<String>,
    /// 1 to 1,000,000 channel points.
    pub cost: Patch<i32>,
    /// True lets a redemption run the action.
    pub enabled: Patch<bool>,
    /// Action of a redemption in one of the forms of a reward. It replaces the whole action.
    pub action: Patch<Json>,
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl RewardQueries {
    async fn rewards(ctx: &Cx) -> Result<Vec<Reward>> {
        super::rewards(ctx).await
    }

    async fn reward(ctx: &Cx, id: Uuid) -> Result<Reward> {
        super::reward(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl RewardMutations {
    async fn create_reward(ctx: &Cx, input: CreateRewardInput) -> Result<Reward> {
        super::create_reward(ctx, Ok(input)).await
    }

    async fn update_reward(ctx: &Cx, input: UpdateRewardInput) -> Result<Reward> {
        let UpdateRewardInput { id, title, cost, enabled, action } = input;
        super::update_reward(ctx, Ok(id), Ok(UpdateReward { title, cost, enabled, action })).await
    }

    async fn delete_reward(ctx: &Cx, id: Uuid) -> Result<Success> {
        super::delete_reward(ctx, Ok(id)).await.map(|()| Success::DONE)
    }
}
