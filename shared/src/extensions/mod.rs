//! What API and workers both need to know of extensions: the manifest, install configuration, the roll-out of
//! versions, and the announcement of changes.

pub mod announce;
pub mod calls;
mod config_schema;
mod declarative;
mod files;
mod install_config;
pub mod kept_data;
mod manifest;
mod offers;
mod owners;
mod roll_out;
mod secrets;
mod standing;
pub mod system;
mod uploads;

pub use config_schema::{ConfigError, ConfigField, ConfigKind, ConfigOption, ConfigSchema};
pub use declarative::{ArgumentProblem, Declarative};
pub use files::{bundle_key, content_type};
pub use install_config::{MASK, masked, opened, sealed};
pub(crate) use install_config::{SEALED, key_ids, reseal};
pub use manifest::{
    AutomationNode, BotModule, Category, Function, FunctionKind, HOST_PERMISSIONS, Manifest, ManifestEgress,
    Pricing, PricingType, Sound, Table, TableScope, Target, TriggerMode, Visibility,
};
pub use offers::offer_update;
pub use owners::developers;
pub use roll_out::{BATCH, MovedInstall, consent_needed, roll_out};
pub use secrets::{open_secret, seal_secret};
pub use standing::{ToldInstalls, install_runs, tell_standing};
pub use uploads::{abandon_uploads, adopt_uploads, release_objects, remove_abandoned_uploads};
