//! Prefix search (reference/chat.md#user-search): exact and quick for every prefix, independent of the number
//! of users.
//!
//! For a prefix of 2 to 5 letters an index holds its users in the order of the result: the first of them are
//! the result. For a longer prefix an index of the names finds the few matches, and they are sorted. Where
//! more than a few match, the bucket of the first five letters is walked in the order of the result until
//! enough are found. Each platform and each of the two names is searched separately: a prefix that is common
//! in one may be rare in another.

use api_core::{Result, Timestamp};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::id::AccountId;

/// Longest prefix, in letters, with an index in the order of the result; the shortest has two.
const MAX_BUCKET_LENGTH: usize = 5;
/// Largest number of users of a prefix, by platform and kind of name, that are sorted rather than walked.
const SORT_THRESHOLD: i64 = 300;

const COLUMNS: &str =
    "platform, platform_user_id, username, display_name, avatar_url, message_count, last_seen_at";

/// The two names that a prefix may match.
const USERNAME: Name = Name { column: "username", is_indexed: "true", crowded: "$5" };
const DISPLAY_NAME: Name =
    Name { column: "display_name", is_indexed: "lower(display_name) <> lower(username)", crowded: "$6" };

#[derive(Clone, Copy)]
struct Name {
    column: &'static str,
    /// Condition of the name's indexes.
    is_indexed: &'static str,
    /// Parameter with the platforms where more than a few match.
    crowded: &'static str,
}

/// Search by prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    /// The account.
    pub account: AccountId,
    /// At least two letters, in any case.
    pub prefix: &'a str,
    /// Slugs of the platforms to search.
    pub platforms: &'a [&'static str],
    /// Largest number of users.
    pub limit: i64,
}

/// User who matches.
#[derive(Debug, QueryableByName)]
pub(super) struct Found {
    /// Slug of the platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// The platform's id of the user.
    #[diesel(sql_type = Text)]
    pub platform_user_id: String,
    /// Last name in addresses.
    #[diesel(sql_type = Text)]
    pub username: String,
    /// Last name as the platform shows it.
    #[diesel(sql_type = Text)]
    pub display_name: String,
    /// Address of the picture.
    #[diesel(sql_type = Nullable<Text>)]
    pub avatar_url: Option<String>,
    /// Number of messages.
    #[diesel(sql_type = BigInt)]
    pub message_count: i64,
    /// Time of the last message.
    #[diesel(sql_type = Timestamptz)]
    pub last_seen_at: Timestamp,
    /// Platforms where more than a few users have such a username or display name.
    #[diesel(sql_type = Array<Text>)]
    crowded_usernames: Vec<String>,
    #[diesel(sql_type = Array<Text>)]
    crowded_display_names: Vec<String>,
}

impl Search<'_> {
    /// Users who match, in the order of the result.
    pub async fn run(&self, connection: &mut AsyncPgConnection) -> Result<Vec<Found>> {
        let letters = self.prefix.chars().count();
        if letters <= MAX_BUCKET_LENGTH {
            let everywhere: Vec<String> =
                self.platforms.iter().map(|platform| (*platform).to_owned()).collect();
            let walks = [USERNAME, DISPLAY_NAME].map(|name| walk(name, letters, true));
            return self.load(&in_order(&walks), &everywhere, &everywhere, connection).await;
        }
        let few = [USERNAME, DISPLAY_NAME].map(few);
        let found = self.load(&in_order(&few), &[], &[], connection).await?;
        let Some(first) = found.as_slice().first() else { return Ok(found) };
        if first.crowded_usernames.is_empty() && first.crowded_display_names.is_empty() {
            return Ok(found);
        }
        let walks = [USERNAME, DISPLAY_NAME].map(|name| walk(name, MAX_BUCKET_LENGTH, false));
        let both = [few, walks].concat();
        let (usernames, display_names) = (&first.crowded_usernames, &first.crowded_display_names);
        self.load(&in_order(&both), usernames, display_names, connection).await
    }

    async fn load(
        &self,
        sql: &str,
        crowded_usernames: &[String],
        crowded_display_names: &[String],
        connection: &mut AsyncPgConnection,
    ) -> Result<Vec<Found>> {
        Ok(sql_query(sql)
            .bind::<SqlUuid, _>(self.account)
            .bind::<Array<Text>, _>(self.platforms)
            .bind::<Text, _>(self.prefix)
            .bind::<BigInt, _>(self.limit)
            .bind::<Array<Text>, _>(crowded_usernames)
            .bind::<Array<Text>, _>(crowded_display_names)
            .load(connection)
            .await?)
    }
}

/// Query of the first users of several searches, with the platforms where a search stopped because too many
/// matched. A user found by both names is among the first of either, so it is enough to leave out the second
/// here.
fn in_order(queries: &[String]) -> String {
    let crowded = |column: &str| {
        format!(
            "ARRAY(SELECT platform FROM found WHERE found_by = '{column}' GROUP BY platform HAVING count(*) > {SORT_THRESHOLD})"
        )
    };
    format!(
        "WITH found AS MATERIALIZED ({}) \
         SELECT DISTINCT ON (last_seen_at, message_count, platform, platform_user_id) {COLUMNS}, \
             {} AS crowded_usernames, {} AS crowded_display_names FROM found \
         ORDER BY last_seen_at DESC, message_count DESC, platform, platform_user_id LIMIT $4",
        queries.join(" UNION ALL "),
        crowded(USERNAME.column),
        crowded(DISPLAY_NAME.column),
    )
}

/// Query that walks the buckets of crowded platforms in the order of the result. `OFFSET 0` keeps the filter
/// out of the walk's plan: the planner would take it for rarer than it is, and read and sort the whole
/// bucket.
fn walk(name: Name, letters: usize, is_whole: bool) -> String {
    let Name { column, is_indexed, crowded } = name;
    let fits = if is_whole { "true".to_owned() } else { format!("starts_with(lower({column}), lower($3))") };
    format!(
        "SELECT one.*, '{column}' AS found_by FROM unnest({crowded}) AS wanted (platform) CROSS JOIN LATERAL ( \
             SELECT {COLUMNS} FROM (SELECT {COLUMNS} FROM platform_users \
             WHERE account_id = $1 AND platform = wanted.platform AND {is_indexed} \
             AND left(lower({column}), {letters}) COLLATE \"C\" = left(lower($3), {letters}) COLLATE \"C\" \
             ORDER BY seen_slot DESC, last_seen_at DESC, message_count DESC, platform_user_id OFFSET 0) AS bucket \
             WHERE {fits} LIMIT $4) AS one"
    )
}

/// Query of all matches on the other platforms, which stops beyond a few.
fn few(name: Name) -> String {
    let Name { column, is_indexed, crowded } = name;
    let max = SORT_THRESHOLD + 1;
    format!(
        "SELECT one.*, '{column}' AS found_by FROM unnest($2) AS wanted (platform) CROSS JOIN LATERAL ( \
             SELECT {COLUMNS} FROM platform_users \
             WHERE account_id = $1 AND platform = wanted.platform AND {is_indexed} \
             AND lower({column}) COLLATE \"C\" >= lower($3) COLLATE \"C\" \
             AND lower({column}) COLLATE \"C\" < (lower($3) || chr(1114111)) COLLATE \"C\" LIMIT {max}) AS one \
         WHERE wanted.platform <> ALL ({crowded})"
    )
}
