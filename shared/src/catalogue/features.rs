//! Seeded feature flags (reference/features.md#keys) and the flags that access rules name.

/// Category of a flag. The order of the variants is the display order (reference/features.md#flags).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureCategory {
    /// Switches of the deployment, such as sign-up.
    System,
    /// Platforms, their connections and logins.
    Platform,
    /// Widgets of overlays.
    Widget,
    /// Parts of the product.
    Feature,
    /// Integrations with other services.
    Integration,
    /// Built-in modules of the chat bot.
    BotModule,
    /// Nodes and triggers of automations.
    Automation,
    /// Sources of copyright information on songs.
    CopyrightProvider,
    /// Types of events.
    Event,
}

impl FeatureCategory {
    /// First part of every key of the category.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Platform => "platform",
            Self::Widget => "widget",
            Self::Feature => "feature",
            Self::Integration => "integration",
            Self::BotModule => "bot_module",
            Self::Automation => "automation",
            Self::CopyrightProvider => "copyright_provider",
            Self::Event => "event",
        }
    }

    /// Category with the given stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        FEATURES.iter().map(|(category, _)| *category).find(|category| category.as_str() == text)
    }

    /// True when plans decide about flags of this category (reference/features.md#resolution, layer 2).
    #[must_use]
    pub const fn is_planned(self) -> bool {
        matches!(self, Self::Feature | Self::Widget | Self::Integration | Self::BotModule)
    }
}

/// Flag that the access rule of an operation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Creation of accounts.
    AccountCreation,
    /// API keys.
    ApiKeys,
    /// The audit log.
    AuditLog,
    /// Automations.
    Automations,
    /// Channel connections.
    Connections,
    /// Events and their history.
    Events,
    /// The developer programme.
    ExtensionDevelopment,
    /// Installation and use of extensions.
    Extensions,
    /// Chat commands.
    BotCommands,
    /// Bot modules.
    BotModules,
    /// Bot connections of accounts.
    Bots,
    /// Copyright information on songs.
    CopyrightDetection,
    /// The public directory of songs.
    CopyrightPublicDirectory,
    /// The public check of a song.
    CopyrightPublicQuickCheck,
    /// More than one account of a person.
    MultiAccount,
    /// Chat of several platforms in one place.
    Multichat,
    /// Rewards of channel points.
    Rewards,
    /// Sounds.
    Sounds,
    /// Uploads.
    Uploads,
    /// Overlays.
    Overlays,
    /// Orders of Shopify shops.
    Shopify,
    /// Music of Spotify.
    Music,
    /// Control of OBS.
    ObsRemote,
    /// Connections to OBS over obs-websocket.
    ObsWebsocket,
    /// Tips of StreamElements.
    Streamelements,
    /// Widgets.
    Widgets,
    /// History of streams.
    StreamHistory,
    /// Settings of the public statistics of an account's channels.
    PublicStatsPage,
    /// Public statistics.
    PublicStats,
    /// Writes on the board of ideas.
    IdeasHub,
    /// The crawler of public statistics.
    Crawler,
}

impl Feature {
    /// Key of the flag, `category:name`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::AccountCreation => "system:account_creation",
            Self::ApiKeys => "feature:apikeys",
            Self::AuditLog => "feature:audit_log",
            Self::Automations => "feature:automations",
            Self::Connections => "feature:connections",
            Self::Events => "feature:events",
            Self::ExtensionDevelopment => "feature:extension_development",
            Self::Extensions => "feature:extensions",
            Self::BotCommands => "feature:bot_commands",
            Self::BotModules => "feature:bot_modules",
            Self::Bots => "feature:bots",
            Self::CopyrightDetection => "feature:copyright_detection",
            Self::CopyrightPublicDirectory => "system:copyright_public_directory",
            Self::CopyrightPublicQuickCheck => "system:copyright_public_quick_check",
            Self::MultiAccount => "feature:multi_account",
            Self::Multichat => "feature:multichat",
            Self::Rewards => "feature:rewards",
            Self::Sounds => "feature:sounds",
            Self::Uploads => "feature:uploads",
            Self::Overlays => "feature:overlays",
            Self::Shopify => "integration:shopify",
            Self::Music => "feature:music",
            Self::ObsRemote => "feature:obs_remote",
            Self::ObsWebsocket => "integration:obs_websocket",
            Self::Streamelements => "integration:streamelements",
            Self::Widgets => "feature:widgets",
            Self::StreamHistory => "feature:stream_history",
            Self::PublicStatsPage => "feature:public_stats_page",
            Self::PublicStats => "system:public_stats",
            Self::IdeasHub => "system:ideas_hub",
            Self::Crawler => "system:crawler",
        }
    }
}

/// A category and the second part of each key in it.
pub type FeatureSeed = (FeatureCategory, &'static [&'static str]);

