//! Extensions that are built in (specification C B4): the four bot modules that every account has (C B8), which are
//! ordinary extensions, run by the ordinary runtime, whose settings are richer than a manifest can say; and the widgets,
//! bundles like any other.

mod seed;
mod settings;
mod widgets;

use serde_json::{Map, Value};
use uuid::{Uuid, uuid};

use super::{ConfigError, Manifest};
use crate::feeds::TriggerInstall;

pub(crate) use seed::seed;
pub use seed::{EXEMPT_AT_START, install};
pub use widgets::{SystemFile, SystemWidget, WIDGETS, put_files};

/// A built-in bot module.
#[derive(Debug)]
pub struct SystemModule {
    /// The name in URLs and the last part of its flag `bot_module:{name}`.
    pub name: &'static str,
    /// `system-{name}`, with hyphens.
    pub slug: &'static str,
    pub extension_id: Uuid,
    short_id: &'static str,
    manifest: &'static str,
    code: &'static str,
}

macro_rules! module {
    ($name:literal, $slug:literal, $id:literal, $short_id:literal) => {
        SystemModule {
            name: $name,
            slug: $slug,
            extension_id: uuid!($id),
            short_id: $short_id,
            manifest: include_str!(concat!("modules/", $name, ".json")),
            code: include_str!(concat!("modules/", $name, ".js")),
        }
    };
}

/// The built-in bot modules, in the order in which they look at a message.
pub static BOT_MODULES: [SystemModule; 4] = [
    module!("link_protection", "system-link-protection", "00000000-0000-7000-8000-6c756d696f01", "linkprot"),
    module!("spam_protection", "system-spam-protection", "00000000-0000-7000-8000-6c756d696f02", "spamprot"),
    module!("word_filter", "system-word-filter", "00000000-0000-7000-8000-6c756d696f03", "wordfilt"),
    module!("timed_messages", "system-timed-messages", "00000000-0000-7000-8000-6c756d696f04", "timedmsg"),
];

impl SystemModule {
    /// The module of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        BOT_MODULES.iter().find(|module| module.name == name)
    }

    /// The module that an extension is.
    #[must_use]
    pub fn of(extension_id: Uuid) -> Option<&'static Self> {
        BOT_MODULES.iter().find(|module| module.extension_id == extension_id)
    }

    /// The manifest as this release has it.
    ///
    /// # Errors
    /// Never in practice: a test reads every one.
    pub fn manifest(&self) -> crate::Result<Manifest> {
        Ok(serde_json::from_str(self.manifest)?)
    }

    /// The files of its bundle.
    #[must_use]
    pub const fn files(&self) -> [SystemFile; 2] {
        [
            SystemFile { path: "lumio.config.json", content: self.manifest },
            SystemFile { path: "server.js", content: self.code },
        ]
    }

    /// The key of the flag that it needs beside `feature:bot_modules`.
    #[must_use]
    pub fn flag(&self) -> String {
        format!("bot_module:{}", self.name)
    }
}

/// Checks what a manifest's schema cannot say of the settings of a built-in extension; others have no such rules.
/// The schema's own check comes first.
///
/// # Errors
/// The first setting that is wrong.
pub fn check(extension_id: Uuid, config: &Map<String, Value>) -> Result<(), ConfigError> {
    match SystemModule::of(extension_id).map(|module| module.name) {
        Some("link_protection") => settings::links(config),
        Some("word_filter") => settings::words(config),
        Some("timed_messages") => settings::messages(config),
        _ => Ok(()),
    }
}

/// Adds what the settings of a built-in module mean for its triggers: which messages the word filter looks at, and
/// when messages are due. `config` has its defaults applied.
pub fn add_triggers(install: &mut TriggerInstall, config: &Map<String, Value>) {
    match SystemModule::of(install.extension_id).map(|module| module.name) {
        Some("word_filter") => install.filter = Some(settings::filter(config)),
        Some("timed_messages") => install.timers = settings::timers(config),
        _ => {}
    }
    if SystemModule::of(install.extension_id).is_some() {
        // Nobody is moderated in their own channel.
        install.exempt_roles.push(crate::feeds::MinRole::Broadcaster);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extensions::{Category, HOST_PERMISSIONS};

    #[test]
    fn every_built_in_module_has_a_manifest_that_reads() {
        for module in &BOT_MODULES {
            let manifest = module.manifest().unwrap();
            assert_eq!(
                (manifest.extension_id, manifest.category),
                (module.extension_id, Category::BotModule)
            );
            assert_eq!(module.slug, format!("system-{}", module.name.replace('_', "-")));
            assert!(semver::Version::parse(&manifest.version).is_ok());
            assert!(manifest.permissions.iter().all(|asked| HOST_PERMISSIONS.contains(&asked.as_str())));
            let defaults = manifest.config_schema.with_defaults(Map::new());
            assert_eq!(manifest.config_schema.check(&defaults), Ok(()), "{}", module.name);
            assert_eq!(check(module.extension_id, &defaults), Ok(()), "{}", module.name);
            for handler in manifest.bot_module.unwrap_or_default().handlers() {
                assert!(
                    module.code.contains(&format!("export async function {handler}(")),
                    "{} lacks {handler}",
                    module.name
                );
            }
        }
    }
}
