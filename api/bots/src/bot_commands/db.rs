//! Queries over `bot_commands` and the overrides of accounts. `None` for the account selects global commands.

use api_core::{ApiError, Result, Timestamp, graphql::Int64, page::Window};
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{count_star, exists, sql},
    insert_into,
    pg::Pg,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use shared::{
    id::{self, AccountId},
    schema::{
        account_settings, automations, bot_command_overrides as overrides, bot_command_uses as uses,
        bot_commands::{self, dsl},
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    BotCommand, MAX_COMMANDS,
    fields::{Changes, Fields},
    full, not_found,
    overrides::Override,
    stored_enums::{read, text},
};

const DEFAULT_PREFIX: &str = "!";
/// Number of uses of a command in all accounts.
const ALL_USES: &str = "(SELECT coalesce(sum(use_count), 0)::bigint FROM bot_command_uses
    WHERE command_id = bot_commands.id)";

/// Owner of commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BotCommandScope {
    /// Global commands, which every account has.
    #[default]
    Global,
    /// Commands of accounts.
    Account,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = bot_commands)]
struct Row {
    id: Uuid,
    account_id: Option<Uuid>,
    name: String,
    aliases: Vec<String>,
    description: String,
    response_type: String,
    response: String,
    automation_id: Option<Uuid>,
    platforms: Vec<String>,
    min_role: String,
    cooldown_global: i32,
    cooldown_user: i32,
    enabled: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// Lists the account's own commands by name.
pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<BotCommand>> {
    let rows: Vec<(Row, Option<i64>)> = dsl::bot_commands
        .left_join(uses::table.on(uses::command_id.eq(dsl::id).and(uses::account_id.eq(account))))
        .filter(dsl::account_id.eq(account))
        .order(dsl::name)
        .limit(MAX_COMMANDS)
        .select((Row::as_select(), uses::use_count.nullable()))
        .load(connection)
        .await?;
    rows.into_iter().map(|(row, uses)| row.into_command(None, uses)).collect()
}

/// Lists the global commands by name, with the account's overrides.
pub(super) async fn globals(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<BotCommand>> {
    let rows: Vec<(Row, Option<Override>, Option<i64>)> = dsl::bot_commands
        .left_join(
            overrides::table.on(overrides::command_id.eq(dsl::id).and(overrides::account_id.eq(account))),
        )
        .left_join(uses::table.on(uses::command_id.eq(dsl::id).and(uses::account_id.eq(account))))
        .filter(dsl::account_id.is_null())
        .order(dsl::name)
        .limit(MAX_COMMANDS)
        .select((Row::as_select(), Option::<Override>::as_select(), uses::use_count.nullable()))
        .load(connection)
        .await?;
    rows.into_iter().map(|(row, change, uses)| row.into_command(change, uses)).collect()
}

/// Returns a global command with the account's override.
pub(super) async fn global(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<BotCommand>> {
    let row: Option<(Row, Option<Override>, Option<i64>)> = dsl::bot_commands
        .left_join(
            overrides::table.on(overrides::command_id.eq(dsl::id).and(overrides::account_id.eq(account))),
        )
        .left_join(uses::table.on(uses::command_id.eq(dsl::id).and(uses::account_id.eq(account))))
        .filter(dsl::account_id.is_null().and(dsl::id.eq(id)))
        .select((Row::as_select(), Option::<Override>::as_select(), uses::use_count.nullable()))
        .first(connection)
        .await
        .optional()?;
    row.map(|(row, change, uses)| row.into_command(change, uses)).transpose()
}

/// Returns one page of the commands of one scope, by name, and the total number. The search applies to parts
/// of names and aliases.
pub(super) async fn of_scope(
    connection: &mut AsyncPgConnection,
    scope: BotCommandScope,
    search: Option<&str>,
    window: Window,
) -> Result<(Vec<BotCommand>, i64)> {
    let filtered = || {
        let mut commands = dsl::bot_commands.into_boxed::<Pg>();
        commands = match scope {
            BotCommandScope::Global => commands.filter(dsl::account_id.is_null()),
            BotCommandScope::Account => commands.filter(dsl::account_id.is_not_null()),
        };
        if let Some(search) = search {
            let names = "EXISTS (SELECT 1 FROM unnest(aliases || name) AS called WHERE strpos(called, ";
            let is_part = sql::<Bool>(names).bind::<Text, _>(search.to_lowercase()).sql(") > 0)");
            commands = commands.filter(is_part);
        }
        commands
    };
    let total = filtered().count().get_result(connection).await?;
    let rows: Vec<(Row, i64)> = filtered()
        .order((dsl::name, dsl::account_id))
        .limit(window.limit)
        .offset(window.offset())
        .select((Row::as_select(), sql::<BigInt>(ALL_USES)))
        .load(connection)
        .await?;
    let commands = rows.into_iter().map(|(row, uses)| row.into_command(None, Some(uses)));
    Ok((commands.collect::<Result<_>>()?, total))
}

/// Returns a command with its uses: those of its account, or of all accounts for a global one.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    id: Uuid,
) -> Result<Option<BotCommand>> {
    let row: Option<(Row, i64)> = dsl::bot_commands
        .filter(dsl::account_id.is_not_distinct_from(account).and(dsl::id.eq(id)))
        .select((Row::as_select(), sql::<BigInt>(ALL_USES)))
        .first(connection)
        .await
        .optional()?;
    row.map(|(row, uses)| row.into_command(None, Some(uses))).transpose()
}

/// Inserts a command. Must be called in a transaction.
///
/// # Errors
/// 400 for an automation of another account; 409 for a name that is taken; 403 for one command too many.
pub(super) async fn create(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    fields: &Fields,
    now: DateTime<Utc>,
) -> Result<BotCommand> {
    lock(connection, account).await?;
    must_have_automation(connection, account, fields).await?;
    must_be_free(connection, account, None, fields).await?;
    let count: i64 = of(account).select(count_star()).first(connection).await?;
    if count >= MAX_COMMANDS {
        return Err(full());
    }
    let row = insert_into(dsl::bot_commands)
        .values((
            (dsl::id.eq(id::new()), dsl::account_id.eq(account)),
            values(fields)?,
            (dsl::created_at.eq(now), dsl::updated_at.eq(now)),
        ))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?;
    row.into_command(None, None)
}

/// Changes a command. Must be called in a transaction.
///
/// # Errors
/// 404 without such a command; 400 for fields that do not fit together; 409 for a name that is taken.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    id: Uuid,
    changes: Changes,
    now: DateTime<Utc>,
) -> Result<BotCommand> {
    lock(connection, account).await?;
    let own = || dsl::bot_commands.filter(dsl::account_id.is_not_distinct_from(account).and(dsl::id.eq(id)));
    let row: Option<Row> = own().select(Row::as_select()).for_update().first(connection).await.optional()?;
    let mut fields = row.ok_or_else(not_found)?.into_fields()?;
    changes.apply(&mut fields);
    fields.check()?;
    if account.is_none() {
        fields.check_global()?;
    }
    must_have_automation(connection, account, &fields).await?;
    must_be_free(connection, account, Some(id), &fields).await?;
    diesel::update(own()).set((values(&fields)?, dsl::updated_at.eq(now))).execute(connection).await?;
    find(connection, account, id).await?.ok_or_else(not_found)
}

/// Deletes a command and returns its name; `None` without such a command.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    id: Uuid,
) -> Result<Option<String>> {
    let own = dsl::bot_commands.filter(dsl::account_id.is_not_distinct_from(account).and(dsl::id.eq(id)));
    Ok(diesel::delete(own).returning(dsl::name).get_result(connection).await.optional()?)
}

