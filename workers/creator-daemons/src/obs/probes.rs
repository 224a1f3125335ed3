//! Tests of connections that accounts ask for (reference/obs.md#test). Any copy runs them: a test is a connection of
//! its own.

use std::sync::Arc;

use foundation::egress::HostRule;
use live_model::obs::{ObsCall, ObsExchange, ObsReply};
use tokio::{sync::Semaphore, task::JoinSet};
use worker_core::Context;

use super::{db, handshake, session::answer};

/// Number of tests that run in one copy at a time; further ones wait (reference/obs.md#test).
const MAX_CONCURRENT_TESTS: usize = 32;

/// Tests of one copy.
pub(super) struct Probes {
    context: Context,
    exchange: ObsExchange,
    rule: HostRule,
    places: Arc<Semaphore>,
    running: JoinSet<()>,
}

impl Probes {
    /// No tests run yet.
    pub fn new(context: &Context) -> Self {
        Self {
            exchange: ObsExchange::new(context.redis.clone()),
            rule: super::remotes::host_rule(context),
            places: Arc::new(Semaphore::new(MAX_CONCURRENT_TESTS)),
            running: JoinSet::new(),
            context: context.clone(),
        }
    }

    /// Begins the waiting tests that this copy has a place for.
    pub async fn begin(&mut self) {
        while self.running.try_join_next().is_some() {}
        while let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            let call = match self.exchange.take_test().await {
                Ok(Some(call)) => call,
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "tests of OBS cannot be read");
                    return;
                }
            };
            // Its caller does not wait any more.
            if call.expires_at <= self.context.clock.now() {
                continue;
            }
            let (context, exchange, rule) = (self.context.clone(), self.exchange.clone(), self.rule.clone());
            self.running.spawn(async move {
                answer(&exchange, &call, &run(&context, &rule, &call).await).await;
                drop(place);
            });
        }
    }

    /// Ends the running tests.
    pub async fn end(mut self) {
        self.running.shutdown().await;
    }
}

async fn run(context: &Context, rule: &HostRule, call: &ObsCall) -> ObsReply {
    let config = async {
        let mut connection = context.databases.postgres.get().await?;
        db::of_account(&mut connection, call.account_id).await
    };
    let config = match config.await {
        Ok(Some(config)) => config,
        Ok(None) => return ObsReply::NotConnected,
        Err(error) => {
            tracing::warn!(account = %call.account_id, %error, "a test of OBS cannot begin");
            return ObsReply::Lost;
        }
    };
    match handshake::open(&config.target(&context.keyring), rule).await {
        Ok(socket) => {
            socket.close().await;
            ObsReply::Done
        }
        Err(reason) => ObsReply::Refused { comment: reason.to_string() },
    }
}
