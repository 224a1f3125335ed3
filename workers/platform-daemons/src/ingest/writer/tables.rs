//! Statements of the tables: one a batch, with arrays of columns that are unnested. Unlike a binary COPY they
//! skip rows that are stored already.

use std::{fmt::Debug, io::Write};

use chrono::{DateTime, Utc};
use diesel::{
    QueryResult, QueryableByName,
    pg::Pg,
    serialize::{self, IsNull, Output, ToSql},
    sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    db::{Prepare, column},
    redis::Redis,
};
use history_model::minutes::{begin, chatter_hash, emotes, gifs, line_hash};
use live_model::{ChatMessage, EventRow, Removals, Row};
use serde::Serialize;
use uuid::Uuid;
use webhook_model::queue::Occurrence;

use super::tiers;

/// Returned columns of a row that was not stored before.
#[derive(QueryableByName)]
struct New {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Row that can be written with others in one statement.
pub trait Stored: Row {
    /// Writes rows; returns the ids of those that were not stored before.
    fn insert(
        connection: &mut AsyncPgConnection,
        rows: &[&Self],
    ) -> impl Future<Output = QueryResult<Vec<Uuid>>> + Send;

    /// True when [`Stored::insert`] records who wrote the rows, to be counted afterwards.
    const RECORDS_CHATTERS: bool = false;

    /// Returns what webhook endpoints may receive of the row (reference/webhooks.md#sources).
    fn occurrence(&self) -> Option<Occurrence<'_>>;

    /// Runs the steps after the write of rows; may be repeated.
    fn after_insert(
        _connection: &mut AsyncPgConnection,
        _redis: &Redis,
        _rows: &[&Self],
    ) -> impl Future<Output = shared::Result<()>> + Send {
        async { Ok(()) }
    }
}

impl Stored for ChatMessage {
    const RECORDS_CHATTERS: bool = true;

    fn occurrence(&self) -> Option<Occurrence<'_>> {
        Occurrence::of_message(self)
    }

    /// Also counts the rows, and records who wrote them, where that is stored. Rows that are only counted are in
    /// the result whether they are new or not.
    async fn insert(connection: &mut AsyncPgConnection, rows: &[&Self]) -> QueryResult<Vec<Uuid>> {
        let (counted_only, stored): (Vec<&Self>, Vec<&Self>) =
            rows.iter().copied().partition(|row| row.counted_as.is_some());
        let uses = column(rows, |row| (emotes(row), gifs(&row.text)));
        let new: Vec<New> = sql_query(
            "WITH new AS ( \
                 INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username, \
                 display_name, color, badges, text, fragments, emotes, reply_to, is_deleted, is_action, sent_at) \
                 SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
                 ON CONFLICT DO NOTHING \
                 RETURNING id, account_id, platform, platform_user_id, username, display_name, sent_at \
             ), noted AS ( \
                 INSERT INTO chatter_notes (account_ids, platforms, platform_user_ids, usernames, display_names, sent_ats) \
                 SELECT array_agg(account_id), array_agg(platform), array_agg(platform_user_id), array_agg(username), \
                 array_agg(display_name), array_agg(sent_at) FROM new WHERE id <> ALL ($17) HAVING count(*) > 0 \
             ), counted AS ( \
                 INSERT INTO stream_lines (account_id, platform, minute, line, chatter, emotes, gifs) \
                 SELECT * FROM unnest($18, $19, $20, $21, $22, $23, $24) \
                     AS line (account_id, platform, minute, line, chatter, emotes, gifs) \
                 WHERE minute > now() - interval '8 days' AND minute < now() + interval '2 days' \
                 ON CONFLICT DO NOTHING RETURNING account_id, platform, minute \
             ), marked AS ( \
                 INSERT INTO stream_minute_marks (account_id, platform, minute) \
                 SELECT DISTINCT account_id, platform, minute FROM counted \
             ) SELECT id FROM new",
        )
        .bind::<Array<SqlUuid>, _>(column(&stored, |row| row.id))
        .bind::<Array<SqlUuid>, _>(column(&stored, |row| row.account_id))
        .bind::<Array<Text>, _>(column(&stored, |row| row.platform.as_str()))
        .bind::<Array<Text>, _>(column(&stored, |row| row.platform_message_id.as_str()))
        .bind::<Array<Text>, _>(column(&stored, |row| row.platform_user_id.as_str()))
        .bind::<Array<Text>, _>(column(&stored, |row| row.username.as_str()))
        .bind::<Array<Text>, _>(column(&stored, |row| row.display_name.as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(&stored, |row| row.color.as_deref()))
        .bind::<Array<Jsonb>, _>(column(&stored, |row| AsJson(&row.badges)))
        .bind::<Array<Text>, _>(column(&stored, |row| row.text.as_str()))
        .bind::<Array<Jsonb>, _>(column(&stored, |row| AsJson(&row.fragments)))
        .bind::<Array<Jsonb>, _>(column(&stored, |row| AsJson(&row.emotes)))
        .bind::<Array<Nullable<Text>>, _>(column(&stored, |row| row.reply_to.as_deref()))
        .bind::<Array<Bool>, _>(column(&stored, |row| row.is_deleted))
        .bind::<Array<Bool>, _>(column(&stored, |row| row.is_action))
        .bind::<Array<Timestamptz>, _>(column(&stored, |row| row.sent_at))
        .bind::<Array<SqlUuid>, _>(
            stored.iter().filter(|row| row.forgets_user).map(|row| row.id).collect::<Vec<_>>(),
        )
        .bind::<Array<SqlUuid>, _>(column(rows, |row| row.account_id))
        .bind::<Array<Text>, _>(column(rows, |row| row.platform.as_str()))
        .bind::<Array<Timestamptz>, _>(column(rows, |row| begin(row.sent_at)))
        .bind::<Array<BigInt>, _>(column(rows, |row| line_hash(&row.platform, &row.platform_message_id)))
        .bind::<Array<BigInt>, _>(column(rows, |row| {
            let stored = || chatter_hash(row.account_id, &row.platform, &row.platform_user_id);
            row.counted_as.unwrap_or_else(stored)
        }))
        .bind::<Array<Nullable<Jsonb>>, _>(column(&uses, |(emotes, _)| emotes.as_ref().map(AsJson)))
        .bind::<Array<Nullable<Jsonb>>, _>(column(&uses, |(_, gifs)| gifs.as_ref().map(AsJson)))
        .prepared()
        .load(connection)
        .await?;
        let counted_only = counted_only.into_iter().map(|row| row.id);
        Ok(new.into_iter().map(|new| new.id).chain(counted_only).collect())
    }

