//! Settings over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{AccountSettings, UpdateAccountSettingsInput};

/// Queries of settings.
pub struct SettingsQueries;
/// Mutations of settings.
pub struct SettingsMutations;

#[graphql_object(context = Cx)]
impl SettingsQueries {
    async fn account_settings(ctx: &Cx) -> Result<AccountSettings> {
        super::account_settings(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl SettingsMutations {
    async fn update_account_settings(ctx: &Cx, input: UpdateAccountSettingsInput) -> Result<AccountSettings> {
        super::update_account_settings(ctx, Ok(input)).await
    }
}
