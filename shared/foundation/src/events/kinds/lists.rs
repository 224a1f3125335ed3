//! Events of each kind of channel.

use super::{
    ChannelEvent, Payload,
    Shape::{self, Any, Flag, Fraction, Id, Nullable, Number, Text, Time},
};

const fn resource(name: &'static str, summary: &'static str, schema: &'static str) -> ChannelEvent {
    ChannelEvent { name, summary, payload: Payload::Resource(schema) }
}

pub(super) const fn keys(
    name: &'static str,
    summary: &'static str,
    keys: &'static [(&'static str, Shape)],
) -> ChannelEvent {
    ChannelEvent { name, summary, payload: Payload::Keys(keys) }
}

pub(super) const MAYBE_TEXT: Shape = Nullable(&Text);
const MAYBE_ID: Shape = Nullable(&Id);
pub(super) const MAYBE_NUMBER: Shape = Nullable(&Number);
const MAYBE_TIME: Shape = Nullable(&Time);
const MAYBE_ANY: Shape = Nullable(&Any);

pub(super) const EVENTS: &[ChannelEvent] = &[
    resource(
        "event:new",
        "Something happened to the account: `event_type` of the resource says what.",
        "Event",
    ),
    resource("event:test", "The same for an event that was made to be looked at.", "Event"),
    keys(
        "stream:online",
        "A stream began; comes beside `event:new`.",
        &[
            ("platform", Text),
            ("broadcaster_name", MAYBE_TEXT),
            ("broadcaster_id", MAYBE_TEXT),
            ("started_at", MAYBE_TIME),
        ],
    ),
    keys(
        "stream:offline",
        "A stream ended; comes beside `event:new`.",
        &[("platform", Text), ("broadcaster_name", MAYBE_TEXT), ("broadcaster_id", MAYBE_TEXT)],
    ),
    resource("channel_status:updated", "What is known of a channel changed.", "ChannelStatus"),
];

pub(super) const CHAT: &[ChannelEvent] = &[
    resource(
        "chat:message",
        "Somebody wrote. A simulated line has `is_test: true` beside its fields.",
        "ChatMessage",
    ),
    keys(
        "chat:delete_message",
        "A message was removed; `message_id` is the platform's.",
        &[("platform", Text), ("message_id", Text)],
    ),
    keys(
        "chat:clear_user",
        "Everything that somebody wrote was removed; `action` is `ban`, `timeout` or `clear`. `moderator_id` is the user \
         of Lumio who did it, where one did.",
        &[
            ("platform", Text),
            ("platform_user_id", Text),
            ("action", Text),
            ("duration_secs", MAYBE_NUMBER),
            ("moderator_id", MAYBE_ID),
            ("moderator_platform_user_id", MAYBE_TEXT),
        ],
    ),
    keys("chat:clear", "The whole chat was removed.", &[("platform", Text)]),
    keys(
        "chat:user_updated",
        "What is known of a chatter changed.",
        &[("platform", Text), ("platform_user_id", Text), ("profile", MAYBE_ANY)],
    ),
    keys("poll:updated", "A poll began, changed or ended.", &[("platform", Text), ("poll", Any)]),
    keys(
        "prediction:updated",
        "A prediction began, changed or ended.",
        &[("platform", Text), ("prediction", Any)],
    ),
    keys(
        "raid:updated",
        "A raid of the channel's began or was cancelled.",
        &[("platform", Text), ("raid", Any)],
    ),
];

pub(super) const EXTENSIONS: &[ChannelEvent] = &[
    resource("install:created", "An extension was installed.", "ExtensionInstall"),
    keys(
        "install:updated",
        "An install was configured, switched or brought to another version; some sources send its id alone.",
        &[("id", Id)],
    ),
    keys("install:removed", "An extension was uninstalled.", &[("id", Id)]),
    keys(
        "install:update_available",
        "A newer version waits for the account's consent.",
        &[("id", Id), ("version", Text)],
    ),
    keys("bot_module:killed", "The triggers of an install were stopped.", &[("install_id", Id)]),
];

pub(super) const EXT_STORAGE: &[ChannelEvent] = &[
    keys(
        "storage:updated",
        "The storage of the install was replaced.",
        &[("value", Any), ("version", Number)],
    ),
    keys(
        "ext:push",
        "A handler of the extension pushed something; pages of overlays and widgets get the install's id.",
        &[("topic", Text), ("payload", MAYBE_ANY), ("install_id", MAYBE_ID)],
    ),
];

