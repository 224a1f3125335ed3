//! Adding a sound.

use account_model::{accounts::storage_prefix, limits::Quota};
use api_core::{
    ApiError, Code, Cx, Operation, Result,
    access::{AccountCaller, Grants},
    http::Permit,
    limits, objects, validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, unclaimed};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id,
};

use super::{MAX_NAME_LENGTH, Sound, announce, db, not_found};
use crate::files::{self, AudioFormat, Decoded, FileForm, FormLimits};

pub static CREATE_SOUND: Operation<AccountCaller> =
    Operation::account("createSound", AccountPermission::SoundsCreate, Grants::Nothing)
        .feature(Feature::Sounds)
        .rest_only()
        .idempotent_by_late_claim();

/// Adds a sound.
///
/// The file is an MP3, WAV, OGG or FLAC sound; its content decides, not its name. The name is that of the file
/// without its ending, unless another one is given. Length and peaks are found by decoding; they are null for a
/// sound of more than 30 minutes or of a codec that is not decoded, such as Opus. The sound counts against the
/// account's storage. It is published as `sound:list:updated`.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for another type of file, a file above the plan's size, an invalid name, or a malformed form.
/// - 403 `PLAN_LIMIT_REACHED` above the plan's number of sounds, their size together, or the account's storage.
/// - 429 when more files are sent at a time than the account may.
#[api_core::operation]
pub(crate) async fn create_sound(
    cx: &Cx,
    form: impl AsyncFnOnce(FormLimits) -> Result<FileForm>,
) -> Result<Sound> {
    let caller = cx.authorize(&CREATE_SOUND).await?;
    let permit = files::permit(cx.state(), caller.account).await?;
    let limits = db::limits(&mut *caller.db().await?, caller.account).await?;
    let max = u64::try_from(limits.file_size).unwrap_or_default();
    // No connection is held while the client sends.
    let mut form = form(FormLimits { max_file_bytes: max, texts: &["name"] }).await?;
    cx.claim(&[form.text("name").unwrap_or_default(), &form.filename, &form.sha256]).await?;
    let name = name(&form)?;
    let format = AudioFormat::of(&form.head)
        .ok_or_else(|| ApiError::invalid("file must be an MP3, WAV, OGG or FLAC sound"))?;
    let decoded = files::decoded(cx.state(), caller.account, &mut form, format).await?;
    cx.detached(store(cx.clone(), caller, form, name, (format, decoded), permit)).await
}

/// Given name, or that of the file without its ending.
fn name(form: &FileForm) -> Result<String> {
    if let Some(name) = form.text("name") {
        return validate::text("name", name, 1, MAX_NAME_LENGTH);
    }
    let stem = form.filename.rsplit_once('.').map_or(form.filename.as_str(), |(stem, _)| stem).trim();
    let stem = if stem.is_empty() { form.filename.as_str() } else { stem };
    Ok(stem.chars().take(MAX_NAME_LENGTH).collect())
}

/// Stores a decoded sound and releases the permit to receive it.
async fn store(
    cx: Cx,
    caller: AccountCaller,
    form: FileForm,
    name: String,
    (format, decoded): (AudioFormat, Decoded),
    _permit: Permit,
) -> Result<Sound> {
    let FileForm { mut file, size_bytes, sha256, filename, .. } = form;
    let id = id::new();
    let storage_key = format!("{}/sounds/{id}", storage_prefix(caller.account.uuid()));
    let new = db::NewSound {
        id,
        account_id: caller.account,
        name: &name,
        filename: &filename,
        content_type: format.content_type(),
        size_bytes: i64::try_from(size_bytes).map_err(ApiError::internal)?,
        duration_ms: decoded.duration_ms,
        waveform: decoded.waveform.map(serde_json::to_value).transpose()?,
        storage_key: &storage_key,
        sha256: &sha256,
        created_at: cx.state().clock.now(),
    };
    begin(&caller, &new).await?;
    // A failed request may still change the store later on, so that its object is left to the sweep.
    cx.state().storage.put_file(&storage_key, &mut file).await?;
    let stored = finish(&cx, &caller, &new).await;
    if stored.is_err() {
        objects::discard(&cx, &caller, &storage_key).await;
    }
    stored
}

/// Checks that there is room for a sound, and records the key of its object.
async fn begin(caller: &AccountCaller, new: &db::NewSound<'_>) -> Result<()> {
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::lock(connection, new.account_id).await?;
            has_room(connection, new).await?;
            limits::check(connection, new.account_id, Quota::StorageBytes, new.size_bytes).await?;
            Ok(unclaimed::record(connection, &[new.storage_key.to_owned()], new.created_at).await?)
        })
        .await
}

/// Adds the row of a sound whose object was stored.
async fn finish(cx: &Cx, caller: &AccountCaller, new: &db::NewSound<'_>) -> Result<Sound> {
    let mut connection = caller.db().await?;
    let effect = cx.begin_transaction_effect();
    connection
        .transaction(async |connection| {
            db::lock(connection, new.account_id).await?;
            has_room(connection, new).await?;
            limits::take(connection, new.account_id, Quota::StorageBytes, new.size_bytes).await?;
            db::insert(connection, new).await?;
            unclaimed::claim(connection, &[new.storage_key.to_owned()]).await?;
            let entry = audit::Entry {
                metadata: json!({ "name": new.name, "size_bytes": new.size_bytes }),
                ..cx.audit("sound:created", "sound", new.id)
            };
            audit::record(connection, entry).await?;
            announce(cx, connection, new.account_id, "created", new.id).await?;
            let sound = db::find(connection, new.account_id, new.id).await?;
            let sound = sound.map(Sound::from).ok_or_else(not_found)?;
            effect.complete();
            Ok(sound)
        })
        .await
}

api_core::limits::submit! {
    api_core::limits::CountLimit::of_plan(
        "sounds",
        "SELECT plans.max_sounds FROM accounts JOIN plans ON plans.id = accounts.plan_id WHERE accounts.id = $1",
        "SELECT count(*) FROM sounds WHERE account_id = $1",
    )
}

api_core::limits::submit! {
    api_core::limits::CountLimit::of_plan(
        "sound_bytes",
        "SELECT plans.max_sound_storage_bytes FROM accounts JOIN plans ON plans.id = accounts.plan_id
            WHERE accounts.id = $1",
        "SELECT coalesce(sum(size_bytes), 0) FROM sounds WHERE account_id = $1",
    )
    .in_bytes()
}

/// Checks the limits of the plan on sounds.
async fn has_room(connection: &mut AsyncPgConnection, new: &db::NewSound<'_>) -> Result<()> {
    let limits = db::limits(connection, new.account_id).await?;
    let used = db::usage(connection, new.account_id).await?;
    let full = |message: &str, limit: i64| {
        Err(ApiError::new(Code::PlanLimitReached, message).with_details(json!({ "limit": limit })))
    };
    if used.sounds >= limits.sounds {
        return full("Sound limit reached", limits.sounds);
    }
    if used.bytes.saturating_add(new.size_bytes) > limits.storage_bytes {
        return full("Sound storage limit reached", limits.storage_bytes);
    }
    Ok(())
}
