//! Accounts that go on air and off while lines come in, and the sessions that they must have.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use demo::{Receiver, StandIn};
use diesel::{QueryableByName, sql_query, sql_types};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use stack::Stack;
use tokio::{task::JoinSet, time::Instant};
use uuid::Uuid;

use crate::{Arguments, world::World};

/// Daemon that makes sessions, samples and reports.
pub const DAEMON: &str = "history";
/// Setting of the daemon: seconds from the end of a broadcast to that of its session, the shortest permitted time.
pub const CLOSE: (&str, &str) = ("LUMIO_SESSION_CLOSE_SECS", "10");

/// Time between two broadcasts of an account, after which the former session is closed.
const PAUSE: Duration = Duration::from_secs(13);
/// Shortest time on air.
const MIN_ON_AIR: Duration = Duration::from_secs(2);
/// Time before the last line at which every account goes off: its session is closed in the meantime.
const ENDING: Duration = Duration::from_secs(15);
/// Longest time that an event is delivered again.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(120);
const RETRY_DELAY: Duration = Duration::from_millis(250);
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Largest number of sessions that are listed.
const MAX_LISTED: usize = 20;

/// Broadcasts of all accounts.
pub struct Broadcasts {
    stand_in: String,
    receiver: Receiver,
    channels: Vec<String>,
    seconds: u64,
}

impl Broadcasts {
    /// Lets every account go on air.
    ///
    /// # Errors
    /// An error when an event is not accepted in time.
    pub async fn begin(stack: &Stack, world: &World, arguments: &Arguments) -> Result<Self> {
        let channels: Vec<String> = world.accounts.iter().map(|account| account.channel.clone()).collect();
        let receiver = world.stand_in.receiver(&stack.origin).await?;
        for channel in &channels {
            deliver(&world.stand_in, &receiver, channel, true).await?;
        }
        Ok(Self {
            stand_in: stack.environment["STAND_IN"].clone(),
            receiver,
            channels,
            seconds: arguments.seconds,
        })
    }

    /// Plays the broadcasts until every account is off.
    ///
    /// # Errors
    /// An error when an event is not accepted in time.
    pub async fn run(self, began: Instant) -> Result<()> {
        let mut accounts = JoinSet::new();
        for (number, channel) in self.channels.into_iter().enumerate() {
            let (stand_in, receiver) = (StandIn::new(&self.stand_in)?, self.receiver.clone());
            accounts.spawn(async move {
                for (change, at) in changes(number, self.seconds).into_iter().enumerate() {
                    tokio::time::sleep_until(began + at).await;
                    deliver(&stand_in, &receiver, &channel, change % 2 == 1).await?;
                }
                Ok::<(), anyhow::Error>(())
            });
        }
        while let Some(account) = accounts.join_next().await {
            account.context("a broadcast panicked")??;
        }
        Ok(())
    }
}

/// Times at which an account goes off and on in rotation; it is off in the end. Each second account is on air all the
/// time.
fn changes(number: usize, seconds: u64) -> Vec<Duration> {
    let all = Duration::from_secs(seconds);
    let (end, on_air) = (all - ENDING.min(all / 3), (all / 6).max(MIN_ON_AIR));
    let (mut changes, mut off) = (Vec::new(), on_air);
    while number % 2 == 1 && off + PAUSE + MIN_ON_AIR < end {
        changes.extend([off, off + PAUSE]);
        off += PAUSE + on_air;
    }
    changes.push(end);
    changes
}

/// Number of events of all broadcasts, which are accepted when these are over.
pub fn events(arguments: &Arguments) -> usize {
    let begin_and_changes = |number| 1 + changes(number, arguments.seconds).len();
    (0..arguments.accounts).map(begin_and_changes).sum()
}

