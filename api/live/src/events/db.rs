//! Queries over `events`. Each carries the account.

use api_core::{
    CursorPage, Position, Result, Timestamp,
    cursor::Part,
    graphql::{Int64, Json},
};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::EventRow;
use serde_json::Value;
use shared::{
    id::AccountId,
    schema::{channel_connections, timeseries::events},
};
use uuid::Uuid;

use super::Event;

/// Filter of events.
#[derive(Hash)]
pub(super) struct EventSelection {
    /// The account.
    pub account: AccountId,
    /// Only events of these types.
    pub types: Option<Vec<String>>,
    /// Only events of this platform.
    pub platform: Option<String>,
    /// Only events whose names or message contain this, in any case.
    pub search: Option<String>,
    /// Only events at or after this time.
    pub from: Option<DateTime<Utc>>,
    /// Only events before this time.
    pub to: Option<DateTime<Utc>>,
}

/// Query of a part. Each row holds the total number, unless the part continues a list; a part beyond the end is one row
/// of nulls. The bound of the time alone leaves out the partitions of later events.
const PART: &str = "
    SELECT counted.total, page.*
    FROM (SELECT CASE WHEN $7 IS NULL THEN (SELECT count(*) FROM events WHERE <wanted>) END AS total) AS counted
    LEFT JOIN (
        SELECT id, account_id, event_type, platform, platform_user_id, username, display_name, avatar_url, amount,
               currency, message, data, is_test, occurred_at
        FROM events
        WHERE <wanted> AND ($7 IS NULL OR (occurred_at <= $7 AND (occurred_at, id) < ($7, $8)))
        ORDER BY occurred_at DESC, id DESC LIMIT $9 OFFSET $10
    ) AS page ON true
    ORDER BY page.occurred_at DESC, page.id DESC";

/// Condition of a filter. The statement is planned with its values, so an absent condition costs nothing.
const WANTED: &str = "
    account_id = $1 AND ($2 IS NULL OR event_type = ANY($2)) AND ($3 IS NULL OR platform = $3)
    AND ($4 IS NULL OR username ILIKE $4 OR display_name ILIKE $4 OR message ILIKE $4)
    AND ($5 IS NULL OR occurred_at >= $5) AND ($6 IS NULL OR occurred_at < $6)";

#[derive(QueryableByName)]
struct PageRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    total: Option<i64>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    id: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    account_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    event_type: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    platform: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    platform_user_id: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    username: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    display_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    amount: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    currency: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    message: Option<String>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    data: Option<Value>,
    #[diesel(sql_type = Nullable<Bool>)]
    is_test: Option<bool>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    occurred_at: Option<DateTime<Utc>>,
}

/// Row of the table.
#[derive(Queryable, Selectable)]
#[diesel(table_name = events)]
struct Row {
    id: Uuid,
    account_id: Uuid,
    event_type: String,
    platform: Option<String>,
    platform_user_id: Option<String>,
    username: Option<String>,
    display_name: Option<String>,
    avatar_url: Option<String>,
    amount: Option<i64>,
    currency: Option<String>,
    message: Option<String>,
    data: Value,
    is_test: bool,
    occurred_at: Timestamp,
}

/// Connected channel.
#[derive(Queryable, Selectable)]
#[diesel(table_name = channel_connections)]
pub(super) struct Channel {
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// True when the account has enabled the bot there.
    pub bot_enabled: bool,
}

/// One part, newest first.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    wanted: &EventSelection,
    part: Part,
) -> Result<CursorPage<Event>> {
    let rows: Vec<PageRow> = sql_query(PART.replace("<wanted>", WANTED))
        .bind::<SqlUuid, _>(wanted.account.uuid())
        .bind::<Nullable<Array<Text>>, _>(&wanted.types)
        .bind::<Nullable<Text>, _>(&wanted.platform)
        .bind::<Nullable<Text>, _>(wanted.search.as_deref().map(containing))
        .bind::<Nullable<Timestamptz>, _>(wanted.from)
        .bind::<Nullable<Timestamptz>, _>(wanted.to)
        .bind::<Nullable<Timestamptz>, _>(part.after_at())
        .bind::<Nullable<SqlUuid>, _>(part.after_id())
        .bind::<BigInt, _>(part.limit())
        .bind::<BigInt, _>(part.offset())
        .load(connection)
        .await?;
    let counted = rows.iter().find_map(|row| row.total);
    let total = part.total().or(counted).unwrap_or(0);
    Ok(part.page(rows.into_iter().filter_map(PageRow::into_event).collect(), total))
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Event>> {
    let row = events::table
        .filter(events::account_id.eq(account.uuid()).and(events::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(Row::into_event))
}

/// Writes an event. A stored one stays as it is.
pub(super) async fn insert(connection: &mut AsyncPgConnection, row: &EventRow) -> Result<()> {
    let event = &row.event;
    insert_into(events::table)
        .values((
            events::id.eq(event.id),
            events::account_id.eq(event.account_id),
            events::event_type.eq(&event.event_type),
            events::platform.eq(&event.platform),
            events::platform_event_id.eq(&row.platform_event_id),
            events::platform_user_id.eq(&event.platform_user_id),
            events::username.eq(&event.username),
            events::display_name.eq(&event.display_name),
            events::avatar_url.eq(&event.avatar_url),
            events::amount.eq(event.amount),
            events::currency.eq(&event.currency),
            events::message.eq(&event.message),
            events::data.eq(&event.data),
            events::is_test.eq(event.is_test),
            events::occurred_at.eq(event.occurred_at),
        ))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    Ok(())
}

/// Channel of the account on a platform.
pub(super) async fn channel(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    platform: &str,
) -> Result<Option<Channel>> {
    Ok(channel_connections::table
        .filter(channel_connections::account_id.eq(account).and(channel_connections::platform.eq(platform)))
        .select(Channel::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Pattern of texts that contain this one; `%`, `_` and the backslash are literal.
fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

impl PageRow {
    /// Event of the row with its position; `None` for a part beyond the end.
    fn into_event(self) -> Option<(Position, Event)> {
        let position = Position { at: self.occurred_at?, id: self.id? };
        let event = Event {
            id: position.id,
            account_id: self.account_id?,
            event_type: self.event_type?,
            platform: self.platform,
            platform_user_id: self.platform_user_id,
            username: self.username,
            display_name: self.display_name,
            avatar_url: self.avatar_url,
            amount: self.amount.map(Int64),
            currency: self.currency,
            message: self.message,
            data: Json(self.data?),
            is_test: self.is_test?,
            occurred_at: position.at.into(),
        };
        Some((position, event))
    }
}

impl Row {
    fn into_event(self) -> Event {
        Event {
            id: self.id,
            account_id: self.account_id,
            event_type: self.event_type,
            platform: self.platform,
            platform_user_id: self.platform_user_id,
            username: self.username,
            display_name: self.display_name,
            avatar_url: self.avatar_url,
            amount: self.amount.map(Int64),
            currency: self.currency,
            message: self.message,
            data: Json(self.data),
            is_test: self.is_test,
            occurred_at: self.occurred_at,
        }
    }
}