    /// Marks rows that were removed before they were written, and records the tiers of members.
    async fn after_insert(
        connection: &mut AsyncPgConnection,
        redis: &Redis,
        rows: &[&Self],
    ) -> shared::Result<()> {
        tiers::note(connection, rows.iter().flat_map(|row| tiers::of_message(row))).await?;
        let stored: Vec<&Self> = rows.iter().copied().filter(|row| row.counted_as.is_none()).collect();
        let removed = Removals::new(redis.clone()).among(&stored).await?;
        if removed.is_empty() {
            return Ok(());
        }
        sql_query(
            "UPDATE chat_messages AS message SET is_deleted = true \
             FROM unnest($1, $2, $3, $4) AS removed (account_id, platform, platform_message_id, sent_at) \
             WHERE message.account_id = removed.account_id AND message.platform = removed.platform \
             AND message.platform_message_id = removed.platform_message_id AND message.sent_at = removed.sent_at \
             AND NOT message.is_deleted",
        )
        .bind::<Array<SqlUuid>, _>(column(&removed, |row| row.account_id))
        .bind::<Array<Text>, _>(column(&removed, |row| row.platform.as_str()))
        .bind::<Array<Text>, _>(column(&removed, |row| row.platform_message_id.as_str()))
        .bind::<Array<Timestamptz>, _>(column(&removed, |row| row.sent_at))
        .execute(connection)
        .await?;
        Ok(())
    }
}

impl Stored for EventRow {
    fn occurrence(&self) -> Option<Occurrence<'_>> {
        Some(Occurrence::of_event(self))
    }

    async fn after_insert(
        connection: &mut AsyncPgConnection,
        _redis: &Redis,
        rows: &[&Self],
    ) -> shared::Result<()> {
        tiers::note(connection, rows.iter().filter_map(|row| tiers::of_event(&row.event))).await
    }

    /// Also marks the minutes of the events (reference/history.md#counts).
    async fn insert(connection: &mut AsyncPgConnection, rows: &[&Self]) -> QueryResult<Vec<Uuid>> {
        let new: Vec<New> = sql_query(
            "WITH new AS ( \
                 INSERT INTO events (id, account_id, event_type, platform, platform_event_id, platform_user_id, username, \
                 display_name, avatar_url, amount, currency, message, data, is_test, occurred_at) \
                 SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
                 ON CONFLICT DO NOTHING RETURNING id, account_id, platform, is_test, occurred_at \
             ), marked AS ( \
                 INSERT INTO stream_minute_marks (account_id, platform, minute) \
                 SELECT DISTINCT account_id, coalesce(platform, ''), date_trunc('minute', occurred_at) FROM new \
                 WHERE NOT is_test AND occurred_at > now() - interval '8 days' \
             ) SELECT id FROM new",
        )
        .bind::<Array<SqlUuid>, Vec<Uuid>>(column(rows, |row| row.event.id))
        .bind::<Array<SqlUuid>, Vec<Uuid>>(column(rows, |row| row.event.account_id))
        .bind::<Array<Text>, _>(column(rows, |row| row.event.event_type.as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.event.platform.as_deref()))
        .bind::<Array<Text>, _>(column(rows, |row| row.platform_event_id.as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.event.platform_user_id.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.event.username.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.event.display_name.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.event.avatar_url.as_deref()))
        .bind::<Array<Nullable<BigInt>>, _>(column(rows, |row| row.event.amount))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.event.currency.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |row| row.event.message.as_deref()))
        .bind::<Array<Jsonb>, _>(column(rows, |row| &row.event.data))
        .bind::<Array<Bool>, _>(column(rows, |row| row.event.is_test))
        .bind::<Array<Timestamptz>, Vec<DateTime<Utc>>>(column(rows, |row| row.event.occurred_at))
        .prepared()
        .load(connection)
        .await?;
        Ok(new.into_iter().map(|new| new.id).collect())
    }
}

/// JSON that is serialised directly into the statement, without a tree in between: a batch has thousands.
#[derive(Debug)]
struct AsJson<'a, T>(&'a T);

impl<T: Serialize + Debug> ToSql<Jsonb, Pg> for AsJson<'_, T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        // The only version of the binary form, then the text.
        out.write_all(&[1])?;
        serde_json::to_writer(out, self.0)?;
        Ok(IsNull::No)
    }
}
