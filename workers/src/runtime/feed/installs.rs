//! The state of the feed: pure data, so that the order in which news arrives can be tested.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use serde_json::Value;
use shared::feeds::HandlerInstall;
use uuid::Uuid;

use crate::runtime::{egress::AllowList, executor::Runnable, modules::Source};

/// An installed bot module.
#[derive(Debug, PartialEq)]
pub struct Install {
    pub id: Uuid,
    pub account_id: Uuid,
    pub extension_id: Uuid,
    /// `ctx.config`.
    pub config: Value,
    pub enabled: bool,
    /// Whether something of it runs again and again.
    pub has_timers: bool,
    /// `None` when no version of its code may run.
    pub runnable: Option<Arc<Runnable>>,
}

/// A moment in the order of things: what was asked for earlier knows less.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(u64);

/// Every install that is known.
#[derive(Debug, Default)]
pub struct Installs {
    now: Moment,
    accounts: HashMap<Uuid, Account>,
    sources: HashMap<Uuid, Weak<str>>,
}

#[derive(Debug, Default)]
struct Account {
    /// Changes whenever the installs do: triggers that were read under another one may be old.
    generation: Moment,
    /// When the installs were asked for.
    asked: Moment,
    installs: HashMap<Uuid, Arc<Install>>,
    /// Installs that were killed, and when. News that was asked for earlier does not bring them back.
    killed: HashMap<Uuid, Moment>,
}

impl Installs {
    /// The next moment: take one before asking the API.
    pub fn moment(&mut self) -> Moment {
        self.now.0 += 1;
        self.now
    }

    /// Number of installs.
    pub fn len(&self) -> usize {
        self.accounts.values().map(|account| account.installs.len()).sum()
    }

    /// Number of installs that run.
    pub fn enabled_len(&self) -> usize {
        let enabled = |install: &&Arc<Install>| install.enabled;
        self.accounts.values().map(|account| account.installs.values().filter(enabled).count()).sum()
    }

    /// An install of an account, if it is switched on.
    pub fn enabled(&self, account_id: Uuid, install_id: Uuid) -> Option<Arc<Install>> {
        self.accounts.get(&account_id)?.installs.get(&install_id).filter(|install| install.enabled).cloned()
    }

    /// Accounts with an install that is switched on and has timers.
    pub fn accounts_with_timers(&self) -> Vec<Uuid> {
        let runs = |install: &Arc<Install>| install.enabled && install.has_timers;
        let accounts = self.accounts.iter().filter(|(_, account)| account.installs.values().any(runs));
        accounts.map(|(id, _)| *id).collect()
    }

    /// What the account's triggers must have been read under; `None` when nothing of it is switched on.
    pub fn generation(&self, account_id: Uuid) -> Option<Moment> {
        let account = self.accounts.get(&account_id)?;
        account.installs.values().any(|install| install.enabled).then_some(account.generation)
    }

    /// Takes over what the API said of every account when it was asked at `asked`.
    pub fn take_all(&mut self, rows: Vec<HandlerInstall>, asked: Moment) {
        let mut by_account: HashMap<Uuid, Vec<HandlerInstall>> = HashMap::new();
        for row in rows {
            by_account.entry(row.account_id).or_default().push(row);
        }
        let gone: Vec<Uuid> =
            self.accounts.keys().filter(|account| !by_account.contains_key(account)).copied().collect();
        for account_id in gone {
            self.take(account_id, Vec::new(), asked);
        }
        for (account_id, rows) in by_account {
            self.take(account_id, rows, asked);
        }
        self.sources.retain(|_, text| text.strong_count() > 0);
    }

    /// Takes over what the API said of one account; true when that changed something.
    pub fn take(&mut self, account_id: Uuid, rows: Vec<HandlerInstall>, asked: Moment) -> bool {
        if self.accounts.get(&account_id).is_some_and(|account| account.asked > asked) {
            return false;
        }
        let rows = rows.into_iter().filter(|row| row.account_id == account_id);
        let installs: HashMap<Uuid, Arc<Install>> =
            rows.map(|row| (row.install_id, Arc::new(self.install(row)))).collect();
        let generation = self.moment();
        let account = self.accounts.entry(account_id).or_default();
        account.killed.retain(|_, killed| *killed > asked);
        let changed = account.replace(installs, asked, generation);
        if account.installs.is_empty() && account.killed.is_empty() {
            self.accounts.remove(&account_id);
        }
        changed
    }

    /// Switches an install off at once.
    pub fn kill(&mut self, account_id: Uuid, install_id: Uuid) {
        let moment = self.moment();
        let account = self.accounts.entry(account_id).or_default();
        account.killed.insert(install_id, moment);
        account.generation = moment;
        if let Some(install) = account.installs.get_mut(&install_id) {
            *install = Arc::new(install.switched_off());
        }
    }

