//! Queries over the overrides that accounts have of global commands.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::{id::AccountId, schema::bot_command_overrides as overrides};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    BotCommand, BotCommandRole, fields,
    stored_enums::{read, text},
};

/// Override of a global command. Absent fields follow the global command.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "response": "We are live on Fridays", "min_role": "subscriber" }))]
pub struct OverrideGlobalCommandInput {
    /// 1 to 500 characters.
    #[schema(extensions(("maxLength" = json!(fields::MAX_RESPONSE_LENGTH))))]
    pub response: Option<String>,
    /// Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`.
    #[schema(extensions(("enum" = json!(fields::PLATFORMS))))]
    pub platforms: Option<Vec<String>>,
    /// Lowest role, not below that of the global command.
    pub min_role: Option<BotCommandRole>,
    /// 0 to 86,400 seconds.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(fields::MAX_COOLDOWN_SECS))))]
    pub cooldown_global: Option<i32>,
    /// 0 to 86,400 seconds.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(fields::MAX_COOLDOWN_SECS))))]
    pub cooldown_user: Option<i32>,
    /// True switches the command on in the account.
    pub enabled: Option<bool>,
}

/// Override as it is stored. `None` follows the global command.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = overrides)]
pub(super) struct Override {
    response: Option<String>,
    platforms: Option<Vec<String>>,
    min_role: Option<String>,
    cooldown_global: Option<i32>,
    cooldown_user: Option<i32>,
    enabled: Option<bool>,
    updated_at: Timestamp,
}

/// Replaces an account's override of a global command.
pub(super) async fn put(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    change: &OverrideGlobalCommandInput,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(overrides::table)
        .values((
            overrides::account_id.eq(account),
            overrides::command_id.eq(id),
            overrides::response.eq(&change.response),
            overrides::platforms.eq(&change.platforms),
            overrides::min_role.eq(change.min_role.map(|role| text(&role)).transpose()?),
            overrides::cooldown_global.eq(change.cooldown_global),
            overrides::cooldown_user.eq(change.cooldown_user),
            overrides::enabled.eq(change.enabled),
            overrides::updated_at.eq(now),
        ))
        .on_conflict((overrides::account_id, overrides::command_id))
        .do_update()
        .set((
            overrides::response.eq(excluded(overrides::response)),
            overrides::platforms.eq(excluded(overrides::platforms)),
            overrides::min_role.eq(excluded(overrides::min_role)),
            overrides::cooldown_global.eq(excluded(overrides::cooldown_global)),
            overrides::cooldown_user.eq(excluded(overrides::cooldown_user)),
            overrides::enabled.eq(excluded(overrides::enabled)),
            overrides::updated_at.eq(excluded(overrides::updated_at)),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes an account's override. False when there was none.
pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<bool> {
    Ok(diesel::delete(overrides::table.find((account, id))).execute(connection).await? > 0)
}

impl Override {
    /// Changes a global command to the form that it has in the account.
    pub fn apply(self, command: &mut BotCommand) -> Result<()> {
        let role = self.min_role.as_deref().map(read).transpose()?;
        // The global command may have become stricter since.
        command.min_role = role.map_or(command.min_role, |role| command.min_role.max(role));
        command.response = self.response.unwrap_or_else(|| std::mem::take(&mut command.response));
        command.platforms = self.platforms.unwrap_or_else(|| std::mem::take(&mut command.platforms));
        command.cooldown_global = self.cooldown_global.unwrap_or(command.cooldown_global);
        command.cooldown_user = self.cooldown_user.unwrap_or(command.cooldown_user);
        command.enabled = self.enabled.unwrap_or(command.enabled);
        command.updated_at = command.updated_at.max(self.updated_at);
        Ok(())
    }
}
