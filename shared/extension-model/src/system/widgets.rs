//! Built-in widgets: layers of overlays, each a bundle of plain scripts and a style sheet
//! (reference/extensions.md#built-in-extensions).

use bytes::Bytes;
use sha2::{Digest, Sha256};
use uuid::{Uuid, uuid};

use crate::{Manifest, bundle_key};
use foundation::storage::Storage;
use shared::Result;

/// A built-in widget.
#[derive(Debug)]
pub struct SystemWidget {
    /// Name of its files.
    pub name: &'static str,
    /// `system-{name}`, with hyphens.
    pub slug: &'static str,
    /// Fixed id of the extension.
    pub extension_id: Uuid,
    /// Flag that it needs, `widget:…`.
    pub flag: &'static str,
    /// True when every account has it from the start.
    pub is_installed: bool,
    pub(super) short_id: &'static str,
    pub(super) manifest: &'static str,
    layer: &'static str,
    style: &'static str,
}

/// A file of a built-in bundle.
#[derive(Debug, Clone, Copy)]
pub struct SystemFile {
    /// Path in the bundle.
    pub path: &'static str,
    /// Content.
    pub content: &'static str,
}

/// Widget of a name, with its files included at compile time.
macro_rules! widget {
    ($name:literal, $slug:literal, $id:literal, $short_id:literal, $flag:literal, $is_installed:literal) => {
        SystemWidget {
            name: $name,
            slug: $slug,
            extension_id: uuid!($id),
            flag: $flag,
            is_installed: $is_installed,
            short_id: $short_id,
            manifest: include_str!(concat!("widgets/", $name, ".json")),
            layer: include_str!(concat!("widgets/", $name, ".js")),
            style: concat!(
                include_str!("widgets/themes.css"),
                include_str!(concat!("widgets/", $name, ".css"))
            ),
        }
    };
}

/// Code that the layers share: elements and settings, words and drawings of events, pictures of emotes.
const PARTS: &str = include_str!("widgets/parts.js");
const EVENTS: &str = include_str!("widgets/events.js");
const EMOTES: &str = include_str!("widgets/emotes.js");

/// Built-in widgets, in the order in which accounts get them.
#[rustfmt::skip]
pub static WIDGETS: [SystemWidget; 8] = [
    widget!("chat_box", "system-chat-box", "00000000-0000-7000-8000-6c756d696f05", "chatboxs", "widget:chat_box", true),
    widget!("alert_box", "system-alert-box", "00000000-0000-7000-8000-6c756d696f06", "alertbox", "widget:alert_box", true),
    widget!("event_list", "system-event-list", "00000000-0000-7000-8000-6c756d696f07", "eventlst", "widget:event_list", true),
    widget!("text", "system-text", "00000000-0000-7000-8000-6c756d696f08", "textlayr", "widget:text", true),
    widget!("image", "system-image", "00000000-0000-7000-8000-6c756d696f09", "imagelay", "widget:image", true),
    widget!("timer", "system-timer", "00000000-0000-7000-8000-6c756d696f0a", "timerlay", "widget:timer", true),
    widget!("now_playing", "system-now-playing", "00000000-0000-7000-8000-6c756d696f0b", "nowplayg", "widget:spotify_now_playing", false),
    widget!("obs_browser_source", "system-obs-browser-source", "00000000-0000-7000-8000-6c756d696f0c", "obsbrows", "widget:obs_browser_source", false),
];

impl SystemWidget {
    /// Manifest of this release.
    ///
    /// # Errors
    /// None in practice: a test reads every manifest.
    pub fn manifest(&self) -> Result<Manifest> {
        Ok(serde_json::from_str(self.manifest)?)
    }

    /// Files of its bundle.
    #[must_use]
    pub const fn files(&self) -> [SystemFile; 6] {
        [
            SystemFile { path: "lumio.config.json", content: self.manifest },
            SystemFile { path: "layer.js", content: self.layer },
            SystemFile { path: "assets/layer.css", content: self.style },
            SystemFile { path: "assets/parts.js", content: PARTS },
            SystemFile { path: "assets/events.js", content: EVENTS },
            SystemFile { path: "assets/emotes.js", content: EMOTES },
        ]
    }
}

