//! Chat commands over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AdminBotCommandsQuery, BotCommand, BotCommandScope, CreateBotCommandInput, OverrideGlobalCommandInput,
    UpdateBotCommandInput,
};

graphql_page! {
    /// One page of commands.
    BotCommandPage of BotCommand
}

pub struct BotCommandQueries;
pub struct BotCommandMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotCommandQueries {
    /// The account's own commands.
    async fn bot_commands(ctx: &Cx) -> Result<Vec<BotCommand>> {
        super::bot_commands(ctx).await
    }

    /// One of the account's own commands.
    async fn bot_command(ctx: &Cx, id: Uuid) -> Result<BotCommand> {
        super::bot_command(ctx, Ok(id)).await
    }

    /// Global commands, as the account has them.
    async fn global_bot_commands(ctx: &Cx) -> Result<Vec<BotCommand>> {
        super::global_bot_commands(ctx).await
    }

    /// Global commands, or accounts' own.
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
    /// Create a command.
    async fn create_bot_command(ctx: &Cx, input: CreateBotCommandInput) -> Result<BotCommand> {
        super::create_bot_command(ctx, Ok(input)).await
    }

    /// Change a command.
    async fn update_bot_command(ctx: &Cx, id: Uuid, input: UpdateBotCommandInput) -> Result<BotCommand> {
        super::update_bot_command(ctx, Ok(id), Ok(input)).await
    }

    /// Delete a command.
    async fn delete_bot_command(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_bot_command(ctx, Ok(id)).await.map(|()| true)
    }

    /// Change a global command for the account.
    async fn override_global_command(
        ctx: &Cx,
        id: Uuid,
        input: OverrideGlobalCommandInput,
    ) -> Result<BotCommand> {
        super::override_global_command(ctx, Ok(id), Ok(input)).await
    }

    /// Take back what the account has changed of a global command.
    async fn reset_command_override(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::reset_command_override(ctx, Ok(id)).await.map(|()| true)
    }

    /// Create a global command.
    async fn admin_create_bot_command(ctx: &Cx, input: CreateBotCommandInput) -> Result<BotCommand> {
        super::admin_create_bot_command(ctx, Ok(input)).await
    }

    /// Change a global command.
    async fn admin_update_bot_command(
        ctx: &Cx,
        id: Uuid,
        input: UpdateBotCommandInput,
    ) -> Result<BotCommand> {
        super::admin_update_bot_command(ctx, Ok(id), Ok(input)).await
    }

    /// Delete a global command.
    async fn admin_delete_bot_command(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::admin_delete_bot_command(ctx, Ok(id)).await.map(|()| true)
    }
}
