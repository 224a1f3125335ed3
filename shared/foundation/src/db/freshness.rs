//! Age of a replica: comparisons of its position in the write-ahead log with positions of the primary
//! (reference/storage.md#replicas).
//!
//! A replica that has replayed a position of the primary has everything that was acknowledged before that position was
//! read. No clocks of two machines are compared, and a replica that gets nothing any more counts as old.
//!
//! One address may lead to several servers. The measurements are those of one of them, and decide only if a connection
//! is worth borrowing; each borrowed connection is compared by itself.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use tokio::{runtime::Handle, time::timeout};
use tokio_postgres::{Client, SimpleQueryMessage};
use tokio_util::task::AbortOnDropHandle;

use super::{
    Prepare,
    connect::{Hosts, Statements, url_of_each_host},
    driver::ConnectError,
};
use shared::{Error, Result, config::DatabasesConfig};

/// Age up to which a replica serves reads.
pub const MAX_STALENESS: Duration = Duration::from_secs(1);
/// Time between two measurements.
const MEASURE_INTERVAL: Duration = Duration::from_millis(250);
/// Longest wait for the position of a server.
const POSITION_TIMEOUT: Duration = Duration::from_secs(1);
/// Positions of the primary that are remembered: those of four seconds.
const MAX_POSITIONS: usize = 16;

/// Position, timeline and identity of the primary.
const OF_PRIMARY: &str = "
    SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint,
        ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int,
        (SELECT system_identifier FROM pg_control_system())";
/// The same of a replica. No row: it is none.
const OF_REPLICA: &str = "
    SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint AS lsn,
        (SELECT timeline_id::text FROM pg_control_checkpoint()) AS timeline,
        (SELECT system_identifier::text FROM pg_control_system()) AS databases
    WHERE pg_is_in_recovery()";

/// Reason why a replica cannot serve reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplicaProblem {
    /// The position of the primary is not known.
    PrimaryAway(String),
    /// The replica cannot be reached.
    Away(String),
    /// The server takes writes.
    NotAReplica,
    /// It is a replica of other databases.
    OtherDatabases,
    /// It follows a former primary, or has not noted the new one yet.
    OtherTimeline,
    /// It had not replayed a position of the primary within the longest wait.
    Lags,
}

/// Time up to which a replica is known to have everything. Cheap to clone.
#[derive(Clone)]
pub(super) struct Freshness {
    hosts: Arc<[Hosts; 2]>,
    measured: Arc<Mutex<Measured>>,
    /// Runtime of the measurements. Those of single listeners may end before the process.
    runtime: Handle,
    /// Measurements with their begin, which is the first use. They end with the last clone.
    measuring: Arc<OnceLock<(Instant, AbortOnDropHandle<()>)>>,
}

/// Outcome of the measurements.
#[derive(Default)]
struct Measured {
    /// Positions of the primary with the times before they were read, oldest first.
    positions: VecDeque<(Instant, Position)>,
    /// Time of the newest one that the measured replica has replayed.
    until: Option<Instant>,
}

/// Position of a server in the write-ahead log.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
struct Position {
    #[diesel(sql_type = BigInt)]
    lsn: i64,
    #[diesel(sql_type = Text)]
    timeline: String,
    #[diesel(sql_type = Text)]
    databases: String,
}

/// Connection to one server, which is opened again when it failed.
struct Probe<'a> {
    hosts: &'a Hosts,
    client: Option<Client>,
    query: &'static str,
}

/// Comparison of a replica with its primary.
struct Comparison<'a> {
    primary: Probe<'a>,
    replica: Probe<'a>,
    measured: &'a Mutex<Measured>,
}

impl Freshness {
    /// Creates the measurements of a replica, which have not begun. Requires a tokio runtime.
    pub fn of(config: &DatabasesConfig, replica: &str) -> Self {
        Self {
            hosts: Arc::new(hosts(config, replica)),
            measured: Arc::default(),
            runtime: Handle::current(),
            measuring: Arc::default(),
        }
    }

    /// Measures from now on.
    pub fn measure(&self) {
        self.measuring.get_or_init(|| {
            let (hosts, measured) = (Arc::clone(&self.hosts), Arc::clone(&self.measured));
            (Instant::now(), AbortOnDropHandle::new(self.runtime.spawn(measure(hosts, measured))))
        });
    }

