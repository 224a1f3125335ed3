//! The daemons by name.

use shared::readiness::Readiness;
use tokio_util::sync::CancellationToken;

use crate::{
    Context, connections, housekeeping, ingest, mail, outbox, rollout, runtime, sources, token_refresh,
};

/// Something that runs until it is told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Daemon {
    /// Turns deliveries of the platforms into chat messages and events, and writes their rows.
    Ingest,
    /// Reads the live chats of YouTube.
    YoutubeChat,
    /// Reads the chats of Trovo.
    TrovoChat,
    /// Reads EventSub of Twitch over WebSockets, where Twitch cannot call us.
    TwitchEventsub,
    /// Hands on the jobs and publishes the events that were written beside what they follow.
    Outbox,
    /// Sends mails.
    Mail,
    /// Refreshes the tokens of connections.
    TokenRefresh,
    /// Asks platforms to deliver what happens in connected channels and what is on air there, and revokes tokens of
    /// those that were ended.
    Connections,
    /// Partitions, retention, and deliveries that were left behind.
    Housekeeping,
    /// Brings installs to newer versions of their extensions.
    Rollout,
    /// Runs the handlers of extensions.
    ExtensionRuntime,
}

impl Daemon {
    /// Every daemon.
    pub const ALL: [Self; 11] = [
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
    ];

    /// The name on the command line, in metrics and in heartbeat keys.
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
        }
    }

    /// The daemon of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|daemon| daemon.name() == name)
    }

    /// Whether nothing is known that keeps it from its work.
    pub(crate) fn can_work(self, readiness: &Readiness) -> bool {
        let has_key = self != Self::ExtensionRuntime || readiness.is_clear(runtime::system_key::SUBJECT);
        has_key && readiness.is_clear(self.name())
    }

    /// Runs until `shutdown` is cancelled, then finishes what was begun.
    pub(crate) async fn run(self, context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
        match self {
            Self::Ingest => ingest::run(context, shutdown).await,
            Self::YoutubeChat => sources::youtube_chat(context, shutdown).await,
            Self::TrovoChat => sources::trovo_chat(context, shutdown).await,
            Self::TwitchEventsub => sources::twitch_eventsub(context, shutdown).await,
            Self::Outbox => outbox::run(context, shutdown).await,
            Self::Mail => mail::run(context, shutdown).await,
            Self::TokenRefresh => token_refresh::run(context, shutdown).await,
            Self::Connections => connections::run(context, shutdown).await,
            Self::Housekeeping => housekeeping::run(context, shutdown).await,
            Self::Rollout => rollout::run(context, shutdown).await,
            Self::ExtensionRuntime => runtime::run(context, shutdown).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_know_the_daemons_by_the_same_names() {
        assert_eq!(Daemon::ALL.map(Daemon::name), shared::daemons::DAEMONS);
    }
}
