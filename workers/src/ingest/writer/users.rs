//! Who chats (specification B §4.7 rule 5, C B13): counts and last names of chatters, gathered from written messages and
//! put down once a second. A message is counted when it was not stored before, so once however often it is written. In a
//! lively chat one row stands for many messages, so that the messages themselves are written as fast as without.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use diesel::{
    sql_query,
    sql_types::{Array, BigInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::ingest::ChatMessage;
use uuid::Uuid;

/// How long what is gathered waits.
const LINGER: Duration = Duration::from_secs(1);
/// What is gathered waits no longer when it is of so many users.
const ENOUGH: usize = 1000;
/// Users that wait while the database is away; further ones are counted when they write again.
const MOST: usize = 50_000;

const UPSERT: &str = "
    INSERT INTO platform_users AS known (account_id, platform, platform_user_id, username, display_name,
        message_count, first_seen_at, last_seen_at)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (account_id, platform, platform_user_id) DO UPDATE SET
        username = CASE WHEN excluded.last_seen_at < known.last_seen_at
            THEN known.username ELSE excluded.username END,
        display_name = CASE WHEN excluded.last_seen_at < known.last_seen_at
            THEN known.display_name ELSE excluded.display_name END,
        message_count = known.message_count + excluded.message_count,
        first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)";

/// Account, platform and the platform's id of the user. In this order the rows are written, so that writers never wait
/// for each other in a circle.
type Key = (Uuid, String, String);

/// What one writer has gathered.
#[derive(Debug, Default)]
pub(super) struct Chatters {
    users: BTreeMap<Key, Chatter>,
    since: Option<Instant>,
    left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Chatter {
    username: String,
    display_name: String,
    messages: i64,
    first_seen_at: DateTime<Utc>,
    last_seen_at: DateTime<Utc>,
}

impl Chatters {
    /// Counts a message that was not stored before.
    pub fn add(&mut self, message: &ChatMessage) {
        let key = (message.account_id, message.platform.clone(), message.platform_user_id.clone());
        if self.users.len() >= MOST && !self.users.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        self.since.get_or_insert_with(Instant::now);
        let sent_at = message.sent_at;
        let chatter = self.users.entry(key).or_insert_with(|| Chatter::unnamed(sent_at));
        chatter.messages += 1;
        chatter.first_seen_at = chatter.first_seen_at.min(sent_at);
        if sent_at >= chatter.last_seen_at {
            chatter.last_seen_at = sent_at;
            chatter.username.clone_from(&message.username);
            chatter.display_name.clone_from(&message.display_name);
        }
    }

    /// Whether it is time to write them.
    pub fn are_due(&self) -> bool {
        self.users.len() >= ENOUGH || self.since.is_some_and(|since| since.elapsed() >= LINGER)
    }

    pub fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// Writes everything with one statement; what cannot be written is kept.
    pub async fn write(&mut self, connection: &mut AsyncPgConnection) -> diesel::QueryResult<()> {
        if self.users.is_empty() {
            return Ok(());
        }
        let keys = || self.users.keys();
        let values = || self.users.values();
        sql_query(UPSERT)
            .bind::<Array<SqlUuid>, _>(keys().map(|key| key.0).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys().map(|key| key.1.as_str()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys().map(|key| key.2.as_str()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(values().map(|user| user.username.as_str()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(values().map(|user| user.display_name.as_str()).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(values().map(|user| user.messages).collect::<Vec<_>>())
            .bind::<Array<Timestamptz>, _>(values().map(|user| user.first_seen_at).collect::<Vec<_>>())
            .bind::<Array<Timestamptz>, _>(values().map(|user| user.last_seen_at).collect::<Vec<_>>())
            .execute(connection)
            .await?;
        if self.left_out > 0 {
            tracing::warn!(messages = self.left_out, "messages were stored without counting who wrote them");
        }
        *self = Self::default();
        Ok(())
    }
}

impl Chatter {
    fn unnamed(at: DateTime<Utc>) -> Self {
        let (username, display_name) = (String::new(), String::new());
        Self { username, display_name, messages: 0, first_seen_at: at, last_seen_at: at }
    }
}