    /// Switches every install of an extension off at once, or those of one version; answers their accounts.
    pub fn stop(&mut self, extension_id: Uuid, version_id: Option<Uuid>) -> Vec<Uuid> {
        let runs = |install: &Install| {
            let running = install.runnable.as_ref().map(|runnable| runnable.source.version_id);
            install.extension_id == extension_id && (version_id.is_none() || running == version_id)
        };
        let stopped: Vec<(Uuid, Uuid)> = self.of(runs).collect();
        for (account_id, install_id) in &stopped {
            self.kill(*account_id, *install_id);
        }
        stopped.into_iter().map(|(account_id, _)| account_id).collect()
    }

    /// Accounts with an install of an extension.
    pub fn accounts_of(&self, extension_id: Uuid) -> Vec<Uuid> {
        self.of(|install| install.extension_id == extension_id).map(|(account_id, _)| account_id).collect()
    }

    /// Accounts and ids of some installs.
    fn of(&self, which: impl Fn(&Install) -> bool) -> impl Iterator<Item = (Uuid, Uuid)> {
        let installs = self.accounts.values().flat_map(|account| account.installs.values());
        installs.filter(move |install| which(install)).map(|install| (install.account_id, install.id))
    }

    fn install(&mut self, row: HandlerInstall) -> Install {
        let version_id = row.version_id;
        let secrets = row.secret_keys.iter().filter_map(|key| row.install_config.get(key)?.as_str());
        let secret_settings = secrets.map(str::to_owned).collect();
        let source = row
            .handler_code
            .as_ref()
            .map(|text| Source { version_id, text: self.interned(version_id, text.clone()) });
        let runnable = source.map(|source| {
            Arc::new(Runnable {
                install_id: row.install_id,
                account_id: row.account_id,
                extension_id: row.extension_id,
                source,
                allow_list: AllowList::new(&row.egress),
                tables: Arc::new(row.tables),
                secret_settings,
            })
        });
        Install {
            id: row.install_id,
            account_id: row.account_id,
            extension_id: row.extension_id,
            config: Value::Object(row.install_config),
            enabled: row.enabled && row.handler_code.is_some(),
            has_timers: row.has_timers,
            runnable,
        }
    }

    /// One copy of a version's code, however many accounts installed it.
    fn interned(&mut self, version_id: Uuid, text: Arc<str>) -> Arc<str> {
        let known = self.sources.get(&version_id).and_then(Weak::upgrade).filter(|known| *known == text);
        known.unwrap_or_else(|| {
            self.sources.insert(version_id, Arc::downgrade(&text));
            text
        })
    }
}

impl Account {
    fn replace(
        &mut self,
        mut installs: HashMap<Uuid, Arc<Install>>,
        asked: Moment,
        generation: Moment,
    ) -> bool {
        for killed in self.killed.keys() {
            if let Some(install) = installs.get_mut(killed) {
                *install = Arc::new(install.switched_off());
            }
        }
        self.asked = asked;
        let changed = self.installs != installs;
        if changed {
            self.installs = installs;
            self.generation = generation;
        }
        changed
    }
}

