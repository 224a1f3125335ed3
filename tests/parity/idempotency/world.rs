//! Everything that a repeated request could change.

use std::collections::BTreeMap;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Belongings, Person, TestApp, world::published};
use platforms_stand_in::Platform;

/// Kinds of channels of an account that operations publish on.
const CHANNELS: [&str; 8] =
    ["chat", "events", "extensions", "account", "sounds", "spotify", "obs", "automations"];
/// Beginnings of the names of tables that change with each request of a credential.
const TOUCHED: [&str; 6] =
    ["sessions", "user_api_keys", "account_service_keys", "surface_tokens", "usage_", "redis_"];

/// State of the databases, the event logs and the platforms.
#[derive(Debug, PartialEq)]
pub(super) struct World {
    /// Rows by table.
    tables: BTreeMap<String, i64>,
    belongings: Belongings,
    /// Published events by channel.
    published: BTreeMap<&'static str, usize>,
    /// Calls that the platforms executed.
    calls: usize,
}

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

impl World {
    pub async fn of(app: &TestApp, owner: &Person) -> Self {
        let mut published_on = BTreeMap::new();
        for channel in CHANNELS {
            let events = published(app, &format!("{channel}:{}", owner.account_id)).await;
            published_on.insert(channel, events.len());
        }
        let mut belongings = app.belongings_of(owner).await;
        belongings.retain(|table, _| !is_touched(table));
        Self { tables: tables(app).await, belongings, published: published_on, calls: calls(app) }
    }

    /// Names of what differs.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        found.extend(differing(&self.tables, &other.tables).map(|name| format!("rows of {name}")));
        found.extend(differing(&self.belongings, &other.belongings).map(|name| format!("content of {name}")));
        found.extend(differing(&self.published, &other.published).map(|name| format!("events on {name}")));
        found.extend((self.calls != other.calls).then(|| "calls to platforms".to_owned()));
        found
    }
}

fn differing<'a, K: Ord, V: PartialEq>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = &'a K> {
    before.iter().filter(|(name, value)| after.get(name) != Some(value)).map(|(name, _)| name)
}

fn is_touched(table: &str) -> bool {
    TOUCHED.iter().any(|touched| table.starts_with(touched))
}

/// Number of the rows of every table.
async fn tables(app: &TestApp) -> BTreeMap<String, i64> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let tables: Vec<Table> = sql_query(
        "SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
             AND relkind IN ('r', 'p') AND NOT relispartition",
    )
    .load(&mut *db)
    .await
    .unwrap();
    let counted = tables.iter().filter(|table| !is_touched(&table.name));
    let counts =
        counted.map(|Table { name }| format!("SELECT '{name}' AS name, count(*) AS rows FROM {name}"));
    let sql = counts.collect::<Vec<_>>().join(" UNION ALL ");
    let rows: Vec<Counted> = sql_query(sql).load(&mut *db).await.unwrap();
    rows.into_iter().map(|Counted { name, rows }| (name, rows)).collect()
}

/// Calls with an effect that the platforms got.
fn calls(app: &TestApp) -> usize {
    let platforms = [Platform::Twitch, Platform::Spotify];
    let of_each = platforms.into_iter().map(|platform| {
        app.platforms.sent_messages(platform).len()
            + app.platforms.engagement_calls(platform).len()
            + app.platforms.moderation_actions(platform).len()
    });
    of_each.sum()
}
