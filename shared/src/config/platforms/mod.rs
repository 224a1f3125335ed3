//! Addresses and credentials of the platforms, in the configuration of the process.

mod base_url;
mod emotes;
mod invalid_setting;
mod settings;

pub use base_url::{BaseUrl, InvalidBaseUrl};
pub use emotes::EmotesConfig;
pub use invalid_setting::InvalidSetting;
pub use settings::{PlatformConfig, PlatformsConfig};

use super::{Environment, EventSubTransport, Reader, ingest};
use crate::platform::Platform;

pub(super) fn read(reader: &mut Reader, environment: Environment) -> PlatformsConfig {
    let config = read_each(reader);
    let transport = reader.optional(ingest::TRANSPORT).and_then(|text| text.parse().ok());
    let is_delivered = transport != Some(EventSubTransport::Websocket);
    if environment.is_deployment() && config.twitch.client_id.is_some() && is_delivered {
        require_eventsub_secret(reader, &config);
    }
    for platform in Platform::ALL {
        require_both_credentials(reader, platform);
    }
    state_defaults(reader, &config);
    config
}

/// Refuses half a credential: the other half was forgotten, and every call with it would fail.
fn require_both_credentials(reader: &mut Reader, platform: Platform) {
    let name = |part: &str| format!("LUMIO_{}_{part}", platform.slug().to_uppercase());
    let (id, secret) = (name("CLIENT_ID"), name("CLIENT_SECRET"));
    let is_set = |name: &str| reader.optional(name).is_some_and(|value| !value.trim().is_empty());
    match (is_set(&id), is_set(&secret)) {
        (true, false) => reader.mistake(&secret, format_args!("must be set beside {id}")),
        (false, true) => reader.mistake(&id, format_args!("must be set beside {secret}")),
        _ => {}
    }
}

fn state_defaults(reader: &Reader, config: &PlatformsConfig) {
    for platform in Platform::ALL {
        let (settings, platform) = (config.get(platform), platform.slug().to_uppercase());
        reader.default_of(&format!("LUMIO_{platform}_AUTH_URL"), &settings.auth_url);
        reader.default_of(&format!("LUMIO_{platform}_AUTHORIZE_URL"), &settings.authorize_url);
        reader.default_of(&format!("LUMIO_{platform}_API_URL"), &settings.api_url);
    }
    let emotes = &config.emotes;
    for (name, url) in [
        ("LUMIO_SEVENTV_API_URL", &emotes.seventv_url),
        ("LUMIO_BTTV_API_URL", &emotes.bttv_url),
        ("LUMIO_FFZ_API_URL", &emotes.ffz_url),
        ("LUMIO_YOUTUBE_EMOJI_URL", &emotes.youtube_url),
        ("LUMIO_KICK_EMOTES_URL", &emotes.kick_url),
    ] {
        reader.default_of(name, url);
    }
}

/// Reports each wrong variable and continues without it, so that one start shows every mistake.
fn read_each(reader: &mut Reader) -> PlatformsConfig {
    let mut wrong: Vec<String> = Vec::new();
    loop {
        let read = |name: &str| {
            let secret = || reader.secret(name).map(|secret| secret.expose().to_owned());
            if name.ends_with("_SECRET") { secret() } else { reader.optional(name) }
        };
        let lookup = |name: &str| read(name).filter(|_| !wrong.iter().any(|other| other == name));
        match PlatformsConfig::from_lookup(lookup) {
            Ok(config) => return config,
            Err(mistake) => {
                reader.mistake(&mistake.variable, &mistake.reason);
                wrong.push(mistake.variable);
            }
        }
    }
}

/// Requires the secret of EventSub: without it, deliveries of Twitch cannot be distinguished from forged
/// ones.
fn require_eventsub_secret(reader: &mut Reader, config: &PlatformsConfig) {
    if config.twitch_eventsub_secret.is_none() {
        reader.mistake("LUMIO_TWITCH_EVENTSUB_SECRET", "must be set outside development when Twitch is used");
    }
}
