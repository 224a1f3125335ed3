//! Layers that are shown or hidden by redemptions, for a time or for good (reference/rewards.md#layers).
//!
//! The layer itself states until when redemptions show or hide it, so that a change of their rewards changes nothing
//! about that. A later redemption that finds the layer as wanted extends such a time. Where there is none, the layer is
//! so by itself and stays so.
//!
//! With both times the layer is within the one that ends first, and the other one is around it. By itself the layer is
//! the opposite of what the time that ends last makes it.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Bool, Integer, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{jobs::RestoreLayer, outbox};
use shared::Result;
use uuid::Uuid;

use crate::surfaces::{OverlayChange, publish_overlay_change};

#[derive(QueryableByName)]
struct Overlay {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Integer)]
    version: i32,
}

#[derive(QueryableByName)]
struct Stored {
    #[diesel(sql_type = Bool)]
    is_changed_back: bool,
}

/// Column of the time until which redemptions show or hide a layer.
const fn until_column(visible: bool) -> &'static str {
    if visible { "shown_until" } else { "hidden_until" }
}

/// Shows or hides a layer of an account for good, also one that waits to be changed back. A change adds one to the
/// version of its overlay. Returns whether there was one; `None` when the account has no such layer. Must be called in
/// a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn set_visible(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    layer_id: Uuid,
    visible: bool,
    now: DateTime<Utc>,
) -> Result<Option<bool>> {
    let has_changed = change(connection, account_id, layer_id, visible, now).await?;
    let end = "UPDATE overlay_layers SET shown_until = NULL, hidden_until = NULL
        WHERE account_id = $1 AND id = $2 AND (shown_until IS NOT NULL OR hidden_until IS NOT NULL)";
    sql_query(end).bind::<SqlUuid, _>(account_id).bind::<SqlUuid, _>(layer_id).execute(connection).await?;
    Ok(has_changed)
}

/// Shows or hides a layer and leaves its times. Returns what [`set_visible`] does.
async fn change(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    layer_id: Uuid,
    visible: bool,
    now: DateTime<Utc>,
) -> Result<Option<bool>> {
    let Some(overlay) = lock(connection, account_id, layer_id).await? else { return Ok(None) };
    let change = "WITH layer AS (
            UPDATE overlay_layers SET visible = $4 WHERE account_id = $1 AND id = $2 AND visible <> $4 RETURNING id)
        UPDATE overlays SET version = version + 1, updated_at = $5 FROM layer
        WHERE overlays.account_id = $1 AND overlays.id = $3 RETURNING overlays.version";
    let changed: Option<Version> = sql_query(change)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(layer_id)
        .bind::<SqlUuid, _>(overlay)
        .bind::<Bool, _>(visible)
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await
        .optional()?;
    let Some(changed) = changed else { return Ok(Some(false)) };
    let change = OverlayChange::Layer(layer_id);
    publish_overlay_change(connection, overlay, changed.version, change, None, now).await?;
    Ok(Some(true))
}

/// Locks the overlay of a layer until the transaction ends, before its layers as by every change of an overlay.
async fn lock(connection: &mut AsyncPgConnection, account_id: Uuid, layer_id: Uuid) -> Result<Option<Uuid>> {
    let sql =
        "SELECT overlays.id FROM overlays JOIN overlay_layers AS layer ON layer.overlay_id = overlays.id
        WHERE layer.account_id = $1 AND layer.id = $2 FOR NO KEY UPDATE OF overlays";
    let overlay: Option<Overlay> = sql_query(sql)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(layer_id)
        .get_result(connection)
        .await
        .optional()?;
    Ok(overlay.map(|overlay| overlay.id))
}

/// Shows or hides a layer for a time, after which its job changes it back. A layer that is as wanted already stays so,
/// unless an earlier redemption has made it so for a time: then it stays for the longer of both. Where the layer is by
/// itself as wanted from before the end of the time, it is not changed back. `key` names the redemption. Returns false
/// when the account has no such layer. Must be called in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn change_for_a_time(
    connection: &mut AsyncPgConnection,
    job: &RestoreLayer,
    key: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let RestoreLayer { account_id, layer_id, visible, .. } = *job;
    let Some(has_changed) = change(connection, account_id, layer_id, !visible, now).await? else {
        return Ok(false);
    };
    if store_time(connection, job, has_changed).await? {
        outbox::add(connection, job, key).await?;
    }
    Ok(true)
}

/// Stores until when a redemption shows or hides a layer. Returns whether the layer is changed back then, or later.
async fn store_time(
    connection: &mut AsyncPgConnection,
    job: &RestoreLayer,
    has_changed: bool,
) -> Result<bool> {
    let (until, opposite) = (until_column(!job.visible), until_column(job.visible));
    // Where the opposite time is the last one to end, the layer is by itself as wanted: it is not changed back after a
    // redemption that ends later still. Another opposite time was within an earlier one of this kind, and ends now.
    let sql = format!(
        "UPDATE overlay_layers SET
            {until} = CASE WHEN {opposite} <= $3 AND ({until} IS NULL OR {until} < {opposite}) THEN NULL
                ELSE greatest({until}, $3) END,
            {opposite} = CASE WHEN {opposite} > greatest({until}, $3) THEN {opposite} END
        WHERE account_id = $1 AND id = $2 AND ($4 OR {until} IS NOT NULL)
        RETURNING {until} IS NOT NULL AS is_changed_back"
    );
    let stored: Option<Stored> = sql_query(sql)
        .bind::<SqlUuid, _>(job.account_id)
        .bind::<SqlUuid, _>(job.layer_id)
        .bind::<Timestamptz, _>(job.due_at)
        .bind::<Bool, _>(has_changed)
        .get_result(connection)
        .await
        .optional()?;
    Ok(stored.is_some_and(|stored| stored.is_changed_back))
}

/// Changes a layer back, unless a later redemption keeps it. Must be called in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn restore(
    connection: &mut AsyncPgConnection,
    job: &RestoreLayer,
    now: DateTime<Utc>,
) -> Result<()> {
    let RestoreLayer { account_id, layer_id, visible, .. } = *job;
    // A redemption that has the lock extends the time. One that waits for it finds the layer changed back.
    if lock(connection, account_id, layer_id).await?.is_none() {
        return Ok(());
    }
    let (until, opposite) = (until_column(!visible), until_column(visible));
    // An opposite time within this one has ended before it. Its job may be later than this one.
    let end = format!(
        "UPDATE overlay_layers SET {until} = NULL, {opposite} = CASE WHEN {opposite} > {until} THEN {opposite} END
        WHERE account_id = $1 AND id = $2 AND {until} <= $3"
    );
    let ended = sql_query(end)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(layer_id)
        .bind::<Timestamptz, _>(now)
        .execute(connection)
        .await?;
    if ended > 0 {
        change(connection, account_id, layer_id, visible, now).await?;
    }
    Ok(())
}
