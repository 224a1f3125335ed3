//! Bots in channels over GraphQL.

use api_core::{Cx, Result, graphql_page, http::Success};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    BotChannel, BotChannelsQuery, BotControlQuery, BotControlRow, BotStatus, RejoinBotInput,
    ToggleBotForPlatformInput,
};

pub struct BotControlQueries;
pub struct BotControlMutations;

graphql_page! {
    /// One page of bots.
    BotControlPage of BotControlRow
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotControlQueries {
    /// The bots in the account's channels.
    async fn bot_status(ctx: &Cx) -> Result<Vec<BotStatus>> {
        super::bot_status(ctx).await
    }

    /// The bots of every account.
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

    /// The channels of a platform that bots belong in, for the bots themselves.
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
    /// Switch the bot in a channel on or off.
    async fn toggle_bot_for_platform(ctx: &Cx, input: ToggleBotForPlatformInput) -> Result<BotStatus> {
        super::toggle_bot_for_platform(ctx, Ok(input)).await
    }

    /// Ask the bot to leave a channel and join it again.
    async fn rejoin_bot(ctx: &Cx, input: RejoinBotInput) -> Result<Success> {
        super::rejoin_bot(ctx, Ok(input)).await
    }

    /// Pause the bot in an account's channel.
    async fn admin_pause_bot(ctx: &Cx, account_id: Uuid, platform: String) -> Result<BotControlRow> {
        super::admin_pause_bot(ctx, Ok(account_id), &platform).await
    }

    /// Resume the bot in an account's channel.
    async fn admin_resume_bot(ctx: &Cx, account_id: Uuid, platform: String) -> Result<BotControlRow> {
        super::admin_resume_bot(ctx, Ok(account_id), &platform).await
    }
}
