//! Built-in extensions (reference/extensions.md#built-in-extensions). The four bot modules of every account
//! run like other extensions, but their settings need rules that a manifest cannot express. The widgets are
//! bundles like any other.

mod needed;
mod seed;
mod settings;
mod widgets;

use serde_json::{Map, Value};
use uuid::{Uuid, uuid};

use super::{ConfigError, Manifest};
use crate::feeds::TriggerInstall;

pub use needed::needed_features;
pub use seed::seed;
pub use seed::{DEFAULT_EXEMPT_ROLES, install};
pub use widgets::{SystemFile, SystemWidget, WIDGETS, put_files};

/// A built-in bot module.
#[derive(Debug)]
pub struct SystemModule {
    /// Name in URLs and last part of its flag `bot_module:{name}`.
    pub name: &'static str,
    /// `system-{name}`, with hyphens.
    pub slug: &'static str,
    /// Fixed id of the extension.
    pub extension_id: Uuid,
    short_id: &'static str,
    manifest: &'static str,
    code: &'static str,
}

/// Module of a name, with its files included at compile time.
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

/// Built-in bot modules, in the order in which they get a message.
pub static BOT_MODULES: [SystemModule; 4] = [
    module!("link_protection", "system-link-protection", "00000000-0000-7000-8000-6c756d696f01", "linkprot"),
    module!("spam_protection", "system-spam-protection", "00000000-0000-7000-8000-6c756d696f02", "spamprot"),
    module!("word_filter", "system-word-filter", "00000000-0000-7000-8000-6c756d696f03", "wordfilt"),
    module!("timed_messages", "system-timed-messages", "00000000-0000-7000-8000-6c756d696f04", "timedmsg"),
];

impl SystemModule {
    /// Module of a name, or `None`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        BOT_MODULES.iter().find(|module| module.name == name)
    }

    /// Module of an extension, or `None`.
    #[must_use]
    pub fn of(extension_id: Uuid) -> Option<&'static Self> {
        BOT_MODULES.iter().find(|module| module.extension_id == extension_id)
    }

    /// Manifest of this release.
    ///
    /// # Errors
    /// None in practice: a test reads every manifest.
    pub fn manifest(&self) -> shared::Result<Manifest> {
        Ok(serde_json::from_str(self.manifest)?)
    }

    /// Files of its bundle.
    #[must_use]
    pub const fn files(&self) -> [SystemFile; 2] {
        [
            SystemFile { path: "lumio.config.json", content: self.manifest },
            SystemFile { path: "server.js", content: self.code },
        ]
    }

    /// Key of the flag that it needs beside `feature:bot_modules`.
    #[must_use]
    pub fn flag(&self) -> String {
        format!("bot_module:{}", self.name)
    }
}

/// Checks rules of a built-in extension's settings that its schema cannot express; other extensions have
/// none. Call it after the schema's own check.
///
/// # Errors
/// The first invalid setting.
pub fn check(extension_id: Uuid, config: &Map<String, Value>) -> Result<(), ConfigError> {
    match SystemModule::of(extension_id).map(|module| module.name) {
        Some("link_protection") => settings::links(config),
        Some("word_filter") => settings::words(config),
        Some("timed_messages") => settings::messages(config),
        _ => Ok(()),
    }
}

/// Adds the triggers that follow from the settings of a built-in module: the filter of the word filter, and
/// the timers of timed messages. `config` has its defaults applied.
pub fn add_triggers(install: &mut TriggerInstall, config: &Map<String, Value>) {
    match SystemModule::of(install.extension_id).map(|module| module.name) {
        Some("word_filter") => install.filter = Some(settings::filter(config)),
        Some("timed_messages") => install.timers = settings::timers(config),
        _ => {}
    }
    if SystemModule::of(install.extension_id).is_some() {
        // Built-in modules never moderate the broadcaster.
        install.exempt_roles.push(crate::feeds::MinRole::Broadcaster);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Category, HOST_PERMISSIONS};

    #[test]
    fn bot_modules_have_valid_manifests() {
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