/// Delivers an event until it is accepted, as Twitch does. Each delivery has the same id.
async fn deliver(stand_in: &StandIn, receiver: &Receiver, channel: &str, is_on_air: bool) -> Result<()> {
    let kind = if is_on_air { "stream_online" } else { "stream_offline" };
    let (event, options) =
        (json!({ "kind": kind, "broadcaster": channel }), json!({ "message_id": Uuid::now_v7() }));
    let until = Instant::now() + DELIVERY_TIMEOUT;
    loop {
        // The API may be dead or starting.
        if let Ok(statuses) = stand_in.twitch(receiver, event.clone(), options.clone()).await {
            if statuses == [200] {
                return Ok(());
            }
            ensure!(statuses.iter().all(|status| *status >= 500), "{kind} was refused: {statuses:?}");
        }
        ensure!(Instant::now() < until, "{kind} was not accepted within {} s", DELIVERY_TIMEOUT.as_secs());
        tokio::time::sleep(RETRY_DELAY).await;
    }
}

/// Gives viewers to the channels on air, as the poll of the platform does, which is not part of the soak.
///
/// # Errors
/// An error when the database does not reply.
pub async fn watch(database: &str) -> Result<()> {
    let sql = "UPDATE channel_statuses SET viewer_count = 25 WHERE is_online AND viewer_count IS NULL";
    sql_query(sql).execute(&mut AsyncPgConnection::establish(database).await?).await?;
    Ok(())
}

/// Stored session, with the lines that the soak sent in its minutes.
#[derive(Debug, QueryableByName)]
struct Session {
    #[diesel(sql_type = sql_types::Text)]
    account: String,
    #[diesel(sql_type = sql_types::Bool)]
    is_open: bool,
    #[diesel(sql_type = sql_types::BigInt)]
    total_messages: i64,
    #[diesel(sql_type = sql_types::Nullable<sql_types::BigInt>)]
    unique_chatters: Option<i64>,
    /// Lines of the report.
    #[diesel(sql_type = sql_types::Nullable<sql_types::BigInt>)]
    reported: Option<i64>,
    #[diesel(sql_type = sql_types::BigInt)]
    lines: i64,
    #[diesel(sql_type = sql_types::BigInt)]
    chatters: i64,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = sql_types::BigInt)]
    count: i64,
}

const SESSIONS: &str = "
    SELECT session.account_id::text AS account, session.ended_at IS NULL AS is_open, session.total_messages,
        session.unique_chatters, (session.report ->> 'total_messages')::bigint AS reported, sent.lines, sent.chatters
    FROM stream_sessions AS session
    CROSS JOIN LATERAL (
        SELECT count(*) AS lines, count(DISTINCT line.platform_user_id) AS chatters FROM chat_messages AS line
        WHERE line.account_id = session.account_id AND line.sent_at >= session.minutes_from
            AND line.sent_at < coalesce(session.minutes_to, 'infinity')
            AND line.platform_message_id ~ '^(soak|greeting)-'
    ) AS sent
    ORDER BY session.account_id, session.started_at";
/// Pairs of sessions that share a minute.
const OVERLAPPING: &str = "
    SELECT count(*) AS count FROM stream_sessions AS one
    JOIN stream_sessions AS other ON other.account_id = one.account_id AND other.id > one.id
        AND other.minutes_from < coalesce(one.minutes_to, 'infinity')
        AND one.minutes_from < coalesce(other.minutes_to, 'infinity')";
/// Minutes of sessions whose sample has another number of lines, without those that wait to be counted.
const MISCOUNTED: &str = "
    SELECT count(*) AS count FROM (
        SELECT line.account_id, line.platform, line.minute, count(*) AS lines FROM stream_lines AS line
        JOIN stream_sessions AS session ON session.account_id = line.account_id AND session.recount_from IS NULL
            AND session.minutes_from <= line.minute AND line.minute < session.minutes_to
        WHERE NOT EXISTS (SELECT FROM stream_minute_marks AS mark
            WHERE mark.account_id = line.account_id AND mark.platform = line.platform AND mark.minute = line.minute)
        GROUP BY line.account_id, line.platform, line.minute
    ) AS counted
    LEFT JOIN stream_samples AS sample ON sample.account_id = counted.account_id
        AND sample.platform = counted.platform AND sample.at = counted.minute
    WHERE sample.message_count IS DISTINCT FROM counted.lines";
/// The claim of a killed process ends after ten minutes, and late lines gather for half a minute.
const MAKE_DUE: &str = "UPDATE stream_sessions SET report_due_at = now() WHERE ended_at IS NOT NULL";

