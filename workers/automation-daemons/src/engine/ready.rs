//! Accounts with runs that wait, each in the list once: an account with a thousand runs comes as often as one
//! with a single run (reference/automations.md#execution).

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use tokio::sync::Notify;
use uuid::Uuid;

/// State of an account in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the list.
    Listed,
    /// A run of it is being claimed.
    Claiming,
    /// A run of it is being claimed, and another may wait since.
    ClaimingAndListed,
}

/// List of one copy.
#[derive(Debug, Default)]
pub(super) struct Ready {
    list: Mutex<List>,
    added: Notify,
}

#[derive(Debug, Default)]
struct List {
    order: VecDeque<Uuid>,
    places: HashMap<Uuid, Place>,
}

impl Ready {
    /// Adds an account at the end, unless it is in the list.
    pub fn push(&self, account: Uuid) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        match list.places.get(&account) {
            None => {
                list.places.insert(account, Place::Listed);
                list.order.push_back(account);
            }
            Some(Place::Claiming) => {
                list.places.insert(account, Place::ClaimingAndListed);
                return;
            }
            Some(Place::Listed | Place::ClaimingAndListed) => return,
        }
        drop(list);
        self.added.notify_one();
    }

    /// Waits for the account whose run is claimed next. Its claim must end with [`Self::claimed`].
    pub async fn pop(&self) -> Uuid {
        loop {
            if let Some(account) = self.take() {
                return account;
            }
            self.added.notified().await;
        }
    }

    /// Ends the claim of an account. With `may_have_more` it goes to the end of the list.
    pub fn claimed(&self, account: Uuid, may_have_more: bool) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let place = list.places.remove(&account);
        drop(list);
        if may_have_more || place == Some(Place::ClaimingAndListed) {
            self.push(account);
        }
    }

    fn take(&self) -> Option<Uuid> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let account = list.order.pop_front()?;
        list.places.insert(account, Place::Claiming);
        let has_more = !list.order.is_empty();
        drop(list);
        if has_more {
            self.added.notify_one();
        }
        Some(account)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const STORMY: Uuid = Uuid::from_u128(1);
    const QUIET: Uuid = Uuid::from_u128(2);

    fn next(ready: &Ready) -> Option<Uuid> {
        ready.pop().now_or_never()
    }

    #[test]
    fn ready_accounts_come_in_rotation() {
        let ready = Ready::default();
        for _ in 0..100 {
            ready.push(STORMY);
        }
        ready.push(QUIET);
        assert_eq!(next(&ready), Some(STORMY));
        ready.claimed(STORMY, true);
        assert_eq!(next(&ready), Some(QUIET));
        ready.claimed(QUIET, false);
        assert_eq!(next(&ready), Some(STORMY));
        ready.claimed(STORMY, false);
        assert_eq!(next(&ready), None);
    }

    #[test]
    fn ready_account_that_is_pushed_during_its_claim_comes_again() {
        let ready = Ready::default();
        ready.push(STORMY);
        assert_eq!(next(&ready), Some(STORMY));
        ready.push(STORMY);
        ready.push(STORMY);
        assert_eq!(next(&ready), None, "one claim of an account at a time");
        ready.claimed(STORMY, false);
        assert_eq!(next(&ready), Some(STORMY));
        ready.claimed(STORMY, false);
        assert_eq!(next(&ready), None);
    }
}
