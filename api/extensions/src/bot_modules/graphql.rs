//! Bot modules over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::KillBotModuleInput;

pub struct BotModuleMutations;

#[graphql_object(context = Cx)]
impl BotModuleMutations {
    /// Stop a bot module at once.
    async fn kill_bot_module(ctx: &Cx, input: KillBotModuleInput) -> Result<bool> {
        super::kill_bot_module(ctx, Ok(input)).await?;
        Ok(true)
    }
}