pub(super) const ACCOUNT: &[ChannelEvent] = &[
    keys("features:updated", "Features of the account changed: ask for them again.", &[]),
    keys(
        "members:updated",
        "Somebody joined, left or changed roles.",
        &[("membership_id", Id), ("user_id", Id), ("change", Text)],
    ),
    keys(
        "roles:updated",
        "A role changed; without a role, what everybody in the account may do.",
        &[("role_id", MAYBE_ID)],
    ),
    keys(
        "connections:updated",
        "A connection was made, flagged, changed or ended.",
        &[("kind", Text), ("platform", Text), ("action", Text)],
    ),
    resource("settings:updated", "The settings of the account, as they are now.", "AccountSettings"),
    keys("plan:updated", "The account is on another plan.", &[("plan_id", Id), ("plan_slug", Text)]),
];

pub(super) const USER: &[ChannelEvent] = &[
    resource("notification:new", "A notification arrived.", "Notification"),
    keys(
        "notification:read",
        "Notifications were read: one, or without an id all.",
        &[("id", MAYBE_ID), ("unread_count", Number)],
    ),
    keys("session:revoked", "A session of the person was revoked.", &[("session_id", Id)]),
    keys(
        "permissions:updated",
        "What the person may do changed, in an account or beyond accounts.",
        &[("account_id", MAYBE_ID)],
    ),
];

pub(super) const SOUNDS: &[ChannelEvent] = &[
    keys(
        "sound:list:updated",
        "A sound was `created`, `updated` or `deleted`.",
        &[("action", Text), ("sound_id", Id)],
    ),
    keys(
        "sound:play",
        "A sound is to be played by the `target`, or by every browser source. `url` is valid for ten minutes; `volume` is \
         from 0 to 1.",
        &[("sound_id", Id), ("url", Text), ("volume", Fraction), ("target", MAYBE_ANY)],
    ),
    keys(
        "sound:stop",
        "A sound, or without an id every sound, is to end in the `target`, or in every browser source.",
        &[("sound_id", MAYBE_ID), ("target", MAYBE_ANY)],
    ),
];

pub(super) const SPOTIFY: &[ChannelEvent] = &[
    keys(
        "spotify:track",
        "Another song plays; null keys: none. `copyright_status` is `safe`, `blocked`, `reported` or `unknown`.",
        &[
            ("track_id", MAYBE_TEXT),
            ("uri", MAYBE_TEXT),
            ("title", MAYBE_TEXT),
            ("artist", MAYBE_TEXT),
            ("artists", Any),
            ("album", MAYBE_TEXT),
            ("image_url", MAYBE_TEXT),
            ("url", MAYBE_TEXT),
            ("duration_ms", MAYBE_NUMBER),
            ("progress_ms", MAYBE_NUMBER),
            ("is_playing", Flag),
            ("copyright_status", MAYBE_TEXT),
        ],
    ),
    keys("spotify:play", "The song goes on.", &[("track_id", MAYBE_TEXT), ("progress_ms", MAYBE_NUMBER)]),
    keys("spotify:pause", "The song was paused.", &[("track_id", MAYBE_TEXT), ("progress_ms", MAYBE_NUMBER)]),
    keys("spotify:skip", "The song was left before its end.", &[("track_id", MAYBE_TEXT)]),
    keys(
        "spotify:state",
        "The player changed, or its position did.",
        &[
            ("is_playing", Flag),
            ("progress_ms", MAYBE_NUMBER),
            ("volume", MAYBE_NUMBER),
            ("shuffle", Flag),
            ("repeat", Text),
            ("device", MAYBE_ANY),
        ],
    ),
    keys("spotify:queue", "The queue changed: ask for it again.", &[]),
    keys(
        "spotify:copyright_alert",
        "A song of the list of blocked songs plays while the account is on air.",
        &[("track_id", MAYBE_TEXT), ("title", Text), ("artist", Text), ("status", Text)],
    ),
];

pub(super) const OBS: &[ChannelEvent] = &[
    keys(
        "obs:status",
        "The connection to OBS changed, or what is known of OBS.",
        &[
            ("connected", Flag),
            ("streaming", Flag),
            ("recording", Flag),
            ("current_scene", MAYBE_TEXT),
            ("error", MAYBE_TEXT),
            ("updated_at", Time),
        ],
    ),
    keys("obs:scene_changed", "Another scene is on air.", &[("scene", Text)]),
    keys("obs:stream_state", "The stream began or ended.", &[("active", Flag), ("state", Text)]),
    keys(
        "obs:record_state",
        "The recording began, was paused or ended.",
        &[("active", Flag), ("state", Text), ("paused", Flag)],
    ),
    keys(
        "obs:command",
        "A command for the page that controls OBS on the streamer's machine.",
        &[
            ("command_id", Id),
            ("command", Text),
            ("scene", MAYBE_TEXT),
            ("source", MAYBE_TEXT),
            ("visible", Nullable(&Flag)),
            ("issued_at", Time),
        ],
    ),
];

