//! Keys of `lumio.config.json` (reference/extensions.md#manifest). The parser, the published schema and the
//! declarations of `lumio-ext types` read this table. A test compares it with the types that read a manifest.

use extension_model::HOST_PERMISSIONS;

use super::{
    bot_module::{MAX_COOLDOWN_SECS, MAX_PATTERN_LENGTH, MAX_PLATFORMS, MAX_TRIGGERS},
    config::{MAX_COLUMNS, MAX_KEYS, MAX_OPTIONS, MAX_SOUNDS, MAX_TABLES},
    egress::MAX_PORTS,
    shape::{
        Constraint::{Distinct, Entries, EventType, Length, Names, Pattern, Range, Values},
        Key,
        Presence::{self, Nullable, Optional, Required},
        Shape::{self, Any, Flag, Id, List, Map, Number, Object, OneOf, Refined, Text, TextOr, Whole},
    },
};

/// Highest limits that an operator can set (reference/developer-limits.md#keys).
const MAX_HOSTS: usize = 200;
const MAX_FUNCTIONS: usize = 500;

const PLATFORMS: [&str; 4] = ["twitch", "youtube", "kick", "trovo"];
const SECONDS: Shape = Whole { max: u32::MAX as u64 };
const HANDLER: Shape = Refined(&Text, Pattern("^[A-Za-z_$][A-Za-z0-9_$]{0,127}$"));
const COMMAND_NAME: Shape = Refined(&Text, Pattern("^[a-z0-9_]{1,32}$"));
const COOLDOWN: Shape = Refined(&SECONDS, Range(0, MAX_COOLDOWN_SECS as u64));
const NAME: &str = "^[a-zA-Z][a-zA-Z0-9_]{0,63}$";
const COLUMN_NAME: &str = "^[a-z][a-z0-9_]{0,47}$";
const COLUMN_TYPE: Shape =
    Refined(&Text, Values(&["string", "number", "boolean", "string[]", "number[]", "object"]));

pub(super) const MANIFEST_SHAPE: Shape = Object(&[
    key("$schema", Optional, Text, "Address of this schema, for editors."),
    key(
        "extensionId",
        Optional,
        Id,
        "Id of the extension; absent means the extension that the version is uploaded to.",
    ),
    key("name", Required, Refined(&Text, Length(1, 255)), "Name of the extension."),
    key("description", Required, Refined(&Text, Length(1, 1000)), "Description of the extension."),
    key(
        "category",
        Required,
        OneOf(&["widget", "bot_module", "automation_node", "theme", "integration"]),
        "Kind of extension. `bot_module` and `automation_node` require the section of that name.",
    ),
    key("version", Required, Text, "Semantic version, greater than every published one."),
    key(
        "targets",
        Optional,
        Refined(&List(&OneOf(&["editor", "layer", "interactive"])), Distinct(3)),
        "Surfaces with code: `editor.js`, `layer.js`, `interactive.js`. Widgets and themes need at least one.",
    ),
    key("server", Optional, Flag, "True when the bundle has a `server.js`."),
    key(
        "permissions",
        Optional,
        Refined(&List(&Refined(&Text, Values(&HOST_PERMISSIONS))), Distinct(HOST_PERMISSIONS.len())),
        "Permissions that the account must grant.",
    ),
    key("egress", Optional, EGRESS, "Hosts and ports that `ctx.fetch` may reach."),
    key(
        "fonts",
        Optional,
        Refined(&List(&Refined(&Text, Length(1, 100))), Entries(10)),
        "Names of fonts that the pages use.",
    ),
    key(
        "visibility",
        Nullable,
        OneOf(&["private", "unlisted", "public", "paid"]),
        "Intended visibility; the record of the extension decides.",
    ),
    key(
        "pricing",
        Nullable,
        Object(&[key("type", Required, OneOf(&["free", "one_time", "subscription"]), "Kind of price.")]),
        "Intended price; the record of the extension decides.",
    ),
    key(
        "config_schema",
        Optional,
        Refined(&Map(&SETTING), Names(MAX_KEYS, NAME)),
        "Settings of an install, by key.",
    ),
    key("sounds", Optional, Refined(&List(&SOUND), Entries(MAX_SOUNDS)), "Sounds of the bundle."),
    key(
        "tables",
        Optional,
        Refined(&Map(&TABLE), Names(MAX_TABLES, COLUMN_NAME)),
        "Tables of `ctx.db`, by name.",
    ),
    key(
        "functions",
        Optional,
        Refined(&Map(&FUNCTION), Names(MAX_FUNCTIONS, NAME)),
        "Server functions that pages call, by name.",
    ),
    key("bot_module", Nullable, BOT_MODULE, "Handlers of chat messages, events and timers."),
    key("automation_node", Nullable, AUTOMATION_NODE, "Node of automations."),
]);

