//! Configuration of the live path: its secrets, and the sources that daemons read
//! (reference/ingest.md#sources).

use std::{fmt, str::FromStr};

use url::Url;

use super::Reader;
use crate::{config::platforms::BaseUrl, secret::Secret};

/// Secrets, addresses and limits of the sources of the live path.
#[derive(Debug, Clone)]
pub struct IngestConfig {
    /// Transport of EventSub.
    pub twitch_transport: EventSubTransport,
    /// Address of the EventSub WebSocket.
    pub twitch_socket_url: Url,
    /// Address of the chat socket of Trovo.
    pub trovo_chat_url: Url,
    /// Key of the signatures on `/v1/webhooks/trovo`. Every delivery is refused when it is absent.
    pub trovo_webhook_secret: Option<Secret>,
    /// Key of the signatures on `/v1/webhooks/shopify`: the secret of our application there. Every delivery
    /// is refused when it is absent.
    pub shopify_webhook_secret: Option<Secret>,
    /// Address of the gateway of StreamElements that announces tips.
    pub streamelements_realtime_url: Url,
    /// Base URL of the API of StreamElements.
    pub streamelements_api_url: BaseUrl,
    /// Base URL of the hub that announces new videos of YouTube.
    pub youtube_hub_url: BaseUrl,
    /// Key of the signatures of the hub. When it is absent, no subscription is requested and every delivery
    /// is refused.
    pub youtube_hub_secret: Option<Secret>,
    /// Units of the YouTube quota that the daemons may spend in a day, for each application.
    pub youtube_quota_per_day: u32,
    /// Percentage that one account may spend of the quota that the others leave, for applications that
    /// accounts share.
    pub youtube_share_percent: u32,
    /// Seconds between two checks of an offline channel on YouTube.
    pub youtube_poll_interval_secs: u32,
}

/// Transport by which Twitch delivers the events of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSubTransport {
    /// Twitch calls `/v1/webhooks/twitch`, which needs a public address.
    Webhook,
    /// A daemon holds a socket for each channel.
    Websocket,
}

impl fmt::Display for EventSubTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Webhook => "webhook",
            Self::Websocket => "websocket",
        })
    }
}

impl FromStr for EventSubTransport {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "webhook" => Ok(Self::Webhook),
            "websocket" => Ok(Self::Websocket),
            _ => Err(()),
        }
    }
}

pub(super) const TRANSPORT: &str = "LUMIO_TWITCH_EVENTSUB_TRANSPORT";
const HUB_SECRET: &str = "LUMIO_YOUTUBE_HUB_SECRET";
const TROVO_SECRET: &str = "LUMIO_TROVO_WEBHOOK_SECRET";
const SHOPIFY_SECRET: &str = "LUMIO_SHOPIFY_WEBHOOK_SECRET";
const TWITCH_SOCKET: &str = "wss://eventsub.wss.twitch.tv/ws";
const TROVO_CHAT: &str = "wss://open-chat.trovo.live/chat";
const STREAMELEMENTS_REALTIME: &str = "wss://astro.streamelements.com/";
const STREAMELEMENTS_API: &str = "https://api.streamelements.com";
const HUB: &str = "https://pubsubhubbub.appspot.com";
/// Bytes that the secret of a hub must stay below (section 5.1 of WebSub).
const MAX_HUB_SECRET_LENGTH: usize = 200;
const MIN_SECRET_LENGTH: usize = 16;

pub(super) fn read(reader: &mut Reader) -> IngestConfig {
    IngestConfig {
        twitch_transport: reader.value(TRANSPORT, EventSubTransport::Webhook, "`webhook` or `websocket`"),
        twitch_socket_url: socket(reader, "LUMIO_TWITCH_EVENTSUB_SOCKET_URL", TWITCH_SOCKET),
        trovo_chat_url: socket(reader, "LUMIO_TROVO_CHAT_URL", TROVO_CHAT),
        trovo_webhook_secret: long_secret(reader, TROVO_SECRET),
        shopify_webhook_secret: long_secret(reader, SHOPIFY_SECRET),
        streamelements_realtime_url: socket(
            reader,
            "LUMIO_STREAMELEMENTS_REALTIME_URL",
            STREAMELEMENTS_REALTIME,
        ),
        streamelements_api_url: base_url(reader, "LUMIO_STREAMELEMENTS_API_URL", STREAMELEMENTS_API),
        youtube_hub_url: base_url(reader, "LUMIO_YOUTUBE_HUB_URL", HUB),
        youtube_hub_secret: long_secret(reader, HUB_SECRET),
        youtube_quota_per_day: reader.within("LUMIO_YOUTUBE_QUOTA_PER_DAY", 9000, 100, 100_000_000),
        youtube_share_percent: reader.within("LUMIO_YOUTUBE_SHARE_PERCENT", 25, 1, 100),
        youtube_poll_interval_secs: reader.within("LUMIO_YOUTUBE_LOOK_EVERY_SECS", 60, 1, 3600),
    }
}

