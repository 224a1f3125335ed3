//! Connections of this copy: it reads the configurations page by page, holds a lease on each OBS that it connects
//! to, and ends the connections whose configuration changed (reference/obs.md#connection).

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use account_model::features::switched_off;
use foundation::egress::HostRule;
use live_model::obs::ObsExchange;
use shared::catalogue::Feature;
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::Context;

use super::{
    connection::Connection,
    db::{self, Config, Page},
    metrics::ObsMetrics,
};

/// Interval at which a copy reads a page of configurations.
pub(super) const SCAN_INTERVAL: Duration = Duration::from_secs(1);
/// Number of connections that one copy begins in a scan, so that copies share them.
const MAX_STARTED_PER_SCAN: usize = 50;
/// Number of connections of one copy (reference/obs.md#connection).
const MAX_CONNECTIONS: usize = 2000;

/// Connections of one copy.
pub(super) struct Remotes {
    context: Context,
    exchange: ObsExchange,
    rule: HostRule,
    metrics: ObsMetrics,
    /// Id of this copy in leases.
    copy: Uuid,
    running: HashMap<Uuid, Running>,
    tasks: JoinSet<()>,
    /// Position of the next page.
    after: Option<Uuid>,
}

struct Running {
    revision: Uuid,
    stop: CancellationToken,
    woken: Arc<Notify>,
    task: tokio::task::Id,
}

/// Number of connections that may begin in a scan while others run.
fn free_places(running: usize) -> usize {
    MAX_CONNECTIONS.saturating_sub(running).min(MAX_STARTED_PER_SCAN)
}

/// Rule about the hosts of OBS in this deployment.
pub(super) fn host_rule(context: &Context) -> HostRule {
    let config = &context.config.workers;
    HostRule::new(config.obs_allow_private, &config.egress_test_hosts)
}

impl Remotes {
    /// No connections yet.
    ///
    /// # Errors
    /// Metrics that cannot be registered.
    pub fn new(context: &Context) -> shared::Result<Self> {
        Ok(Self {
            exchange: ObsExchange::new(context.redis.clone()),
            rule: host_rule(context),
            metrics: ObsMetrics::new(&context.metrics)?,
            copy: shared::id::new(),
            running: HashMap::new(),
            tasks: JoinSet::new(),
            after: None,
            context: context.clone(),
        })
    }

    /// Reads a page of configurations: ends connections without one or with another, and begins those that are
    /// missing.
    pub async fn scan(&mut self) {
        self.reap();
        if let Err(error) = self.scan_page().await {
            tracing::warn!(%error, "the configurations of OBS cannot be read");
        }
    }

    async fn scan_page(&mut self) -> shared::Result<()> {
        let after = self.after;
        let Page { configs, next } = {
            let mut connection = self.context.databases.postgres.get().await?;
            let mut page = db::page(&mut connection, after).await?;
            let accounts: Vec<Uuid> = page.configs.iter().map(|config| config.account_id.uuid()).collect();
            let keys = [Feature::ObsRemote.key(), Feature::ObsWebsocket.key()];
            let off = switched_off(&mut connection, &accounts, &keys).await?;
            let off: HashSet<Uuid> = off.into_iter().map(|(account, _)| account).collect();
            page.configs.retain(|config| !off.contains(&config.account_id.uuid()));
            page
        };
        let is_in_page = |account: Uuid| {
            after.is_none_or(|after| account > after) && next.is_none_or(|last| account <= last)
        };
        for (account, running) in &self.running {
            let current = configs.iter().find(|config| config.account_id.uuid() == *account);
            if is_in_page(*account) && current.is_none_or(|config| config.revision != running.revision) {
                running.stop.cancel();
            }
        }
        let (mut begun, free) = (0, free_places(self.running.len()));
        for config in configs {
            if begun >= free {
                break;
            }
            if !self.running.contains_key(&config.account_id.uuid()) && self.begin(config).await? {
                begun += 1;
            }
        }
        self.after = next;
        Ok(())
    }

    /// Applies a changed configuration of an account: its connection ends, and the next scan begins another.
    pub async fn reconcile(&mut self, account: Uuid) {
        let Some(running) = self.running.get(&account) else { return };
        let current = async {
            let mut connection = self.context.databases.postgres.get().await?;
            db::of_account(&mut connection, account).await
        };
        match current.await {
            Ok(Some(config)) if config.revision == running.revision => {}
            Ok(_) => running.stop.cancel(),
            Err(error) => tracing::debug!(%error, "a changed configuration of OBS waits for the next scan"),
        }
    }

    /// Wakes the connection of an account, if this copy has it: a command waits.
    pub fn wake(&self, account: Uuid) {
        if let Some(running) = self.running.get(&account) {
            running.woken.notify_one();
        }
    }

    /// Begins the connection of an account, if no other copy has it.
    async fn begin(&mut self, config: Config) -> shared::Result<bool> {
        let account = config.account_id.uuid();
        let mut lease = self.exchange.lease(account, self.copy);
        if !lease.extend().await? {
            return Ok(false);
        }
        let (stop, woken) = (CancellationToken::new(), Arc::new(Notify::new()));
        let connection = Connection {
            context: self.context.clone(),
            exchange: self.exchange.clone(),
            rule: self.rule.clone(),
            metrics: self.metrics.clone(),
            account,
            target: config.target(&self.context.keyring),
            woken: Arc::clone(&woken),
            stop: stop.clone(),
        };
        let task = self.tasks.spawn(connection.run(lease)).id();
        self.running.insert(account, Running { revision: config.revision, stop, woken, task });
        self.count();
        Ok(true)
    }

    /// Removes connections that have ended: a later scan begins them again.
    fn reap(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            let task = match ended {
                Ok((task, ())) => task,
                Err(error) => {
                    tracing::error!(%error, "a connection to OBS has failed");
                    error.id()
                }
            };
            self.running.retain(|_, running| running.task != task);
        }
        self.count();
    }

    fn count(&self) {
        let number = i64::try_from(self.running.len()).unwrap_or(i64::MAX);
        self.metrics.accounts.with_label_values::<&str>(&[]).set(number);
    }

    /// Ends every connection and releases its lease.
    pub async fn end(mut self) {
        self.running.values().for_each(|running| running.stop.cancel());
        while self.tasks.join_next().await.is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_places_end_at_the_number_of_connections_of_a_copy() {
        let bounds = [(0, 50), (1949, 50), (1951, 49), (1999, 1), (2000, 0), (2001, 0)];
        assert!(bounds.iter().all(|(running, free)| free_places(*running) == *free));
    }
}