/// Returns the prefix of commands in an account.
pub(super) async fn prefix(connection: &mut AsyncPgConnection, account: AccountId) -> Result<String> {
    let prefix: Option<String> = account_settings::table
        .find(account)
        .select(account_settings::command_prefix)
        .first(connection)
        .await
        .optional()?;
    Ok(prefix.unwrap_or_else(|| DEFAULT_PREFIX.to_owned()))
}

/// Locks the commands of an owner until the transaction ends, so that names stay free and counts stay valid.
async fn lock(connection: &mut AsyncPgConnection, account: Option<AccountId>) -> Result<()> {
    let owner = account.map_or_else(|| "global".to_owned(), |account| account.to_string());
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("bot_commands:{owner}"))
        .execute(connection)
        .await?;
    Ok(())
}

async fn must_have_automation(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    fields: &Fields,
) -> Result<()> {
    let (Some(automation), Some(account)) = (fields.automation_id, account) else { return Ok(()) };
    let own =
        automations::table.filter(automations::account_id.eq(account).and(automations::id.eq(automation)));
    if diesel::select(exists(own)).get_result(connection).await? {
        return Ok(());
    }
    Err(ApiError::not_found("Automation not found"))
}

/// Requires that no other command has one of the names, as name or as alias.
async fn must_be_free(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    except: Option<Uuid>,
    fields: &Fields,
) -> Result<()> {
    let words = fields.words();
    let others = of(account)
        .filter(dsl::id.ne(except.unwrap_or_default()))
        .filter(dsl::name.eq_any(&words).or(dsl::aliases.overlaps_with(&words)));
    let taken: Option<(String, Vec<String>)> =
        others.select((dsl::name, dsl::aliases)).order(dsl::name).first(connection).await.optional()?;
    let Some((name, aliases)) = taken else { return Ok(()) };
    let is_taken = |word: &&&str| **word == name || aliases.iter().any(|alias| alias == *word);
    let word = words.iter().find(is_taken).copied().unwrap_or(&name);
    Err(ApiError::conflict(format!("Command {word} already exists")))
}

