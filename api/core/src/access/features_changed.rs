//! What follows a change of features: no process believes the old ones, and who is concerned is told (specification
//! C §7.1).

use std::collections::HashSet;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::json;
use shared::{
    db::schema::accounts,
    events::{Channel, Event},
    id::AccountId,
    invalidation::Invalidation,
};
use uuid::Uuid;

use super::Cx;
use crate::{Result, State};

/// Whose features changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeaturesOf {
    /// An override, a limit or the plan of one account.
    Account(AccountId),
    /// What a plan includes.
    Plan(Uuid),
    /// A flag.
    All,
}

impl FeaturesOf {
    const fn invalidation(self) -> Invalidation {
        match self {
            Self::Account(account) => Invalidation::Features { account_id: account.0 },
            Self::Plan(plan_id) => Invalidation::PlanFeatures { plan_id },
            Self::All => Invalidation::AllFeatures,
        }
    }
}

impl Cx {
    /// Drops the cached features of whoever is concerned, in every process, and sends `features:updated` on the
    /// channels `account:{account_id}`. Call it after the commit.
    pub async fn features_changed(&self, of: FeaturesOf) {
        self.changed(of.invalidation()).await;
        if let FeaturesOf::Account(account) = of {
            tell(self.state(), account).await;
            return;
        }
        // A change for many is told beside the request: the answer does not depend on how many listen.
        let state = self.state().clone();
        tokio::spawn(async move {
            match listening(&state, of).await {
                Ok(accounts) => {
                    for account in accounts {
                        tell(&state, account).await;
                    }
                }
                Err(error) => tracing::warn!(%error, ?of, "whom to tell of changed features is not known"),
            }
        });
    }
}

/// The event says only that features changed: clients ask for them again (C §11.4).
async fn tell(state: &State, account: AccountId) {
    let event = Event::new(Channel::Account(account.0), "features:updated", json!({}), state.clock.now());
    if let Err(error) = state.events.append(&event).await {
        tracing::warn!(%error, %account, "an account was not told that its features changed");
    }
}

/// The concerned accounts whose channel somebody listens to. To the others there is nothing to tell: the log of a
/// channel serves those who come back, and they ask for their features anyway.
async fn listening(state: &State, of: FeaturesOf) -> Result<Vec<AccountId>> {
    let prefix = state.events.topic("");
    let topics: Vec<String> = redis::cmd("PUBSUB")
        .arg("CHANNELS")
        .arg(format!("{prefix}account:*"))
        .query_async(&mut *state.redis.get().await?)
        .await?;
    let channels = topics.iter().filter_map(|topic| Channel::parse(topic.strip_prefix(&prefix)?));
    let heard: HashSet<Uuid> = channels
        .filter_map(|channel| match channel {
            Channel::Account(account) => Some(account),
            _ => None,
        })
        .collect();
    let FeaturesOf::Plan(plan) = of else { return Ok(heard.into_iter().map(AccountId).collect()) };
    Ok(accounts::table
        .filter(accounts::plan_id.eq(plan).and(accounts::id.eq_any(heard)))
        .select(accounts::id)
        .load(&mut *state.databases.postgres.get().await?)
        .await?)
}
