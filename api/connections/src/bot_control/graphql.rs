//! GraphQL fields of `bot_control`.

use api_core::{Cx, Result, graphql_page, http::Success};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    BotChannel, BotChannelsQuery, BotControlQuery, BotControlRow, BotStatus, RejoinBotInput,
    ToggleBotForPlatformInput,
};

/// Query fields.
pub struct BotControlQueries;
/// Mutation fields.
pub struct BotControlMutations;

graphql_page! {
    /// Page of bots.
    BotControlPage of BotControlRow
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotControlQueries {
    async fn bot_status(ctx: &Cx) -> Result<Vec<BotStatus>> {
        super::bot_status(ctx).await
    }

    async fn admin_bot_control(
        ctx: &Cx,
        platform: Option<String>,
        search: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<BotControlPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = BotControlQuery { platform, search, page, limit };
        Ok(super::admin_bot_control(ctx, Ok(query)).await?.into())
    }

    async fn bot_channels(
        ctx: &Cx,
        platform: String,
        after: Option<Uuid>,
        limit: Option<i32>,
    ) -> Result<Vec<BotChannel>> {
        let query = BotChannelsQuery { platform, after, limit: limit.map(i64::from) };
        super::bot_channels(ctx, Ok(query)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotControlMutations {
    async fn toggle_bot_for_platform(ctx: &Cx, input: ToggleBotForPlatformInput) -> Result<BotStatus> {
        super::toggle_bot_for_platform(ctx, Ok(input)).await
    }

    async fn rejoin_bot(ctx: &Cx, input: RejoinBotInput) -> Result<Success> {
        super::rejoin_bot(ctx, Ok(input)).await
    }

    async fn admin_pause_bot(ctx: &Cx, account_id: Uuid, platform: String) -> Result<BotControlRow> {
        super::admin_pause_bot(ctx, Ok(account_id), &platform).await
    }

    async fn admin_resume_bot(ctx: &Cx, account_id: Uuid, platform: String) -> Result<BotControlRow> {
        super::admin_resume_bot(ctx, Ok(account_id), &platform).await
    }
}
