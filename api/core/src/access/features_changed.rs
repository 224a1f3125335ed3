//! Announcement of changed features: processes drop the cached ones, and the accounts are notified
//! (reference/features.md#cache-and-announcement).

use std::collections::HashSet;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::{
    events::{Channel, Event},
    invalidation::Invalidation,
};
use serde_json::json;
use shared::{
    id::{AccountId, Trust},
    schema::accounts,
};
use uuid::Uuid;

use super::Cx;
use crate::{Result, State};

/// Accounts whose features changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeaturesOf {
    /// An override, a limit or the plan of one account.
    Account(AccountId),
    /// The features of a plan.
    Plan(Uuid),
    /// A flag, for all accounts.
    All,
}

impl FeaturesOf {
    const fn invalidation(self) -> Invalidation {
        match self {
            Self::Account(account) => Invalidation::Features { account_id: account.uuid() },
            Self::Plan(plan_id) => Invalidation::PlanFeatures { plan_id },
            Self::All => Invalidation::AllFeatures,
        }
    }
}

impl Cx {
    /// Drops the cached features of the concerned accounts in every process, and sends `features:updated` on
    /// their channels `account:{account_id}`. Call it after the commit.
    pub async fn features_changed(&self, of: FeaturesOf) {
        self.changed(of.invalidation()).await;
        if let FeaturesOf::Account(account) = of {
            publish(self.state(), account).await;
            return;
        }
        // A change for many accounts is published in the background: the response time does not depend on the
        // number of listeners.
        let state = self.state().clone();
        tokio::spawn(async move {
            match listening(&state, of).await {
                Ok(accounts) => {
                    for account in accounts {
                        publish(&state, account).await;
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, ?of, "the listeners of changed features cannot be determined")
                }
            }
        });
    }
}

/// Publishes that features changed. The event holds no features: clients request them again
/// (reference/features.md#cache-and-announcement).
async fn publish(state: &State, account: AccountId) {
    let event =
        Event::new(Channel::Account(account.uuid()), "features:updated", json!({}), state.clock.now());
    if let Err(error) = state.events.append(&event).await {
        tracing::warn!(%error, %account, "an account was not notified of changed features");
    }
}

/// Concerned accounts whose channel has a listener. The others need no event: the log of a channel serves
/// clients that reconnect, and these request their features anyway.
async fn listening(state: &State, of: FeaturesOf) -> Result<Vec<AccountId>> {
    let channels = state.redis.channels_with_listeners("account:").await?;
    let heard: HashSet<Uuid> = channels
        .iter()
        .filter_map(|channel| match Channel::parse(channel)? {
            Channel::Account(account) => Some(account),
            _ => None,
        })
        .collect();
    let FeaturesOf::Plan(plan) = of else {
        return Ok(heard.into_iter().map(|id| AccountId::trusted(id, Trust::Task)).collect());
    };
    Ok(accounts::table
        .filter(accounts::plan_id.eq(plan).and(accounts::id.eq_any(heard)))
        .select(accounts::id)
        .load(&mut *state.databases.primary().await?)
        .await?)
}
