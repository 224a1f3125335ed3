//! GraphQL fields of `configs`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{ObsConfig, SaveObsConfigInput};

/// Query fields.
pub struct ObsConfigQueries;
/// Mutation fields.
pub struct ObsConfigMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ObsConfigQueries {
    async fn obs_config(ctx: &Cx) -> Result<ObsConfig> {
        super::obs_config(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ObsConfigMutations {
    async fn save_obs_config(ctx: &Cx, input: SaveObsConfigInput) -> Result<ObsConfig> {
        super::save_obs_config(ctx, Ok(input)).await
    }

    async fn delete_obs_config(ctx: &Cx) -> Result<bool> {
        super::delete_obs_config(ctx).await.map(|()| true)
    }
}
