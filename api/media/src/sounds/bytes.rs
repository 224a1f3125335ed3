//! Bytes of a sound: for members, and for its signed address (reference/media.md#signed-addresses).

use std::time::Duration;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, Grants, Visitor},
    http::{Caching, StoredFile},
};
use foundation::media_links::Media;
use live_model::sounds::{PlayableSound, find_playable};
use serde::Deserialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::IntoParams;
use uuid::Uuid;

use super::{db, not_found};
use crate::signed::SignedQuery;

/// Time for which browsers of members keep a sound (reference/media.md#sounds).
const STREAM_TTL: Duration = Duration::from_secs(86_400);

pub static SOUND_STREAM: Operation<AccountCaller> =
    Operation::account("soundStream", AccountPermission::SoundsRead, Grants::Nothing)
        .feature(Feature::Sounds)
        .rest_only();

/// Returns a sound as raw bytes.
///
/// One `Range` of bytes is served; `If-None-Match` gets 304.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such sound.
#[api_core::operation]
pub async fn sound_stream(cx: &Cx, id: Input<Uuid>) -> Result<StoredFile> {
    let caller = cx.authorize(&SOUND_STREAM).await?;
    let found = find_playable(&mut *caller.db().await?, caller.account, id?).await?;
    Ok(file(found.ok_or_else(not_found)?, Caching::Browser(STREAM_TTL)))
}

/// Query of the signed address of a sound.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SoundMediaQuery {
    /// End of the address, in Unix seconds.
    pub exp: Option<i64>,
    /// Signature, 64 hexadecimal characters.
    #[param(min_length = 64, max_length = 64)]
    pub sig: Option<String>,
    /// Install, for a sound of an extension.
    pub install: Option<Uuid>,
}

pub static SOUND_MEDIA: Operation<Visitor> =
    Operation::any_credential("soundMedia", Grants::Nothing).rest_only();

/// Returns a sound as raw bytes, for its signed address.
///
/// The address comes from the event `sound:play` and needs no credential. One `Range` of bytes is served;
/// `If-None-Match` gets 304.
///
/// # Errors
/// 403 for an address that is altered or has ended; 404 when the sound is gone.
#[api_core::operation]
pub async fn sound_media(cx: &Cx, id: Input<Uuid>, query: Input<SoundMediaQuery>) -> Result<StoredFile> {
    let visitor = cx.authorize(&SOUND_MEDIA).await?;
    let (id, SoundMediaQuery { exp, sig, install }) = (id?, query?);
    let media = match install {
        Some(install) => Media::BundledSound { id, install },
        None => Media::Sound(id),
    };
    let caching = SignedQuery { exp, sig }.check(cx, media)?;
    let connection = &mut *visitor.db().await?;
    let account = db::account_of(connection, id, install).await?.ok_or_else(not_found)?;
    let found = find_playable(connection, account, id).await?;
    let found = found.filter(|sound| sound.media() == media).ok_or_else(not_found)?;
    Ok(file(found, caching))
}

fn file(sound: PlayableSound, caching: Caching) -> StoredFile {
    StoredFile {
        content_type: sound.content_type,
        size_bytes: u64::try_from(sound.size_bytes).unwrap_or_default(),
        content_hash: sound.sha256,
        storage_key: sound.storage_key,
        caching,
    }
}