/// True when each account has a session, and none is open.
///
/// # Errors
/// An error when the database does not reply.
pub async fn are_over(database: &str, accounts: usize) -> Result<bool> {
    let mut connection = AsyncPgConnection::establish(database).await?;
    let over =
        "SELECT CASE WHEN bool_and(ended_at IS NOT NULL) THEN count(DISTINCT account_id) ELSE 0 END AS count
        FROM stream_sessions";
    Ok(usize::try_from(count(&mut connection, over).await?)? == accounts)
}

async fn count(connection: &mut AsyncPgConnection, sql: &str) -> Result<i64> {
    let found: Count = sql_query(sql).get_result(connection).await?;
    Ok(found.count)
}

/// Sessions compared with the lines that were sent.
#[derive(Debug, Default)]
pub struct Findings {
    sessions: Vec<Session>,
    /// Accounts with no session, or with more than they had broadcasts.
    strange_accounts: usize,
    overlapping: i64,
    miscounted_minutes: i64,
}

impl Findings {
    /// Makes the reports of the stored lines, and compares until they are right or it is too late.
    ///
    /// # Errors
    /// An error when the database does not reply.
    pub async fn of(arguments: &Arguments, world: &World, until: Instant) -> Result<Self> {
        let mut connection = AsyncPgConnection::establish(&arguments.database).await?;
        sql_query(MAKE_DUE).execute(&mut connection).await?;
        loop {
            let findings = Self::read(&mut connection, arguments, world).await?;
            if findings.hold() || Instant::now() >= until {
                return Ok(findings);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    async fn read(connection: &mut AsyncPgConnection, arguments: &Arguments, world: &World) -> Result<Self> {
        let sessions: Vec<Session> = sql_query(SESSIONS).load(connection).await?;
        let is_strange = |(number, id): (usize, &String)| {
            let known = sessions.iter().filter(|session| session.account == *id).count();
            let broadcasts = changes(number, arguments.seconds).len().div_ceil(2);
            known == 0 || known > broadcasts
        };
        let ids = world.accounts.iter().map(|account| &account.id).enumerate();
        Ok(Self {
            strange_accounts: ids.filter(|account| is_strange(*account)).count(),
            overlapping: count(connection, OVERLAPPING).await?,
            miscounted_minutes: count(connection, MISCOUNTED).await?,
            sessions,
        })
    }

    /// True when each session has the lines that were sent in its minutes, and one report of them.
    pub fn hold(&self) -> bool {
        !self.sessions.is_empty()
            && self.sessions.iter().all(|session| session.is_counted() && session.is_reported())
            && [self.overlapping, self.miscounted_minutes] == [0; 2]
            && self.strange_accounts == 0
    }

    /// Rows of the table: description, figure, and if the promise was kept.
    pub fn rows(&self) -> Vec<(&'static str, String, Option<bool>)> {
        let none = |what, figure: usize| (what, figure.to_string(), Some(figure == 0));
        let without = |holds: fn(&Session) -> bool| self.sessions.iter().filter(|one| !holds(one)).count();
        let lines: i64 = self.sessions.iter().map(|session| session.total_messages).sum();
        vec![
            ("Sessions of streams", self.sessions.len().to_string(), Some(!self.sessions.is_empty())),
            ("Lines of sessions", lines.to_string(), None),
            none("Sessions with other lines or people than were sent", without(Session::is_counted)),
            none("Sessions without a right report", without(Session::is_reported)),
            none("Accounts with lost or doubled sessions", self.strange_accounts),
            ("Sessions that share a minute", self.overlapping.to_string(), Some(self.overlapping == 0)),
            (
                "Minutes with other lines than were sent",
                self.miscounted_minutes.to_string(),
                Some(self.miscounted_minutes == 0),
            ),
        ]
    }

    /// Prints sessions that are wrong.
    pub fn explain(&self) {
        let wrong = self.sessions.iter().filter(|session| !(session.is_counted() && session.is_reported()));
        for session in wrong.take(MAX_LISTED) {
            println!("session {session:?}");
        }
    }
}

impl Session {
    fn is_counted(&self) -> bool {
        self.total_messages == self.lines && self.unique_chatters == Some(self.chatters)
    }

    fn is_reported(&self) -> bool {
        !self.is_open && self.reported == Some(self.total_messages)
    }
}
