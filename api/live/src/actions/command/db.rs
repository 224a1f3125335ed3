//! Queries over commands and their replies. Each carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::feeds::CommandReply;
use foundation::db::{Prepare, without_waiting};
use serde_json::Value;
use shared::{
    platform::Platform,
    schema::{bot_command_replies::dsl, bot_commands, channel_connections, channel_statuses},
};
use uuid::Uuid;

/// Channel as templates show it.
#[derive(Debug, Clone, Queryable)]
pub(super) struct Channel {
    /// Display name of the channel.
    pub name: String,
    /// Null when the stream is not live.
    pub live_since: Option<DateTime<Utc>>,
}

/// Row of a reply.
#[derive(Debug, Clone, Queryable)]
pub(super) struct StoredReply {
    /// The command.
    pub command_id: Uuid,
    /// Stored result; null until the reply has ended.
    pub result: Option<Value>,
    /// Time of the claim.
    pub created_at: DateTime<Utc>,
}

/// Name of a command of the account, or of a global one.
pub(super) async fn name_of(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    command: Uuid,
) -> Result<Option<String>> {
    let is_theirs = bot_commands::account_id.eq(account).or(bot_commands::account_id.is_null());
    Ok(bot_commands::table
        .filter(bot_commands::id.eq(command))
        .filter(is_theirs)
        .select(bot_commands::name)
        .first(connection)
        .await
        .optional()?)
}

/// The account's channel on a platform. Of several broadcasts only the live one counts.
pub(super) async fn channel(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    platform: Platform,
) -> Result<Option<Channel>> {
    let is_live_there = channel_statuses::account_id
        .eq(channel_connections::account_id)
        .and(channel_statuses::platform.eq(channel_connections::platform))
        .and(channel_statuses::is_online);
    let row: Option<(String, Option<DateTime<Utc>>)> = channel_connections::table
        .left_join(channel_statuses::table.on(is_live_there))
        .filter(channel_connections::account_id.eq(account))
        .filter(channel_connections::platform.eq(platform.slug()))
        .select((channel_connections::display_name, channel_statuses::started_at.nullable()))
        .order(channel_statuses::started_at.desc().nulls_last())
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(|(name, live_since)| Channel { name, live_since }))
}

/// Writes the row of a reply before it is sent; `false` when the row exists.
pub(super) async fn begin(
    connection: &mut AsyncPgConnection,
    reply: &CommandReply,
    command: Uuid,
    now: DateTime<Utc>,
) -> Result<bool> {
    let inserted = insert_into(dsl::bot_command_replies)
        .values((
            dsl::account_id.eq(reply.account_id),
            dsl::event_id.eq(reply.event_id),
            dsl::command_id.eq(command),
            dsl::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    Ok(inserted == 1)
}

pub(super) async fn stored(
    connection: &mut AsyncPgConnection,
    reply: &CommandReply,
) -> Result<Option<StoredReply>> {
    Ok(dsl::bot_command_replies
        .find((reply.account_id, reply.event_id))
        .select((dsl::command_id, dsl::result, dsl::created_at))
        .first(connection)
        .await
        .optional()?)
}

/// Stores the outcome of a reply. When that is lost, a repeated call returns that the outcome is unknown.
pub(super) async fn finish(
    connection: &mut AsyncPgConnection,
    reply: &CommandReply,
    result: &Value,
) -> Result<()> {
    diesel::update(dsl::bot_command_replies.find((reply.account_id, reply.event_id)))
        .filter(without_waiting())
        .set(dsl::result.eq(result))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes a row without a result.
pub(super) async fn release(connection: &mut AsyncPgConnection, reply: &CommandReply) -> Result<()> {
    let unfinished =
        dsl::bot_command_replies.find((reply.account_id, reply.event_id)).filter(dsl::result.is_null());
    diesel::delete(unfinished).execute(connection).await?;
    Ok(())
}