/// Keys that are globally off in a new deployment. Every other flag is on.
pub const DEFAULT_OFF_FEATURES: [&str; 3] =
    ["system:crawler", "integration:shopify", "integration:streamerbot"];

/// All seeded flags.
pub const FEATURES: [FeatureSeed; 9] = [
    (
        FeatureCategory::System,
        &[
            "account_creation",
            "ideas_hub",
            "public_stats",
            "copyright_public_directory",
            "copyright_public_quick_check",
            "crawler",
        ],
    ),
    (
        FeatureCategory::Platform,
        &[
            "twitch",
            "youtube",
            "kick",
            "trovo",
            "discord",
            "spotify",
            "streamelements",
            "twitch:login",
            "youtube:login",
            "kick:login",
            "trovo:login",
            "discord:login",
            "twitch:channel",
            "youtube:channel",
            "kick:channel",
            "trovo:channel",
            "spotify:channel",
            "twitch:bot",
            "youtube:bot",
            "kick:bot",
            "trovo:bot",
            "discord:bot",
        ],
    ),
    (
        FeatureCategory::Widget,
        &[
            "chat_box",
            "event_list",
            "obs_browser_source",
            "spotify_now_playing",
            "alert_box",
            "text",
            "image",
            "timer",
        ],
    ),
    (
        FeatureCategory::Feature,
        &[
            "apikeys",
            "connections",
            "multichat",
            "sounds",
            "stream_history",
            "public_stats_page",
            "extensions",
            "extension_development",
            "bots",
            "music",
            "multi_account",
            "obs_remote",
            "copyright_detection",
            "overlays",
            "widgets",
            "uploads",
            "events",
            "automations",
            "bot_commands",
            "bot_modules",
            "rewards",
            "audit_log",
        ],
    ),
    (FeatureCategory::Integration, &["obs_websocket", "shopify", "streamelements", "streamerbot"]),
    (FeatureCategory::BotModule, &["link_protection", "spam_protection", "word_filter", "timed_messages"]),
    (
        FeatureCategory::Automation,
        &[
            "send_chat",
            "delete_message",
            "timeout_user",
            "ban_user",
            "play_sound",
            "stop_sound",
            "toggle_layer",
            "show_alert",
            "emit_event",
            "obs_set_scene",
            "obs_set_source",
            "spotify_play",
            "spotify_pause",
            "spotify_skip",
            "spotify_queue",
            "set_stream_title",
            "create_clip",
            "http_request",
            "discord_message",
            "notify_members",
            "run_automation",
            "extension",
        ],
    ),
    (FeatureCategory::CopyrightProvider, &["spotify", "youtube"]),
    (
        FeatureCategory::Event,
        &[
            "twitch:follower",
            "twitch:subscribe",
            "twitch:resub",
            "twitch:gift_sub",
            "twitch:cheer",
            "twitch:raid",
            "twitch:reward",
            "twitch:hype_train",
            "twitch:hype_train_end",
            "twitch:poll",
            "twitch:poll_end",
            "twitch:prediction",
            "twitch:prediction_lock",
            "twitch:prediction_end",
            "twitch:goal",
            "twitch:goal_end",
            "twitch:ad_break",
            "twitch:ban",
            "twitch:unban",
            "twitch:stream_online",
            "twitch:stream_offline",
            "twitch:stream_update",
            "youtube:subscriber",
            "youtube:member",
            "youtube:member_milestone",
            "youtube:member_gift",
            "youtube:superchat",
            "youtube:supersticker",
            "youtube:stream_online",
            "youtube:stream_offline",
            "kick:follower",
            "kick:subscribe",
            "kick:gift_sub",
            "kick:raid",
            "kick:stream_online",
            "kick:stream_offline",
            "trovo:follower",
            "trovo:subscribe",
            "trovo:gift_sub",
            "trovo:spell",
            "trovo:raid",
            "trovo:stream_online",
            "trovo:stream_offline",
            "streamelements:tip",
            "spotify:track",
            "shopify:order",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_every_rule_are_seeded() {
        let seeded: Vec<String> = FEATURES
            .iter()
            .flat_map(|(category, keys)| keys.iter().map(move |key| format!("{}:{key}", category.as_str())))
            .collect();
        use Feature as F;
        for feature in [
            F::AccountCreation,
            F::ApiKeys,
            F::Connections,
            F::Events,
            F::ExtensionDevelopment,
            F::Extensions,
            F::BotCommands,
            F::BotModules,
            F::MultiAccount,
            F::Multichat,
            F::Overlays,
            F::Widgets,
        ] {
            assert!(seeded.iter().any(|key| key == feature.key()), "{}", feature.key());
        }
        let mut distinct = seeded.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), seeded.len());
    }
}
