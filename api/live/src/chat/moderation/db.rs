//! Queries over `moderation_log`, and names of chatters. Each carries the account.

use api_core::{CursorPage, Position, Result, cursor::Part};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Int4, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::audit::Actor;
use shared::{
    platform::Platform,
    schema::{
        moderation_log::{self, dsl},
        timeseries::chat_messages,
    },
};
use uuid::Uuid;

use super::{ModerationLogAction, ModerationLogEntry, Moderator, ModeratorType, order::Order};

/// Details of a log row until the attempt has ended.
pub(super) const UNKNOWN: &str = "The outcome is not known";

/// Outcome of an attempt; without details it succeeded.
pub(super) struct Settled<'a> {
    /// Platform, when it is known.
    pub platform: Option<Platform>,
    /// Reason of the failure.
    pub details: Option<String>,
    /// The platform's id of a ban.
    pub ban_id: Option<&'a str>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<BigInt>)]
    total: Option<i64>,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    platform: Option<String>,
    #[diesel(sql_type = Text)]
    action: String,
    #[diesel(sql_type = Text)]
    target: String,
    #[diesel(sql_type = Text)]
    moderator_type: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    moderator_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    moderator_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    reason: Option<String>,
    #[diesel(sql_type = Nullable<Int4>)]
    duration_secs: Option<i32>,
    #[diesel(sql_type = Bool)]
    success: bool,
    #[diesel(sql_type = Nullable<Text>)]
    details: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
}

/// Part of the log of an account, newest first, and unless it continues a list the number of all entries. It is selected
/// first, so that names are joined for its entries only.
const PART: &str = "
    SELECT CASE WHEN $2 IS NULL THEN (SELECT count(*) FROM moderation_log WHERE account_id = $1) END AS total, l.id, l.platform, l.action, l.target, l.moderator_type, l.moderator_id,
        coalesce(u.display_name, k.label, e.name, a.name) AS moderator_name,
        l.reason, l.duration_secs, l.success, l.details, l.created_at
    FROM (
        SELECT * FROM moderation_log
        WHERE account_id = $1 AND ($2 IS NULL OR (created_at, id) < ($2, $3))
        ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5
    ) AS l
    LEFT JOIN users u ON l.moderator_type = 'user' AND u.id = l.moderator_id
    LEFT JOIN account_service_keys k ON l.moderator_type = 'service_key' AND k.id = l.moderator_id
    LEFT JOIN extension_installs i ON l.moderator_type = 'extension' AND i.id = l.moderator_id
    LEFT JOIN extensions e ON e.id = i.extension_id
    LEFT JOIN automations a
        ON l.moderator_type = 'automation' AND a.account_id = l.account_id AND a.id = l.moderator_id
    ORDER BY l.created_at DESC, l.id DESC";

/// Writes the row of an attempt before it is made; returns its id. A deletion names the author of the
/// message, so that its reason can be erased with that person.
pub(super) async fn begin(
    connection: &mut AsyncPgConnection,
    order: &Order,
    author_id: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let id = shared::id::new();
    let (moderator_type, moderator_id) = match order.moderator {
        Actor::User(user) | Actor::Popout { maker: user, .. } => ("user", Some(user)),
        Actor::ServiceKey(key) => ("service_key", Some(key)),
        Actor::Extension(install) => ("extension", Some(install)),
        Actor::Automation(automation) => ("automation", Some(automation)),
        Actor::System => ("system", None),
    };
    insert_into(moderation_log::table)
        .values((
            dsl::id.eq(id),
            dsl::account_id.eq(order.account),
            dsl::platform.eq(order.platform.map(Platform::slug)),
            dsl::action.eq(order.action.as_str()),
            dsl::target.eq(&order.target),
            dsl::moderator_type.eq(moderator_type),
            dsl::moderator_id.eq(moderator_id),
            dsl::reason.eq(&order.reason),
            dsl::duration_secs.eq(order.duration_secs.and_then(|secs| i32::try_from(secs).ok())),
            dsl::details.eq(UNKNOWN),
            dsl::author_id.eq(author_id),
            dsl::created_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(id)
}

pub(super) async fn settle(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    id: Uuid,
    settled: &Settled<'_>,
) -> Result<()> {
    diesel::update(moderation_log::table.find(id))
        .filter(dsl::account_id.eq(account))
        .set((
            dsl::platform.eq(settled.platform.map(Platform::slug)),
            dsl::success.eq(settled.details.is_none()),
            dsl::details.eq(settled.details.as_deref()),
            dsl::platform_ban_id.eq(settled.ban_id),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Part of the log. The statement is planned with its values, so an absent condition costs nothing.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    part: Part,
) -> Result<CursorPage<ModerationLogEntry>> {
    let rows: Vec<Row> = sql_query(PART)
        .bind::<SqlUuid, _>(account)
        .bind::<Nullable<Timestamptz>, _>(part.after_at())
        .bind::<Nullable<SqlUuid>, _>(part.after_id())
        .bind::<BigInt, _>(part.limit())
        .bind::<BigInt, _>(part.offset())
        .load(connection)
        .await?;
    let total = match part.total_or(rows.as_slice().first().and_then(|row| row.total)) {
        Some(total) => total,
        None => {
            dsl::moderation_log.filter(dsl::account_id.eq(account)).count().get_result(connection).await?
        }
    };
    let position = |row: &Row| Position { at: row.created_at, id: row.id };
    Ok(part.page(rows.into_iter().map(|row| (position(&row), entry(row))).collect(), total))
}

/// Last name of a chatter.
pub(super) async fn username(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    platform: Platform,
    user_id: &str,
) -> Result<Option<String>> {
    Ok(chat_messages::table
        .filter(
            chat_messages::account_id
                .eq(account)
                .and(chat_messages::platform.eq(platform.slug()))
                .and(chat_messages::platform_user_id.eq(user_id)),
        )
        .order(chat_messages::sent_at.desc())
        .select(chat_messages::username)
        .first(timeseries)
        .await
        .optional()?)
}

/// Time and author of a message of the account's chat.
pub(super) async fn find_stored(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    platform: Platform,
    message_id: &str,
) -> Result<Option<(DateTime<Utc>, String)>> {
    Ok(chat_messages::table
        .filter(
            chat_messages::account_id
                .eq(account)
                .and(chat_messages::platform.eq(platform.slug()))
                .and(chat_messages::platform_message_id.eq(message_id)),
        )
        .order(chat_messages::sent_at.desc())
        .select((chat_messages::sent_at, chat_messages::platform_user_id))
        .first(timeseries)
        .await
        .optional()?)
}

fn entry(row: Row) -> ModerationLogEntry {
    let kind = match row.moderator_type.as_str() {
        "user" => ModeratorType::User,
        "service_key" => ModeratorType::ServiceKey,
        "extension" => ModeratorType::Extension,
        "automation" => ModeratorType::Automation,
        // The column has no other value.
        _ => ModeratorType::System,
    };
    let action = match row.action.as_str() {
        "ban" => ModerationLogAction::Ban,
        "timeout" => ModerationLogAction::Timeout,
        "unban" => ModerationLogAction::Unban,
        // The column has no other value.
        _ => ModerationLogAction::Delete,
    };
    ModerationLogEntry {
        id: row.id,
        platform: row.platform,
        action,
        target: row.target,
        moderator: Moderator { kind, id: row.moderator_id, display_name: row.moderator_name },
        reason: row.reason,
        duration_secs: row.duration_secs,
        success: row.success,
        details: row.details,
        created_at: row.created_at.into(),
    }
}
