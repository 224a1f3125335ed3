//! Prefix search (specification B §4.7 rule 5): exact and quick for every prefix, whatever the number of users.
//!
//! For a prefix of 2 to 5 letters an index holds its users in the order of the answer: the first of them are the answer.
//! For a longer one an index of the names finds the few that fit, and they are sorted. Where more than a few fit, the
//! bucket of the first five letters is walked in the order of the answer until enough were met. Each platform and each
//! of the two names is asked for itself: what is common in one may be rare in another.

use api_core::{Result, Timestamp};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::id::AccountId;

/// Most letters that an index in the order of the answer exists for; it does for fewer, down to two.
const MAX_BUCKET_LENGTH: usize = 5;
/// Users of a prefix, by platform and kind of name, that are sorted rather than walked to.
const FEW: i64 = 300;

const COLUMNS: &str =
    "platform, platform_user_id, username, display_name, avatar_url, message_count, last_seen_at";

/// The two names that a prefix may be one of.
const USERNAME: Name = Name { column: "username", is_indexed: "true", crowded: "$5" };
const DISPLAY_NAME: Name =
    Name { column: "display_name", is_indexed: "lower(display_name) <> lower(username)", crowded: "$6" };

#[derive(Clone, Copy)]
struct Name {
    column: &'static str,
    /// The condition of the name's indexes.
    is_indexed: &'static str,
    /// The parameter that holds the platforms where more than a few fit.
    crowded: &'static str,
}

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    pub account: AccountId,
    /// At least two letters, in any case.
    pub prefix: &'a str,
    pub platforms: &'a [&'static str],
    pub limit: i64,
}

/// A user who fits.
#[derive(Debug, QueryableByName)]
pub(super) struct Found {
    #[diesel(sql_type = Text)]
    pub platform: String,
    #[diesel(sql_type = Text)]
    pub platform_user_id: String,
    #[diesel(sql_type = Text)]
    pub username: String,
    #[diesel(sql_type = Text)]
    pub display_name: String,
    #[diesel(sql_type = Nullable<Text>)]
    pub avatar_url: Option<String>,
    #[diesel(sql_type = BigInt)]
    pub message_count: i64,
    #[diesel(sql_type = Timestamptz)]
    pub last_seen_at: Timestamp,
    /// Platforms where more than a few have such a username, or display name.
    #[diesel(sql_type = Array<Text>)]
    crowded_usernames: Vec<String>,
    #[diesel(sql_type = Array<Text>)]
    crowded_display_names: Vec<String>,
}

impl Search<'_> {
    /// The users who fit, in the order of the rule.
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

/// The first of what several ways find, and where one of them stopped because too many fit. Whoever is found by both
/// names is among the first of either, so that it is enough to leave out the second here.
fn in_order(ways: &[String]) -> String {
    let crowded = |column: &str| {
        format!(
            "ARRAY(SELECT platform FROM found WHERE found_by = '{column}' GROUP BY platform HAVING count(*) > {FEW})"
        )
    };
    format!(
        "WITH found AS MATERIALIZED ({}) \
         SELECT DISTINCT ON (last_seen_at, message_count, platform, platform_user_id) {COLUMNS}, \
             {} AS crowded_usernames, {} AS crowded_display_names FROM found \
         ORDER BY last_seen_at DESC, message_count DESC, platform, platform_user_id LIMIT $4",
        ways.join(" UNION ALL "),
        crowded(USERNAME.column),
        crowded(DISPLAY_NAME.column),
    )
}

/// Walks the buckets of crowded platforms in the order of the answer. `OFFSET 0` keeps the filter out of the walk's
/// plan, where it would be taken for rarer than it is and the whole bucket be read and sorted.
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

/// Finds everybody who fits on the other platforms, but stops beyond a few.
fn few(name: Name) -> String {
    let Name { column, is_indexed, crowded } = name;
    let most = FEW + 1;
    format!(
        "SELECT one.*, '{column}' AS found_by FROM unnest($2) AS wanted (platform) CROSS JOIN LATERAL ( \
             SELECT {COLUMNS} FROM platform_users \
             WHERE account_id = $1 AND platform = wanted.platform AND {is_indexed} \
             AND lower({column}) COLLATE \"C\" >= lower($3) COLLATE \"C\" \
             AND lower({column}) COLLATE \"C\" < (lower($3) || chr(1114111)) COLLATE \"C\" LIMIT {most}) AS one \
         WHERE wanted.platform <> ALL ({crowded})"
    )
}
