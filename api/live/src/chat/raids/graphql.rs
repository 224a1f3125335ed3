//! GraphQL fields of raids.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;

use super::{CancelRaidQuery, Raid, StartRaidInput};

/// Mutations of raids.
pub struct RaidMutations;

#[graphql_object(context = Cx)]
impl RaidMutations {
    async fn start_raid(ctx: &Cx, input: StartRaidInput) -> Result<Raid> {
        super::start_raid(ctx, Ok(input)).await
    }

    async fn cancel_raid(ctx: &Cx, platform: Option<String>) -> Result<Success> {
        super::cancel_raid(ctx, Ok(CancelRaidQuery { platform })).await.map(|()| Success::DONE)
    }
}