/// Selects the commands of an account, or global ones. The two forms are separate because one condition for
/// both would use no index.
fn of(account: Option<AccountId>) -> bot_commands::BoxedQuery<'static, Pg> {
    match account {
        Some(account) => dsl::bot_commands.filter(dsl::account_id.eq(account)).into_boxed(),
        None => dsl::bot_commands.filter(dsl::account_id.is_null()).into_boxed(),
    }
}

type Values<'a> = (
    diesel::dsl::Eq<dsl::name, &'a str>,
    diesel::dsl::Eq<dsl::aliases, &'a [String]>,
    diesel::dsl::Eq<dsl::description, &'a str>,
    diesel::dsl::Eq<dsl::response_type, String>,
    diesel::dsl::Eq<dsl::response, &'a str>,
    diesel::dsl::Eq<dsl::automation_id, Option<Uuid>>,
    diesel::dsl::Eq<dsl::platforms, &'a [String]>,
    diesel::dsl::Eq<dsl::min_role, String>,
    diesel::dsl::Eq<dsl::cooldown_global, i32>,
    diesel::dsl::Eq<dsl::cooldown_user, i32>,
    diesel::dsl::Eq<dsl::enabled, bool>,
);

fn values(fields: &Fields) -> Result<Values<'_>> {
    Ok((
        dsl::name.eq(fields.name.as_str()),
        dsl::aliases.eq(fields.aliases.as_slice()),
        dsl::description.eq(fields.description.as_str()),
        dsl::response_type.eq(text(&fields.response_type)?),
        dsl::response.eq(fields.response.as_str()),
        dsl::automation_id.eq(fields.automation_id),
        dsl::platforms.eq(fields.platforms.as_slice()),
        dsl::min_role.eq(text(&fields.min_role)?),
        dsl::cooldown_global.eq(fields.cooldown_global),
        dsl::cooldown_user.eq(fields.cooldown_user),
        dsl::enabled.eq(fields.enabled),
    ))
}

impl Row {
    fn into_fields(self) -> Result<Fields> {
        Ok(Fields {
            response_type: read(&self.response_type)?,
            min_role: read(&self.min_role)?,
            name: self.name,
            aliases: self.aliases,
            description: self.description,
            response: self.response,
            automation_id: self.automation_id,
            platforms: self.platforms,
            cooldown_global: self.cooldown_global,
            cooldown_user: self.cooldown_user,
            enabled: self.enabled,
        })
    }

    /// Returns the command with the account's override.
    fn into_command(self, change: Option<Override>, uses: Option<i64>) -> Result<BotCommand> {
        let mut command = BotCommand {
            id: self.id,
            account_id: self.account_id,
            response_type: read(&self.response_type)?,
            min_role: read(&self.min_role)?,
            name: self.name,
            aliases: self.aliases,
            description: self.description,
            response: self.response,
            automation_id: self.automation_id,
            platforms: self.platforms,
            cooldown_global: self.cooldown_global,
            cooldown_user: self.cooldown_user,
            enabled: self.enabled,
            use_count: Int64(uses.unwrap_or_default()),
            is_override: change.is_some(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        };
        if let Some(change) = change {
            change.apply(&mut command)?;
        }
        Ok(command)
    }
}
