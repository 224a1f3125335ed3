//! Flags of installs (reference/features.md#flags-of-installs).

use shared::catalogue::Feature;
use uuid::Uuid;

use super::{SystemModule, WIDGETS};

/// Flags that an install needs to run: those of a built-in module or widget, else that of extensions
/// (reference/features.md#flags-of-installs).
#[must_use]
pub fn needed_features(extension_id: Uuid) -> Vec<String> {
    if let Some(module) = SystemModule::of(extension_id) {
        return vec![Feature::BotModules.key().to_owned(), module.flag()];
    }
    match WIDGETS.iter().find(|widget| widget.extension_id == extension_id) {
        Some(widget) => vec![Feature::Extensions.key().to_owned(), widget.flag.to_owned()],
        None => vec![Feature::Extensions.key().to_owned()],
    }
}
