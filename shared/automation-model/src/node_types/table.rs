//! Table of the node types.

use shared::catalogue::Feature;

use super::{
    Kind, NodeType,
    keys::{
        Key, MAX_ALERT_SECS, MAX_COOLDOWN_SECS, MAX_DELAY_SECS, MAX_NAME_LENGTH, MAX_TEMPLATE_LENGTH,
        MAX_TIMEOUT_SECS, Shape,
    },
};

/// Methods of requests.
const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE"];

/// Keys: `name must shape` is required, `name may shape` is optional.
macro_rules! keys {
    ($($name:ident $need:ident $shape:expr),* $(,)?) => {
        &[$(Key { name: stringify!($name), shape: $shape, is_required: is_required!($need) }),*]
    };
}

macro_rules! is_required {
    (must) => {
        true
    };
    (may) => {
        false
    };
}

/// Action with its keys and the features of its domain.
macro_rules! action {
    ($name:literal, $keys:expr $(, $domain:ident)*) => {
        NodeType {
            name: $name,
            kind: Kind::Action,
            handles: &["out", "error"],
            keys: $keys,
            feature: Some(concat!("automation:", $name)),
            domain_features: &[$(Feature::$domain),*],
        }
    };
}

const fn trigger(name: &'static str, keys: &'static [Key]) -> NodeType {
    NodeType { name, kind: Kind::Trigger, handles: &["out"], keys, feature: None, domain_features: &[] }
}

const fn logic(name: &'static str, handles: &'static [&'static str], keys: &'static [Key]) -> NodeType {
    NodeType { name, kind: Kind::Logic, handles, keys, feature: None, domain_features: &[] }
}

const TEXT: Shape = Shape::Text(MAX_TEMPLATE_LENGTH);
const NAME: Shape = Shape::Text(MAX_NAME_LENGTH);

/// All node types.
pub const ALL: &[NodeType] = &[
    trigger(
        "event",
        keys!(event_types must Shape::EventTypes, platforms may Shape::Sources, filters may Shape::Filters),
    ),
    trigger("chat_command", keys!(command must Shape::Command, platforms may Shape::Sources)),
    trigger(
        "chat_keyword",
        keys!(keyword must Shape::Keyword, match may Shape::KeywordMatch, platforms may Shape::Sources),
    ),
    trigger("reward_redeemed", keys!(reward_id may Shape::Reward)),
    trigger("schedule", keys!(cron must Shape::Cron, timezone may Shape::Timezone)),
    trigger("stream_online", keys!(platforms may Shape::Sources)),
    trigger("stream_offline", keys!(platforms may Shape::Sources)),
    trigger("manual", &[]),
    trigger("bot_command", keys!(command must Shape::Command, platforms may Shape::Sources)),
    trigger("extension", &[]),
    logic(
        "condition",
        &["true", "false", "error"],
        keys!(
            left may Shape::Any,
            op may Shape::Op,
            right may Shape::Any,
            all may Shape::Conditions,
            any may Shape::Conditions,
        ),
    ),
    logic("switch", &["default", "error"], keys!(value must Shape::Any, cases must Shape::Cases)),
    logic("delay", &["out", "error"], keys!(seconds must Shape::Whole(1, MAX_DELAY_SECS))),
    logic("random", &["error"], keys!(branches must Shape::Branches)),
    logic(
        "cooldown",
        &["out", "false", "error"],
        keys!(
            global_secs may Shape::Whole(0, MAX_COOLDOWN_SECS),
            user_secs may Shape::Whole(0, MAX_COOLDOWN_SECS),
        ),
    ),
    logic("set_variable", &["out", "error"], keys!(name must Shape::Name, value must Shape::Any)),
    logic("loop", &["out", "done", "error"], keys!(list must Shape::Any)),
    logic("extension", &["error"], &[]),
    action!("send_chat", keys!(message must TEXT, platforms may Shape::Platforms)),
    action!("delete_message", keys!(message_id must NAME, platform must Shape::Platform), Multichat),
    action!(
        "timeout_user",
        keys!(
            user_id must NAME,
            duration_secs must Shape::Whole(1, MAX_TIMEOUT_SECS),
            platform must Shape::Platform,
            reason may TEXT,
        ),
        Multichat
    ),
    action!("ban_user", keys!(user_id must NAME, platform must Shape::Platform, reason may TEXT), Multichat),
    action!("play_sound", keys!(sound_id must Shape::Id, volume may Shape::Number(0.0, 1.0)), Sounds),
    action!("stop_sound", keys!(sound_id may Shape::Id), Sounds),
    action!(
        "toggle_layer",
        keys!(overlay_id must Shape::Id, layer_id must Shape::Id, visible must Shape::Toggle),
        Overlays
    ),
    action!(
        "show_alert",
        keys!(title must TEXT, message may TEXT, duration_secs may Shape::Whole(1, MAX_ALERT_SECS)),
        Overlays
    ),
    action!("emit_event", keys!(event_type must NAME, data may Shape::Object), Events),
    action!("obs_set_scene", keys!(scene must NAME), ObsWebsocket, ObsRemote),
    action!(
        "obs_set_source",
        keys!(scene must NAME, source must NAME, visible must Shape::Flag),
        ObsWebsocket,
        ObsRemote
    ),
    action!("spotify_play", keys!(uri may NAME), Music),
    action!("spotify_pause", &[], Music),
    action!("spotify_skip", &[], Music),
    action!("spotify_queue", keys!(uri must NAME), Music),
    action!("set_stream_title", keys!(title must TEXT, platforms may Shape::Platforms)),
    action!("create_clip", keys!(platform may Shape::Platform)),
    action!(
        "http_request",
        keys!(
            method must Shape::Choice(METHODS),
            url must Shape::Url,
            headers may Shape::Headers,
            body may Shape::Any,
        )
    ),
    action!("discord_message", keys!(channel_id must NAME, message must TEXT), Bots),
    action!("notify_members", keys!(title must TEXT, message must TEXT)),
    action!("run_automation", keys!(automation_id must Shape::Id, input may Shape::Any), Automations),
    action!("extension", &[], Extensions),
];
