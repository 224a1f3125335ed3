//! Repeated checks of the stores.

use std::time::Duration;

use prometheus::IntGaugeVec;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::{Readiness, Reason, ReasonCode, findings::Problem, postgres::Postgres, redis::RedisServer};
use crate::{redis::Redis, telemetry::Metrics};
use shared::{
    Result,
    config::{Config, DatabasesConfig},
};

/// Time between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Checks of the stores of a process, over separate connections, so that a busy pool does not count as a
/// store that is away.
pub struct Watch {
    databases: Vec<Postgres>,
    redis: RedisServer,
    readiness: Readiness,
    store_up: IntGaugeVec,
    ready: IntGaugeVec,
}

/// Checks the stores once; returns the reasons why some cannot be used.
///
/// # Errors
/// None in practice: the migrations are part of the program.
pub async fn check_stores(databases: &DatabasesConfig, redis: Redis) -> Result<Vec<Reason>> {
    let mut servers = Postgres::of(databases)?;
    let mut redis = RedisServer::new(redis);
    let checks = futures::future::join_all(servers.iter_mut().map(Postgres::check));
    let (databases, redis) = tokio::join!(checks, redis.check());
    let reason = |(subject, problem): (&'static str, Option<Problem>)| {
        problem.map(|Problem { code, detail }| Reason { subject, code, detail })
    };
    Ok(databases.into_iter().flatten().chain(redis).filter_map(reason).collect())
}

impl Watch {
    /// Creates the checks. The process is not ready before the first one.
    ///
    /// # Errors
    /// Names of metrics that are taken.
    pub fn new(config: &Config, redis: Redis, readiness: Readiness, metrics: &Metrics) -> Result<Self> {
        let databases = Postgres::of(&config.databases)?;
        let names = databases.iter().flat_map(Postgres::names).chain([RedisServer::NAME]);
        for name in names {
            readiness.refuse(name, ReasonCode::Starting, "not checked yet");
        }
        let store_up = "1: the store can be used, and its schema is not older than the program.";
        Ok(Self {
            databases,
            redis: RedisServer::new(redis),
            readiness,
            store_up: metrics.gauges("lumio_store_up", store_up, &["store"])?,
            ready: metrics.gauges("lumio_ready", "1: the process is ready, as /ready reports.", &[])?,
        })
    }

    /// Checks until `stop` is cancelled.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let checking = async {
            loop {
                ticks.tick().await;
                self.check().await;
            }
        };
        stop.run_until_cancelled(checking).await;
    }

    async fn check(&mut self) {
        let databases = futures::future::join_all(self.databases.iter_mut().map(Postgres::check));
        let (databases, redis) = tokio::join!(databases, self.redis.check());
        for (store, problem) in databases.into_iter().flatten().chain(redis) {
            self.store_up.with_label_values(&[store]).set(i64::from(problem.is_none()));
            self.note(store, problem);
        }
        let is_ready = self.readiness.reasons().is_empty();
        self.ready.with_label_values::<&str>(&[]).set(i64::from(is_ready));
    }

    /// Records a result. Each change is logged once.
    fn note(&self, store: &'static str, problem: Option<Problem>) {
        match problem {
            Some(Problem { code, detail }) => {
                if self.readiness.refuse(store, code, detail.clone()) {
                    tracing::warn!(store, reason = code.as_str(), cause = detail, "a store cannot be used");
                }
            }
            None => match self.readiness.clear(store) {
                Some(before) if before.code == ReasonCode::Starting => {
                    tracing::debug!(store, "a store answers")
                }
                Some(_) => tracing::info!(store, "a store can be used again"),
                None => {}
            },
        }
    }
}
