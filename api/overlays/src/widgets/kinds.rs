//! Types of widgets: system widgets and installed extensions (reference/overlays.md#widgets).

use api_core::{ApiError, Result, access::AccountFeatures};
use diesel_async::AsyncPgConnection;
use extension_model::system::WIDGETS;
use shared::id::AccountId;
use uuid::Uuid;

use super::db;

/// Begin of the flags of system widgets.
const FLAG: &str = "widget:";

/// Names of the system widgets.
fn system_types() -> impl Iterator<Item = &'static str> {
    WIDGETS.iter().filter_map(|widget| widget.flag.strip_prefix(FLAG))
}

/// Checks that the flag of a system widget is on for the account. Extensions have none.
///
/// # Errors
/// 403 `FEATURE_DISABLED` with the reason.
pub(super) fn require_flag(features: &AccountFeatures, widget_type: &str) -> Result<()> {
    if !system_types().any(|name| name == widget_type) {
        return Ok(());
    }
    features.require(&format!("{FLAG}{widget_type}"))
}

/// Install that shows widgets of a type. `None` for a system widget.
///
/// # Errors
/// 400 for a text that is neither a system widget nor the slug of an extension that runs in the account and
/// has a layer.
pub(super) async fn install_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    widget_type: &str,
) -> Result<Option<Uuid>> {
    if system_types().any(|name| name == widget_type) {
        return Ok(None);
    }
    let install = db::install_with_layer(connection, account, widget_type).await?;
    install.map(Some).ok_or_else(|| {
        let names = system_types().collect::<Vec<_>>().join(", ");
        ApiError::invalid(format!("type must be one of {names}, or the slug of an installed extension"))
    })
}

#[cfg(test)]
mod tests {
    use shared::catalogue::{FEATURES, FeatureCategory};

    use super::*;

    #[test]
    fn system_types_are_those_of_the_flags() {
        let of_flags = FEATURES.iter().find(|(category, _)| *category == FeatureCategory::Widget);
        let mut flags: Vec<&str> = of_flags.map(|(_, keys)| keys.to_vec()).unwrap_or_default();
        let mut types: Vec<&str> = system_types().collect();
        flags.sort_unstable();
        types.sort_unstable();
        assert_eq!(types, flags);
    }
}
