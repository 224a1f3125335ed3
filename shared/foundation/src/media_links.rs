//! Signed addresses of media (reference/media.md#signed-addresses). Browser sources hold no permission, so the
//! address itself allows the bytes of one file for a time.

use std::{fmt, time::Duration};

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use shared::{
    config::{Config, JwtKey},
    secret::Secret,
};
use uuid::Uuid;

/// Lifetime of an address of a sound (reference/media.md#signed-addresses).
const SOUND_LINK_TTL: Duration = Duration::from_secs(10 * 60);
/// Lifetime of an address of an upload (reference/media.md#signed-addresses).
const UPLOAD_LINK_TTL: Duration = Duration::from_secs(60 * 60);
/// Lifetime of an address of an archive (reference/archives.md#download).
const ARCHIVE_LINK_TTL: Duration = Duration::from_secs(60 * 60);
/// Separates these signatures from others of the same key.
const CONTEXT: &str = "lumio media address";

/// A file that has a signed address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// A sound of an account.
    Sound(Uuid),
    /// A sound of an installed extension.
    BundledSound {
        /// The sound.
        id: Uuid,
        /// The install.
        install: Uuid,
    },
    /// An upload.
    Upload(Uuid),
    /// An archive of an account.
    AccountArchive(Uuid),
}

/// Maker and checker of signed addresses.
#[derive(Clone)]
pub struct MediaLinks {
    base: String,
    key: Secret,
}

impl fmt::Debug for MediaLinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MediaLinks").field("base", &self.base).finish_non_exhaustive()
    }
}

impl MediaLinks {
    /// Links below the public address of a deployment. The key of signed tokens signs them.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let (JwtKey::Hs256(key) | JwtKey::EdDsa(key)) = &config.secrets.jwt;
        Self { base: config.http.public_url.as_str().trim_end_matches('/').to_owned(), key: key.clone() }
    }

    /// Address of a file, which is valid from now on for a time that depends on the kind of file.
    #[must_use]
    pub fn url(&self, media: Media, now: DateTime<Utc>) -> String {
        let expires = now.timestamp() + i64::try_from(media.ttl().as_secs()).unwrap_or(i64::MAX);
        let signature = hex::encode(self.mac(media, expires).finalize().into_bytes());
        let (kind, id) = (media.kind(), media.id());
        let install = match media {
            Media::BundledSound { install, .. } => format!("&install={install}"),
            Media::Sound(_) | Media::Upload(_) | Media::AccountArchive(_) => String::new(),
        };
        format!("{}/v1/media/{kind}/{id}?exp={expires}&sig={signature}{install}", self.base)
    }

    /// True for the signature of an address, compared in constant time. It says nothing about its age.
    #[must_use]
    pub fn is_signed(&self, media: Media, expires: i64, signature: &str) -> bool {
        hex::decode(signature).is_ok_and(|given| self.mac(media, expires).verify_slice(&given).is_ok())
    }

    fn mac(&self, media: Media, expires: i64) -> Hmac<Sha256> {
        let install = match media {
            Media::BundledSound { install, .. } => install.to_string(),
            Media::Sound(_) | Media::Upload(_) | Media::AccountArchive(_) => String::new(),
        };
        let text = format!("{CONTEXT}\n{}\n{}\n{install}\n{expires}", media.kind(), media.id());
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.key.expose().as_bytes()) else {
            unreachable!("HMAC takes keys of any length")
        };
        mac.update(text.as_bytes());
        mac
    }
}

impl Media {
    const fn kind(self) -> &'static str {
        match self {
            Self::Sound(_) | Self::BundledSound { .. } => "sound",
            Self::Upload(_) => "upload",
            Self::AccountArchive(_) => "archive",
        }
    }

    const fn id(self) -> Uuid {
        match self {
            Self::Sound(id) | Self::BundledSound { id, .. } | Self::Upload(id) | Self::AccountArchive(id) => {
                id
            }
        }
    }

    const fn ttl(self) -> Duration {
        match self {
            Self::Sound(_) | Self::BundledSound { .. } => SOUND_LINK_TTL,
            Self::Upload(_) => UPLOAD_LINK_TTL,
            Self::AccountArchive(_) => ARCHIVE_LINK_TTL,
        }
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn parts(url: &str) -> (i64, String) {
        let url = Url::parse(url).unwrap();
        let part = |name: &str| url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
        (part("exp").parse().unwrap(), part("sig"))
    }

    #[test]
    fn media_links_sign_one_file_until_one_time() {
        let links = MediaLinks::new(&Config::from_variables([]).unwrap());
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let (id, other) = (Uuid::now_v7(), Uuid::now_v7());
        for (media, lifetime) in [
            (Media::Sound(id), 600),
            (Media::BundledSound { id, install: other }, 600),
            (Media::Upload(id), 3600),
            (Media::AccountArchive(id), 3600),
        ] {
            let (expires, signature) = parts(&links.url(media, now));
            assert_eq!(expires, 1_700_000_000 + lifetime);
            assert!(links.is_signed(media, expires, &signature));
            assert!(!links.is_signed(media, expires + 1, &signature));
            for wrong in ["", "zz", &signature[2..], &signature.replace(['0', '1'], "2")] {
                assert!(!links.is_signed(media, expires, wrong), "{wrong}");
            }
            for foreign in [
                Media::Sound(id),
                Media::Sound(other),
                Media::Upload(id),
                Media::AccountArchive(id),
                Media::BundledSound { id, install: other },
                Media::BundledSound { id, install: id },
            ] {
                assert_eq!(links.is_signed(foreign, expires, &signature), foreign == media);
            }
        }
        assert!(!format!("{links:?}").contains("development"), "the key is not printed");
    }
}
