//! Layers that Lumio draws itself: each type is a built-in widget, whose bundle is served like any other.

use std::collections::HashMap;

use api_core::Result;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::system::{SystemWidget, WIDGETS};
use shared::schema::{extension_versions, extensions};
use uuid::Uuid;

/// Types of layers whose built-in widget has another name.
const RENAMED: [(&str, &str); 2] = [("music", "now_playing"), ("browser", "obs_browser_source")];

/// Built-in widget of a type of layer.
pub(super) fn widget_of_type(layer_type: &str) -> Option<&'static SystemWidget> {
    let renamed = RENAMED.iter().find(|(name, _)| *name == layer_type).map(|(_, widget)| *widget);
    widget_named(renamed.unwrap_or(layer_type))
}

/// Type of layer that a built-in widget draws.
pub(super) fn type_of_widget(widget: &'static SystemWidget) -> &'static str {
    RENAMED.iter().find(|(_, name)| *name == widget.name).map_or(widget.name, |(layer_type, _)| layer_type)
}

/// Built-in widget of a type of widget.
pub(super) fn widget_of_widget_type(widget_type: &str) -> Option<&'static SystemWidget> {
    WIDGETS.iter().find(|widget| widget.flag.strip_prefix("widget:") == Some(widget_type))
}

fn widget_named(name: &str) -> Option<&'static SystemWidget> {
    WIDGETS.iter().find(|widget| widget.name == name)
}

/// Current versions of built-in widgets, by the ids of their extensions.
pub(super) async fn versions(
    connection: &mut AsyncPgConnection,
    needed: Vec<Uuid>,
) -> Result<HashMap<Uuid, String>> {
    if needed.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, String)> = extensions::table
        .inner_join(
            extension_versions::table
                .on(extensions::current_version_id.eq(extension_versions::id.nullable())),
        )
        .filter(extensions::id.eq_any(needed))
        .select((extensions::id, extension_versions::version))
        .load(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_types_have_a_widget() {
        for name in ["alert_box", "chat_box", "event_list", "text", "image", "timer", "music", "browser"] {
            let widget = widget_of_type(name).unwrap_or_else(|| panic!("{name} has a widget"));
            assert_eq!(type_of_widget(widget), name);
        }
        for other in ["video", "custom_html", "extension", "now_playing_", ""] {
            assert!(widget_of_type(other).is_none(), "{other}");
        }
    }
}
