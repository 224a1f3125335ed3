//! Keys of `lumio.config.json` (reference/extensions.md#manifest). A test compares them with the types that
//! read it.

use super::shape::{
    Key,
    Presence::{Nullable, Optional, Required},
    Shape::{self, Any, Flag, Id, List, Map, Number, Object, OneOf, Text, TextOr, Whole},
};

const PLATFORMS: Shape = OneOf(&["twitch", "youtube", "kick", "trovo"]);
const SECONDS: Shape = Whole { max: u32::MAX as u64 };

pub(super) const MANIFEST_SHAPE: Shape = Object(&[
    key("$schema", Optional, Text),
    key("extensionId", Optional, Id),
    key("name", Required, Text),
    key("description", Required, Text),
    key("category", Required, OneOf(&["widget", "bot_module", "automation_node", "theme", "integration"])),
    key("version", Required, Text),
    key("targets", Optional, List(&OneOf(&["editor", "layer", "interactive"]))),
    key("server", Optional, Flag),
    key("permissions", Optional, List(&Text)),
    key(
        "egress",
        Optional,
        Object(&[
            key("allowHosts", Optional, List(&Text)),
            key("allowPorts", Optional, List(&Whole { max: 65_535 })),
        ]),
    ),
    key("fonts", Optional, List(&Text)),
    key("visibility", Nullable, OneOf(&["private", "unlisted", "public", "paid"])),
    key("pricing", Nullable, Object(&[key("type", Required, OneOf(&["free", "one_time", "subscription"]))])),
    key("config_schema", Optional, Map(&SETTING)),
    key(
        "sounds",
        Optional,
        List(&Object(&[
            key("key", Required, Text),
            key("file", Required, Text),
            key("label", Required, Text),
        ])),
    ),
    key(
        "tables",
        Optional,
        Map(&Object(&[
            key("scope", Optional, OneOf(&["instance", "account"])),
            key(
                "columns",
                Required,
                Map(&TextOr(&[key("type", Required, Text), key("optional", Optional, Flag)])),
            ),
        ])),
    ),
    key("functions", Optional, Map(&FUNCTION)),
    key("bot_module", Nullable, BOT_MODULE),
    key("automation_node", Nullable, AUTOMATION_NODE),
]);

const SETTING: Shape = Object(&[
    key(
        "type",
        Required,
        OneOf(&["string", "number", "boolean", "select", "color", "text", "sound", "image", "string_list"]),
    ),
    key("label", Required, Text),
    key("default", Nullable, Any),
    key("required", Optional, Flag),
    key("help", Nullable, Text),
    key("options", Optional, List(&TextOr(&[key("value", Required, Text), key("label", Required, Text)]))),
    key("min", Nullable, Number),
    key("max", Nullable, Number),
    key("secret", Optional, Flag),
]);

const FUNCTION: Shape = Object(&[
    key("kind", Required, OneOf(&["query", "mutation", "action"])),
    key("handler", Nullable, Text),
    key("declarative", Nullable, Any),
    key("editor_only", Optional, Flag),
]);

const BOT_MODULE: Shape = Object(&[
    // Bounded and checked by the rules.
    key("platforms", Optional, List(&Text)),
    key("commands", Optional, List(&COMMAND)),
    key(
        "keywords",
        Optional,
        List(&Object(&[
            key("value", Required, Text),
            key("enabled", Optional, Flag),
            key("handler", Required, Text),
        ])),
    ),
    key(
        "patterns",
        Optional,
        List(&Object(&[
            key("regex", Required, Text),
            key("enabled", Optional, Flag),
            key("handler", Required, Text),
        ])),
    ),
    key(
        "events",
        Optional,
        List(&Object(&[key("event_type", Required, Text), key("handler", Required, Text)])),
    ),
    key(
        "timers",
        Optional,
        List(&Object(&[
            key("name", Required, Text),
            key("interval_secs", Required, SECONDS),
            key("min_chat_lines", Optional, SECONDS),
            key("handler", Required, Text),
            key("platforms", Optional, List(&PLATFORMS)),
        ])),
    ),
    key("moderate", Nullable, Text),
]);

const COMMAND: Shape = Object(&[
    key("name", Required, Text),
    key("alias", Nullable, Text),
    key("cooldown_global", Optional, SECONDS),
    key("cooldown_user", Optional, SECONDS),
    key(
        "min_role",
        Optional,
        OneOf(&["broadcaster", "moderator", "vip", "subscriber", "follower", "everyone"]),
    ),
    key("enabled", Optional, Flag),
    key("handler", Required, Text),
]);

const AUTOMATION_NODE: Shape = Object(&[
    key("node_type", Required, OneOf(&["trigger", "action", "logic"])),
    key("name", Required, Text),
    key("icon", Nullable, Text),
    key("color", Nullable, Text),
    key("input_schema", Optional, Any),
    key("output_schema", Optional, Any),
    key("trigger_mode", Nullable, OneOf(&["webhook", "polling", "both"])),
    key("poll_interval_seconds", Nullable, SECONDS),
    key("handler", Required, Text),
]);

const fn key(name: &'static str, presence: super::shape::Presence, shape: Shape) -> Key {
    Key { name, presence, shape }
}
