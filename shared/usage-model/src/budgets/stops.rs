//! Stops as a process knows them.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    db::{Database, Prepare},
    telemetry::Metrics,
};
use prometheus::IntGauge;
use shared::{Result, clock::Clock};
use tokio::{
    sync::Mutex,
    time::{MissedTickBehavior, interval},
};
use uuid::Uuid;

use crate::{
    consumer::{Actor, Consumer},
    units::{SubjectKind, Unit},
};

/// Interval in which a process reads the stops.
pub const STOPS_INTERVAL: Duration = Duration::from_secs(2);
/// Stops of one statement.
const PAGE_SIZE: usize = 1_000;
/// Maximum number of statements of one reading. Further stops have no effect.
const MAX_PAGES: usize = 200;

/// Stops of every account, as last read. Cheap to clone.
#[derive(Clone)]
pub struct Stops {
    clock: Clock,
    stops: Arc<RwLock<HashMap<Uuid, Vec<KnownStop>>>>,
    /// One reading at a time: an earlier one must not replace a later one.
    reading: Arc<Mutex<()>>,
    /// Number of the stops of every account.
    number: IntGauge,
}

/// Refusal of a unit until a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// Budget that is used up.
    pub budget_id: Uuid,
    /// Unit that is refused.
    pub unit: Unit,
    /// End of the refusal.
    pub until: DateTime<Utc>,
}

#[derive(Debug)]
struct KnownStop {
    stop: Stop,
    kind: SubjectKind,
    subject_id: Uuid,
    /// Installs of the extension in the account.
    installs: Vec<Uuid>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Text)]
    subject_kind: String,
    #[diesel(sql_type = SqlUuid)]
    subject_id: Uuid,
    #[diesel(sql_type = Text)]
    unit: String,
    #[diesel(sql_type = Timestamptz)]
    stopped_until: DateTime<Utc>,
    #[diesel(sql_type = Array<SqlUuid>)]
    installs: Vec<Uuid>,
}

const PAGE: &str = "
    SELECT budget.id, budget.account_id, budget.subject_kind, budget.subject_id, budget.unit, budget.stopped_until,
        ARRAY(SELECT install.id FROM extension_installs AS install WHERE budget.subject_kind = 'extension'
            AND install.account_id = budget.account_id AND install.extension_id = budget.subject_id) AS installs
    FROM usage_budgets AS budget
    WHERE budget.stopped_until IS NOT NULL AND budget.stopped_until > $1 AND budget.id > $2
        AND ($4 IS NULL OR budget.account_id = $4)
    ORDER BY budget.id LIMIT $3";

impl Stops {
    /// No stop is known yet.
    ///
    /// # Errors
    /// A metric of the same name and another kind.
    pub fn new(clock: Clock, metrics: &Metrics) -> Result<Self> {
        let help = "Budgets because of which use is refused, as the process knows them.";
        let number = metrics.gauges("lumio_usage_stops", help, &[])?.with_label_values::<&str>(&[]);
        Ok(Self { clock, stops: Arc::default(), reading: Arc::default(), number })
    }

    /// Returns the stop of a unit for a consumer, that of its extension or key or of its account; `None` while the unit
    /// may be used.
    #[must_use]
    pub fn find(&self, consumer: &Consumer, unit: Unit) -> Option<Stop> {
        let known = self.stops.read().unwrap_or_else(PoisonError::into_inner);
        let of_account = known.get(&consumer.account_id)?;
        let now = self.clock.now();
        let applies = |known: &&KnownStop| {
            known.stop.unit == unit && known.stop.until > now && known.concerns(consumer.actor)
        };
        of_account.iter().filter(applies).map(|known| known.stop).max_by_key(|stop| stop.until)
    }

    /// Reads the stops.
    ///
    /// # Errors
    /// A failure of the database. The stops stay as they were.
    pub async fn read(&self, connection: &mut AsyncPgConnection) -> Result<()> {
        let _reading = self.reading.lock().await;
        let (mut found, mut after): (HashMap<Uuid, Vec<KnownStop>>, Uuid) = (HashMap::new(), Uuid::nil());
        for _ in 0..MAX_PAGES {
            let rows = self.page(connection, after, None).await?;
            let is_last = rows.len() < PAGE_SIZE;
            for row in rows {
                after = row.id;
                let account = row.account_id;
                found.entry(account).or_default().extend(row.into_stop());
            }
            if is_last {
                self.replace(found);
                return Ok(());
            }
        }
        tracing::error!("there are too many stops of budgets; further ones have no effect");
        self.replace(found);
        Ok(())
    }

