//! Settings over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{AccountSettings, UpdateAccountSettingsInput};

pub struct SettingsQueries;
pub struct SettingsMutations;

#[graphql_object(context = Cx)]
impl SettingsQueries {
    /// How the account is set up.
    async fn account_settings(ctx: &Cx) -> Result<AccountSettings> {
        super::account_settings(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl SettingsMutations {
    /// Change the settings that are given and leave the others.
    async fn update_account_settings(ctx: &Cx, input: UpdateAccountSettingsInput) -> Result<AccountSettings> {
        super::update_account_settings(ctx, Ok(input)).await
    }
}