const EGRESS: Shape = Object(&[
    key(
        "allowHosts",
        Optional,
        Refined(&List(&Text), Entries(MAX_HOSTS)),
        "Host names in lower case, without scheme, port or path; one leading `*.` stands for one label.",
    ),
    key(
        "allowPorts",
        Optional,
        Refined(&List(&Whole { max: 65_535 }), Entries(MAX_PORTS)),
        "Ports beside 443; never 80.",
    ),
]);

const SETTING: Shape = Object(&[
    key(
        "type",
        Required,
        OneOf(&["string", "number", "boolean", "select", "color", "text", "sound", "image", "string_list"]),
        "Type of the value.",
    ),
    key("label", Required, Refined(&Text, Length(1, 100)), "Label in forms."),
    key("default", Nullable, Any, "Value where the account has set none. It must satisfy the setting."),
    key("required", Optional, Flag, "True when a value is required."),
    key("help", Nullable, Refined(&Text, Length(1, 500)), "Help text in forms."),
    key(
        "options",
        Optional,
        Refined(
            &List(&TextOr(&[
                key("value", Required, Text, "Stored value."),
                key("label", Required, Text, "Label of the choice."),
            ])),
            Entries(MAX_OPTIONS),
        ),
        "Choices; exactly for the type `select`.",
    ),
    key("min", Nullable, Number, "Minimum of a number, or of the count of characters or entries."),
    key("max", Nullable, Number, "Maximum of a number, or of the count of characters or entries."),
    key(
        "secret",
        Optional,
        Flag,
        "True when the value is encrypted and never returned; for `string` and `text`.",
    ),
]);

const SOUND: Shape = Object(&[
    key("key", Required, Refined(&Text, Pattern(NAME)), "Unique name."),
    key("file", Required, Refined(&Text, Pattern("^sounds/")), "Path in the bundle, below `sounds/`."),
    key("label", Required, Refined(&Text, Length(1, 100)), "Label in forms."),
]);

const TABLE: Shape = Object(&[
    key(
        "scope",
        Optional,
        OneOf(&["instance", "account"]),
        "Owner of the rows: the install (`instance`, the default), or the account with all its installs.",
    ),
    key(
        "columns",
        Required,
        Refined(
            &Map(&TextOr(&[
                key("type", Required, COLUMN_TYPE, "Type of the column."),
                key("optional", Optional, Flag, "True when the column may be null."),
            ])),
            Names(MAX_COLUMNS, COLUMN_NAME),
        ),
        "Columns by name: a type, or a type with `optional`. `id`, `created_at` and `updated_at` are added.",
    ),
]);

const FUNCTION: Shape = Object(&[
    key("kind", Required, OneOf(&["query", "mutation", "action"]), "Effect of the function."),
    key(
        "handler",
        Nullable,
        HANDLER,
        "Export that implements it; absent means the export of the function's name.",
    ),
    key("declarative", Nullable, Any, "One statement on a table in place of code."),
    key("editor_only", Optional, Flag, "True when only the surface `editor` may call it."),
]);