    /// Last time at which the primary had nothing that the measured replica lacks. `None` before the first
    /// measurement.
    pub fn until(&self) -> Option<Instant> {
        locked(&self.measured).until
    }

    /// Time since which the measured replica may lack something: [`until`](Self::until), before the first success the
    /// begin of the measurements. `None` before they begin.
    pub fn lacking_since(&self) -> Option<Instant> {
        self.until().or_else(|| self.measuring.get().map(|(begun, _)| *begun))
    }

    /// Last time at which the primary had nothing that the server of one connection lacks. `None` when it is no replica of
    /// this primary, or far behind.
    ///
    /// # Errors
    /// A failure of the server, or no answer in time.
    pub async fn until_of(&self, connection: &mut AsyncPgConnection) -> Result<Option<Instant>> {
        let reading = sql_query(OF_REPLICA).prepared().get_result::<Position>(connection);
        let found = timeout(POSITION_TIMEOUT, reading).await;
        let found = found.map_err(|_elapsed| Error::Pool(ConnectError::Silent.to_string()))?.optional()?;
        Ok(found.and_then(|replica| reached(&locked(&self.measured).positions, &replica)))
    }
}

/// True for a time up to which a replica must have everything to serve reads.
pub(super) fn is_fresh(until: Instant) -> bool {
    until.elapsed() <= MAX_STALENESS
}

fn locked(measured: &Mutex<Measured>) -> MutexGuard<'_, Measured> {
    measured.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Checks the configured replica once, each host of a list by itself: it must replay within a second what the primary
/// has. `None` when all do, or none is configured.
pub async fn check_replica(config: &DatabasesConfig) -> Option<ReplicaProblem> {
    for replica in url_of_each_host(config.replica.as_ref()?.expose()) {
        let problem = check_host(config, &replica).await;
        if problem.is_some() {
            return problem;
        }
    }
    None
}

async fn check_host(config: &DatabasesConfig, replica: &str) -> Option<ReplicaProblem> {
    let ([primary, replica], measured) = (hosts(config, replica), Mutex::default());
    let mut comparison = Comparison::of(&primary, &replica, &measured);
    let begun = Instant::now();
    loop {
        match comparison.step().await {
            Ok(Some(_)) => return None,
            Ok(None) if begun.elapsed() > MAX_STALENESS => return Some(ReplicaProblem::Lags),
            Ok(None) => tokio::time::sleep(MEASURE_INTERVAL).await,
            Err(problem) => return Some(problem),
        }
    }
}

/// Hosts of the primary and of a replica.
fn hosts(config: &DatabasesConfig, replica: &str) -> [Hosts; 2] {
    // Simple queries prepare no statement.
    [config.postgres.expose(), replica].map(|url| Hosts::new(url, Statements::Named))
}

async fn measure(hosts: Arc<[Hosts; 2]>, measured: Arc<Mutex<Measured>>) {
    let [primary, replica] = &*hosts;
    let (mut comparison, mut before) = (Comparison::of(primary, replica, &measured), None);
    loop {
        let outcome = comparison.step().await;
        let problem = outcome.as_ref().err().cloned();
        let until = outcome.ok().flatten();
        // A failed measurement changes nothing about what the replica had: the last success ages.
        if until.is_some() {
            locked(&measured).until = until;
        }
        if !until.is_some_and(is_fresh) {
            comparison.replica.close();
        }
        // Each change is logged once.
        if problem != before {
            match &problem {
                Some(problem) => tracing::warn!(%problem, "a replica serves no reads"),
                None => tracing::info!("a replica serves reads again"),
            }
        }
        before = problem;
        tokio::time::sleep(MEASURE_INTERVAL).await;
    }
}

impl<'a> Comparison<'a> {
    fn of(primary: &'a Hosts, replica: &'a Hosts, measured: &'a Mutex<Measured>) -> Self {
        let probe = |hosts, query| Probe { hosts, client: None, query };
        Self { primary: probe(primary, OF_PRIMARY), replica: probe(replica, OF_REPLICA), measured }
    }

