//! Extensions as API and workers share them: manifest, install configuration, roll-out of versions,
//! announcements.

pub mod actions;
pub mod announce;
pub mod bots;
pub mod calls;
mod config_schema;
mod consent;
mod declarative;
pub mod feeds;
mod files;
mod install_config;
pub mod limits;
mod manifest;
mod moved_install;
mod owners;
pub mod retained_data;
pub mod revenue;
mod roll_out;
mod run_status;
mod secrets;
pub mod system;
mod table;
mod uploads;

pub use config_schema::{ConfigError, ConfigField, ConfigKind, ConfigOption, ConfigSchema};
pub use consent::request_consent;
pub use declarative::{ArgumentProblem, Declarative};
pub use files::{bundle_key, content_type};
pub use install_config::{MASK, Resealed, SEALED, key_ids, masked, opened, reseal, sealed};
pub use manifest::{
    AutomationNode, BotModule, Category, Function, FunctionKind, HOST_PERMISSIONS, Manifest, ManifestEgress,
    Pricing, PricingType, Sound, Target, TriggerMode, Visibility,
};
pub use moved_install::{BATCH_SIZE, MovedInstall};
pub use owners::developers;
pub use roll_out::{consent_needed, roll_out};
pub use run_status::{INSTALL_RUNS, NotifiedInstalls, install_runs, notify_run_status};
pub use secrets::{open_secret, seal_secret};
pub use table::{Table, TableScope};
pub use uploads::{abandon_uploads, adopt_uploads, release_objects, remove_abandoned_uploads};
