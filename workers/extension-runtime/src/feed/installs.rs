//! State of the feed: pure data, so that tests can order the updates.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use extension_model::feeds::HandlerInstall;
use serde_json::Value;
use uuid::Uuid;

use crate::{egress::AllowList, modules::Source, run::Runnable};

/// Installed bot module.
#[derive(Debug, PartialEq)]
pub struct Install {
    /// Id of the install.
    pub id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
    /// Extension of the install.
    pub extension_id: Uuid,
    /// Value of `ctx.config`.
    pub config: Value,
    /// True when it is switched on.
    pub enabled: bool,
    /// True when it has timers.
    pub has_timers: bool,
    /// `None` when no version of its code may run.
    pub runnable: Option<Arc<Runnable>>,
}

/// Position in the order of requests: an earlier request has older data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogicalTime(u64);

/// Every known install.
#[derive(Debug, Default)]
pub struct Installs {
    now: LogicalTime,
    accounts: HashMap<Uuid, AccountInstalls>,
    sources: HashMap<Uuid, Weak<str>>,
}

#[derive(Debug, Default)]
struct AccountInstalls {
    /// Changes with the installs: triggers that were read under another generation may be outdated.
    generation: LogicalTime,
    /// Time of the last full request.
    asked: LogicalTime,
    installs: HashMap<Uuid, Arc<Install>>,
    /// Killed installs with the time. Data of earlier requests does not bring them back.
    killed: HashMap<Uuid, LogicalTime>,
}

impl Installs {
    /// Returns the next logical time; take one before calling the API.
    pub fn moment(&mut self) -> LogicalTime {
        self.now.0 += 1;
        self.now
    }

    /// Returns the number of installs.
    pub fn len(&self) -> usize {
        self.accounts.values().map(|account| account.installs.len()).sum()
    }

    /// Returns the number of installs that run.
    pub fn enabled_len(&self) -> usize {
        let enabled = |install: &&Arc<Install>| install.enabled;
        self.accounts.values().map(|account| account.installs.values().filter(enabled).count()).sum()
    }

    /// Returns an install of an account, if it is switched on.
    pub fn enabled(&self, account_id: Uuid, install_id: Uuid) -> Option<Arc<Install>> {
        self.accounts.get(&account_id)?.installs.get(&install_id).filter(|install| install.enabled).cloned()
    }

    /// Returns accounts with an enabled install that has timers.
    pub fn accounts_with_timers(&self) -> Vec<Uuid> {
        let runs = |install: &Arc<Install>| install.enabled && install.has_timers;
        let accounts = self.accounts.iter().filter(|(_, account)| account.installs.values().any(runs));
        accounts.map(|(id, _)| *id).collect()
    }

    /// Returns the generation that the account's triggers must be read under; `None` when no install is
    /// switched on.
    pub fn generation(&self, account_id: Uuid) -> Option<LogicalTime> {
        let account = self.accounts.get(&account_id)?;
        account.installs.values().any(|install| install.enabled).then_some(account.generation)
    }

    /// Replaces all installs by a response for every account, requested at `asked`.
    pub fn take_all(&mut self, rows: Vec<HandlerInstall>, asked: LogicalTime) {
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

    /// Replaces the installs of one account by a response; true when that changed something.
    pub fn take(&mut self, account_id: Uuid, rows: Vec<HandlerInstall>, asked: LogicalTime) -> bool {
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

    /// Switches an install off immediately.
    pub fn kill(&mut self, account_id: Uuid, install_id: Uuid) {
        let moment = self.moment();
        let account = self.accounts.entry(account_id).or_default();
        account.killed.insert(install_id, moment);
        account.generation = moment;
        if let Some(install) = account.installs.get_mut(&install_id) {
            *install = Arc::new(install.switched_off());
        }
    }

    /// Switches every install of an extension off immediately, or those of one version. Returns their
    /// accounts.
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

    /// Returns accounts with an install of an extension.
    pub fn accounts_of(&self, extension_id: Uuid) -> Vec<Uuid> {
        self.of(|install| install.extension_id == extension_id).map(|(account_id, _)| account_id).collect()
    }

    /// Returns accounts and ids of matching installs.
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

    /// Returns the only copy of a version's code, however many accounts installed it.
    fn interned(&mut self, version_id: Uuid, text: Arc<str>) -> Arc<str> {
        let known = self.sources.get(&version_id).and_then(Weak::upgrade).filter(|known| *known == text);
        known.unwrap_or_else(|| {
            self.sources.insert(version_id, Arc::downgrade(&text));
            text
        })
    }
}

impl AccountInstalls {
    fn replace(
        &mut self,
        mut installs: HashMap<Uuid, Arc<Install>>,
        asked: LogicalTime,
        generation: LogicalTime,
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

    use extension_model::feeds::Egress;
    use serde_json::Map;

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
    fn installs_stay_killed_after_an_older_response() {
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
    fn installs_that_are_killed_before_they_are_known_stay_off() {
        let mut installs = Installs::default();
        let asked = installs.moment();
        installs.kill(ACCOUNT, INSTALL);
        installs.take_all(vec![row(INSTALL, ACCOUNT, 7)], asked);
        assert!(!is_on(&installs));
    }

    #[test]
    fn installs_of_a_stopped_extension_are_off_until_a_newer_response() {
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
    fn installs_are_never_replaced_by_an_older_response() {
        let mut installs = loaded();
        let snapshot = installs.moment();
        let refresh = installs.moment();
        assert!(installs.take(ACCOUNT, vec![row(INSTALL, ACCOUNT, 8)], refresh));
        installs.take_all(vec![row(INSTALL, ACCOUNT, 7)], snapshot);
        let source = installs.enabled(ACCOUNT, INSTALL).unwrap().runnable.clone().unwrap().source.clone();
        assert_eq!(source.version_id, Uuid::from_u128(8));
    }

    #[test]
    fn installs_change_their_generation_only_with_their_rows() {
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
    fn installs_that_a_snapshot_omits_are_forgotten() {
        let mut installs = loaded();
        let asked = installs.moment();
        installs.take_all(Vec::new(), asked);
        assert_eq!((installs.len(), installs.accounts.len(), installs.sources.len()), (0, 0, 0));
    }

    #[test]
    fn installs_are_per_account_and_share_code() {
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
