//! Sounds of an account (reference/media.md#sounds).

mod bytes;
mod create;
mod db;
pub mod graphql;
mod input;
mod play;
pub mod rest;

use account_model::limits::{Quota, release};
use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{
    audit,
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox, unclaimed,
};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use bytes::{SOUND_MEDIA, SOUND_STREAM, SoundMediaQuery, sound_media, sound_stream};
pub use create::CREATE_SOUND;
pub(crate) use create::create_sound;
use input::Changes;
pub use input::{PlaySoundInput, SoundTargetInput, SoundTargetType, StopSoundInput, UpdateSoundInput};
pub use play::{PLAY_SOUND, STOP_SOUND, play_sound, stop_sound};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &SOUNDS,
    &SOUND,
    &CREATE_SOUND,
    &UPDATE_SOUND,
    &DELETE_SOUND,
    &PLAY_SOUND,
    &STOP_SOUND,
    &SOUND_STREAM,
    &SOUND_MEDIA,
];

/// Sounds of a list when the query names no number.
const DEFAULT_LIMIT: i64 = 20;
/// Maximum number of sounds of a list (reference/media.md#sounds).
const MAX_LIMIT: i64 = 100;
/// Maximum length of a name, in characters (reference/media.md#sounds).
pub(crate) const MAX_NAME_LENGTH: usize = 100;

/// Sound.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct Sound {
    /// Identifier.
    pub id: Uuid,
    /// Account that the sound belongs to.
    pub account_id: Uuid,
    /// Name.
    pub name: String,
    /// Name of the file.
    pub filename: String,
    /// Content type, by the content.
    pub content_type: String,
    /// Size in bytes.
    pub size_bytes: Int64,
    /// Length in milliseconds. Null: not known.
    pub duration_ms: Option<Int64>,
    /// Peaks in equal parts of the sound, from 0 to 1. Null: not known.
    pub waveform: Option<Vec<f64>>,
    /// Time at which it was added, for a sound of an extension that of its install.
    pub created_at: Timestamp,
    /// Name of the extension that the sound comes with. Null: a sound of the account.
    pub source_extension_name: Option<String>,
}

/// Sounds with the limits of the account.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct SoundList {
    /// Sounds of this part of the list, newest first.
    pub sounds: Vec<Sound>,
    /// Number of all sounds that the search finds, with those of extensions.
    pub total_count: i32,
    /// Number of sounds of the account, without those of extensions.
    pub user_sound_count: i32,
    /// Number of sounds that the plan allows.
    pub max_sounds: Int64,
    /// Size of a file that the plan allows, in bytes.
    pub max_sound_file_size: Int64,
    /// Size of all sounds of the account that the plan allows, in bytes.
    pub max_sound_storage_bytes: Int64,
    /// Size of all sounds of the account, in bytes.
    pub used_storage_bytes: Int64,
}

/// Query of the sounds.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SoundsQuery {
    /// Number of sounds, 1 to 100; 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// Number of sounds before the first one, from 0; 0 when absent.
    #[param(minimum = 0, maximum = 1_000_000)]
    pub offset: Option<i64>,
    /// Part of the name, in any case; 1 to 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
}

pub static SOUNDS: Operation<AccountCaller> =
    Operation::account("sounds", AccountPermission::SoundsRead, Grants::Nothing).feature(Feature::Sounds);

/// Lists the sounds of the account and of its installed extensions, newest first, with the limits of the plan.
///
/// # Errors
/// Refusals of the access rule; 400 for a limit, offset or search out of bounds.
#[api_core::operation]
pub async fn sounds(cx: &Cx, query: Input<SoundsQuery>) -> Result<SoundList> {
    let caller = cx.authorize(&SOUNDS).await?;
    let (window, search) = checked(query?)?;
    let connection = &mut *caller.db().await?;
    let (rows, total) = db::page(connection, caller.account, search.as_deref(), window).await?;
    let limits = db::limits(connection, caller.account).await?;
    let used = db::usage(connection, caller.account).await?;
    Ok(SoundList {
        sounds: rows.into_iter().map(Sound::from).collect(),
        total_count: i32::try_from(total).unwrap_or(i32::MAX),
        user_sound_count: i32::try_from(used.sounds).unwrap_or(i32::MAX),
        max_sounds: Int64(limits.sounds),
        max_sound_file_size: Int64(limits.file_size),
        max_sound_storage_bytes: Int64(limits.storage_bytes),
        used_storage_bytes: Int64(used.bytes),
    })
}

/// Largest offset of a list.
const MAX_OFFSET: i64 = 1_000_000;