    fn replace(&self, found: HashMap<Uuid, Vec<KnownStop>>) {
        let number: usize = found.values().map(Vec::len).sum();
        self.number.set(i64::try_from(number).unwrap_or(i64::MAX));
        *self.stops.write().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// Reads the stops of one account. It has at most a page of them.
    ///
    /// # Errors
    /// A failure of the database. The stops stay as they were.
    pub async fn read_account(&self, connection: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
        let _reading = self.reading.lock().await;
        let rows = self.page(connection, Uuid::nil(), Some(account)).await?;
        let found = rows.into_iter().filter_map(Row::into_stop).collect();
        self.stops.write().unwrap_or_else(PoisonError::into_inner).insert(account, found);
        Ok(())
    }

    async fn page(
        &self,
        connection: &mut AsyncPgConnection,
        after: Uuid,
        account: Option<Uuid>,
    ) -> Result<Vec<Row>> {
        Ok(sql_query(PAGE)
            .bind::<Timestamptz, _>(self.clock.now())
            .bind::<SqlUuid, _>(after)
            .bind::<BigInt, _>(i64::try_from(PAGE_SIZE).unwrap_or(i64::MAX))
            .bind::<Nullable<SqlUuid>, _>(account)
            .prepared()
            .load(connection)
            .await?)
    }

    /// Keeps the stops current; never returns. The last known stops apply while the database is away.
    pub async fn run(&self, database: &Database) {
        let mut ticks = interval(STOPS_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.read_from(database).await {
                tracing::debug!(%error, "continuing with the last known stops of budgets");
            }
        }
    }

    async fn read_from(&self, database: &Database) -> Result<()> {
        self.read(&mut *database.get().await?).await
    }
}

impl KnownStop {
    fn concerns(&self, actor: Actor) -> bool {
        match (self.kind, actor) {
            (SubjectKind::Account, _) => true,
            (SubjectKind::Extension, Actor::Extension(id)) | (SubjectKind::Key, Actor::Key(id)) => {
                id == self.subject_id
            }
            (SubjectKind::Extension, Actor::Install(id)) => self.installs.contains(&id),
            _ => false,
        }
    }
}

impl Row {
    /// Stop of a row; `None` for one of another version.
    fn into_stop(self) -> Option<KnownStop> {
        let (kind, unit) = (SubjectKind::parse(&self.subject_kind)?, Unit::parse(&self.unit)?);
        let stop = Stop { budget_id: self.id, unit, until: self.stopped_until };
        Some(KnownStop { stop, kind, subject_id: self.subject_id, installs: self.installs })
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use shared::config::Environment;

    use super::*;

    #[test]
    fn find_returns_the_stop_of_the_consumer_until_it_ends() {
        let clock = Clock::default();
        let metrics = Metrics::new("t", Environment::Development).unwrap();
        let stops = Stops::new(clock.clone(), &metrics).unwrap();
        let (account, extension, install) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
        let known = |kind, subject_id, hours, unit| KnownStop {
            stop: Stop { budget_id: Uuid::now_v7(), unit, until: clock.now() + TimeDelta::hours(hours) },
            kind,
            subject_id,
            installs: vec![install],
        };
        *stops.stops.write().unwrap() = HashMap::from([(
            account,
            vec![
                known(SubjectKind::Extension, extension, 1, Unit::Fetches),
                known(SubjectKind::Account, account, 2, Unit::Requests),
                known(SubjectKind::Key, extension, 3, Unit::Messages),
            ],
        )]);
        let is_stopped = |consumer, unit| stops.find(&consumer, unit).is_some();
        assert!(is_stopped(Consumer::extension(account, extension), Unit::Fetches));
        assert!(is_stopped(Consumer::install(account, install), Unit::Fetches));
        assert!(!is_stopped(Consumer::install(account, extension), Unit::Fetches));
        assert!(!is_stopped(Consumer::extension(account, extension), Unit::Messages), "of a key");
        assert!(is_stopped(Consumer::key(account, extension), Unit::Messages));
        assert!(!is_stopped(Consumer::account(account), Unit::Fetches), "of an extension");
        assert!(is_stopped(Consumer::extension(account, extension), Unit::Requests), "of the account");
        assert!(!is_stopped(Consumer::account(install), Unit::Requests), "another account");
        clock.advance(chrono::Duration::hours(1));
        assert!(!is_stopped(Consumer::extension(account, extension), Unit::Fetches), "it has ended");
    }
}
