//! Callback address of the YouTube hub for a channel (reference/connections.md#hub-callback). Anyone can ask
//! a hub to deliver anything to any address. Ours carries an authentication code that only the deployment can
//! compute, and only for that channel.

use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;
use url::Url;

use shared::{Error, Result, secret::Secret};

const PATH: &str = "/v1/webhooks/youtube";
/// Separates the code from other texts that are signed with the key.
const PURPOSE: &[u8] = b"youtube hub callback\0";

/// Query of a callback.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct HubCallback {
    /// Channel whose feed is delivered.
    pub channel: Option<String>,
    /// Authentication code.
    pub t: Option<String>,
}

impl HubCallback {
    /// Builds the callback address of a channel's feed, below the address of the deployment.
    ///
    /// # Errors
    /// An address of the deployment that cannot have a path.
    pub fn address(base: &Url, channel_id: &str, key: &Secret) -> Result<Url> {
        let base = base.as_str().trim_end_matches('/');
        let mut address = Url::parse(&format!("{base}{PATH}")).map_err(internal)?;
        let word = hex::encode(mac(key, channel_id)?.finalize().into_bytes());
        address.query_pairs_mut().append_pair("channel", channel_id).append_pair("t", &word);
        Ok(address)
    }

    /// Returns the channel when the code is valid for it. The time of the check does not depend on the code.
    ///
    /// # Errors
    /// An unusable key.
    pub fn vouched(&self, key: &Secret) -> Result<Option<&str>> {
        let (Some(channel), Some(word)) = (&self.channel, &self.t) else { return Ok(None) };
        let Ok(word) = hex::decode(word) else { return Ok(None) };
        let is_ours = mac(key, channel)?.verify_slice(&word).is_ok();
        Ok(is_ours.then_some(channel.as_str()))
    }
}

fn mac(key: &Secret, channel_id: &str) -> Result<Hmac<Sha256>> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.expose().as_bytes()).map_err(internal)?;
    mac.update(PURPOSE);
    mac.update(channel_id.as_bytes());
    Ok(mac)
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::Internal(format!("the hub's callback: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(address: &Url) -> HubCallback {
        let query: std::collections::HashMap<String, String> = address.query_pairs().into_owned().collect();
        HubCallback { channel: query.get("channel").cloned(), t: query.get("t").cloned() }
    }

    #[test]
    fn hub_callback_is_vouched_only_by_the_code_of_key_and_channel() {
        let (key, other) = (Secret::new("a-key-of-the-deployment"), Secret::new("another-key-of-some-other"));
        let base = Url::parse("https://lumio.example/below/").unwrap();
        let address = HubCallback::address(&base, "UC 1&x", &key).unwrap();
        assert!(
            address
                .as_str()
                .starts_with("https://lumio.example/below/v1/webhooks/youtube?channel=UC+1%26x&t=")
        );
        let callback = given(&address);
        assert_eq!(callback.vouched(&key).unwrap(), Some("UC 1&x"));
        assert_eq!(callback.vouched(&other).unwrap(), None);
        let of = |channel: Option<&str>, t: Option<&str>| HubCallback {
            channel: channel.map(str::to_owned),
            t: t.map(str::to_owned),
        };
        let word = callback.t.as_deref();
        for wrong in [
            of(Some("UC2"), word),
            of(None, word),
            of(Some("UC 1&x"), None),
            of(Some("UC 1&x"), Some("")),
            of(Some("UC 1&x"), Some("zz")),
            of(Some("UC 1&x"), word.map(|word| &word[..62])),
        ] {
            assert_eq!(wrong.vouched(&key).unwrap(), None, "{wrong:?}");
        }
    }
}