fn checked(query: SoundsQuery) -> Result<(Slice, Option<String>)> {
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::invalid(format!("limit must be between 1 and {MAX_LIMIT}")));
    }
    let offset = query.offset.unwrap_or_default();
    if !(0..=MAX_OFFSET).contains(&offset) {
        return Err(ApiError::invalid(format!("offset must be between 0 and {MAX_OFFSET}")));
    }
    let search = query.search.map(|text| validate::text("search", &text, 1, MAX_NAME_LENGTH)).transpose()?;
    Ok((Slice { limit, offset }, search))
}

/// Part of a list.
#[derive(Debug, Clone, Copy)]
struct Slice {
    limit: i64,
    offset: i64,
}

pub static SOUND: Operation<AccountCaller> =
    Operation::account("sound", AccountPermission::SoundsRead, Grants::Nothing).feature(Feature::Sounds);

/// Returns a sound of the account or of one of its installed extensions.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such sound.
#[api_core::operation]
pub async fn sound(cx: &Cx, id: Input<Uuid>) -> Result<Sound> {
    let caller = cx.authorize(&SOUND).await?;
    let row = db::find(&mut *caller.db().await?, caller.account, id?).await?;
    row.map(Sound::from).ok_or_else(not_found)
}

pub static UPDATE_SOUND: Operation<AccountCaller> =
    Operation::account("updateSound", AccountPermission::SoundsEdit, Grants::Nothing)
        .feature(Feature::Sounds);

/// Updates the name of a sound, or what is known of its length and peaks.
///
/// Absent fields stay as they are. A change is published as `sound:list:updated`.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 when there is no such sound; 409 for a sound of an
/// extension.
#[api_core::operation]
pub async fn update_sound(cx: &Cx, id: Input<Uuid>, input: Input<UpdateSoundInput>) -> Result<Sound> {
    let caller = cx.authorize(&UPDATE_SOUND).await?;
    let (id, changes) = (id?, input?.check()?);
    caller
        .db()
        .await?
        .transaction(async |connection| {
            own(connection, caller.account, id).await?;
            if !changes.is_empty() {
                let changed = changes.names();
                if !db::update(connection, caller.account, id, changes).await? {
                    return Err(not_found());
                }
                let entry = audit::Entry {
                    metadata: json!({ "changed": changed }),
                    ..cx.audit("sound:updated", "sound", id)
                };
                audit::record(connection, entry).await?;
                announce(cx, connection, caller.account, "updated", id).await?;
            }
            db::find(connection, caller.account, id).await?.map(Sound::from).ok_or_else(not_found)
        })
        .await
}

pub static DELETE_SOUND: Operation<AccountCaller> =
    Operation::account("deleteSound", AccountPermission::SoundsDelete, Grants::Nothing)
        .feature(Feature::Sounds);

/// Deletes a sound.
///
/// Its storage is free again, and its addresses end at once. The deletion is published as `sound:list:updated`.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such sound; 409 for a sound of an extension.
#[api_core::operation]
pub async fn delete_sound(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_SOUND).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = own(connection, caller.account, id).await?;
            if !db::delete(connection, caller.account, id).await? {
                return Err(not_found());
            }
            release(connection, caller.account, Quota::StorageBytes, row.size_bytes).await?;
            unclaimed::record(connection, &[row.storage_key], cx.state().clock.now()).await?;
            let entry = audit::Entry {
                metadata: json!({ "name": row.name }),
                ..cx.audit("sound:deleted", "sound", id)
            };
            audit::record(connection, entry).await?;
            announce(cx, connection, caller.account, "deleted", id).await
        })
        .await
}

/// Sound of the account that is not of an extension.
async fn own(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<db::Row> {
    let row = db::find(connection, account, id).await?.ok_or_else(not_found)?;
    if row.source_extension_name.is_some() {
        return Err(ApiError::conflict("Sound belongs to an extension"));
    }
    Ok(row)
}

/// Publishes after the commit that the list of sounds changed.
async fn announce(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    account: AccountId,
    action: &str,
    sound: Uuid,
) -> Result<()> {
    let data = json!({ "action": action, "sound_id": sound });
    let now = cx.state().clock.now();
    let event = Event::new(Channel::Sounds(account.uuid()), "sound:list:updated", data, now);
    let key = format!("sound:list:updated:{}", event.id);
    Ok(outbox::add(connection, &PublishEvent { event }, &key).await?)
}

impl From<db::Row> for Sound {
    fn from(row: db::Row) -> Self {
        Self {
            id: row.id,
            account_id: row.account_id,
            name: row.name,
            filename: row.filename,
            content_type: row.content_type,
            size_bytes: Int64(row.size_bytes),
            duration_ms: row.duration_ms.map(Int64),
            waveform: row.waveform.and_then(|peaks| serde_json::from_value(peaks).ok()),
            created_at: row.created_at,
            source_extension_name: row.source_extension_name,
        }
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Sound not found")
}
