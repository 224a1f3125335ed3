//! Queries over steps, and over what actions name. Each carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName,
    dsl::exists,
    prelude::*,
    sql_query,
    sql_types::{Bool, Int2, Int4, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    id::AccountId,
    platform::Platform,
    schema::{bot_connections, bot_pauses, channel_connections, discord_guilds},
};
use uuid::Uuid;

use super::AutomationActionInput;

/// Bound of the query, above the number of platforms.
const MAX_CHANNELS: i64 = 16;

/// Run of a claimed step.
#[derive(Debug, Clone, Copy, QueryableByName)]
pub(super) struct StepRun {
    /// Number of automations that started each other before this run.
    #[diesel(sql_type = Int2)]
    pub depth: i16,
    /// True for a run that a test event started.
    #[diesel(sql_type = Bool)]
    pub is_test: bool,
    /// Time at which the step began.
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
}

/// Step with its claim and outcome.
#[derive(Debug, QueryableByName)]
pub(super) struct StoredStep {
    /// Status of the step.
    #[diesel(sql_type = Text)]
    pub status: String,
    /// Time of the claim; null without one.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub claimed_at: Option<DateTime<Utc>>,
    /// Stored outcome; null until the action has ended.
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub answer: Option<Value>,
}

/// Claims the action of a running step; `None` when it is claimed or does not run.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    input: &AutomationActionInput,
    now: DateTime<Utc>,
) -> Result<Option<StepRun>> {
    let sql = "
        UPDATE automation_steps AS step SET claimed_at = $5 FROM automation_runs AS run
        WHERE step.account_id = $1 AND step.run_id = $3 AND step.position = $4
            AND step.status = 'running' AND step.claimed_at IS NULL
            AND run.account_id = $1 AND run.automation_id = $2 AND run.id = step.run_id
        RETURNING run.depth, run.is_test, step.started_at";
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(input.account_id)
        .bind::<SqlUuid, _>(input.automation_id)
        .bind::<SqlUuid, _>(input.run_id)
        .bind::<Int4, _>(input.position)
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await
        .optional()?)
}

pub(super) async fn stored(
    connection: &mut AsyncPgConnection,
    input: &AutomationActionInput,
) -> Result<Option<StoredStep>> {
    let sql = "
        SELECT step.status, step.claimed_at, step.answer FROM automation_steps AS step
        JOIN automation_runs AS run ON run.account_id = step.account_id AND run.id = step.run_id
        WHERE step.account_id = $1 AND run.automation_id = $2 AND step.run_id = $3 AND step.position = $4";
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(input.account_id)
        .bind::<SqlUuid, _>(input.automation_id)
        .bind::<SqlUuid, _>(input.run_id)
        .bind::<Int4, _>(input.position)
        .get_result(connection)
        .await
        .optional()?)
}

/// Stores the outcome of an action. When that is lost, a repeated call returns that the outcome is unknown.
pub(super) async fn settle(
    connection: &mut AsyncPgConnection,
    input: &AutomationActionInput,
    answer: &Value,
) -> Result<()> {
    let sql =
        "UPDATE automation_steps SET answer = $4 WHERE account_id = $1 AND run_id = $2 AND position = $3";
    sql_query(sql)
        .bind::<SqlUuid, _>(input.account_id)
        .bind::<SqlUuid, _>(input.run_id)
        .bind::<Int4, _>(input.position)
        .bind::<Jsonb, _>(answer)
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes a claim without an outcome.
pub(super) async fn release(connection: &mut AsyncPgConnection, input: &AutomationActionInput) -> Result<()> {
    let sql = "
        UPDATE automation_steps SET claimed_at = NULL
        WHERE account_id = $1 AND run_id = $2 AND position = $3 AND answer IS NULL";
    sql_query(sql)
        .bind::<SqlUuid, _>(input.account_id)
        .bind::<SqlUuid, _>(input.run_id)
        .bind::<Int4, _>(input.position)
        .execute(connection)
        .await?;
    Ok(())
}

/// Platforms on which the account has a channel, by name.
pub(super) async fn platforms(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<Platform>> {
    use channel_connections::dsl;
    let found: Vec<String> = dsl::channel_connections
        .filter(dsl::account_id.eq(account))
        .order(dsl::platform)
        .limit(MAX_CHANNELS)
        .select(dsl::platform)
        .load(connection)
        .await?;
    Ok(found.iter().filter_map(|slug| slug.parse().ok()).collect())
}

/// The deployment's bot on Discord.
pub(super) async fn discord_bot(connection: &mut AsyncPgConnection) -> Result<Option<Uuid>> {
    use bot_connections::dsl;
    Ok(dsl::bot_connections
        .filter(dsl::account_id.is_null().and(dsl::platform.eq(Platform::Discord.slug())))
        .select(dsl::id)
        .first(connection)
        .await
        .optional()?)
}

/// True when staff paused the bot on a platform for the account.
pub(super) async fn is_paused(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Platform,
) -> Result<bool> {
    let pause = bot_pauses::table
        .filter(bot_pauses::account_id.eq(account).and(bot_pauses::platform.eq(platform.slug())));
    Ok(diesel::select(exists(pause)).get_result(connection).await?)
}

/// True when a Discord server is linked to the account.
pub(super) async fn has_guild(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    guild: &str,
) -> Result<bool> {
    let linked = discord_guilds::table
        .filter(discord_guilds::account_id.eq(account).and(discord_guilds::guild_id.eq(guild)));
    Ok(diesel::select(exists(linked)).get_result(connection).await?)
}