impl Install {
    fn switched_off(&self) -> Self {
        Self {
            id: self.id,
            account_id: self.account_id,
            extension_id: self.extension_id,
            config: self.config.clone(),
            enabled: false,
            has_timers: self.has_timers,
            runnable: self.runnable.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Map;
    use shared::feeds::Egress;

    use super::*;

    const ACCOUNT: Uuid = Uuid::from_u128(1);
    const INSTALL: Uuid = Uuid::from_u128(2);

    fn row(install_id: Uuid, account_id: Uuid, version: u128) -> HandlerInstall {
        HandlerInstall {
            install_id,
            extension_id: Uuid::from_u128(3),
            account_id,
            extension_name: "Test".to_owned(),
            version: "1.0.0".to_owned(),
            install_config: Map::new(),
            enabled: true,
            platforms: Vec::new(),
            has_moderate: false,
            handlers: Vec::new(),
            handler_code: Some("export {}".into()),
            version_id: Uuid::from_u128(version),
            has_timers: false,
            permissions: Vec::new(),
            egress: Egress::default(),
            tables: BTreeMap::new(),
            secret_keys: Vec::new(),
        }
    }

    fn loaded() -> Installs {
        let mut installs = Installs::default();
        let asked = installs.moment();
        installs.take_all(vec![row(INSTALL, ACCOUNT, 7)], asked);
        installs
    }

    fn is_on(installs: &Installs) -> bool {
        installs.enabled(ACCOUNT, INSTALL).is_some()
    }

    #[test]
    fn news_that_was_asked_for_before_a_kill_does_not_undo_it() {
        let mut installs = loaded();
        let before = installs.moment();
        installs.kill(ACCOUNT, INSTALL);
        assert!(!is_on(&installs));
        installs.take_all(vec![row(INSTALL, ACCOUNT, 7)], before);
        assert!(!is_on(&installs));
        assert_eq!(installs.generation(ACCOUNT), None);

        let after = installs.moment();
        installs.take(ACCOUNT, vec![row(INSTALL, ACCOUNT, 7)], after);
        assert!(is_on(&installs), "switched on again by its owner");
    }

    #[test]
    fn a_kill_that_comes_before_the_install_is_known_holds() {
        let mut installs = Installs::default();
        let asked = installs.moment();
        installs.kill(ACCOUNT, INSTALL);
        installs.take_all(vec![row(INSTALL, ACCOUNT, 7)], asked);
        assert!(!is_on(&installs));
    }

    #[test]
    fn a_stopped_extension_is_off_in_every_account_until_newer_news() {
        let mut installs = loaded();
        let (other, foreign) = (Uuid::from_u128(8), Uuid::from_u128(9));
        let asked = installs.moment();
        let elsewhere = HandlerInstall { extension_id: foreign, ..row(Uuid::from_u128(5), other, 7) };
        installs.take(other, vec![row(Uuid::from_u128(4), other, 8), elsewhere], asked);
        let is_on = |installs: &Installs, account, install| {
            installs.enabled(account, Uuid::from_u128(install)).is_some()
        };
        let extension = Uuid::from_u128(3);
        assert_eq!(installs.stop(extension, Some(Uuid::from_u128(8))), [other]);
        assert!(is_on(&installs, ACCOUNT, 2) && !is_on(&installs, other, 4) && is_on(&installs, other, 5));
        let mut accounts = installs.stop(extension, None);
        accounts.sort_unstable();
        assert_eq!(accounts, [ACCOUNT, other]);
        assert!(!is_on(&installs, ACCOUNT, 2) && is_on(&installs, other, 5));
        assert_eq!(installs.accounts_of(foreign), [other]);
        let asked = installs.moment();
        installs.take(ACCOUNT, vec![row(INSTALL, ACCOUNT, 7)], asked);
        assert!(is_on(&installs, ACCOUNT, 2), "released again");
    }

    #[test]
    fn older_news_never_replaces_newer() {
        let mut installs = loaded();
        let snapshot = installs.moment();
        let refresh = installs.moment();
        assert!(installs.take(ACCOUNT, vec![row(INSTALL, ACCOUNT, 8)], refresh));
        installs.take_all(vec![row(INSTALL, ACCOUNT, 7)], snapshot);
        let source = installs.enabled(ACCOUNT, INSTALL).unwrap().runnable.clone().unwrap().source.clone();
        assert_eq!(source.version_id, Uuid::from_u128(8));
    }

    #[test]
    fn the_generation_changes_with_the_installs_only() {
        let mut installs = loaded();
        let generation = installs.generation(ACCOUNT);
        let asked = installs.moment();
        assert!(!installs.take(ACCOUNT, vec![row(INSTALL, ACCOUNT, 7)], asked));
        assert_eq!(installs.generation(ACCOUNT), generation);

        let asked = installs.moment();
        assert!(installs.take(ACCOUNT, vec![row(INSTALL, ACCOUNT, 8)], asked));
        assert_ne!(installs.generation(ACCOUNT), generation);
    }

    #[test]
    fn what_the_snapshot_no_longer_holds_is_forgotten() {
        let mut installs = loaded();
        let asked = installs.moment();
        installs.take_all(Vec::new(), asked);
        assert_eq!((installs.len(), installs.accounts.len(), installs.sources.len()), (0, 0, 0));
    }

    #[test]
    fn an_account_gets_its_own_rows_only_and_code_is_kept_once() {
        let mut installs = Installs::default();
        let other = Uuid::from_u128(9);
        let asked = installs.moment();
        installs.take(ACCOUNT, vec![row(INSTALL, other, 7)], asked);
        assert_eq!(installs.len(), 0);

        let asked = installs.moment();
        installs.take_all(vec![row(INSTALL, ACCOUNT, 7), row(Uuid::from_u128(4), other, 7)], asked);
        let text = |account, install| {
            installs.enabled(account, install).unwrap().runnable.clone().unwrap().source.clone().text
        };
        assert!(Arc::ptr_eq(&text(ACCOUNT, INSTALL), &text(other, Uuid::from_u128(4))));
        assert!(installs.enabled(ACCOUNT, Uuid::from_u128(4)).is_none());
    }
}
