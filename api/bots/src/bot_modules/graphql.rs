//! GraphQL fields of `bot_modules`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{BotModule, KillBotModuleInput, UpdateBotModuleInput};

/// Query fields.
pub struct BotModuleQueries;
/// Mutation fields.
pub struct BotModuleMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotModuleQueries {
    async fn bot_modules(ctx: &Cx) -> Result<Vec<BotModule>> {
        super::bot_modules(ctx).await
    }

    async fn bot_module(ctx: &Cx, name: String) -> Result<BotModule> {
        super::bot_module(ctx, &name).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotModuleMutations {
    async fn update_bot_module(ctx: &Cx, name: String, input: UpdateBotModuleInput) -> Result<BotModule> {
        super::update_bot_module(ctx, &name, Ok(input)).await
    }

    async fn delete_bot_module(ctx: &Cx, name: String) -> Result<bool> {
        super::delete_bot_module(ctx, &name).await.map(|()| true)
    }

    async fn kill_bot_module(ctx: &Cx, input: KillBotModuleInput) -> Result<bool> {
        super::kill_bot_module(ctx, Ok(input)).await?;
        Ok(true)
    }
}