    /// Reads both positions; returns the last time at which the primary had nothing that the replica lacks. `None`
    /// when that was too long ago to be remembered.
    async fn step(&mut self) -> Result<Option<Instant>, ReplicaProblem> {
        let at = Instant::now();
        let position = self.primary.position().await.map_err(ReplicaProblem::PrimaryAway)?;
        let position =
            position.ok_or_else(|| ReplicaProblem::PrimaryAway("it has no position".to_owned()))?;
        // Connections are compared with it also when this replica is away.
        locked(self.measured).note(at, position.clone());
        let replica = self.replica.position().await.map_err(ReplicaProblem::Away)?;
        let replica = replica.ok_or(ReplicaProblem::NotAReplica)?;
        if replica.databases != position.databases {
            return Err(ReplicaProblem::OtherDatabases);
        }
        if replica.timeline != position.timeline {
            return Err(ReplicaProblem::OtherTimeline);
        }
        Ok(reached(&locked(self.measured).positions, &replica))
    }
}

impl Measured {
    fn note(&mut self, at: Instant, position: Position) {
        self.positions.push_back((at, position));
        if self.positions.len() > MAX_POSITIONS {
            self.positions.pop_front();
        }
    }
}

/// Time of the newest position of the primary that a replica has replayed. Positions of another timeline or other
/// databases do not count.
fn reached(positions: &VecDeque<(Instant, Position)>, replica: &Position) -> Option<Instant> {
    let mut newest_first = positions.iter().rev();
    let found = newest_first.find(|(_, position)| {
        position.databases == replica.databases
            && position.timeline == replica.timeline
            && position.lsn <= replica.lsn
    });
    found.map(|(at, _)| *at)
}

impl Probe<'_> {
    /// Position of the server; `None` where it has none of this kind.
    async fn position(&mut self) -> Result<Option<Position>, String> {
        let client = self.client.take().filter(|client| !client.is_closed());
        let asked = async {
            let client = match client {
                Some(client) => client,
                None => {
                    let (client, driver) = self.hosts.connect(POSITION_TIMEOUT).await?;
                    // Ends with the client.
                    tokio::spawn(driver);
                    client
                }
            };
            let rows = client.simple_query(self.query).await.map_err(ConnectError::Postgres)?;
            Ok::<_, ConnectError>((client, rows))
        };
        match timeout(POSITION_TIMEOUT, asked).await {
            Ok(Ok((client, rows))) => {
                self.client = Some(client);
                Ok(rows.iter().find_map(position))
            }
            Ok(Err(error)) => Err(error.to_string()),
            Err(_elapsed) => Err(ConnectError::Silent.to_string()),
        }
    }

    /// Closes the connection. The next one may lead to another server of the same address.
    fn close(&mut self) {
        self.client = None;
    }
}

fn position(message: &SimpleQueryMessage) -> Option<Position> {
    let SimpleQueryMessage::Row(row) = message else { return None };
    let text = |index: usize| row.get(index).map(str::to_owned);
    Some(Position { lsn: text(0)?.parse().ok()?, timeline: text(1)?, databases: text(2)? })
}

impl fmt::Display for ReplicaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PrimaryAway(reason) => write!(f, "the position of the primary is unknown: {reason}"),
            Self::Away(reason) => write!(f, "the replica cannot be reached: {reason}"),
            Self::NotAReplica => f.write_str("the server takes writes: it is no replica"),
            Self::OtherDatabases => f.write_str("the server is a replica of other databases"),
            Self::OtherTimeline => f.write_str("the replica does not follow the present primary"),
            Self::Lags => f.write_str("the replica is more than a second behind"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(lsn: i64, timeline: &str) -> Position {
        Position { lsn, timeline: timeline.to_owned(), databases: "7".to_owned() }
    }

    #[test]
    fn reached_is_the_newest_position_that_was_replayed_on_the_same_timeline() {
        let begun = Instant::now();
        let time = |index: u64| begun + Duration::from_millis(250 * index);
        let positions = [(10, "1"), (10, "1"), (30, "1"), (20, "2"), (40, "2")];
        let positions: VecDeque<_> =
            (0..).zip(positions).map(|(index, (lsn, timeline))| (time(index), at(lsn, timeline))).collect();
        for (lsn, timeline, expected) in [
            (40, "2", Some(4)),
            (39, "2", Some(3)),
            (19, "2", None),
            (99, "1", Some(2)),
            (29, "1", Some(1)),
            (9, "1", None),
        ] {
            let replica = at(lsn, timeline);
            assert_eq!(reached(&positions, &replica), expected.map(time), "{lsn} of {timeline}");
            let foreign = Position { databases: "8".to_owned(), ..replica };
            assert_eq!(reached(&positions, &foreign), None, "{lsn} of {timeline}");
        }
    }
}
