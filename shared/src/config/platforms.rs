//! Addresses and credentials of the platforms, in the process's configuration.

use super::{Environment, EventSubTransport, Reader, ingest};
use crate::platforms::PlatformsConfig;

pub(super) fn read(reader: &mut Reader, environment: Environment) -> PlatformsConfig {
    let config = read_each(reader);
    let transport = reader.optional(ingest::TRANSPORT).and_then(|text| text.parse().ok());
    let is_delivered = transport != Some(EventSubTransport::Websocket);
    if environment.is_deployment() && config.twitch.client_id.is_some() && is_delivered {
        require_eventsub_secret(reader, &config);
    }
    config
}

/// Notes a wrong variable and reads on without it, so that one start shows every mistake.
fn read_each(reader: &mut Reader) -> PlatformsConfig {
    let mut wrong: Vec<String> = Vec::new();
    loop {
        let lookup = |name: &str| reader.optional(name).filter(|_| !wrong.iter().any(|other| other == name));
        match PlatformsConfig::from_lookup(lookup) {
            Ok(config) => return config,
            Err(mistake) => {
                reader.mistake(&mistake.variable, &mistake.reason);
                wrong.push(mistake.variable);
            }
        }
    }
}

/// Without the secret no delivery of Twitch can be told from a forged one.
fn require_eventsub_secret(reader: &mut Reader, config: &PlatformsConfig) {
    if config.twitch_eventsub_secret.is_none() {
        reader.mistake("LUMIO_TWITCH_EVENTSUB_SECRET", "must be set outside development when Twitch is used");
    }
}
