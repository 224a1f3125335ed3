//! Sounds that can be played, and the events that play them (reference/media.md#playing). Sounds of an account
//! are rows of `sounds`; those of an installed extension are files of its version.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::INSTALL_RUNS;
use foundation::{
    events::{Channel, Event, EventLog},
    media_links::{Media, MediaLinks},
};
use serde::Serialize;
use serde_json::json;
use shared::{Result, id::AccountId};
use uuid::Uuid;

/// SQL text of all sounds of an account, `$1`: its own and those of its installs that run. The id of a sound of
/// an extension depends on the install and the key in the manifest, so it stays the same in every version.
#[must_use]
pub fn sounds_of_account() -> String {
    format!(
        "SELECT id, account_id, name, filename, content_type, size_bytes, duration_ms, waveform, storage_key, sha256,
            created_at, NULL::text AS source_extension_name, NULL::uuid AS install_id
        FROM sounds WHERE account_id = $1
        UNION ALL
        SELECT md5(extension_installs.id::text || '/' || (sound ->> 'key'))::uuid, extension_installs.account_id,
            sound ->> 'label', regexp_replace(file.file_path, '^.*/', ''), file.content_type, file.size_bytes,
            NULL, NULL, file.storage_key, file.content_hash, extension_installs.created_at, extension.name,
            extension_installs.id
        FROM extension_installs
        JOIN extensions AS extension ON extension.id = extension_installs.extension_id
        JOIN extension_versions AS version ON version.id = extension_installs.version_id
        CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(version.manifest -> 'sounds')
            WHEN 'array' THEN version.manifest -> 'sounds' ELSE '[]' END) AS sound
        JOIN extension_files AS file ON file.version_id = version.id AND file.file_path = sound ->> 'file'
        WHERE extension_installs.account_id = $1 AND {INSTALL_RUNS}"
    )
}

/// A sound that can be played.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct PlayableSound {
    /// Identifier.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Install of a sound of an extension; `None` for a sound of the account.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub install_id: Option<Uuid>,
    /// Content type.
    #[diesel(sql_type = Text)]
    pub content_type: String,
    /// Size in bytes.
    #[diesel(sql_type = BigInt)]
    pub size_bytes: i64,
    /// SHA-256 of the content.
    #[diesel(sql_type = Text)]
    pub sha256: String,
    /// Key in the object store.
    #[diesel(sql_type = Text)]
    pub storage_key: String,
}

/// Browser source that plays a sound; every one of the account without a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", content = "id", rename_all = "snake_case")]
pub enum SoundTarget {
    /// A widget.
    Widget(Uuid),
    /// An overlay.
    Overlay(Uuid),
}

impl PlayableSound {
    /// The file of this sound for signed addresses.
    #[must_use]
    pub const fn media(&self) -> Media {
        match self.install_id {
            Some(install) => Media::BundledSound { id: self.id, install },
            None => Media::Sound(self.id),
        }
    }
}

/// Sound of an account, its own or of an install; `None` when there is none.
///
/// # Errors
/// A failure of the database.
pub async fn find_playable(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<PlayableSound>> {
    let found = sql_query(format!(
        "SELECT id, install_id, content_type, size_bytes, sha256, storage_key FROM ({}) AS all_sounds
         WHERE id = $2 LIMIT 1",
        sounds_of_account()
    ))
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<SqlUuid, _>(id)
    .load(connection)
    .await?;
    Ok(found.into_iter().next())
}

/// Plays a sound in the browser sources of an account: publishes `sound:play` with a signed address.
///
/// # Errors
/// A failure of Redis.
pub async fn publish_play(
    events: &EventLog,
    links: &MediaLinks,
    account: AccountId,
    sound: &PlayableSound,
    (volume, target): (f64, Option<SoundTarget>),
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({
        "sound_id": sound.id,
        "url": links.url(sound.media(), now),
        "volume": volume,
        "target": target,
    });
    publish(events, account, "sound:play", data, now).await
}

/// Ends a sound, or without one all sounds, in the browser sources of an account: publishes `sound:stop`.
///
/// # Errors
/// A failure of Redis.
pub async fn publish_stop(
    events: &EventLog,
    account: AccountId,
    sound: Option<Uuid>,
    target: Option<SoundTarget>,
    now: DateTime<Utc>,
) -> Result<()> {
    publish(events, account, "sound:stop", json!({ "sound_id": sound, "target": target }), now).await
}

async fn publish(
    events: &EventLog,
    account: AccountId,
    event_type: &str,
    data: serde_json::Value,
    now: DateTime<Utc>,
) -> Result<()> {
    events.append(&Event::new(Channel::Sounds(account.uuid()), event_type, data, now)).await?;
    Ok(())
}
