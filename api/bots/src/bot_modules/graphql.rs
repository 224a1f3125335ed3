//! Bot modules over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{BotModule, KillBotModuleInput, UpdateBotModuleInput};

pub struct BotModuleQueries;
pub struct BotModuleMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotModuleQueries {
    /// The account's modules.
    async fn bot_modules(ctx: &Cx) -> Result<Vec<BotModule>> {
        super::bot_modules(ctx).await
    }

    /// A built-in module.
    async fn bot_module(ctx: &Cx, name: String) -> Result<BotModule> {
        super::bot_module(ctx, &name).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl BotModuleMutations {
    /// Replace the settings of a built-in module.
    async fn update_bot_module(ctx: &Cx, name: String, input: UpdateBotModuleInput) -> Result<BotModule> {
        super::update_bot_module(ctx, &name, Ok(input)).await
    }

    /// Switch a built-in module off and forget its settings.
    async fn delete_bot_module(ctx: &Cx, name: String) -> Result<bool> {
        super::delete_bot_module(ctx, &name).await.map(|()| true)
    }

    /// Stop a bot module at once.
    async fn kill_bot_module(ctx: &Cx, input: KillBotModuleInput) -> Result<bool> {
        super::kill_bot_module(ctx, Ok(input)).await?;
        Ok(true)
    }
}
