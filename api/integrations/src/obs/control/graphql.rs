//! GraphQL fields of `control`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{
    ObsCommandResult, ObsRemoteStatus, ObsStatus, ObsTestResult, SetObsSceneInput, SetObsSourceInput,
};

/// Query fields.
pub struct ObsControlQueries;
/// Mutation fields.
pub struct ObsControlMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ObsControlQueries {
    async fn obs_status(ctx: &Cx) -> Result<ObsStatus> {
        super::obs_status(ctx).await
    }

    async fn obs_remote_status(ctx: &Cx) -> Result<ObsRemoteStatus> {
        super::obs_remote_status(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ObsControlMutations {
    async fn test_obs_connection(ctx: &Cx) -> Result<ObsTestResult> {
        super::test_obs_connection(ctx).await
    }

    async fn start_obs_stream(ctx: &Cx) -> Result<ObsCommandResult> {
        super::start_obs_stream(ctx).await
    }

    async fn stop_obs_stream(ctx: &Cx) -> Result<ObsCommandResult> {
        super::stop_obs_stream(ctx).await
    }

    async fn start_obs_record(ctx: &Cx) -> Result<ObsCommandResult> {
        super::start_obs_record(ctx).await
    }

    async fn stop_obs_record(ctx: &Cx) -> Result<ObsCommandResult> {
        super::stop_obs_record(ctx).await
    }

    async fn set_obs_scene(ctx: &Cx, input: SetObsSceneInput) -> Result<ObsCommandResult> {
        super::set_obs_scene(ctx, Ok(input)).await
    }

    async fn set_obs_source(ctx: &Cx, input: SetObsSourceInput) -> Result<ObsCommandResult> {
        super::set_obs_source(ctx, Ok(input)).await
    }
}
