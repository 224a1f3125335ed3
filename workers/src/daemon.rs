//! Daemons by name.

use creator_daemons::{music, obs, playlists, tips};
use foundation::readiness::Readiness;
use platform_daemons::{PlatformContext, connections, ingest, sources, token_refresh};
use tokio_util::sync::CancellationToken;

use crate::{housekeeping, mail, outbox, rollout};

/// Task that runs until its process shuts down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Daemon {
    /// Turns deliveries of the platforms into chat messages and events, and writes their rows.
    Ingest,
    /// Reads the live chats of YouTube.
    YoutubeChat,
    /// Reads the chats of Trovo.
    TrovoChat,
    /// Reads Twitch's EventSub over WebSockets, for deployments that Twitch cannot call.
    TwitchEventsub,
    /// Enqueues the jobs and publishes the events of the outbox.
    Outbox,
    /// Sends mails.
    Mail,
    /// Refreshes the tokens of connections.
    TokenRefresh,
    /// Subscribes to deliveries of connected channels, polls which channels are on air, and revokes tokens of
    /// connections that ended.
    Connections,
    /// Makes partitions, applies retention, and sweeps deliveries without a job.
    Housekeeping,
    /// Brings installs to newer versions of their extensions.
    Rollout,
    /// Runs the handlers of extensions.
    ExtensionRuntime,
    /// Polls the music players of accounts.
    Music,
    /// Keeps the songs of followed playlists in the lists of accounts.
    CopyrightSync,
    /// Connects to the OBS of accounts and passes commands on.
    ObsRemote,
    /// Receives the tips of StreamElements.
    Tips,
    /// Starts and runs automations.
    Automations,
    /// Makes sessions, samples and reports of streams.
    History,
    /// Sums samples of channels up into public statistics.
    PublicStats,
    /// Reads public figures of channels from the platforms.
    Crawler,
    /// Sends the deliveries of outbound webhooks.
    Webhooks,
    /// Stores counts of usage, measures stored bytes and compares budgets.
    Usage,
}

impl Daemon {
    /// Every daemon.
    pub const ALL: [Self; 21] = [
        Self::Ingest,
        Self::YoutubeChat,
        Self::TrovoChat,
        Self::TwitchEventsub,
        Self::Outbox,
        Self::Mail,
        Self::TokenRefresh,
        Self::Connections,
        Self::Housekeeping,
        Self::Rollout,
        Self::ExtensionRuntime,
        Self::Music,
        Self::CopyrightSync,
        Self::ObsRemote,
        Self::Tips,
        Self::Automations,
        Self::History,
        Self::PublicStats,
        Self::Crawler,
        Self::Webhooks,
        Self::Usage,
    ];

    /// Returns the name on the command line, in metrics and in heartbeat keys.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::YoutubeChat => "youtube-chat",
            Self::TrovoChat => "trovo-chat",
            Self::TwitchEventsub => "twitch-eventsub",
            Self::Outbox => "outbox",
            Self::Mail => "mail",
            Self::TokenRefresh => "token-refresh",
            Self::Connections => "connections",
            Self::Housekeeping => "housekeeping",
            Self::Rollout => "rollout",
            Self::ExtensionRuntime => "extension-runtime",
            Self::Music => "music",
            Self::CopyrightSync => "copyright-sync",
            Self::ObsRemote => "obs-remote",
            Self::Tips => "tips",
            Self::Automations => "automations",
            Self::History => "history",
            Self::PublicStats => "public-stats",
            Self::Crawler => "crawler",
            Self::Webhooks => "webhooks",
            Self::Usage => "usage",
        }
    }

    /// Returns the daemon of a name; `None` for an unknown one.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|daemon| daemon.name() == name)
    }

    /// True when no known reason keeps the daemon from its work.
    pub(crate) fn can_work(self, readiness: &Readiness) -> bool {
        let has_key =
            self != Self::ExtensionRuntime || readiness.is_clear(extension_runtime::system_key::SUBJECT);
        has_key && readiness.is_clear(self.name())
    }

    /// Runs until `shutdown` is cancelled, then finishes work in progress.
    pub(crate) async fn run(
        self,
        platforms: PlatformContext,
        shutdown: CancellationToken,
    ) -> anyhow::Result<()> {
        let context = worker_core::Context::clone(&platforms);
        match self {
            Self::Ingest => ingest::run(platforms, shutdown).await,
            Self::YoutubeChat => sources::youtube_chat(platforms, shutdown).await,
            Self::TrovoChat => sources::trovo_chat(platforms, shutdown).await,
            Self::TwitchEventsub => sources::twitch_eventsub(platforms, shutdown).await,
            Self::Outbox => outbox::run(context, shutdown).await,
            Self::Mail => mail::run(context, shutdown).await,
            Self::TokenRefresh => token_refresh::run(platforms, shutdown).await,
            Self::Connections => connections::run(platforms, shutdown).await,
            Self::Housekeeping => housekeeping::run(context, shutdown).await,
            Self::Rollout => rollout::run(context, shutdown).await,
            Self::ExtensionRuntime => extension_runtime::run(context, shutdown).await,
            Self::Music => music::run(platforms, shutdown).await,
            Self::CopyrightSync => playlists::run(platforms, shutdown).await,
            Self::ObsRemote => obs::run(context, shutdown).await,
            Self::Tips => tips::run(context, shutdown).await,
            Self::Automations => automation_daemons::run(context, shutdown).await,
            Self::History => history_daemons::run(context, shutdown).await,
            Self::PublicStats => stats_daemons::rollups::run(context, shutdown).await,
            Self::Crawler => stats_daemons::crawler::run(platforms, shutdown).await,
            Self::Webhooks => webhook_daemons::run(context, shutdown).await,
            Self::Usage => usage_daemons::run(context, shutdown).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daemon_names_are_those_of_foundation() {
        assert_eq!(Daemon::ALL.map(Daemon::name), foundation::daemons::DAEMONS);
    }
}
