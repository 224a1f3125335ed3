//! Transitions, applied account by account.

use std::collections::BTreeMap;

use history_model::{
    sessions::{self, Applied},
    transitions,
};
use shared::{Result, platform::Platform};
use stats_model::{Source, channels};
use uuid::Uuid;

use super::Recorder;

/// Accounts of one step; more follow in the next.
const BATCH_SIZE: i64 = 500;
/// Transactions of one account in a step.
const MAX_ROUNDS: usize = 20;
/// Transitions that one reconciliation writes.
const MAX_RECONCILED: i64 = 1000;

impl Recorder {
    /// Writes the transitions that no status has written: of connections that ended, and of streams from before
    /// the journal.
    pub(super) async fn reconcile(&self) -> Result<()> {
        let mut postgres = self.context.databases.postgres.get().await?;
        let written = transitions::reconcile(&mut postgres, self.context.clock.now(), MAX_RECONCILED).await?;
        if written > 0 {
            tracing::info!(transitions = written, "sessions differ from the live states of channels");
        }
        Ok(())
    }

    /// Applies what waits, and closes what is over. An account that fails does not delay the others.
    pub(super) async fn apply_transitions(&self) -> Result<()> {
        for account in self.accounts().await? {
            for _ in 0..MAX_ROUNDS {
                match self.apply(account).await {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        tracing::warn!(account_id = %account, %error, "a session of streams is not up to date");
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    async fn accounts(&self) -> Result<Vec<Uuid>> {
        let (now, close_after) = (self.context.clock.now(), self.context.config.workers.session_close);
        let mut postgres = self.context.databases.postgres.get().await?;
        let oldest = transitions::oldest(&mut postgres).await?;
        self.metrics.lag(oldest.map_or(0, |oldest| (now - oldest).num_seconds()));
        let mut accounts = transitions::waiting_accounts(&mut postgres, BATCH_SIZE).await?;
        let due = sessions::due_accounts(&mut postgres, close_after, now, BATCH_SIZE).await?;
        accounts.extend(due.into_iter().filter(|account| !accounts.contains(account)).collect::<Vec<_>>());
        Ok(accounts)
    }

    /// Applies the oldest transitions of an account; true when more wait.
    async fn apply(&self, account: Uuid) -> Result<bool> {
        let (now, close_after) = (self.context.clock.now(), self.context.config.workers.session_close);
        let mut postgres = self.context.databases.postgres.get().await?;
        let Some(applied) = sessions::apply(&mut postgres, account, close_after, now).await? else {
            return Ok(false);
        };
        self.metrics.applied(applied.transitions, applied.opened, applied.closed);
        drop(postgres);
        self.end_public_broadcasts(&applied).await?;
        Ok(applied.has_more)
    }

    async fn end_public_broadcasts(&self, applied: &Applied) -> Result<()> {
        let mut ended: BTreeMap<Platform, Vec<String>> = BTreeMap::new();
        for (platform, channel) in &applied.ended_channels {
            if let Ok(platform) = platform.parse() {
                ended.entry(platform).or_default().push(channel.clone());
            }
        }
        if ended.is_empty() {
            return Ok(());
        }
        let mut postgres = self.context.databases.postgres.get().await?;
        for (platform, ids) in ended {
            let now = self.context.clock.now();
            channels::offline(&mut postgres, platform, &ids, Source::FirstParty, now).await?;
        }
        Ok(())
    }
}