pub(super) const OVERLAY: &[ChannelEvent] = &[
    keys(
        "overlay:snapshot",
        "The whole state of the page: after each subscription, and after changes of settings and installs.",
        SNAPSHOT,
    ),
    keys(
        "overlay:layers_updated",
        "Layers changed; all layers that show, as in a snapshot, without `emotes`.",
        LAYERS_UPDATED,
    ),
    keys(
        "layer:visibility",
        "A layer was shown or hidden; `layer` is null when it is hidden.",
        &[
            ("version", Number),
            ("layer_id", Id),
            ("visible", Flag),
            ("layer", MAYBE_ANY),
            ("assets", Any),
            ("storages", Any),
            ("bundle_tokens", Any),
        ],
    ),
    keys(
        "ext:storage",
        "The storage of an install with a layer was replaced.",
        &[("install_id", Id), ("value", Any), ("version", Number)],
    ),
];

const SNAPSHOT: &[(&str, Shape)] = &[
    ("version", Number),
    ("overlay", Any),
    ("layers", Any),
    ("storages", Any),
    ("alerts", Any),
    ("emotes", MAYBE_ANY),
    ("now_playing", MAYBE_ANY),
    ("recent_events", Any),
    ("assets", Any),
    ("bundle_tokens", Any),
    ("server_time", Time),
];

const LAYERS_UPDATED: &[(&str, Shape)] = &[
    ("version", Number),
    ("overlay", Any),
    ("layers", Any),
    ("storages", Any),
    ("alerts", Any),
    ("now_playing", MAYBE_ANY),
    ("recent_events", Any),
    ("assets", Any),
    ("bundle_tokens", Any),
    ("server_time", Time),
];

pub(super) const OVERLAY_EDITOR: &[ChannelEvent] = &[
    keys(
        "overlay:updated",
        "An overlay changed. Editors get the part that changed (`overlay`, `layers`, `layer`, `deleted`) and who \
         changed it; the page gets the overlay.",
        &[
            ("overlay_id", Id),
            ("version", Number),
            ("change", MAYBE_TEXT),
            ("layer_id", MAYBE_ID),
            ("user_id", MAYBE_ID),
            ("overlay", MAYBE_ANY),
        ],
    ),
    keys("presence:join", "Somebody opened the overlay.", &[("session_id", Id), ("user_id", MAYBE_ID)]),
    keys("presence:leave", "Somebody closed the overlay.", &[("session_id", Id), ("user_id", MAYBE_ID)]),
    keys("presence:cursor", "Somebody moved the pointer; `data` is the client's.", PRESENCE),
    keys("presence:selection", "Somebody selected layers; `data` is the client's.", PRESENCE),
];

const PRESENCE: &[(&str, Shape)] = &[("session_id", Id), ("user_id", MAYBE_ID), ("data", Any)];

pub(super) const WIDGET: &[ChannelEvent] = &[
    keys("widget:snapshot", "The whole state of the page, after each subscription.", WIDGET_SNAPSHOT),
    keys("widget:updated", "The widget changed; the whole state, as in a snapshot.", WIDGET_SNAPSHOT),
];

const WIDGET_SNAPSHOT: &[(&str, Shape)] = &[
    ("widget", Any),
    ("layers", Any),
    ("storages", Any),
    ("alerts", Any),
    ("emotes", MAYBE_ANY),
    ("now_playing", MAYBE_ANY),
    ("recent_events", Any),
    ("assets", Any),
    ("bundle_tokens", Any),
    ("server_time", Time),
];

/// Events of other channels that the page of an overlay gets.
pub(super) const RELAYED_TO_OVERLAYS: &[&str] = &[
    "overlay:updated",
    "event:new",
    "chat:message",
    "chat:delete_message",
    "chat:clear_user",
    "chat:clear",
    "spotify:track",
    "spotify:play",
    "spotify:pause",
    "spotify:state",
    "sound:play",
    "sound:stop",
    "ext:push",
];

/// Events of other channels that the page of a widget gets.
pub(super) const RELAYED_TO_WIDGETS: &[&str] = &[
    "event:new",
    "chat:message",
    "chat:delete_message",
    "chat:clear_user",
    "chat:clear",
    "spotify:track",
    "spotify:play",
    "spotify:pause",
    "spotify:state",
    "sound:play",
    "sound:stop",
    "ext:storage",
    "ext:push",
];
