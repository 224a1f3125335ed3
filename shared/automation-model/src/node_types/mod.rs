//! Built-in node types (reference/automations.md#nodes).

mod keys;
mod schema;
mod table;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::catalogue::Feature;

pub use keys::{
    Key, MAX_ALERT_SECS, MAX_COOLDOWN_SECS, MAX_DELAY_SECS, MAX_HEADERS, MAX_LIST_ITEMS, MAX_NAME_LENGTH,
    MAX_PLATFORMS, MAX_TEMPLATE_LENGTH, MAX_TIMEOUT_SECS, MAX_URL_LENGTH, Shape,
};

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Starts runs.
    Trigger,
    /// Decides how a run continues.
    Logic,
    /// Has an effect.
    Action,
}

impl Kind {
    /// Name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trigger => "trigger",
            Self::Logic => "logic",
            Self::Action => "action",
        }
    }
}

/// A node type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeType {
    /// Name. `extension` is the name of a type of each kind.
    pub name: &'static str,
    /// Kind.
    pub kind: Kind,
    /// Handles that every node of the type has. Nodes of `switch` and `random` have those of their branches
    /// as well.
    pub handles: &'static [&'static str],
    /// Keys of the configuration.
    pub keys: &'static [Key],
    /// Feature that the effect of an action needs.
    pub feature: Option<&'static str>,
    /// Features of the domain that an action belongs to, which its effect needs too, in the order of their checks.
    pub domain_features: &'static [Feature],
}

impl NodeType {
    /// JSON schema of the configuration.
    #[must_use]
    pub fn config_schema(&self) -> Value {
        schema::of_config(self)
    }
}

/// All node types: triggers, logic, actions.
pub static NODE_TYPES: &[NodeType] = table::ALL;

/// Node type with the given name. `extension` is found as an action; its kind is declared by the install.
#[must_use]
pub fn find(name: &str) -> Option<&'static NodeType> {
    NODE_TYPES.iter().rev().find(|known| known.name == name)
}

/// Node type with the given name and kind.
#[must_use]
pub fn find_of_kind(name: &str, kind: Kind) -> Option<&'static NodeType> {
    NODE_TYPES.iter().find(|known| known.name == name && known.kind == kind)
}

/// Features of the domain of an action; none for an unknown name.
#[must_use]
pub fn domain_features(action: &str) -> &'static [Feature] {
    find(action).map_or(&[], |node_type| node_type.domain_features)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shared::catalogue::{FEATURES, FeatureCategory};

    use super::*;

    /// Types of the reference (reference/automations.md#nodes).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Name {
        Event,
        ChatCommand,
        ChatKeyword,
        RewardRedeemed,
        Schedule,
        StreamOnline,
        StreamOffline,
        Manual,
        BotCommand,
        Condition,
        Switch,
        Delay,
        Random,
        Cooldown,
        SetVariable,
        Loop,
        SendChat,
        DeleteMessage,
        TimeoutUser,
        BanUser,
        PlaySound,
        StopSound,
        ToggleLayer,
        ShowAlert,
        EmitEvent,
        ObsSetScene,
        ObsSetSource,
        SpotifyPlay,
        SpotifyPause,
        SpotifySkip,
        SpotifyQueue,
        SetStreamTitle,
        CreateClip,
        HttpRequest,
        DiscordMessage,
        NotifyMembers,
        RunAutomation,
        Extension,
    }

    /// Kinds that have a type of the name. A new variant does not compile without a line.
    fn kinds(name: Name) -> &'static [Kind] {
        use Name as N;
        match name {
            N::Event
            | N::ChatCommand
            | N::ChatKeyword
            | N::RewardRedeemed
            | N::Schedule
            | N::StreamOnline
            | N::StreamOffline
            | N::Manual
            | N::BotCommand => &[Kind::Trigger],
            N::Condition | N::Switch | N::Delay | N::Random | N::Cooldown | N::SetVariable | N::Loop => {
                &[Kind::Logic]
            }
            N::SendChat
            | N::DeleteMessage
            | N::TimeoutUser
            | N::BanUser
            | N::PlaySound
            | N::StopSound
            | N::ToggleLayer
            | N::ShowAlert
            | N::EmitEvent
            | N::ObsSetScene
            | N::ObsSetSource
            | N::SpotifyPlay
            | N::SpotifyPause
            | N::SpotifySkip
            | N::SpotifyQueue
            | N::SetStreamTitle
            | N::CreateClip
            | N::HttpRequest
            | N::DiscordMessage
            | N::NotifyMembers
            | N::RunAutomation => &[Kind::Action],
            N::Extension => &[Kind::Trigger, Kind::Logic, Kind::Action],
        }
    }

    #[test]
    fn node_types_are_those_of_the_specification() {
        let mut seen = BTreeSet::new();
        for node_type in NODE_TYPES {
            let name: Name = serde_json::from_value(Value::from(node_type.name)).unwrap();
            assert!(kinds(name).contains(&node_type.kind), "{}", node_type.name);
            assert!(seen.insert((node_type.name, node_type.kind.as_str())), "{} twice", node_type.name);
        }
        // 37 names of one kind each, and `extension` of three.
        assert_eq!(seen.len(), 40);
        assert_eq!(find("extension").map(|found| found.kind), Some(Kind::Action));
        assert_eq!(find("loop").map(|found| found.kind), Some(Kind::Logic));
        assert_eq!(find("nothing"), None);
        assert!(find_of_kind("extension", Kind::Trigger).is_some());
    }

    #[test]
    fn node_types_of_actions_have_the_features_of_the_catalogue() {
        let (_, keys) =
            FEATURES.iter().find(|(category, _)| *category == FeatureCategory::Automation).unwrap();
        let catalogue: Vec<String> = keys.iter().map(|key| format!("automation:{key}")).collect();
        let actions = NODE_TYPES.iter().filter(|node_type| node_type.kind == Kind::Action);
        let features: Vec<&str> = actions.map(|action| action.feature.unwrap()).collect();
        assert_eq!(features, catalogue);
        assert!(
            NODE_TYPES
                .iter()
                .all(|node_type| node_type.feature.is_some() == (node_type.kind == Kind::Action))
        );
    }

    #[test]
    fn domain_features_are_those_of_the_reference() {
        assert_eq!(domain_features("obs_set_source"), [Feature::ObsWebsocket, Feature::ObsRemote]);
        assert_eq!(domain_features("timeout_user"), [Feature::Multichat]);
        assert_eq!(domain_features("extension"), [Feature::Extensions]);
        assert!(domain_features("send_chat").is_empty() && domain_features("nothing").is_empty());
        let needs_none = |node_type: &NodeType| node_type.domain_features.is_empty();
        assert!(NODE_TYPES.iter().all(|node_type| node_type.kind == Kind::Action || needs_none(node_type)));
    }

    #[test]
    fn node_types_describe_their_configuration() {
        for node_type in NODE_TYPES {
            let schema = node_type.config_schema();
            assert_eq!(schema["type"], "object");
            for key in node_type.keys {
                assert!(schema["properties"][key.name].is_object(), "{}.{}", node_type.name, key.name);
            }
        }
        let schema = find("timeout_user").unwrap().config_schema();
        assert_eq!(schema["required"], serde_json::json!(["user_id", "duration_secs", "platform"]));
        assert_eq!(schema["properties"]["duration_secs"]["maximum"], MAX_TIMEOUT_SECS);
    }
}