impl SystemFile {
    /// SHA-256 in lower-case hexadecimal.
    #[must_use]
    pub fn content_hash(&self) -> String {
        hex::encode(Sha256::digest(self.content))
    }
}

/// Puts the files of this release's built-in bundles into the object store, before the rows that name them
/// are written. Files of earlier releases stay, because a page may still show them.
///
/// # Errors
/// Failure of the object store.
pub async fn put_files(storage: &Storage) -> Result<()> {
    let mut known = Vec::new();
    for file in WIDGETS.iter().flat_map(SystemWidget::files) {
        let key = bundle_key(&file.content_hash());
        if !known.contains(&key) {
            storage.put(&key, Bytes::from_static(file.content.as_bytes())).await?;
            known.push(key);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::{Category, Target};
    use shared::catalogue::FEATURES;

    /// Event types that sockets of overlays relay (reference/realtime.md#channels).
    const RELAYED: [&str; 12] = [
        "event:new",
        "event:test",
        "chat:message",
        "chat:delete_message",
        "chat:clear_user",
        "chat:clear",
        "spotify:track",
        "spotify:state",
        "sound:play",
        "sound:stop",
        "ext:storage",
        "ext:push",
    ];

    #[test]
    fn widgets_have_valid_manifests() {
        let flags: Vec<String> = FEATURES
            .iter()
            .flat_map(|(category, keys)| keys.iter().map(|key| format!("{}:{key}", category.as_str())))
            .collect();
        for widget in &WIDGETS {
            let manifest = widget.manifest().unwrap();
            assert_eq!((manifest.extension_id, manifest.category), (widget.extension_id, Category::Widget));
            assert_eq!(manifest.targets, [Target::Layer]);
            assert_eq!(widget.slug, format!("system-{}", widget.name.replace('_', "-")));
            assert_eq!(widget.short_id.len(), 8);
            assert!(flags.contains(&widget.flag.to_owned()), "{}", widget.flag);
            let defaults = manifest.config_schema.with_defaults(Map::new());
            assert_eq!(manifest.config_schema.check(&defaults), Ok(()), "{}", widget.name);
        }
    }

    #[test]
    fn widgets_receive_relayed_events_with_their_permission() {
        for widget in &WIDGETS {
            let manifest = widget.manifest().unwrap();
            let line = widget.layer.lines().find_map(|line| line.strip_prefix("export const events = ["));
            let types =
                line.unwrap_or_else(|| panic!("{} names its events", widget.name)).trim_end_matches("];");
            for event in types.split(", ").filter(|event| !event.is_empty()) {
                let event = event.trim_matches('\'');
                assert!(RELAYED.contains(&event), "{}: {event}", widget.name);
                let needed = match event.split(':').next() {
                    Some("chat") => Some("chat:read"),
                    Some("event") => Some("events:read"),
                    _ => None,
                };
                let holds = |needed: &str| manifest.permissions.iter().any(|asked| asked == needed);
                assert!(needed.is_none_or(holds), "{} lacks {needed:?}", widget.name);
            }
        }
    }

    /// Addresses in scripts: emotes of two platforms by their ids, and the name of SVG, which is no address.
    const ADDRESSES: [&str; 3] = [
        "https://static-cdn.jtvnw.net/emoticons/v2/${id}/default/dark/2.0`",
        "https://files.kick.com/emotes/${id}/fullsize`",
        "http://www.w3.org/2000/svg'",
    ];

    #[test]
    fn widgets_use_no_unsafe_script_and_no_other_host() {
        for file in WIDGETS.iter().flat_map(SystemWidget::files).filter(|file| !file.path.ends_with(".json"))
        {
            let others =
                ADDRESSES.iter().fold(file.content.to_owned(), |text, known| text.replace(known, ""));
            assert!(!others.contains("://"), "{}", file.path);
            for unsafe_word in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "import(",
                "@import",
                "fetch(",
            ] {
                assert!(!file.content.contains(unsafe_word), "{}: {unsafe_word}", file.path);
            }
        }
    }
}
