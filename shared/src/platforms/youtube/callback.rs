//! The address that YouTube's hub is given for a channel (specification C §10). Anybody can ask a hub to deliver
//! anything to any address; ours carries a word that only the deployment can have said, and only for that channel.

use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;
use url::Url;

use crate::{Error, Result, secret::Secret};

const PATH: &str = "/v1/webhooks/youtube";
/// Sets the word apart from whatever else the key signs.
const PURPOSE: &[u8] = b"youtube hub callback\0";

/// The query of a callback, as it comes back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct HubCallback {
    /// The channel whose feed is delivered there.
    pub channel: Option<String>,
    /// The word.
    pub t: Option<String>,
}

impl HubCallback {
    /// The address for a channel's feed, below the deployment's own.
    ///
    /// # Errors
    /// When the deployment's address is none that a path can follow.
    pub fn address(base: &Url, channel_id: &str, key: &Secret) -> Result<Url> {
        let base = base.as_str().trim_end_matches('/');
        let mut address = Url::parse(&format!("{base}{PATH}")).map_err(internal)?;
        let word = hex::encode(mac(key, channel_id)?.finalize().into_bytes());
        address.query_pairs_mut().append_pair("channel", channel_id).append_pair("t", &word);
        Ok(address)
    }

    /// The channel, if the word is the deployment's for it. Takes as long whatever the word is.
    ///
    /// # Errors
    /// When the key cannot be used.
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
    fn only_the_word_of_the_key_for_the_channel_vouches() {
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
