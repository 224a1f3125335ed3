//! Queries over `bot_commands` and what accounts have changed of global ones. `None` for the account is a global
//! command.

use api_core::{ApiError, Result, Timestamp, graphql::Int64, page::Window};
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{count_star, exists, sql},
    insert_into,
    pg::Pg,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Text},
    upsert::excluded,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use shared::{
    db::schema::{
        account_settings, automations, bot_command_overrides as overrides, bot_command_uses as uses,
        bot_commands::{self, dsl},
    },
    id::{self, AccountId},
};
use uuid::Uuid;

use super::{
    BotCommand, BotCommandScope, MAX_COMMANDS, OverrideGlobalCommandInput,
    fields::{Changes, Fields},
    full, not_found,
};

const USUAL_PREFIX: &str = "!";
/// Uses of a command in all accounts.
const ALL_USES: &str = "(SELECT coalesce(sum(use_count), 0)::bigint FROM bot_command_uses
    WHERE command_id = bot_commands.id)";

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

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = overrides)]
struct Override {
    response: Option<String>,
    platforms: Option<Vec<String>>,
    min_role: Option<String>,
    cooldown_global: Option<i32>,
    cooldown_user: Option<i32>,
    enabled: Option<bool>,
    updated_at: Timestamp,
}

/// The account's own commands by name.
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

/// Global commands by name, as an account has them.
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

/// A global command as an account has it.
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

/// A page of the commands of one scope, by name, and how many there are. What is searched for is part of a name or an
/// alias.
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

/// A command with its uses: of an account its own, of a global one all.
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

/// Inserts a command. Call it in a transaction.
///
/// # Errors
/// 400 for an automation of somebody else, 409 for a name that is taken, 403 for one command too many.
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

/// Changes a command. Call it in a transaction.
///
/// # Errors
/// 404 without such a command, 400 for what does not fit together, 409 for a name that is taken.
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

/// Deletes a command and answers its name; `None` without such a command.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    id: Uuid,
) -> Result<Option<String>> {
    let own = dsl::bot_commands.filter(dsl::account_id.is_not_distinct_from(account).and(dsl::id.eq(id)));
    Ok(diesel::delete(own).returning(dsl::name).get_result(connection).await.optional()?)
}

/// Replaces what an account has changed of a global command.
pub(super) async fn put_override(
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

/// Whether there was something to delete.
pub(super) async fn delete_override(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<bool> {
    Ok(diesel::delete(overrides::table.find((account, id))).execute(connection).await? > 0)
}

/// What a line begins with to be a command in an account.
pub(super) async fn prefix(connection: &mut AsyncPgConnection, account: AccountId) -> Result<String> {
    let prefix: Option<String> = account_settings::table
        .find(account)
        .select(account_settings::command_prefix)
        .first(connection)
        .await
        .optional()?;
    Ok(prefix.unwrap_or_else(|| USUAL_PREFIX.to_owned()))
}

/// Holds back other changes of the same commands until the transaction ends, so that names stay free and counts true.
async fn lock(connection: &mut AsyncPgConnection, account: Option<AccountId>) -> Result<()> {
    let whose = account.map_or_else(|| "global".to_owned(), |account| account.to_string());
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("bot_commands:{whose}"))
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

/// No other command may have one of the names, as name or as alias.
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

/// The commands of an account, or global ones: two forms, because an index serves neither as one.
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

    /// The command with what an account has changed of it.
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

impl Override {
    fn apply(self, command: &mut BotCommand) -> Result<()> {
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

/// The stored text of an enum: the same as on REST.
fn text(value: &impl Serialize) -> Result<String> {
    match serde_json::to_value(value)? {
        Value::String(text) => Ok(text),
        other => Err(ApiError::internal(format!("{other} is no name"))),
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    Ok(serde_json::from_value(Value::String(text.to_owned()))?)
}
