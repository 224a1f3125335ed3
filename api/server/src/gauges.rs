//! Gauges of the process (reference/telemetry.md#metrics). Their values are read at the scrape.

use std::time::Instant;

use actix_web::web::Data;
use api_core::State;
use foundation::db::{Databases, Replica};
use prometheus::{
    GaugeVec, IntGauge, IntGaugeVec, Opts,
    core::{Collector, Desc},
    proto::MetricFamily,
};
use realtime::{Census, Hub};

use crate::transport::Documents;

/// Registers the gauges.
///
/// # Errors
/// An error when a name is taken.
pub fn register(
    state: &State,
    databases: Databases,
    hub: &Hub,
    documents: Data<Documents>,
) -> shared::Result<()> {
    let build = state.metrics.gauges("lumio_build_info", "The running version.", &["version"])?;
    build.with_label_values(&[crate::VERSION]).set(1);
    let gauges = Gauges::new(state, databases, hub, documents)
        .map_err(|error| shared::Error::Internal(error.to_string()))?;
    state.metrics.collector(gauges)
}

struct Gauges {
    started: Instant,
    databases: Databases,
    sockets: Census,
    documents: Data<Documents>,
    uptime: IntGauge,
    sessions: IntGauge,
    channels: IntGauge,
    connections: IntGaugeVec,
    idle: IntGaugeVec,
    share: IntGaugeVec,
    share_peak: IntGaugeVec,
    request_peak: IntGaugeVec,
    replica_age: GaugeVec,
    threads: IntGauge,
    threads_peak: IntGauge,
}

impl Gauges {
    fn new(
        state: &State,
        databases: Databases,
        hub: &Hub,
        documents: Data<Documents>,
    ) -> prometheus::Result<Self> {
        let pool = |name, help| IntGaugeVec::new(Opts::new(name, help), &["pool"]);
        Ok(Self {
            started: state.started,
            databases,
            sockets: hub.census(),
            documents,
            uptime: IntGauge::new("lumio_uptime_seconds", "Seconds since the process started.")?,
            sessions: IntGauge::new("lumio_websocket_sessions", "Open WebSocket sessions.")?,
            channels: IntGauge::new("lumio_websocket_channels", "Channels that open sessions listen to.")?,
            connections: pool("lumio_db_pool_connections", "Open connections of a database pool.")?,
            idle: pool("lumio_db_pool_idle_connections", "Idle connections of a database pool.")?,
            share: pool(
                "lumio_db_share_connections",
                "Connections that one account, person, key or address may hold.",
            )?,
            share_peak: pool(
                "lumio_db_share_peak_connections",
                "Maximum of connections that one account, person, key or address held at the same time.",
            )?,
            request_peak: pool(
                "lumio_db_request_peak_connections",
                "Maximum of connections that one request held at the same time, of both pools.",
            )?,
            replica_age: GaugeVec::new(
                Opts::new(
                    "lumio_db_replica_age_seconds",
                    "Time since which the replica may lack something; beyond a second it serves no reads.",
                ),
                &[],
            )?,
            threads: IntGauge::new(
                "lumio_graphql_document_threads",
                "GraphQL documents that may be read concurrently.",
            )?,
            threads_peak: IntGauge::new(
                "lumio_graphql_document_threads_peak",
                "Maximum of GraphQL documents that were read concurrently.",
            )?,
        })
    }

    fn parts(&self) -> [&dyn Collector; 11] {
        [
            &self.uptime,
            &self.sessions,
            &self.channels,
            &self.connections,
            &self.idle,
            &self.share,
            &self.share_peak,
            &self.request_peak,
            &self.replica_age,
            &self.threads,
            &self.threads_peak,
        ]
    }
}

impl Collector for Gauges {
    fn desc(&self) -> Vec<&Desc> {
        self.parts().into_iter().flat_map(Collector::desc).collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        self.uptime.set(i64::try_from(self.started.elapsed().as_secs()).unwrap_or(i64::MAX));
        self.sessions.set(gauge(self.sockets.sessions()));
        self.channels.set(gauge(self.sockets.channels()));
        let databases = &self.databases;
        let replica = databases.replica.as_ref();
        let pools = [("postgres", &databases.postgres), ("timescaledb", &databases.timescaledb)];
        for (pool, database) in
            pools.into_iter().chain(replica.map(|replica| ("replica", replica.database())))
        {
            let now = database.state();
            self.connections.with_label_values(&[pool]).set(now.connections.into());
            self.idle.with_label_values(&[pool]).set(now.idle.into());
            let shares = database.shares();
            self.share.with_label_values(&[pool]).set(gauge(shares.limit));
            self.share_peak.with_label_values(&[pool]).set(gauge(shares.peak));
            self.request_peak.with_label_values(&[pool]).set(gauge(shares.request_peak));
        }
        // Absent before the measurements begin, and without a replica.
        if let Some(since) = replica.and_then(Replica::lacking_since) {
            self.replica_age.with_label_values::<&str>(&[]).set(since.elapsed().as_secs_f64());
        }
        let threads = self.documents.threads();
        self.threads.set(gauge(threads.limit));
        self.threads_peak.set(gauge(threads.peak));
        self.parts().into_iter().flat_map(Collector::collect).collect()
    }
}

fn gauge(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