const BOT_MODULE: Shape = Object(&[
    // Bounded and checked by the rules.
    key(
        "platforms",
        Optional,
        Refined(&List(&Refined(&Text, Values(&PLATFORMS))), Distinct(MAX_PLATFORMS)),
        "Platforms that the module runs on; empty means all.",
    ),
    key("commands", Optional, Refined(&List(&COMMAND), Entries(MAX_TRIGGERS)), "Chat commands."),
    key(
        "keywords",
        Optional,
        Refined(
            &List(&Object(&[
                key("value", Required, Refined(&Text, Length(1, 100)), "Word or words, in any case."),
                key("enabled", Optional, Flag, "False when switched off."),
                key("handler", Required, HANDLER, "Export that is called."),
            ])),
            Entries(MAX_TRIGGERS),
        ),
        "Whole words in messages.",
    ),
    key(
        "patterns",
        Optional,
        Refined(
            &List(&Object(&[
                key(
                    "regex",
                    Required,
                    Refined(&Text, Length(1, MAX_PATTERN_LENGTH)),
                    "Regular expression of a linear-time engine.",
                ),
                key("enabled", Optional, Flag, "False when switched off."),
                key("handler", Required, HANDLER, "Export that is called."),
            ])),
            Entries(MAX_TRIGGERS),
        ),
        "Regular expressions on messages.",
    ),
    key(
        "events",
        Optional,
        Refined(
            &List(&Object(&[
                key(
                    "event_type",
                    Required,
                    Refined(&Text, EventType),
                    "Type of the event catalogue, or `custom:` and a name.",
                ),
                key("handler", Required, HANDLER, "Export that is called."),
            ])),
            Entries(MAX_TRIGGERS),
        ),
        "Events of the account.",
    ),
    key(
        "timers",
        Optional,
        Refined(
            &List(&Object(&[
                key("name", Required, Refined(&Text, Length(1, 64)), "Unique name."),
                key("interval_secs", Required, Refined(&SECONDS, Range(30, 86_400)), "Interval in seconds."),
                key(
                    "min_chat_lines",
                    Optional,
                    SECONDS,
                    "Chat lines since the last run that a run requires.",
                ),
                key("handler", Required, HANDLER, "Export that is called."),
                key(
                    "platforms",
                    Optional,
                    List(&OneOf(&PLATFORMS)),
                    "Platforms; empty means those of the module.",
                ),
            ])),
            Entries(MAX_TRIGGERS),
        ),
        "Periodic triggers.",
    ),
    key("moderate", Nullable, HANDLER, "Export that gets every message for moderation."),
]);

const COMMAND: Shape = Object(&[
    key("name", Required, COMMAND_NAME, "Name without prefix."),
    key("alias", Nullable, COMMAND_NAME, "Further name."),
    key("cooldown_global", Optional, COOLDOWN, "Seconds between two uses."),
    key("cooldown_user", Optional, COOLDOWN, "Seconds between two uses of one chatter."),
    key(
        "min_role",
        Optional,
        OneOf(&["broadcaster", "moderator", "vip", "subscriber", "follower", "everyone"]),
        "Least role that may use it; `everyone` when absent.",
    ),
    key("enabled", Optional, Flag, "False when switched off."),
    key("handler", Required, HANDLER, "Export that is called."),
]);

const AUTOMATION_NODE: Shape = Object(&[
    key("node_type", Required, OneOf(&["trigger", "action", "logic"]), "Role of the node in an automation."),
    key("name", Required, Refined(&Text, Length(1, 100)), "Display name."),
    key("icon", Nullable, Refined(&Text, Length(1, 100)), "Icon."),
    key("color", Nullable, Refined(&Text, Length(1, 100)), "Color."),
    key("input_schema", Optional, Any, "JSON Schema of the settings of the node."),
    key("output_schema", Optional, Any, "JSON Schema of the output of the node."),
    key(
        "trigger_mode",
        Nullable,
        OneOf(&["webhook", "polling", "both"]),
        "Source of the starts; for triggers only.",
    ),
    key(
        "poll_interval_seconds",
        Nullable,
        Refined(&SECONDS, Range(10, 300)),
        "Interval of the polls, for polling triggers only.",
    ),
    key("handler", Required, HANDLER, "Export that is called."),
]);

const fn key(name: &'static str, presence: Presence, shape: Shape, description: &'static str) -> Key {
    Key { name, presence, shape, description }
}
