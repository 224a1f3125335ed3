//! People with the most stored lines. One scan of the stored messages of the session.

use std::ops::Range;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Int4, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::Result;
use uuid::Uuid;

use super::{
    Chatter, MAX_TOP,
    time::{Parts, Window},
};

/// People of one list before those are left out of whom nothing is known.
const MAX_CANDIDATES: i64 = 100;

/// People of each list by their lines. Deleted lines do not count. A person without a row in `platform_users` was erased, or is one of whom the
/// account stores nothing.
pub const CHATTERS: &str = "
    WITH counted AS (
        SELECT platform, platform_user_id, width_bucket(sent_at, $4) AS part, count(*) AS lines
        FROM chat_messages WHERE account_id = $1 AND sent_at >= $2 AND sent_at < $3 AND NOT is_deleted
        GROUP BY platform, platform_user_id, part
    ), ranked AS (
        SELECT list.number, counted.platform, counted.platform_user_id, sum(counted.lines)::bigint AS lines,
            row_number() OVER (PARTITION BY list.number
                ORDER BY sum(counted.lines) DESC, counted.platform, counted.platform_user_id) AS place
        FROM unnest($5, $6, $7, $8) AS list (number, platform, from_part, to_part)
        JOIN counted ON counted.part >= list.from_part AND counted.part < list.to_part
            AND counted.platform = coalesce(list.platform, counted.platform)
        GROUP BY list.number, counted.platform, counted.platform_user_id
    )
    SELECT ranked.number, ranked.platform, ranked.platform_user_id, known.username, known.display_name,
        known.avatar_url, ranked.lines
    FROM ranked JOIN platform_users AS known ON known.account_id = $1 AND known.platform = ranked.platform
        AND known.platform_user_id = ranked.platform_user_id
    WHERE ranked.place <= $9 ORDER BY ranked.number, ranked.place";

/// List of people: of a span of time, on one platform or on all.
#[derive(Debug, Clone)]
pub(super) struct List<'a> {
    /// Platform; `None` for all.
    pub platform: Option<&'a str>,
    /// Parts of the span.
    pub parts: Range<i32>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Int4)]
    number: i32,
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_user_id: String,
    #[diesel(sql_type = Text)]
    username: String,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
    #[diesel(sql_type = BigInt)]
    lines: i64,
}

/// Reads the people of each list, those with the most lines first.
pub(super) async fn read(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    window: Window,
    parts: &Parts,
    lists: &[List<'_>],
) -> Result<Vec<Vec<Chatter>>> {
    let rows: Vec<Row> = sql_query(CHATTERS)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(window.from)
        .bind::<Timestamptz, _>(window.to)
        .bind::<Array<Timestamptz>, &[DateTime<Utc>]>(parts.bounds())
        .bind::<Array<Int4>, Vec<i32>>((0..).take(lists.len()).collect())
        .bind::<Array<Nullable<Text>>, _>(column(lists, |list| list.platform))
        .bind::<Array<Int4>, _>(column(lists, |list| list.parts.start))
        .bind::<Array<Int4>, _>(column(lists, |list| list.parts.end))
        .bind::<BigInt, _>(MAX_CANDIDATES)
        .prepared()
        .load(timeseries)
        .await?;
    let mut found = vec![Vec::new(); lists.len()];
    for row in rows {
        let list = usize::try_from(row.number).ok().and_then(|number| found.get_mut(number));
        if let Some(list) = list.filter(|list| list.len() < MAX_TOP) {
            list.push(row.into_chatter());
        }
    }
    Ok(found)
}

impl Row {
    fn into_chatter(self) -> Chatter {
        Chatter {
            platform: self.platform,
            platform_user_id: Some(self.platform_user_id),
            username: self.username,
            display_name: self.display_name,
            avatar_url: self.avatar_url,
            message_count: self.lines,
        }
    }
}
