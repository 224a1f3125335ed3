//! Number of the checkpoint on each server of Redis.

use std::sync::LazyLock;

use foundation::redis::{PendingReply, RoundTrip};
use redis::Script;
use shared::Result;
use worker_core::Context;

static EXCHANGE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("exchange.lua")));

/// State of the servers that have keys.
pub(super) struct Servers {
    /// Number of the last checkpoint that each server knows, with its key.
    numbers: Vec<(String, Option<i64>)>,
    /// Latest election of a cluster; 0 for one server.
    pub epoch: i64,
}

impl Servers {
    /// Reads the numbers. A server that is away fails the call.
    pub async fn read(context: &Context) -> Result<Self> {
        // Before the numbers, so that an election in between is detected by the next check.
        let epoch = context.redis.epoch().await?;
        let keys = context.redis.key_of_each_server("checkpoint").await?;
        let mut trip = RoundTrip::default();
        let pending: Vec<PendingReply<Option<i64>>> =
            keys.iter().map(|key| trip.command(redis::cmd("GET").arg(key).to_owned())).collect();
        let mut answers = trip.send(&context.redis).await?;
        let numbers = pending.into_iter().map(|number| answers.take(number)).collect::<Result<Vec<_>>>()?;
        Ok(Self { numbers: keys.into_iter().zip(numbers).collect(), epoch })
    }

    /// Number that all servers know: the lowest; `None` when one knows none.
    pub fn number(&self) -> Option<i64> {
        let numbers: Option<Vec<i64>> = self.numbers.iter().map(|(_, number)| *number).collect();
        numbers?.into_iter().min()
    }

    /// True when no server knows a number.
    pub fn is_new(&self) -> bool {
        self.numbers.iter().all(|(_, number)| number.is_none())
    }

    /// Replaces the number on each server where it has not changed since; `false` when it has on one.
    pub async fn exchange(&self, context: &Context, number: i64) -> Result<bool> {
        let mut trip = RoundTrip::default();
        let pending: Vec<PendingReply<bool>> = self
            .numbers
            .iter()
            .map(|(key, known)| {
                let known = known.map(|known| known.to_string()).unwrap_or_default();
                trip.script(&EXCHANGE, |call| {
                    call.key(key).arg(known).arg(number);
                })
            })
            .collect();
        let mut answers = trip.send(&context.redis).await?;
        let replaced =
            pending.into_iter().map(|replaced| answers.take(replaced)).collect::<Result<Vec<_>>>()?;
        Ok(replaced.into_iter().all(|replaced| replaced))
    }
}
