//! GraphQL fields of `bot_commands`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AdminBotCommandsQuery, BotCommand, BotCommandScope, CreateBotCommandInput, OverrideGlobalCommandInput,
    UpdateBotCommandInput,
};

graphql_page! {
    /// Page of commands.
    BotCommandPage of BotCommand
}

/// Query fields.
pub struct BotCommandQueries;
/// Mutation fields.
pub struct BotCommandMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotCommandQueries {
    async fn bot_commands(ctx: &Cx) -> Result<Vec<BotCommand>> {
        super::bot_commands(ctx).await
    }

    async fn bot_command(ctx: &Cx, id: Uuid) -> Result<BotCommand> {
        super::bot_command(ctx, Ok(id)).await
    }

    async fn global_bot_commands(ctx: &Cx) -> Result<Vec<BotCommand>> {
        super::global_bot_commands(ctx).await
    }

    async fn admin_bot_commands(
        ctx: &Cx,
        scope: Option<BotCommandScope>,
        search: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<BotCommandPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = AdminBotCommandsQuery { scope, search, page, limit };
        Ok(super::admin_bot_commands(ctx, Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotCommandMutations {
    async fn create_bot_command(ctx: &Cx, input: CreateBotCommandInput) -> Result<BotCommand> {
        super::create_bot_command(ctx, Ok(input)).await
    }

    async fn update_bot_command(ctx: &Cx, id: Uuid, input: UpdateBotCommandInput) -> Result<BotCommand> {
        super::update_bot_command(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_bot_command(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_bot_command(ctx, Ok(id)).await.map(|()| true)
    }

    async fn override_global_command(
        ctx: &Cx,
        id: Uuid,
        input: OverrideGlobalCommandInput,
    ) -> Result<BotCommand> {
        super::override_global_command(ctx, Ok(id), Ok(input)).await
    }

    async fn reset_command_override(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::reset_command_override(ctx, Ok(id)).await.map(|()| true)
    }

    async fn admin_create_bot_command(ctx: &Cx, input: CreateBotCommandInput) -> Result<BotCommand> {
        super::admin_create_bot_command(ctx, Ok(input)).await
    }

    async fn admin_update_bot_command(
        ctx: &Cx,
        id: Uuid,
        input: UpdateBotCommandInput,
    ) -> Result<BotCommand> {
        super::admin_update_bot_command(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_delete_bot_command(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_bot_command(ctx, Ok(id)).await.map(|()| true)
    }
}