fn base_url(reader: &mut Reader, name: &str, default: &str) -> BaseUrl {
    let text = reader.text(name, default);
    text.parse().unwrap_or_else(|error| {
        reader.mistake(name, error);
        parse_default(default.parse())
    })
}

fn socket(reader: &mut Reader, name: &str, default: &str) -> Url {
    reader.default_of(name, default);
    let is_socket =
        |url: &Url| matches!(url.scheme(), "ws" | "wss") && url.has_host() && url.query().is_none();
    match reader.optional(name).map(|text| Url::parse(&text).ok().filter(is_socket)) {
        Some(Some(url)) => url,
        Some(None) => {
            reader.mistake(name, "must be a ws or wss URL without a query");
            parse_default(Url::parse(default))
        }
        None => parse_default(Url::parse(default)),
    }
}

fn long_secret(reader: &mut Reader, name: &str) -> Option<Secret> {
    let secret = reader.secret(name)?;
    if (MIN_SECRET_LENGTH..MAX_HUB_SECRET_LENGTH).contains(&secret.expose().len()) {
        return Some(secret);
    }
    reader.mistake(
        name,
        format_args!("must have {MIN_SECRET_LENGTH} to {} characters", MAX_HUB_SECRET_LENGTH - 1),
    );
    None
}

#[expect(clippy::expect_used, reason = "literals of this file; the tests read every default")]
fn parse_default<T, E: std::fmt::Debug>(parsed: Result<T, E>) -> T {
    parsed.expect("a default URL parses")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn read(variables: &[(&str, &str)]) -> Result<IngestConfig, Vec<String>> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::from_variables(variables).map(|config| config.ingest)
    }

    #[test]
    fn ingest_config_defaults_to_the_addresses_of_the_platforms() {
        let config = read(&[]).unwrap();
        assert_eq!(config.twitch_transport, EventSubTransport::Webhook);
        assert_eq!(config.twitch_socket_url.as_str(), TWITCH_SOCKET);
        assert_eq!(config.trovo_chat_url.as_str(), TROVO_CHAT);
        assert_eq!(config.youtube_hub_url.to_string(), HUB);
        assert_eq!(config.streamelements_realtime_url.as_str(), STREAMELEMENTS_REALTIME);
        assert_eq!(config.streamelements_api_url.to_string(), STREAMELEMENTS_API);
    }

    #[test]
    fn ingest_config_errors_name_the_variable() {
        for (name, value) in [
            (TRANSPORT, "conduit"),
            ("LUMIO_TROVO_CHAT_URL", "https://example.com"),
            ("LUMIO_TWITCH_EVENTSUB_SOCKET_URL", "wss://example.com/ws?x=1"),
            ("LUMIO_STREAMELEMENTS_REALTIME_URL", "https://example.com"),
            ("LUMIO_STREAMELEMENTS_API_URL", "hub"),
            ("LUMIO_YOUTUBE_HUB_URL", "hub"),
            (HUB_SECRET, "short"),
            (TROVO_SECRET, "short"),
            (SHOPIFY_SECRET, "short"),
            ("LUMIO_YOUTUBE_QUOTA_PER_DAY", "99"),
            ("LUMIO_YOUTUBE_SHARE_PERCENT", "101"),
        ] {
            let mistakes = read(&[(name, value)]).unwrap_err();
            assert!(mistakes.len() == 1 && mistakes[0].starts_with(name), "{mistakes:?}");
            assert!(!mistakes[0].contains(value) || value == "hub", "{mistakes:?}");
        }
    }
}
